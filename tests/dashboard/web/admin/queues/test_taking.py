"""Admins take the next thread, get threads from queues, and give them back."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from dashboard.db.models.webhooks import outgoing_events
from dashboard.errors import StorageUnavailable
from dashboard.ingest.handing_out import HandOuts, Outlook
from tests.dashboard.web.admin.queues.calls import (
    ACCEPTING,
    API,
    MINUTE,
    URL,
    accepts,
    acts,
    explained,
    is_here,
    listed,
    member,
    saved_queue,
    takes,
    turn,
)
from tests.dashboard.web.admin.views.calls import saved
from tests.dashboard.web.answers import is_problem
from tests.drivers.audit import acts as audited

SUE = {"id": 1, "name": "Sue"}
MAI = {"id": 2, "name": "Mai"}
#: The members of an admin in an explanation.
FREE = {"is": "free", "load": 0, "capacity": 5}
OFF = FREE | {"is": "not_accepting"}


@pytest.fixture
def mai(dashboard, sue):
    """A browser in which Mai is signed in, with the id 2."""
    return dashboard.sign_in("Mai")


def waiting(dashboard, count: int) -> list[int]:
    """Lets customers write; returns their threads, the longest wait first."""
    return [dashboard.say(f"t-{number}") for number in range(count)]


def test_the_next_thread_is_the_first_in_the_order_of_the_view(dashboard, sue, mai):
    """Q40, Q42, Q43, Q44, Q77."""
    ids = waiting(dashboard, 3)
    queue = saved_queue(sue)
    turn(dashboard)
    named = {"id": queue["id"], "name": "Waiting"}
    for client, id, of in ((mai, ids[0], 3), (sue, ids[1], 2), (mai, ids[2], 1)):
        assert listed(mai)[0]["waiting"] == of
        answer = takes(client).json
        assert (answer["queue"], answer["rank"], answer["of"]) == (named, 1, of)
        assert answer["row"]["id"] == id
        [act] = acts(mai, id)
        assert (act["id"], act["type"]) == (answer["act"], "thread.assigned")
        assert act["by"] == act["assignee"] == answer["row"]["assignee"]
        assert act["queue"] == named
    assert takes(mai).status_code == 204
    assert listed(mai)[0]["waiting"] == 0
    assert dashboard.outgoing_types() == ["thread.assigned"] * 3
    dashboard.clock.advance(2 * MINUTE)
    dashboard.services.due_queue.turn()
    assert mai.get(f"{API}/threads?ids={ids[0]}").json["rows"][0]["assignee"] == MAI


def test_a_thread_that_waits_in_two_queues_is_counted_once(dashboard, sue, mai):
    """Q45: threads of others, of pushing queues, and of a running delay are not to be taken."""

    def count(client) -> int:
        return client.get(URL).json["next"]

    def open_threads(name: str) -> str:
        return saved(sue, owner="all", name=name, query="is:open")["id"]

    assert count(mai) == 0
    ids = waiting(dashboard, 4)
    mai.post(f"{API}/threads/{ids[3]}/replies", json={"body": "Hi", "token": "t-1"})
    mai.post(f"{API}/threads/{ids[3]}/release", json={})
    saved_queue(sue)
    saved_queue(sue, name="Again", delay=60)
    saved_queue(sue, view=open_threads("Pushed"), mode="push")
    sue.post(f"{API}/desks", json={"name": "sales"})
    saved_queue(sue, view=open_threads("Of others"), admins=["sales"])
    turn(dashboard)
    assert count(mai) == 3
    saved_queue(sue, view=open_threads("Open"), delay=60)
    dashboard.clock.advance(MINUTE)
    dashboard.say("t-9")
    turn(dashboard)
    assert [queue["waiting"] for queue in listed(mai)] == [4, 3, 5, 5, 4]
    assert count(mai) == 5
    takes(mai)
    assert count(mai) == count(sue) == 4


def test_the_number_to_take_has_only_threads_that_the_admin_sees(dashboard, sue, mai):
    """Q45, Q67."""
    for name in ("One", "Two"):
        saved_queue(sue, name=name)
    sue.post(f"{API}/desks", json={"name": "sales"})
    [id, _] = waiting(dashboard, 2)
    turn(dashboard)
    assert (
        sue.post(f"{API}/threads/{id}/assign", json={"admin_id": None, "desk": "sales"}).status_code
        == 200
    )
    assert mai.get(URL).json["next"] == 1
    assert sue.get(URL).json["next"] == 2


def test_a_queue_can_be_named(dashboard, sue, mai):
    """Q40, Q41."""
    waiting(dashboard, 2)
    first = saved_queue(sue, take_within=10)
    named = saved_queue(sue, name="Named")
    pushed = saved_queue(sue, name="Pushed", mode="push")
    sue.post(f"{API}/desks", json={"name": "sales"})
    others = saved_queue(sue, name="Others", admins=["sales"])
    turn(dashboard)
    assert takes(mai, queue=named["id"]).json["queue"]["id"] == named["id"]
    assert is_problem(takes(mai, queue=pushed["id"]), 409, "not_pulled")
    assert takes(mai, queue=others["id"]).status_code == 204, "she is none of its admins"
    assert is_problem(takes(mai, queue=99), 404, "not_found")
    assert is_problem(takes(mai, queue="1"), 422, "wrong_type")
    assert takes(mai).json["queue"]["id"] == first["id"]


def test_the_capacity_is_the_limit_of_what_one_takes(dashboard, sue, mai):
    """Q22, Q24, Q26, Q41, Q61."""
    ids = waiting(dashboard, 3)
    saved_queue(sue)
    turn(dashboard)
    accepts(mai, accepting=False, capacity=1)
    assert takes(mai).json["row"]["id"] == ids[0]
    full = takes(mai)
    assert is_problem(full, 409, "at_capacity")
    assert (full.json["load"], full.json["capacity"]) == (1, 1)
    assert mai.post(f"{API}/threads/{ids[1]}/claim", json={}).status_code == 200
    assert takes(mai).json["load"] == 2
    for id in ids[:2]:
        body = {"until": "2027-01-01T09:00:00Z"}
        assert mai.post(f"{API}/threads/{id}/snooze", json=body).status_code == 200
    assert takes(mai).json["row"]["id"] == ids[2]


def test_an_admin_accepts_threads_up_to_what_supervisors_allow(dashboard, sue, mai):
    """Q22, Q25."""
    nothing = {"accepting": False, "capacity": 5, "capacity_max": 5, "load": 0, "counts": "waiting"}
    assert mai.get(ACCEPTING).json == nothing
    assert accepts(mai, capacity=3) == nothing | {"accepting": True, "capacity": 3}
    assert accepts(mai) == nothing | {"accepting": True, "capacity": 3}, "it stays"
    over = mai.put(ACCEPTING, json={"accepting": False, "capacity": 6})
    assert is_problem(over, 422, "number_out_of_range")
    assert over.json["errors"][0]["pointer"] == "/capacity"
    assert mai.get(ACCEPTING).json["accepting"] is True, "nothing of it was stored"
    for wrong in ({}, {"accepting": None}, {"accepting": 1}, {"accepting": True, "capacity": -1}):
        assert mai.put(ACCEPTING, json=wrong).status_code == 422
    assert sue.put(f"{API}/accounts/2", json={"capacity": 2}).status_code == 200
    assert mai.get(ACCEPTING).json == nothing | {
        **{"accepting": True, "capacity": 2, "capacity_max": 2}
    }
    assert sue.put(f"{API}/accounts/2", json={"capacity": 9}).status_code == 200
    assert mai.get(ACCEPTING).json["capacity"] == 3, "the own one counts again"
    assert accepts(mai, capacity=None)["capacity"] == 9
    assert sue.get(ACCEPTING).json == nothing


def test_supervisors_set_a_capacity_which_the_log_tells(dashboard, sue, mai):
    """Q6, Q22."""
    [account] = [one for one in sue.get(f"{API}/accounts").json["accounts"] if one["id"] == 2]
    assert account["capacity"] == 5
    body = {"capacity": 0, "changed_at": account["changed_at"]}
    answer = sue.put(f"{API}/accounts/2", json=body)
    assert answer.json["account"]["capacity"] == 0
    assert is_problem(sue.put(f"{API}/accounts/2", json=body), 409, "changed_meanwhile")
    assert sue.put(f"{API}/accounts/2", json={"capacity": 0}).status_code == 200
    changes = {"capacity": {"from": 5, "to": 0}}
    assert audited(dashboard.database) == [
        ("account.capacity_changed", "2", "mai@example.com", changes)
    ]
    for wrong, code in ((-1, "number_out_of_range"), (101, "number_out_of_range"), ("5", None)):
        answer = sue.put(f"{API}/accounts/2", json={"capacity": wrong})
        assert is_problem(answer, 422, code or "wrong_type")
        assert answer.json["errors"][0]["pointer"] == "/capacity"
    assert is_problem(mai.put(f"{API}/accounts/2", json={"capacity": 9}), 403, "forbidden")
    waiting(dashboard, 1)
    saved_queue(sue)
    turn(dashboard)
    assert is_problem(takes(mai), 409, "at_capacity")


def test_why_a_thread_still_waits_is_explained(dashboard, sue, mai):
    """Q79: an admin who does not accept threads is said not to, here or not."""
    ids = waiting(dashboard, 2)
    queue = saved_queue(sue, mode="push")
    turn(dashboard)
    assert explained(mai, ids[1]) == {
        "queue": {"id": queue["id"], "name": "Waiting"},
        **{"admin": None, "at": None, "pulled": False, "others": 0, "position": 2, "of": 2},
        "admins": [SUE | OFF, MAI | OFF],
    }
    for status in ("online", "away", "offline"):
        is_here(dashboard, 2, status)
        assert explained(mai, ids[1])["admins"][1] == MAI | OFF
    is_here(dashboard, 2, "busy")
    accepts(mai, capacity=1)
    assert explained(mai, ids[1])["admins"][1] == MAI | {"is": "busy", "load": 0, "capacity": 1}
    is_here(dashboard, 2)
    assert turn(dashboard) == 1
    full = MAI | {"is": "at_capacity", "load": 1, "capacity": 1}
    assert explained(mai, ids[1])["admins"][0] == full


def test_a_queue_pushes_and_the_team_and_the_explanation_tell_it(dashboard, sue, mai):
    """Q25, Q32, Q75, Q78."""
    ids = waiting(dashboard, 2)
    queue = saved_queue(sue, mode="push")
    named = {"id": queue["id"], "name": "Waiting"}
    is_here(dashboard, 2)
    accepts(mai, capacity=1)
    before = member(mai, 2)
    assert (before["load"], before["capacity"]) == (0, 1)
    assert (before["accepting"], before["given_at"]) == (True, None)
    assert turn(dashboard) == 1
    after = member(mai, 2)
    assert (after["load"], after["given_at"]) == (1, dashboard.clock())
    [act] = acts(mai, ids[0])
    assert (act["by"], act["assignee"], act["queue"]) == (None, MAI, named)
    assert explained(sue, ids[0]) == {
        **{"queue": named, "admin": MAI, "at": dashboard.clock(), "pulled": False},
        **{"others": 0, "position": None, "of": None},
        "admins": [
            MAI | {"is": "given", "load": 0, "capacity": 1},
            SUE | OFF,
        ],
    }
    sue.delete(f"{URL}/{queue['id']}")
    mai.post(f"{API}/threads/{ids[0]}/release", json={})
    assert explained(mai, ids[0]) is None, "nobody has it, and no queue"


def test_a_thread_that_is_not_taken_comes_back(dashboard, sue, mai):
    """Q34, Q54, Q76: and the explanation says again why it waits."""
    ids = waiting(dashboard, 2)
    saved_queue(sue, mode="push")
    is_here(dashboard, 2)
    accepts(mai)
    assert turn(dashboard) == 2
    row = mai.post(f"{API}/threads/{ids[0]}/replies", json={"body": "Hi", "token": "t-1"})
    assert row.status_code == 201
    dashboard.clock.advance(MINUTE)
    dashboard.services.due_queue.turn()
    rows = mai.get(f"{API}/threads?ids={ids[0]},{ids[1]}").json["rows"]
    assert [row["assignee"] for row in rows] == [MAI, None]
    assert mai.get(ACCEPTING).json["accepting"] is False
    assert member(sue, 2)["accepting"] is False
    act = acts(mai, ids[1])[-1]
    assert (act["type"], act["by"], act["returned"]) == ("thread.released", None, "not_taken")
    assert (act["queue"]["name"], act["previous"]) == ("Waiting", MAI)
    assert turn(dashboard) == 0
    assert explained(mai, ids[1])["position"] == 1
    accepts(mai)
    assert turn(dashboard) == 1


def test_a_thread_of_a_deleted_queue_stays_though_it_was_not_opened(dashboard, sue, mai):
    ids = waiting(dashboard, 1)
    queue = saved_queue(sue, mode="push")
    is_here(dashboard, 2)
    accepts(mai)
    assert turn(dashboard) == 1
    assert sue.delete(f"{URL}/{queue['id']}").status_code == 204
    dashboard.clock.advance(MINUTE)
    dashboard.services.due_queue.turn()
    row = mai.get(f"{API}/threads?ids={ids[0]}").json["rows"][0]
    assert (row["assignee"], mai.get(ACCEPTING).json["accepting"]) == (MAI, True)
    assert acts(mai, ids[0])[-1]["type"] == "thread.assigned"
    assert dashboard.services.due_queue.turn() == 0, "it is not due again and again"


def test_a_released_thread_goes_to_somebody_else(dashboard, sue, mai):
    """Q50, Q51, Q54: a reason stands in the conversation, and not in what chatbots get."""
    [id] = waiting(dashboard, 1)
    queue = saved_queue(sue, mode="push")
    is_here(dashboard, 2)
    accepts(mai)
    turn(dashboard)
    before = mai.get(f"{API}/threads?ids={id}").json["rows"][0]
    for wrong, code in (("r" * 501, "too_long"), (" ", "empty_text"), (5, "wrong_type")):
        answer = mai.post(f"{API}/threads/{id}/release", json={"reason": wrong})
        assert is_problem(answer, 422, code)
    is_here(dashboard, 1)
    accepts(sue)
    answer = mai.post(f"{API}/threads/{id}/release", json={"reason": "She is my aunt"})
    row = answer.json["row"]
    assert (row["assignee"], row["waiting_since"]) == (None, before["waiting_since"])
    act = acts(mai, id)[-1]
    assert (act["id"], act["by"], act["note"]) == (answer.json["act"], MAI, "She is my aunt")
    assert (act["queue"]["id"], act["returned"], act["previous"]) == (queue["id"], "released", MAI)
    with dashboard.database.read() as connection:
        told = connection.scalars(select(outgoing_events.c.data)).all()[-1]
    assert told == {"thread_id": id} | {name: act[name] for name in ("by", "assignee", "queue")} | {
        "returned": "released"
    }
    found = {one["id"]: one["is"] for one in explained(mai, id)["admins"]}
    assert found == {1: "free", 2: "released"}
    assert turn(dashboard) == 1
    assert mai.get(f"{API}/threads?ids={id}").json["rows"][0]["assignee"]["id"] == 1
    sue.post(f"{API}/threads/{id}/release", json={})
    assert turn(dashboard) == 1
    assert mai.get(f"{API}/threads?ids={id}").json["rows"][0]["assignee"] == MAI, "no one else"


def test_one_who_is_gone_gives_back_what_the_queue_says(dashboard, sue, mai):
    """Q52, Q53."""
    ids = waiting(dashboard, 3)
    saved_queue(sue, mode="push", **{"return": {"offline_after": 30, "which": "waiting"}})
    is_here(dashboard, 2)
    accepts(mai, capacity=2)
    assert turn(dashboard) == 2
    mai.post(f"{API}/threads/{ids[0]}/replies", json={"body": "Hi", "token": "t-1"})
    accepts(mai, accepting=False)
    mai.post(f"{API}/threads/{ids[2]}/claim", json={})
    is_here(dashboard, 2, "offline")
    dashboard.clock.advance(29_999)
    assert turn(dashboard) == 0
    dashboard.clock.advance(1)
    assert turn(dashboard) == 1
    rows = mai.get(f"{API}/threads?ids={','.join(map(str, ids))}").json["rows"]
    assert [row["assignee"] for row in rows] == [MAI, None, MAI]
    act = acts(mai, ids[1])[-1]
    assert (act["returned"], act["previous"]) == ("offline", MAI)


def queue_of(client, id: int) -> int | None:
    """The queue in the row of a thread."""
    return client.get(f"{API}/threads?ids={id}").json["rows"][0]["queue"]


def test_a_row_names_the_queue_that_gave_the_thread_to_its_assignee(dashboard, sue, mai):
    """Q55: until it has another assignee or none, and while there is that queue."""
    ids = waiting(dashboard, 3)
    queue = saved_queue(sue)
    turn(dashboard)
    taken = takes(mai).json
    assert taken["row"]["queue"] == queue["id"]
    assert [queue_of(sue, id) for id in ids] == [queue["id"], None, None]
    released = mai.post(f"{API}/threads/{ids[0]}/release", json={}).json["row"]
    assert (released["assignee"], released["queue"]) == (None, None)
    claimed = mai.post(f"{API}/threads/{ids[0]}/claim", json={}).json["row"]
    assert (claimed["assignee"], claimed["queue"]) == (MAI, None)
    next_id = takes(mai).json["row"]["id"]
    sue.delete(f"{URL}/{queue['id']}")
    assert queue_of(mai, next_id) is None


def test_only_those_who_see_a_queue_find_it_in_a_row(dashboard, sue, mai):
    """Q55: its admins, those who see its view, and those who see all desks."""
    lan = dashboard.sign_in("Lan")
    for name in ("sales", "vip"):
        sue.post(f"{API}/desks", json={"name": name})
    for admin_id, desks in ((2, ["main", "sales"]), (3, ["main"])):
        assert sue.put(f"{API}/accounts/{admin_id}", json={"desks": desks}).status_code == 200
    [id] = waiting(dashboard, 1)
    view = saved(sue, owner="desk:vip", name="VIPs")["id"]
    queue = saved_queue(sue, view=view, admins=["sales"])
    turn(dashboard)
    assert takes(mai).json["row"]["queue"] == queue["id"]
    assert [queue_of(client, id) for client in (sue, mai, lan)] == [queue["id"], queue["id"], None]
    assert sue.put(f"{API}/accounts/3", json={"desks": ["main", "vip"]}).status_code == 200
    assert queue_of(lan, id) == queue["id"]


def test_an_assignment_by_hand_above_the_capacity_says_so(dashboard, sue, mai):
    """Q60, Q61."""
    ids = waiting(dashboard, 2)
    saved_queue(sue)
    accepts(mai, capacity=1)
    said = []
    for id in ids:
        assert sue.post(f"{API}/threads/{id}/assign", json={"admin_id": 2}).status_code == 200
        said.append(acts(mai, id)[-1].get("over_capacity"))
    assert said == [None, True]


def test_one_who_hides_is_eligible_and_looks_absent_to_colleagues(dashboard, sue, mai):
    """Q27, Q28: supervisors see the truth."""
    lan = dashboard.sign_in("Lan")
    [id] = waiting(dashboard, 1)
    saved_queue(sue, mode="push", delay=3_600)
    turn(dashboard)
    is_here(dashboard, 2, shown="offline")
    accepts(mai)
    is_here(dashboard, 3)
    accepts(lan)

    def seen(client):
        return {one["id"]: one["is"] for one in explained(client, id)["admins"]}

    assert seen(lan) == {1: "not_accepting", 2: "offline", 3: "free"}
    assert [*seen(lan)] == [3, 1, 2], "the order does not tell it either"
    assert seen(mai) == seen(sue) == {1: "not_accepting", 2: "free", 3: "free"}
    for client, count in ((lan, 1), (mai, 2), (sue, 2)):
        [queue] = listed(client)
        assert (queue["accepting"], queue["eligible"]) == (count, count)
    body = {name: queue[name] for name in ("view", "mode", "admins")}
    tried = sue.post(f"{URL}/preview", json=body).json
    assert (tried["accepting"], tried["eligible"]) == (2, 2)
    accepts(mai, accepting=False)
    for shown in ("offline", "online"):
        is_here(dashboard, 2, shown=shown)
        assert seen(lan)[2] == seen(sue)[2] == "not_accepting", "the switch says nothing of her"


def test_threads_that_came_back_are_placed_though_no_hand_out_follows(clock):
    def fail(found_at):
        raise StorageUnavailable()

    outlook = Outlook(has_to_fill=False, has_returns=True)
    handing_out = SimpleNamespace(look=lambda: outlook, take_back=lambda: ["t-1"], push=fail)
    placed: list[list[str]] = []
    with pytest.raises(StorageUnavailable):
        HandOuts(handing_out, placed.append, clock).turn()
    assert placed == [["t-1"]]
