"""Supervisors list and change accounts, disable and enable them."""

import itertools

import pytest

from dashboard.db.accounts import admin_desks, admins, oidc_accounts
from dashboard.db.models.accounts import admins as table
from dashboard.ingest import releases
from presence.people import Connection
from presence.settings import Settings
from tests.dashboard.web.admin.accounts.calls import API, account
from tests.drivers.application import PASSWORD


@pytest.fixture
def chief(dashboard):
    dashboard.database.write(lambda connection: admin_desks.add(connection, "billing", 0))
    return dashboard.sign_in("Chief", "supervisor")


def put(client, id, **body):
    return client.put(f"{API}/accounts/{id}", json=body)


def disable(client, id, **body):
    return client.post(f"{API}/accounts/{id}/disable", json=body)


def test_accounts_are_for_supervisors(dashboard, mai):
    for method, path in (
        ("GET", "accounts"),
        ("PUT", "accounts/1"),
        ("POST", "accounts/1/disable"),
        ("POST", "accounts/1/enable"),
        ("POST", "invitations"),
        ("DELETE", "invitations/1"),
    ):
        answer = mai.open(f"{API}/{path}", method=method, json={} if method != "GET" else None)
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden"), path
    assert mai.get("/settings/accounts").status_code == 403
    assert dashboard.client().get(f"{API}/accounts").status_code == 401


def test_all_accounts_are_listed_by_name(dashboard, chief, mai):
    disable(chief, account(chief, "Mai")["id"])
    listed = chief.get(f"{API}/accounts").json
    assert [each["name"] for each in listed["accounts"]] == ["Chief", "Mai"]
    assert listed["desks"] == ["main", "billing"] and listed["invitations"] == []
    gone = listed["accounts"][1]
    assert gone["disabled_at"] == dashboard.clock() and gone["desks"] == ["main"]
    assert (gone["status"], gone["last_seen_at"]) == ("offline", None)


def test_accounts_are_listed_while_redis_is_away(dashboard, chief, mai):
    dashboard.server.connected = False
    assert account(chief, "Mai")["status"] is None
    assert disable(chief, account(chief, "Mai")["id"]).status_code == 200


def test_role_desks_and_name_are_changed(chief, mai):
    id = account(chief, "Mai")["id"]
    assert mai.get(f"{API}/accounts").status_code == 403
    changed = put(chief, id, role="supervisor", name=" Mai Anh ", desks=["billing"]).json
    assert changed["released"] == 0
    shown = changed["account"]
    assert (shown["name"], shown["role"], shown["desks"]) == ("Mai Anh", "supervisor", ["billing"])
    # The session goes on, with the new rights.
    assert mai.get(f"{API}/accounts").status_code == 200
    assert put(chief, id, role="admin").json["account"]["name"] == "Mai Anh"
    assert mai.get(f"{API}/accounts").status_code == 403


def test_a_supervisor_gives_another_account_a_new_address(dashboard, chief, mai):
    id = account(chief, "Mai")["id"]
    changed = put(chief, id, email="Mai.Tran@example.com").json["account"]
    assert changed["email"] == "mai.tran@example.com"
    assert mai.get(f"{API}/me").status_code == 401, "its sessions end"
    given = {"email": "mai.tran@example.com", "password": PASSWORD}
    assert mai.post("/login", json=given).status_code == 204
    put(chief, id, email="mai.tran@example.com", name="Mai Anh")
    assert mai.get(f"{API}/me").status_code == 200, "the same address ends nothing"


def test_which_address_a_supervisor_cannot_give(dashboard, chief, mai):
    mai_id, own_id = (account(chief, name)["id"] for name in ("Mai", "Chief"))

    def refusal(id, email):
        answer = put(chief, id, email=email, name="Not this either")
        return answer.status_code, answer.json["code"]

    assert refusal(mai_id, "CHIEF@example.com") == (409, "email_taken")
    assert refusal(own_id, "boss@example.com") == (409, "own_email")
    assert put(chief, own_id, email="chief@example.com").status_code == 200
    dashboard.database.write(
        lambda c: oidc_accounts.bind(c, "https://id.example", "s-1", mai_id, 0)
    )
    assert refusal(mai_id, "mai.tran@example.com") == (409, "provider_account")
    assert account(chief, "Mai")["email"] == "mai@example.com"
    assert mai.get(f"{API}/me").status_code == 200


