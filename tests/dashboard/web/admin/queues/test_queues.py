"""Queues are saved in an order, by supervisors, of views with the same threads for everybody."""

import pytest

from dashboard.db.accounts import admin_desks
from tests.dashboard.web.admin.queues.calls import (
    API,
    DEFAULTS,
    URL,
    accepts,
    is_here,
    listed,
    saved_queue,
    turn,
)
from tests.dashboard.web.admin.views.calls import API as VIEWS
from tests.dashboard.web.admin.views.calls import saved, view
from tests.dashboard.web.answers import is_problem


def test_queues_are_saved_changed_ordered_and_deleted(dashboard, sue):
    """Q4, Q5."""
    made = saved_queue(sue)
    assert made == DEFAULTS | {
        **{"id": made["id"], "view": "v1", "name": "Waiting", "mode": "pull"},
        **{"changed_at": dashboard.clock(), "waiting": 0, "accepting": 0, "eligible": 0},
        "mine": True,
    }
    pushing = saved_queue(sue, name="Pushing", mode="push", admins=["main"], delay=30)
    assert (pushing["mode"], pushing["admins"], pushing["delay"]) == ("push", ["main"], 30)
    last = saved_queue(sue, name="Last", **{"return": {"offline_after": 30, "which": "none"}})
    assert last["return"] == {"offline_after": 30, "which": "none"}
    assert listed(sue) == [made, pushing, last]
    ordered = sue.put(f"{URL}/order", json={"ids": [last["id"]]})
    assert ordered.json["queues"] == listed(sue) == [last, made, pushing]
    body = {"view": made["view"], "mode": "push", "take_within": 10}
    changed = sue.put(f"{URL}/{made['id']}", json=body | {"changed_at": made["changed_at"]})
    changed = changed.json["queue"]
    assert changed == made | {
        **{"mode": "push", "take_within": 10, "changed_at": made["changed_at"] + 1}
    }
    assert listed(sue) == [last, changed, pushing], "it keeps its place"
    late = sue.put(f"{URL}/{made['id']}", json=body | {"changed_at": made["changed_at"]})
    assert is_problem(late, 409, "changed_meanwhile")
    assert late.json["queue"] == changed
    assert sue.delete(f"{URL}/{made['id']}").status_code == 204
    assert [one["id"] for one in listed(sue)] == [last["id"], pushing["id"]]
    assert sue.get(VIEWS).json["views"][-3]["id"] == "v1", "the view stays"
    for gone in (sue.delete(f"{URL}/{made['id']}"), sue.put(f"{URL}/99", json=body)):
        assert is_problem(gone, 404, "not_found")
    unknown = sue.put(f"{URL}/order", json={"ids": [last["id"], 99]})
    assert is_problem(unknown, 422, "unknown_value")
    assert unknown.json["errors"][0]["pointer"] == "/ids/1"


def test_every_worker_is_told_to_look_after_a_change_of_queues(dashboard, sue):
    """Q36."""

    def told() -> int:
        return dashboard.redis.zscore(dashboard.ranking.keys.view_changes, "changes") or 0

    view_id = saved(sue, owner="all")["id"]
    body = {"view": view_id, "mode": "pull"}
    for method, path, given in (
        ("POST", URL, body),
        ("PUT", f"{URL}/1", body | {"mode": "push"}),
        ("PUT", f"{URL}/order", {"ids": [1]}),
        ("PUT", f"{URL}/load", {"load": "open"}),
        ("DELETE", f"{URL}/1", None),
    ):
        before = told()
        assert sue.open(path, method=method, json=given).status_code in (200, 201, 204)
        assert told() == before + 1, f"{method} {path}"


