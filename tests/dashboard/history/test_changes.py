"""The changes of a thread, with the acts and messages behind each."""

import pytest
from sqlalchemy import select, update

from dashboard.db.accounts import admin_desks, sources
from dashboard.db.models.history import history_state, thread_history
from dashboard.db.models.threads import threads
from dashboard.ingest.schema import parse
from tests.dashboard.history.desk import moment
from tests.dashboard.web.answers import is_problem


def changes_of(browser, id: int, **query: int) -> list[dict]:
    answer = browser.get(f"/admin/api/threads/{id}/history", query_string=query)
    assert answer.status_code == 200
    return answer.json["changes"]


def test_an_act_that_a_chatbot_reports_late_stands_with_the_change_that_it_made(app, sue):
    id = app.say("t")
    long_ago = moment(app.clock() + 500)
    for body in ("one", "two"):
        app.clock.advance(60_000)
        app.say("t", body)
    app.clock.advance(60_000)
    app.happens("thread.priority", "t", priority="high", occurred_at=long_ago)
    newest, *others = changes_of(sue, id)
    assert [act["type"] for act in newest["acts"]] == ["thread.priority_changed"]
    assert newest["changed"] == {"priority": ["normal", "high"]}
    assert [change["acts"] for change in others] == [[], [], []]


def test_what_was_stored_between_two_pages_stands_on_one_of_them(app, sue):
    """A message is stored a moment before its change, if the thread is locked meanwhile."""
    id = app.say("t")
    app.say("t", "two")
    app.say("t", "three")
    whole = changes_of(sue, id)
    is_last = thread_history.c.until == app.clock()
    values = {"until": app.clock() + 9, "lasted": thread_history.c.lasted + 9}

    def wait_for_a_lock(connection):
        connection.execute(update(threads).values(listed_at=app.clock() + 9))
        connection.execute(update(thread_history).where(is_last).values(values))

    app.database.write(wait_for_a_lock)
    [newest], [second] = (
        changes_of(sue, id, limit=1),
        changes_of(sue, id, limit=1, before=app.clock() + 9),
    )
    assert newest["messages"] == whole[0]["messages"]
    assert second["messages"] == whole[1]["messages"]


def test_a_change_has_all_of_its_acts(app, sue):
    """Also more of them than a part of a conversation."""
    id = app.say("t")
    app.clock.advance(1_000)
    for number in range(101):
        for name in ("claim", "release"):
            sue.post(f"/admin/api/threads/{id}/{name}", json={})
        if number % 2:
            app.clock.advance(1)
    acts = [act["id"] for change in changes_of(sue, id, limit=100) for act in change["acts"]]
    assert sorted(acts) == list(range(1, 203))


def test_nothing_is_told_of_what_happened_before_the_past_is_known(app, sue):
    """After an upgrade, or once it was removed."""
    id = app.say("t")
    app.say("t", "two")
    sue.post(f"/admin/api/threads/{id}/claim", json={})
    app.clock.advance(1_000)
    app.database.write(lambda c: c.execute(update(history_state).values(since=app.clock() - 500)))
    app.say("t", "three")
    assert [len(change["messages"]) for change in changes_of(sue, id)] == [1, 0, 0]
    assert [change["acts"] for change in changes_of(sue, id)] == [[], [], []]


def test_a_change_that_nobody_sees_is_no_change(app, sue):
    """Each thread that waits follows changed policies."""
    id = app.say("t")
    before = changes_of(sue, id)
    app.clock.advance(1_000)
    calendar = {"name": "Office", "timezone": "UTC", "week": {"mon": [["09:00", "12:00"]]}}
    assert sue.post("/admin/api/calendars", json=calendar).status_code == 201
    policy = {
        "name": "VIPs",
        "query": "tag:vip",
        "calendar": 1,
        "first_reply": 30,
        "next_reply": 60,
    }
    assert sue.post("/admin/api/policies", json=policy).status_code == 201
    assert app.services.recompute.turn() == 1
    with app.database.read() as connection:
        assert connection.scalar(select(threads.c.listed_at)) == app.clock()
    assert changes_of(sue, id) == before
    app.say("t", "two")
    assert [change["rev"] for change in changes_of(sue, id)] == [2, 1]


def test_events_of_one_call_are_one_change(app, sue):
    source_id = app.database.write(lambda c: sources.ensure(c, "shop", app.clock()))
    event = {"type": "message", "thread": "t", "role": "client", "customer": {"id": "c"}}
    together = [
        parse(event | {"id": f"m-{n}", "body": str(n), "occurred_at": moment(app.clock() - n)})
        for n in range(5)
    ]
    id = app.ingest.accept(source_id, together)[0].thread_id
    [change] = changes_of(sue, id)
    assert {message["id"] for message in change["messages"]} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("path", "query"), [("history", {}), ("history", {"before": 1}), ("explain", {})]
)
def test_an_unknown_thread_and_that_of_another_desk_are_not_found(app, sue, path, query):
    app.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
    lan = app.sign_in("Lan")
    id = app.say("t")
    if path == "explain":
        query = {"view": "arrival", "sort": "arrival", "at": moment(app.clock())}
    assert lan.get(f"/admin/api/threads/{id}/{path}", query_string=query).status_code == 200
    sue.post(f"/admin/api/threads/{id}/assign", json={"admin_id": None, "desk": "sales"})
    for unseen in (id, 99):
        answer = lan.get(f"/admin/api/threads/{unseen}/{path}", query_string=query)
        assert is_problem(answer, 404, "not_found")
    assert sue.get(f"/admin/api/threads/{id}/{path}", query_string=query).status_code == 200
