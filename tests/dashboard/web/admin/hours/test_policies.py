"""Policies are saved in an order, previewed, and followed by the threads that wait."""

import threading

import pytest

from dashboard.db import calendars
from dashboard.db.threads import thread_rows
from tests.dashboard.web.admin.hours.calls import (
    ALWAYS,
    API,
    calendar,
    policy,
    saved_calendar,
    saved_policy,
)
from tests.dashboard.web.answers import is_problem
from tests.drivers.application import ApplicationDriver
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

URL = f"{API}/policies"
MINUTE = 60_000


def listed(client):
    return client.get(URL).json["policies"]


def row(dashboard, id):
    with dashboard.database.read() as connection:
        return thread_rows.rows(connection, [id])[id]


def explained(client, id):
    return client.get(f"{API}/threads/{id}/explain?view=arrival&sort=next_due").json


def test_policies_are_saved_changed_ordered_and_deleted(dashboard, sue):
    always = saved_calendar(sue)["id"]
    made = saved_policy(sue, always)
    assert made == policy(always) | {"id": made["id"], "changed_at": dashboard.clock()}
    vips = saved_policy(sue, always, name="VIPs", query="member:0,1", next_reply=None)
    low = saved_policy(sue, always, name="Low", query="priority:low", first_reply=None)
    assert listed(sue) == [made, vips, low]
    ordered = sue.put(f"{URL}/order", json={"ids": [vips["id"]]})
    assert ordered.json["policies"] == listed(sue) == [vips, made, low]
    body = policy(always, name="VIPs", query="member:0", changed_at=vips["changed_at"])
    changed = sue.put(f"{URL}/{vips['id']}", json=body).json["policy"]
    assert (changed["query"], changed["next_reply"]) == ("member:0", 60)
    assert listed(sue) == [changed, made, low], "it keeps its place"
    answer = sue.put(f"{URL}/{vips['id']}", json=body)
    assert is_problem(answer, 409, "changed_meanwhile")
    assert answer.json["policy"] == changed
    assert is_problem(sue.post(URL, json=policy(always)), 409, "name_taken")
    assert sue.delete(f"{URL}/{made['id']}").status_code == 204
    for gone in (sue.delete(f"{URL}/{made['id']}"), sue.put(f"{URL}/99", json=body)):
        assert is_problem(gone, 404, "not_found")
    unknown = sue.put(f"{URL}/order", json={"ids": [low["id"], 99]})
    assert is_problem(unknown, 422, "unknown_value")
    assert unknown.json["errors"][0]["pointer"] == "/ids/1"


def test_only_supervisors_see_and_save_policies(mai):
    for answer in (
        mai.get(URL),
        mai.post(URL, json=policy(1)),
        mai.put(f"{URL}/1", json=policy(1)),
        mai.put(f"{URL}/order", json={"ids": []}),
        mai.delete(f"{URL}/1"),
        mai.post(f"{URL}/preview", json={"policies": []}),
    ):
        assert is_problem(answer, 403, "forbidden")


#: Mistakes in a policy: the change, the place and the code.
WRONG = [
    ({"name": ""}, "/name", "empty_text"),
    ({"name": "n" * 81}, "/name", "too_long"),
    ({"query": None}, "/query", "missing_field"),
    ({"calendar": 99}, "/calendar", "unknown_value"),
    ({"calendar": "1"}, "/calendar", "wrong_type"),
    ({"first_reply": 0}, "/first_reply", "number_out_of_range"),
    ({"first_reply": 525_601}, "/first_reply", "number_out_of_range"),
    ({"next_reply": 1.5}, "/next_reply", "wrong_type"),
    ({"next_reply": True}, "/next_reply", "wrong_type"),
    ({"colour": "red"}, "/colour", "unknown_field"),
]
#: Queries that no policy may have, and the place of the mistake.
WRONG_QUERIES = [
    ("is:opne", 5),
    ("refund", 0),
    ("assigned:me", 9),
    ("assigned:nobody@desk.example", 9),
    ("is:open is:late", 11),
    ("-due:<30m", 1),
]


