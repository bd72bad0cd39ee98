"""Handing threads over, over HTTP: one thread, many, and undoing."""

import pytest

from dashboard.db.accounts import admin_desks
from tests.dashboard.web.admin.calls import API, row

THREADS = f"{API}/threads"


def test_a_thread_is_handed_over_with_a_note_and_given_back(dashboard, mai):
    dashboard.sign_in("Bob")
    id = dashboard.say("t-1")
    given = {"admin_id": 2, "note": "She has called twice."}
    answer = mai.post(f"{THREADS}/{id}/assign", json=given)
    assert (answer.status_code, answer.json["row"]["assignee"]) == (200, {"id": 2, "name": "Bob"})
    conversation = mai.get(f"{THREADS}/{id}/messages").json
    assert (conversation["messages"][-1]["body"], conversation["messages"][-1]["private"]) == (
        "She has called twice.",
        True,
    )
    [act] = conversation["acts"]
    assert (act["type"], act["by"]["name"]) == ("thread.assigned", "Mai")
    assert act["assignee"] == {"id": 2, "name": "Bob"}
    [undone] = mai.post(f"{THREADS}/undo", json={"acts": [answer.json["act"]]}).json["results"]
    assert undone["row"]["assignee"] is None
    mai.post(f"{THREADS}/{id}/assign", json={"admin_id": 1})
    assert (
        mai.post(f"{THREADS}/{id}/assign", json={"admin_id": None}).json["row"]["assignee"] is None
    )


def test_what_a_colleague_has_is_refused_to_others_but_supervisors(dashboard, mai):
    bob, boss = dashboard.sign_in("Bob"), dashboard.sign_in("Boss", "supervisor")
    id = dashboard.say("t-1")
    bob.post(f"{THREADS}/{id}/claim", json={})
    refused = mai.post(f"{THREADS}/{id}/assign", json={"admin_id": 1})
    assert (refused.status_code, refused.json["code"]) == (409, "already_claimed")
    assert refused.json["assignee"] == {"id": 2, "name": "Bob"}
    taken_over = boss.post(f"{THREADS}/{id}/assign", json={"admin_id": 3})
    assert taken_over.json["row"]["assignee"]["name"] == "Boss"


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({}, "/admin_id", "missing_field"),
        ({"admin_id": "1"}, "/admin_id", "wrong_type"),
        ({"admin_id": True}, "/admin_id", "wrong_type"),
        ({"admin_id": 0}, "/admin_id", "number_out_of_range"),
        ({"admin_id": 2**60}, "/admin_id", "number_out_of_range"),
        ({"admin_id": 99}, "/admin_id", "unknown_value"),
        ({"admin_id": 1, "note": " "}, "/note", "empty_text"),
        ({"admin_id": 1, "note": "x" * 20_001}, "/note", "too_long"),
        ({"admin_id": 1, "to": 1}, "/to", "unknown_field"),
        ({"admin_id": None, "desk": "nowhere"}, "/desk", "unknown_value"),
        ({"admin_id": None, "desk": "Main"}, "/desk", "unknown_value"),
        ({"admin_id": None, "desk": "x" * 33}, "/desk", "too_long"),
    ],
)
def test_a_wrong_hand_over_is_refused(dashboard, mai, body, pointer, code):
    id = dashboard.say("t-1")
    answer = mai.post(f"{THREADS}/{id}/assign", json=body)
    [error] = answer.json["errors"]
    assert (answer.status_code, error["pointer"], error["code"]) == (422, pointer, code)
    assert row(mai, id)["assignee"] is None


def test_many_threads_are_handed_over_and_each_has_its_result(dashboard, mai):
    bob = dashboard.sign_in("Bob")
    dashboard.sign_in("Ken")
    one, two = dashboard.say("t-1"), dashboard.say("t-2")
    bob.post(f"{THREADS}/{two}/claim", json={})
    many = {"ids": [one, two], "action": "assign", "admin_id": 3, "note": "For you"}
    results = mai.post(f"{THREADS}/bulk", json=many).json["results"]
    assert [each["status"] for each in results] == ["done", "rejected"]
    assert results[1]["problem"]["code"] == "already_claimed"
    assert [row(mai, id)["assignee"]["name"] for id in (one, two)] == ["Ken", "Bob"]