def test_a_new_name_stands_on_the_rows_of_the_threads_of_the_account(dashboard, chief, mai):
    thread = dashboard.say("t-1")
    mai.post(f"{API}/threads/{thread}/claim", json={})

    def row():
        [found] = chief.get(f"{API}/threads?ids={thread}").json["rows"]
        return found["assignee"]["name"], found["rev"]

    name, revision = row()
    assert name == "Mai"
    put(chief, account(chief, "Mai")["id"], name="Mai Anh")
    assert row() == ("Mai Anh", revision + 1)
    put(chief, account(chief, "Mai Anh")["id"], role="supervisor", name="Mai Anh")
    assert row() == ("Mai Anh", revision + 1)


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"role": "boss"}, "/role", "unknown_value"),
        ({"desks": ["none"]}, "/desks", "unknown_value"),
        ({"desks": []}, "/desks", "wrong_type"),
        ({"name": " "}, "/name", "empty_text"),
        ({"name": "a\u200bb"}, "/name", "forbidden_character"),
        ({"name": "x" * 129}, "/name", "too_long"),
        ({"email": "x"}, "/email", "unknown_value"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_changed(chief, mai, body, pointer, code):
    before = account(chief, "Mai")
    answer = put(chief, before["id"], **body | {"name": body.get("name", "Other")})
    error = answer.json["errors"][0]
    assert (answer.status_code, error["pointer"], error["code"]) == (422, pointer, code)
    assert account(chief, "Mai") == before
    assert put(chief, 999, name="x").status_code == 404


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(chief, mai):
    read = account(chief, "Mai")
    id, changed_at = read["id"], read["changed_at"]
    newer = put(chief, id, desks=["billing"], changed_at=changed_at).json["account"]
    assert newer["changed_at"] > changed_at
    for refused in (
        put(chief, id, role="supervisor", changed_at=changed_at),
        disable(chief, id, changed_at=changed_at),
        chief.post(f"{API}/accounts/{id}/enable", json={"changed_at": changed_at}),
    ):
        assert (refused.status_code, refused.json["code"]) == (409, "changed_meanwhile")
        assert refused.json["account"] == newer
    for name in ("Mai Anh", "Mai Anh"):
        profile = {"name": name, "locale": "vi", "timezone": "Asia/Ho_Chi_Minh"}
        assert mai.put(f"{API}/profile", json=profile).status_code == 200
    own = account(chief, "Mai Anh")
    assert own["changed_at"] == newer["changed_at"] + 1, "what is as it was is no change"
    assert put(chief, id, name="Mai", changed_at=newer["changed_at"]).status_code == 409
    newer = own
    assert disable(chief, id, changed_at=newer["changed_at"]).status_code == 200


def test_a_disabled_account_has_no_session_and_no_threads_until_it_is_enabled(
    dashboard, chief, mai
):
    id, thread = account(chief, "Mai")["id"], dashboard.say("t")
    mai.post(f"{API}/threads/{thread}/claim", json={})
    answer = disable(chief, id)
    assert (answer.status_code, answer.json["released"]) == (200, 1)
    assert mai.get(f"{API}/me").status_code == 401
    acts = chief.get(f"{API}/threads/{thread}/messages").json["acts"]
    assert (acts[-1]["type"], acts[-1]["by"]["name"]) == ("thread.released", "Mai")
    assert dashboard.outgoing_types()[-1] == "thread.released"
    refused = chief.post(f"{API}/threads/{thread}/assign", json={"admin_id": id})
    assert refused.json["errors"][0]["pointer"] == "/admin_id"
    given = {"email": "mai@example.com", "password": PASSWORD}
    assert dashboard.client().post("/login", json=given).status_code == 401
    assert chief.post(f"{API}/accounts/{id}/enable", json={}).json["account"]["disabled_at"] is None
    assert mai.get(f"{API}/me").status_code == 401
    assert dashboard.client().post("/login", json=given).status_code == 204


def test_an_answer_counts_all_threads_and_says_how_many_of_them_follow_it(
    dashboard, chief, mai, monkeypatch
):
    id = account(chief, "Mai")["id"]
    for number in range(5):
        thread = dashboard.say(f"t-{number}")
        mai.post(f"{API}/threads/{thread}/claim", json={})
    later = []
    accounts = dashboard.services.accounts
    monkeypatch.setattr(releases, "SLICE", 2)
    monkeypatch.setattr(accounts, "_monotonic", itertools.count(0, 10).__next__)
    monkeypatch.setattr(accounts, "_spawn", lambda *given: later.append(given))
    answer = disable(chief, id).json
    assert (answer["released"], answer["remaining"]) == (5, 3)
    assert account(chief, "Mai")["releasing"] == 3
    [(work, *given)] = later
    work(*given)
    assert account(chief, "Mai")["releasing"] == 0
    assert disable(chief, id).json["released"] == 0


def test_threads_at_desks_that_are_taken_away_are_released(dashboard, chief, mai):
    id, thread = account(chief, "Mai")["id"], dashboard.say("t")
    mai.post(f"{API}/threads/{thread}/claim", json={})
    assert put(chief, id, desks=["main", "billing"]).json["released"] == 0
    assert put(chief, id, role="supervisor", desks=["billing"]).json["released"] == 0
    assert put(chief, id, role="admin").json["released"] == 1
    assert mai.get(f"{API}/threads/{thread}/messages").status_code == 404


def test_nobody_disables_themselves_and_the_last_supervisor_stays(dashboard, chief):
    own = account(chief, "Chief")["id"]
    for refused in (disable(chief, own), put(chief, own, role="admin")):
        assert (refused.status_code, refused.json["code"]) == (409, "last_supervisor")
    other = dashboard.sign_in("Other", "supervisor")
    refused = disable(chief, own)
    assert (refused.status_code, refused.json["code"]) == (409, "own_account")
    assert put(chief, own, role="admin").status_code == 200
    assert chief.get(f"{API}/accounts").status_code == 403
    # A disabled supervisor does not count.
    disabled = dashboard.create_admin("Gone", "supervisor")
    assert disable(other, disabled).status_code == 200
    refused = put(other, account(other, "Other")["id"], role="admin")
    assert refused.json["code"] == "last_supervisor"


def test_a_supervisor_who_is_none_any_more_when_it_is_written_changes_nothing(
    dashboard, chief, mai, monkeypatch
):
    id = account(chief, "Mai")["id"]
    lock = admins.lock_supervisors

    def after_the_role_is_gone(connection):
        connection.execute(table.update().where(table.c.name == "Chief").values(role="admin"))
        return lock(connection)

    dashboard.create_admin("Other", "supervisor")
    monkeypatch.setattr(admins, "lock_supervisors", after_the_role_is_gone)
    for refused in (
        put(chief, id, role="supervisor"),
        disable(chief, id),
        chief.post(f"{API}/accounts/{id}/enable", json={}),
        chief.post(f"{API}/invitations", json={"email": "x@example.com", "role": "supervisor"}),
    ):
        assert (refused.status_code, refused.json["code"]) == (403, "forbidden")


def test_who_is_disabled_is_offline_at_once(dashboard, chief, mai):
    """R14."""
    id, people = account(chief, "Mai")["id"], dashboard.presence_service.admins
    people.open(Connection(str(id), "session.window"), Settings())
    assert account(chief, "Mai")["status"] == "online"
    disable(chief, id)
    assert account(chief, "Mai")["status"] == "offline"


def test_presence_of_all_accounts_is_looked_up_some_at_a_time(dashboard, chief, monkeypatch):
    for name in ("Ana", "Bo"):
        dashboard.create_admin(name)
    monkeypatch.setattr("dashboard.web.admin.access.accounts.MAX_LOOKED_UP", 2)
    accounts = chief.get(f"{API}/accounts").json["accounts"]
    assert len(accounts) == 3 and all(account["status"] for account in accounts)