def test_what_is_wrong_is_refused_at_its_place(sue):
    always = saved_calendar(sue)["id"]
    for given, pointer, code in WRONG:
        tried = policy(always, **given)
        answer = sue.post(URL, json=tried)
        assert is_problem(answer, 422, code), (given, answer.json)
        assert answer.json["errors"][0]["pointer"] == pointer, given
        answer = sue.post(f"{URL}/preview", json={"policies": [policy(always), tried]})
        assert is_problem(answer, 422, code), (given, answer.json)
        assert answer.json["errors"][0]["pointer"] == f"/policies/1{pointer}", given
    for query, at in WRONG_QUERIES:
        tried = policy(always, query=query)
        answers = {
            "/query": sue.post(URL, json=tried),
            "/policies/1/query": sue.post(
                f"{URL}/preview", json={"policies": [policy(always), tried]}
            ),
        }
        for pointer, answer in answers.items():
            assert is_problem(answer, 422, "invalid_query"), (query, answer.json)
            assert (answer.json["pointer"], answer.json["at"]) == (pointer, at), query
            assert answer.json["expected"]
    late = sue.post(URL, json=policy(always, query="is:late"))
    assert "follows from the policies" in late.json["detail"]
    assert listed(sue) == []


def test_a_calendar_in_a_preview_is_checked_at_its_place(sue):
    wrong = calendar(week={"mon": [["9:00", "10:00"]]})
    answer = sue.post(f"{URL}/preview", json={"policies": [policy(wrong)]})
    assert is_problem(answer, 422, "unknown_value")
    assert answer.json["errors"][0]["pointer"] == "/policies/0/calendar/week/mon/0/0"
    for not_one in (None, [], "1", True):
        answer = sue.post(f"{URL}/preview", json={"policies": [policy(not_one)]})
        assert answer.status_code == 422
        assert answer.json["errors"][0]["pointer"] == "/policies/0/calendar"


def test_a_preview_counts_who_would_be_late(dashboard, sue):
    always = saved_calendar(sue)["id"]
    ids = [dashboard.say(f"t-{number}") for number in range(4)]
    dashboard.say("t-3", role="admin")
    dashboard.say("t-3")
    dashboard.happens("thread.priority", "t-0", priority="urgent")
    dashboard.say("closed")
    dashboard.happens("thread.close", "closed")
    dashboard.clock.advance(10 * MINUTE)
    closed = calendar(week={})

    def preview(*policies):
        answer = sue.post(f"{URL}/preview", json={"policies": policies})
        assert answer.status_code == 200, answer.json
        return answer.json

    none = {"waiting": 4, "late_now": 0, "late_after": 0, "newly_late": 0}
    assert preview() == none
    assert preview(policy(always)) == none
    assert preview(policy(always, first_reply=5))["late_after"] == 3
    assert preview(policy(always, first_reply=None, next_reply=5))["late_after"] == 1
    urgent = policy(closed, query="priority:urgent", name="Urgent")
    assert preview(urgent, policy(always, first_reply=5))["late_after"] == 2
    made = saved_policy(sue, always, query="priority:urgent", first_reply=5)
    assert dashboard.services.recompute.turn() == 4
    assert preview(made) == {"waiting": 4, "late_now": 1, "late_after": 1, "newly_late": 0}
    assert preview(made | {"query": "", "next_reply": 1, "calendar": calendar(week=ALWAYS)}) == {
        "waiting": 4,
        "late_now": 1,
        "late_after": 4,
        "newly_late": 3,
    }
    assert row(dashboard, ids[0])["due_at"] == row(dashboard, ids[0])["waiting_since"] + 5 * MINUTE