def test_the_team_says_who_has_how_many_threads(dashboard, mai):
    dashboard.sign_in("Bob")
    for number in range(3):
        id = dashboard.say(f"t-{number}")
        mai.post(f"{THREADS}/{id}/assign", json={"admin_id": 2})
    mai.post(f"{THREADS}/{id}/close", json={})
    dashboard.services.reconciler.tick()
    team = mai.get(f"{API}/team").json["team"]
    assert {member["name"]: member["assigned"] for member in team} == {"Mai": 0, "Bob": 2}


def test_a_thread_is_handed_over_to_a_desk_and_that_is_undone(dashboard, mai):
    _add_desk(dashboard, "billing")
    id = dashboard.say("t-1")
    mai.post(f"{THREADS}/{id}/claim", json={})
    before = row(mai, id)
    assert before["desk"] == "main"
    given = {"admin_id": None, "desk": "billing", "note": "An invoice"}
    answer = mai.post(f"{THREADS}/{id}/assign", json=given).json
    assert (answer["row"]["desk"], answer["row"]["assignee"]) == ("billing", None)
    assert answer["row"]["waiting_since"] == before["waiting_since"]
    acts = mai.get(f"{THREADS}/{id}/messages").json["acts"]
    assert [(act["type"], act.get("desk")) for act in acts] == [
        ("thread.assigned", None),
        ("thread.released", "billing"),
        ("thread.desk_changed", "billing"),
    ]
    [undone] = mai.post(f"{THREADS}/undo", json={"acts": [answer["act"]]}).json["results"]
    assert (undone["row"]["desk"], undone["row"]["assignee"]["name"]) == ("main", "Mai")
    same = {"admin_id": 1, "desk": "main"}
    assert mai.post(f"{THREADS}/{id}/assign", json=same).json["act"] is None


def test_the_note_of_a_hand_over_mentions_those_who_see_the_thread_afterwards(dashboard, mai):
    _add_desk(dashboard, "billing", members=())
    boss = dashboard.sign_in("Boss", "supervisor")
    for name, desk in (("Ana", "main"), ("Ben", "billing")):
        _set_desks(dashboard, desk, members=[dashboard.create_admin(name)])
    id = dashboard.say("t-1")
    given = {"admin_id": None, "desk": "billing", "note": "@Ana @Ben An invoice"}
    assert mai.post(f"{THREADS}/{id}/assign", json=given).status_code == 200
    note = boss.get(f"{THREADS}/{id}/messages").json["messages"][-1]
    assert [one["name"] for one in note["mentions"]] == ["Ben"]


def test_many_threads_are_handed_over_to_a_desk(dashboard, mai):
    _add_desk(dashboard, "billing")
    ids = [dashboard.say("t-1"), dashboard.say("t-2")]
    many = {"ids": ids, "action": "assign", "admin_id": None, "desk": "billing"}
    results = mai.post(f"{THREADS}/bulk", json=many).json["results"]
    assert [each["status"] for each in results] == ["done", "done"]
    assert [row(mai, id)["desk"] for id in ids] == ["billing", "billing"]
    assert mai.get(f"{API}/team").json["desks"] == ["main", "billing"]


def test_who_gives_a_thread_to_a_desk_that_is_not_theirs_sees_it_no_more_and_may_take_it_back(
    dashboard, mai
):
    _add_desk(dashboard, "billing", members=())
    id = dashboard.say("t-1")
    answer = mai.post(f"{THREADS}/{id}/assign", json={"admin_id": None, "desk": "billing"}).json
    assert answer["row"] is None
    assert mai.get(f"{THREADS}?ids={id}").json == {"rows": [], "missing": [id]}
    for call in (
        lambda: mai.get(f"{THREADS}/{id}/messages"),
        lambda: mai.post(f"{THREADS}/{id}/claim", json={}),
    ):
        assert (call().status_code, call().json["detail"]) == (404, "There is no such thread.")
    [undone] = mai.post(f"{THREADS}/undo", json={"acts": [answer["act"]]}).json["results"]
    assert undone["row"]["desk"] == "main"


def test_what_was_done_since_at_another_desk_is_not_told(dashboard, mai):
    _add_desk(dashboard, "billing", members=())
    boss = dashboard.sign_in("Boss", "supervisor")
    id = dashboard.say("t-1")
    given = {"admin_id": None, "desk": "billing"}
    act = mai.post(f"{THREADS}/{id}/assign", json=given).json["act"]
    boss.post(f"{THREADS}/{id}/assign", json={"admin_id": None, "desk": "main"})
    boss.post(f"{THREADS}/{id}/assign", json=given)
    [undone] = mai.post(f"{THREADS}/undo", json={"acts": [act]}).json["results"]
    assert (undone["status"], undone["problem"]["code"]) == ("rejected", "not_found")
    assert "by" not in undone["problem"]