def test_only_supervisors_change_queues(mai):
    """Q6."""
    body = {"view": "v1", "mode": "pull"}
    for answer in (
        mai.post(URL, json=body),
        mai.put(f"{URL}/1", json=body),
        mai.put(f"{URL}/order", json={"ids": []}),
        mai.put(f"{URL}/load", json={"load": "open"}),
        mai.delete(f"{URL}/1"),
        mai.post(f"{URL}/preview", json=body),
    ):
        assert is_problem(answer, 403, "forbidden")
    assert mai.get(URL).json == {"queues": [], "load": "waiting", "next": 0}


#: Mistakes in a queue: the change, the place and the code.
WRONG = [
    ({"view": "v99"}, "/view", "unknown_value"),
    ({"view": "v2"}, "/view", "unknown_value"),
    ({"view": "v3"}, "/view", "unknown_value"),
    ({"view": "arrival"}, "/view", "unknown_value"),
    ({"mode": "pulled"}, "/mode", "unknown_value"),
    ({"admins": ["nowhere"]}, "/admins/0", "unknown_value"),
    ({"admins": ["main", "Main"]}, "/admins/1", "unknown_value"),
    ({"take_within": 9}, "/take_within", "number_out_of_range"),
    ({"take_within": 3_601}, "/take_within", "number_out_of_range"),
    ({"admins": []}, "/admins", "wrong_type"),
    ({"admins": "main"}, "/admins", "wrong_type"),
    ({"admins": ["main", 1]}, "/admins/1", "wrong_type"),
    ({"take_within": None}, "/take_within", "missing_field"),
    ({"delay": -1}, "/delay", "number_out_of_range"),
    ({"delay": 3_601}, "/delay", "number_out_of_range"),
    ({"delay": 1.5}, "/delay", "wrong_type"),
    ({"return": {"offline_after": 29}}, "/return/offline_after", "number_out_of_range"),
    ({"return": {"offline_after": 3_601}}, "/return/offline_after", "number_out_of_range"),
    ({"return": {"which": "some"}}, "/return/which", "unknown_value"),
    ({"colour": "red"}, "/colour", "unknown_field"),
]


def test_what_is_wrong_is_refused_at_its_place(sue):
    """Q2: also a view of one admin (v2), and one with other threads for each admin (v3)."""
    saved(sue, owner="all")
    saved(sue, owner="me")
    saved(sue, owner="all", query="assigned:me")
    for given, pointer, code in WRONG:
        body = {"view": "v1", "mode": "pull"} | given
        for path in (URL, f"{URL}/preview"):
            answer = sue.post(path, json=body)
            assert is_problem(answer, 422, code), (given, answer.json)
            assert answer.json["errors"][0]["pointer"] == pointer, given
    for missing in ("view", "mode"):
        body = {"view": "v1", "mode": "pull"}
        del body[missing]
        assert is_problem(sue.post(URL, json=body), 422, "missing_field")
    assert is_problem(sue.put(f"{URL}/load", json={"load": "closed"}), 422, "unknown_value")
    assert listed(sue) == []


def test_no_more_queues_are_saved_than_the_most(sue, monkeypatch):
    """Q4."""
    monkeypatch.setattr("dashboard.web.admin.lists.queues.QUEUES_MAX", 1)
    saved_queue(sue)
    body = {"view": saved(sue, owner="all", name="Other")["id"], "mode": "pull"}
    assert is_problem(sue.post(URL, json=body), 422, "too_many_queues")


def test_a_view_is_one_queue_at_most(sue):
    """Q2."""
    made = saved_queue(sue)
    other = saved_queue(sue, name="Other")
    assert is_problem(sue.post(URL, json={"view": "v1", "mode": "push"}), 409, "in_use")
    body = {"view": made["view"], "mode": "pull"}
    assert is_problem(sue.put(f"{URL}/{other['id']}", json=body), 409, "in_use")
    assert listed(sue) == [made, other]