def test_threads_follow_a_change_and_say_why(dashboard, sue):
    always = saved_calendar(sue, name="Day and night", timezone="Asia/Tokyo")["id"]
    first, second = dashboard.say("t-1"), dashboard.say("t-2")
    assert row(dashboard, first)["due_at"] is None
    assert sue.get(URL).json["recompute"] is None
    saved_policy(sue, always)
    assert sue.get(URL).json["recompute"] == {"done": 0, "of": 2}
    assert explained(sue, first)["due"] is None
    assert dashboard.services.recompute.turn() == 2
    assert sue.get(URL).json["recompute"] is None
    since = row(dashboard, first)["waiting_since"]
    assert row(dashboard, first)["due_at"] == since + 30 * MINUTE
    found = explained(sue, first)
    assert found["due"] == {
        "due_at": since + 30 * MINUTE,
        "policy": "Everybody",
        "calendar": "Day and night",
        "timezone": "Asia/Tokyo",
        "target": "first_reply",
        "minutes": 30,
        "since": since,
    }
    assert (found["fact"], found["value"], found["rule"]) == ("due_at", since + 30 * MINUTE, "due")
    dashboard.say("t-1", role="admin")
    assert row(dashboard, first)["due_at"] is None
    assert explained(sue, first)["due"] is None
    dashboard.say("t-1")
    again = row(dashboard, first)
    assert again["due_at"] == again["waiting_since"] + 60 * MINUTE
    assert explained(sue, first)["due"]["target"] == "next_reply"
    sue.put(f"{API}/calendars/{always}", json=calendar(week={}))
    assert sue.get(URL).json["recompute"] == {"done": 0, "of": 2}
    dashboard.say("t-2")
    assert sue.get(URL).json["recompute"] == {"done": 1, "of": 2}, "an event follows at once"
    assert row(dashboard, second)["due_at"] is None
    assert dashboard.services.recompute.turn() == 1
    assert row(dashboard, first)["due_at"] is None


def test_what_no_thread_follows_changes_none(dashboard, sue):
    unused = saved_calendar(sue)["id"]
    dashboard.say("t-1")
    sue.put(f"{API}/calendars/{unused}", json=calendar(week={}))
    assert sue.get(URL).json["recompute"] is None
    assert dashboard.services.recompute.turn() == 0


def test_there_are_at_most_a_hundred_policies(sue):
    always = saved_calendar(sue)["id"]
    for number in range(100):
        saved_policy(sue, always, name=f"{number}")
    answer = sue.post(URL, json=policy(always))
    assert is_problem(answer, 422, "too_many_policies")
    assert len(listed(sue)) == 100


@pytest.mark.postgres
def test_opening_hours_that_are_deleted_meanwhile_are_no_calendar(
    postgres_database, clock, tmp_path
):
    sue = ApplicationDriver(postgres_database, clock, tmp_path).sign_in("Sue", "supervisor")
    always, answers = saved_calendar(sue), []
    saving = threading.Thread(
        target=lambda: answers.append(sue.post(URL, json=policy(always["id"])))
    )
    with postgres_database.engine.begin() as connection:
        calendars.lock(connection, always["id"])
        calendars.remove(connection, always["id"])
        saving.start()
        wait_until(lambda: waits_for_a_lock(postgres_database), what="that it waits for the lock")
    saving.join()
    assert is_problem(answers[0], 422, "unknown_value")
    assert answers[0].json["errors"][0]["pointer"] == "/calendar"


def test_the_policies_stored_last_are_those_of_now_also_if_clocks_differ(dashboard, sue):
    always = saved_calendar(sue)["id"]
    since = []
    for name, milliseconds in (("a", 30), ("b", -30), ("c", 0)):
        dashboard.clock.advance(milliseconds)
        saved_policy(sue, always, name=name)
        with dashboard.database.read() as connection:
            kept = "SELECT since FROM policy_history ORDER BY version"
            since = list(connection.exec_driver_sql(kept).scalars())
    assert len(since) >= 3 and since == sorted(since)


def test_the_conditions_of_all_policies_are_limited(sue, monkeypatch):
    """Each event asks them one by one, however few policies there are."""
    monkeypatch.setattr("dashboard.db.lists.allowances.RULES_MAX", 4)
    always = saved_calendar(sue)["id"]
    saved_policy(sue, always, query="is:open tag:a tag:b")
    answer = sue.post(URL, json=policy(always, name="b", query="is:open tag:c"))
    assert is_problem(answer, 422, "too_costly")
    [error] = answer.json["errors"]
    assert error["pointer"] == "/query" and "to 5 conditions; the limit is 4" in error["detail"]
    small = saved_policy(sue, always, name="b", query="tag:c")
    changed = policy(always, name="b", query="tag:c tag:d")
    assert is_problem(sue.put(f"{URL}/{small['id']}", json=changed), 422, "too_costly")