def test_a_thread_goes_to_nobody_who_does_not_see_its_desk(dashboard, mai):
    dashboard.sign_in("Bob")
    boss = dashboard.sign_in("Boss", "supervisor")
    _add_desk(dashboard, "billing")
    id = dashboard.say("t-1")
    for given in ({"admin_id": 2, "desk": "billing"}, {"admin_id": 3, "desk": "billing"}):
        answer = mai.post(f"{THREADS}/{id}/assign", json=given)
        if given["admin_id"] == 2:
            [error] = answer.json["errors"]
            assert (error["pointer"], error["code"]) == ("/admin_id", "unknown_value")
    assert row(boss, id)["assignee"]["name"] == "Boss"


def _add_desk(dashboard, name, members=(1,)):
    services = dashboard.services
    services.database.write(lambda connection: admin_desks.add(connection, name, services.clock()))
    if members:
        _set_desks(dashboard, "main", name, members=members)


def _set_desks(dashboard, *names, members):
    for admin_id in members:
        dashboard.services.database.write(
            lambda connection, id=admin_id: admin_desks.save(connection, id, names)
        )


def test_all_threads_of_a_colleague_are_handed_over_but_for_what_changed_meanwhile(dashboard, mai):
    """`held_by` is compared in the transaction that hands over."""
    bob, boss = dashboard.sign_in("Bob"), dashboard.sign_in("Boss", "supervisor")
    dashboard.sign_in("Ken")
    ids = [dashboard.say(f"t-{number}") for number in range(6)]
    for id in ids:
        bob.post(f"{THREADS}/{id}/claim", json={})
    later = "2030-01-01T00:00:00Z"
    bob.post(f"{THREADS}/{ids[1]}/snooze", json={"until": later})
    bob.post(f"{THREADS}/{ids[5]}/close", json={})
    held = boss.get(f"{API}/team/2/threads").json
    assert held == {"threads": [{"id": id, "desk": "main"} for id in ids[:5]], "total": 5}
    boss.post(f"{THREADS}/{ids[2]}/assign", json={"admin_id": 1})
    bob.post(f"{THREADS}/{ids[3]}/release", json={})
    many = {"ids": ids[:5], "action": "assign", "admin_id": 4, "held_by": 2}
    results = boss.post(f"{THREADS}/bulk", json=many).json["results"]
    assert [each["status"] for each in results] == ["done", "done", "rejected", "rejected", "done"]
    assert [each["problem"]["code"] for each in results[2:4]] == ["done_meanwhile"] * 2
    assert [each["problem"]["by"] for each in results[2:4]] == [{"id": 1, "name": "Mai"}, None]
    names = [(row(mai, id)["assignee"] or {}).get("name") for id in ids]
    assert names == ["Ken", "Ken", "Mai", None, "Ken", "Bob"]
    assert boss.get(f"{API}/team/2/threads").json == {"threads": [], "total": 0}
    acts = [each["act"] for each in results if each["status"] == "done"]
    undone = boss.post(f"{THREADS}/undo", json={"acts": acts}).json["results"]
    assert {each["row"]["assignee"]["name"] for each in undone} == {"Bob"}


def test_who_is_no_supervisor_hands_over_what_is_theirs_and_no_more(dashboard, mai):
    bob = dashboard.sign_in("Bob")
    one, two = dashboard.say("t-1"), dashboard.say("t-2")
    bob.post(f"{THREADS}/{one}/claim", json={})
    mai.post(f"{THREADS}/{two}/claim", json={})
    many = {"ids": [one, two], "action": "assign", "admin_id": 1, "held_by": 2}
    results = mai.post(f"{THREADS}/bulk", json=many).json["results"]
    assert [each["problem"]["code"] for each in results] == ["already_claimed", "done_meanwhile"]
    assert row(mai, one)["assignee"]["name"] == "Bob"
    wrong = mai.post(f"{THREADS}/bulk", json={"ids": [one], "action": "close", "held_by": 2})
    assert wrong.json["errors"][0]["pointer"] == "/held_by"
    assert mai.get(f"{API}/team/99/threads").status_code == 404