@pytest.mark.parametrize(
    "change", [{"owner": "me"}, {"query": "is:waiting assigned:me"}, None], ids=str
)
def test_the_view_of_a_queue_keeps_the_same_threads_for_everybody(sue, change):
    """Q3."""
    made = saved_queue(sue)
    path = f"{VIEWS}/{made['view']}"

    def happens():
        return sue.put(path, json=view(owner="all") | change) if change else sue.delete(path)

    assert is_problem(happens(), 409, "in_use")
    assert listed(sue) == [made]
    renamed = view(owner="all", name="VIPs who wait", query="is:waiting member:0")
    assert sue.put(path, json=renamed).status_code == 200
    assert listed(sue)[0]["name"] == "VIPs who wait"
    assert sue.delete(f"{URL}/{made['id']}").status_code == 204
    assert happens().status_code in (200, 204), "it is no queue any more"


def test_an_admin_reads_the_queues_that_concern_the_admin(dashboard, sue):
    """Those of the admin's own desks, and those with views that the admin sees."""
    sue.post(f"{API}/desks", json={"name": "sales"})
    mai = dashboard.sign_in("Mai")
    of_sales = saved(sue, owner="desk:sales", name="Sales")["id"]
    elsewhere = saved_queue(sue, view=of_sales, admins=["sales"])
    hers = saved_queue(sue, view=saved(sue, owner="desk:sales", name="Both")["id"])
    seen = saved_queue(sue, admins=["sales"])
    assert [(one["id"], one["mine"]) for one in listed(mai)] == [
        (hers["id"], True),
        (seen["id"], False),
    ]
    assert [one["id"] for one in listed(sue)] == [elsewhere["id"], hers["id"], seen["id"]]
    dashboard.database.write(lambda connection: admin_desks.save(connection, 2, ("sales",)))
    assert [one["mine"] for one in listed(mai)] == [True, True, True]


def test_a_preview_has_the_numbers_of_the_queue_to_come(dashboard, sue):
    """Q7."""
    mai = dashboard.sign_in("Mai")
    for number in range(3):
        dashboard.say(f"t-{number}")
    mai.post(f"{API}/threads/1/claim", json={})
    for client, id in ((sue, 1), (mai, 2)):
        accepts(client)
        is_here(dashboard, id)
    accepts(mai, capacity=1)
    view = saved(sue, owner="all")["id"]
    body = {"view": view, "mode": "pull"}
    tried = sue.post(f"{URL}/preview", json=body).json
    assert tried == {"waiting": 2, "accepting": 2, "eligible": 1}
    assert listed(sue) == [], "it is not saved"
    late = sue.post(f"{URL}/preview", json=body | {"delay": 60}).json
    assert late == tried | {"waiting": 0}, "threads must have been there for so long"
    saved_queue(sue, **body)
    turn(dashboard)
    assert {name: listed(sue)[0][name] for name in tried} == tried


def test_a_view_with_a_mistake_makes_no_queue(dashboard, sue):
    """Nobody has the address any more."""
    dashboard.create_admin("Mai")
    view = saved(sue, owner="all", query="assigned:mai@example.com")["id"]
    assert sue.put(f"{API}/accounts/2", json={"email": "other@example.com"}).status_code == 200
    body = {"view": view, "mode": "pull", "admins": "all"}
    for url in (f"{URL}/preview", URL):
        answer = sue.post(url, json=body)
        assert is_problem(answer, 422, "unknown_value")
        [error] = answer.json["errors"]
        assert error["pointer"] == "/view" and "wrong by now" in error["detail"]


def test_the_load_counts_open_threads_if_a_supervisor_says_so(dashboard, sue):
    """Q23."""
    mai = dashboard.sign_in("Mai")
    for number in range(2):
        mai.post(f"{API}/threads/{dashboard.say(f't-{number}')}/claim", json={})
    dashboard.say("t-0", role="admin")
    loads = []
    for load in ("waiting", "open", "waiting"):
        assert sue.put(f"{URL}/load", json={"load": load}).json == {"load": load}
        assert sue.get(URL).json["load"] == load
        loads.append(mai.get(f"{API}/me/accepting").json["load"])
    assert loads == [1, 2, 1]
