"""Lists that time changes: they were as they were shown, also if a change was taken up late."""

import pytest

from tests.dashboard.history.desk import HISTORY, moment
from tests.drivers.application import ApplicationDriver

MINUTE_MS = 60_000
WAITING = {"query": "waits:>15m", "sort": "longest_wait"}


def ids_at(sue, at: int, list=WAITING) -> list[int]:
    answer = sue.get(HISTORY, query_string=list | {"at": moment(at)})
    assert answer.status_code == 200
    return answer.json["ids"]


def test_a_change_that_was_taken_up_late_was_not_shown_before(app, sue):
    view = {"name": "Long", "query": "waits:>15m", "sort": "arrival", "owner": "all"}
    assert sue.post("/admin/api/views", json=view).status_code == 201
    id = app.say("t")
    app.clock.advance(16 * MINUTE_MS)
    late = app.clock()
    assert sue.get(f"/admin/api/threads/{id}/explain", query_string=WAITING).json["rank"] is None
    app.clock.advance(MINUTE_MS)
    assert app.services.due_queue.turn() == 1
    taken_up = app.clock()
    for _ in range(2):
        # The state that lasts says so, and then the state that has ended.
        assert [ids_at(sue, at) for at in (late, taken_up - 1, taken_up)] == [[], [], [id]]
        assert ids_at(sue, taken_up, {"view": "v1", "sort": "arrival"}) == [id]
        app.clock.advance(MINUTE_MS)
        app.happens("thread.close", "t")


def test_a_thread_was_shown_by_its_last_write_also_if_it_had_been_due_before(app, sue):
    id = app.say("t")
    app.clock.advance(20 * MINUTE_MS)
    week = {day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    calendar = {"name": "Always", "timezone": "UTC", "week": week}
    assert sue.post("/admin/api/calendars", json=calendar).status_code == 201
    policy = {"name": "Soon", "query": "", "calendar": 1, "first_reply": 10, "next_reply": 10}
    assert sue.post("/admin/api/policies", json=policy).status_code == 201
    assert app.services.recompute.turn() == 1
    at = app.clock()
    shown = sue.get(f"/admin/api/threads/{id}/explain", query_string=WAITING).json
    assert shown["rank"] == 0
    app.clock.advance(MINUTE_MS)
    for _ in range(2):
        assert ids_at(sue, at) == [id]
        app.services.due_queue.turn()
        app.happens("thread.close", "t")


def test_a_mark_stands_where_a_thread_came_that_time_removed_before_it_changed(app, sue):
    app.clock.advance(MINUTE_MS)
    begin = app.clock()
    app.say("t")
    came = app.clock()
    app.clock.advance(20 * MINUTE_MS)
    app.say("t", "Are you there?")
    span = {"since": moment(begin), "until": moment(app.clock()), "steps": 3}
    query = {"query": "waits:<5m", "sort": "arrival"} | span
    answer = sue.get(f"{HISTORY}/marks", query_string=query).json
    assert answer["counts"] == [[0, 1, came, came]] and answer["step"] * 3 >= app.clock() - begin


def test_a_mark_stands_where_a_thread_came_and_stayed(app, sue):
    begin = app.clock()
    app.say("t")
    span = {"since": moment(begin), "until": moment(app.clock()), "steps": 1}
    query = {"view": "arrival", "sort": "arrival"} | span
    came = app.clock()
    assert sue.get(f"{HISTORY}/marks", query_string=query).json["counts"] == [[0, 1, came, came]]


def test_a_view_is_that_of_the_moment_also_if_it_was_deleted(app, sue):
    """To the millisecond at which it changed."""
    one = app.say("t")
    app.say("closed")
    app.happens("thread.close", "closed")
    view = {"name": "Mine", "query": "is:open", "sort": "arrival", "owner": "me"}
    listed = {"view": "v1", "sort": "arrival"}
    saved = app.clock()
    assert sue.post("/admin/api/views", json=view).status_code == 201
    app.clock.advance(MINUTE_MS)
    changed = app.clock()
    assert sue.put("/admin/api/views/v1", json=view | {"query": "is:closed"}).status_code == 200
    app.clock.advance(MINUTE_MS)
    deleted = app.clock()
    assert sue.delete("/admin/api/views/v1").status_code == 204
    app.clock.advance(MINUTE_MS)
    assert ids_at(sue, saved, listed) == ids_at(sue, changed - 1, listed) == [one]
    assert ids_at(sue, changed, listed) == ids_at(sue, deleted - 1, listed) == [one + 1]
    for at in (saved - 1, deleted, app.clock()):
        answer = sue.get(HISTORY, query_string=listed | {"at": moment(at)})
        assert answer.status_code == 404


def test_an_explanation_names_the_policy_of_the_moment(app, sue):
    id = app.say("t")
    week = {day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    calendar = {"name": "Always", "timezone": "UTC", "week": week}
    assert sue.post("/admin/api/calendars", json=calendar).status_code == 201
    policy = {"name": "Soon", "query": "", "calendar": 1, "first_reply": 10, "next_reply": 10}
    moments = []
    for method, path, body in (
        ("post", "policies", policy),
        ("put", "policies/1", policy | {"name": "Later", "first_reply": 90}),
        ("delete", "policies/1", None),
    ):
        app.clock.advance(MINUTE_MS)
        assert getattr(sue, method)(f"/admin/api/{path}", json=body).status_code < 300
        assert app.services.recompute.turn() == 1
        moments.append(app.clock())
        app.clock.advance(MINUTE_MS)

    def due(at: int):
        query = {"view": "arrival", "sort": "next_due", "at": moment(at)}
        return sue.get(f"/admin/api/threads/{id}/explain", query_string=query).json["due"]

    soon, later, gone = (due(at) for at in moments)
    assert (soon["policy"], soon["minutes"]) == ("Soon", 10)
    assert (later["policy"], later["minutes"]) == ("Later", 90)
    assert gone is None


@pytest.mark.postgres
def test_of_two_messages_at_once_the_past_shows_the_one_that_was_shown(
    postgres_database, clock, tmp_path
):
    """Ids are compared by their bytes, whatever the database sorts by."""
    by_language = 'ALTER TABLE events ALTER external_id TYPE varchar(255) COLLATE "en-x-icu"'
    with postgres_database.engine.begin() as connection:
        connection.exec_driver_sql(by_language)
    app = ApplicationDriver(postgres_database, clock, tmp_path)
    sue = app.sign_in("Sue", "supervisor")
    content = {"customer": {"id": "c-1"}, "role": "client", "occurred_at": moment(clock())}
    for id in ("B1", "a1"):
        app.happens("message", "t-1", id=id, body=id, **content)
    [row] = sue.get("/admin/api/threads?ids=1").json["rows"]
    clock.advance(1_000)
    given = {"view": "arrival", "sort": "arrival", "at": moment(clock() - 1)}
    [was] = sue.get(HISTORY, query_string=given).json["rows"]
    assert was["preview"]["body"] == row["preview"]["body"] == "a1"
