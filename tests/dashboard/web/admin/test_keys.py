"""API keys over HTTP: for supervisors, from our own page."""

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.web.admin.access import keys

API = "/admin/api/keys"
CHATBOT = "/api/v1/threads/t"


@pytest.fixture
def chief(dashboard, monkeypatch):
    # Background work runs here at once.
    monkeypatch.setattr(keys, "spawn_thread", lambda work, *given: work(*given))
    return dashboard.sign_in("Chief", "supervisor")


def test_keys_are_for_supervisors(dashboard, mai):
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/1")):
        answer = mai.open(API + path, method=method, json={} if method == "POST" else None)
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert mai.get("/settings/keys").status_code == 403
    assert dashboard.client().get(API).status_code == 401


def test_a_key_works_until_it_is_revoked(dashboard, chief, monkeypatch):
    dashboard.say("t")
    made = chief.post(API, json={"source": "shop"})
    assert made.status_code == 201
    headers = {"Authorization": f"Bearer {made.json['key']}"}
    assert chief.get(CHATBOT, headers=headers).status_code == 200
    listed = chief.get(API)
    (key,) = listed.json["keys"]
    assert made.json["key"].startswith(f"lu_{key['prefix']}_")
    assert made.json["key"] not in listed.text
    assert key["last_used_at"] == dashboard.clock() and key["revoked_at"] is None
    assert chief.delete(f"{API}/{made.json['id']}").status_code == 204
    ring = dashboard.services.key_ring
    monkeypatch.setattr(ring, "_monotonic", lambda: float("inf"))
    assert chief.get(CHATBOT, headers=headers).status_code == 401
    assert chief.get(API).json["keys"][0]["revoked_at"] == dashboard.clock()
    assert chief.delete(f"{API}/{made.json['id']}").status_code == 204
    assert chief.delete(f"{API}/999").status_code == 404


def test_a_key_is_made_as_by_the_command(dashboard, chief):
    dashboard.say("before")
    given = {"source": "shop", "scopes": ["read", "read"], "handoff": True, "desk": "sales"}
    assert chief.post(API, json=given | {"rate": 7}).status_code == 201
    (key,) = chief.get(API).json["keys"]
    assert (key["source"], key["scopes"], key["rate"]) == ("shop", ["read"], 7)
    assert (key["handoff"], key["desk"]) == (True, "sales")
    with dashboard.database.read() as connection:
        assert admin_desks.names(connection) == ["main", "sales"]
    # Existing threads follow the change: none waits before it is handed over.
    (row,) = chief.get("/admin/api/threads?ids=1").json["rows"]
    assert row["waiting_since"] is None and row["desk"] == "main"
    other = chief.post(API, json={"source": "shop"})
    assert other.status_code == 201
    assert [each["desk"] for each in chief.get(API).json["keys"]] == ["sales", "sales"]


def test_a_failure_to_bring_threads_up_to_date_is_logged(dashboard, chief, monkeypatch, caplog):
    def fail(source: str) -> None:
        raise ValueError(source)

    monkeypatch.setattr(dashboard.services.api_keys, "refold", fail)
    assert chief.post(API, json={"source": "shop", "handoff": True}).status_code == 201
    assert "it is tried again soon" in caplog.text


def test_a_process_that_ended_meanwhile_left_nothing_half_done(dashboard, chief, monkeypatch):
    """Another one computes the facts of the threads that it has not reached."""
    monkeypatch.setattr("dashboard.ingest.recorder.REFOLD_SLICE", 1)
    for name in ("first", "second"):
        dashboard.say(name)
    whole = dashboard.services.recorder.refold

    def cut_off(source_id: int, after_id: int):
        yield next(whole(source_id, after_id))

    monkeypatch.setattr(dashboard.services.recorder, "refold", cut_off)
    assert chief.post(API, json={"source": "shop", "handoff": True}).status_code == 201

    def waits() -> list[bool]:
        rows = chief.get("/admin/api/threads?ids=1,2").json["rows"]
        return [row["waiting_since"] is not None for row in rows]

    assert waits() == [False, True]
    monkeypatch.setattr(dashboard.services.recorder, "refold", whole)
    dashboard.services.api_keys.finish_refolds()
    assert waits() == [False, True], "it may be under way"
    dashboard.services.api_keys.finish_refolds()
    assert waits() == [False, False]
    monkeypatch.setattr(dashboard.services.recorder, "refold", None)
    for _ in range(2):
        dashboard.services.api_keys.finish_refolds()


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"source": "Shop"}, "/source"),
        ({"source": "_lineup"}, "/source"),
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["all"]}, "/scopes/0"),
        ({"desk": "Sales"}, "/desk"),
        ({"rate": 0}, "/rate"),
        ({"rate": 1_000_001}, "/rate"),
        ({"rate": True}, "/rate"),
        ({"handoff": "yes"}, "/handoff"),
        ({"key": "x"}, "/key"),
    ],
)
def test_what_is_wrong_is_named(chief, change, pointer):
    answer = chief.post(API, json={"source": "shop"} | change)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)
    assert chief.get(API).json["keys"] == []
