"""Facts are kept by one process at a time, catch up by themselves, and cost an event nothing."""

import pytest
from sqlalchemy import delete, func, select, update

from dashboard.db.accounts import sources
from dashboard.db.models.reports import report_facts, report_state, report_threads
from dashboard.db.reports import progress
from dashboard.ingest.reporting import COUNT_SECONDS, FactKeeper
from dashboard.ingest.schema import parse

PAUSE_MS = round(COUNT_SECONDS * 1_000)


def count(app) -> int:
    """Lets a turn pass; returns the number of threads that were counted."""
    app.clock.advance(PAUSE_MS)
    return app.services.fact_keeper.turn()


def number(sue, metric: str = "new", **query) -> int:
    answer = sue.get("/admin/api/reports", query_string={"metric": metric} | query)
    assert answer.status_code == 200, answer.text
    return answer.json["total"]


def test_only_threads_that_changed_are_counted(app, sue):
    for name in ("a", "b", "c"):
        app.say(name)
    assert count(app) == 3 and number(sue) == 3
    assert count(app) == 0
    app.say("b")
    app.happens("thread.close", "b")
    assert count(app) == 1
    assert (number(sue), number(sue, "closed"), number(sue, "waiting")) == (3, 1, 2)


def test_what_a_customer_is_reaches_the_facts_of_all_their_threads(app, sue):
    app.say("a", customer="c-1")
    app.say("b", customer="c-1")
    count(app)
    event = {"customer": {"id": "c-1", "member_status": 4, "locale": "de-AT"}, "role": "bot"}
    app.happens("message", "a", body="Noted.", **event)
    assert count(app) == 2
    for by, key in (("tier", "4"), ("language", "de")):
        query = {"metric": "new", "by": by}
        parts = sue.get("/admin/api/reports", query_string=query).json["parts"]
        assert [(part["key"], part["total"]) for part in parts] == [(key, 2)]


def test_one_process_counts_at_a_time(app):
    other = FactKeeper(app.database, app.clock, sleep=lambda seconds: None)
    app.say("a")
    assert count(app) == 1
    app.say("a")
    assert other.turn() == 0, "the first one has just counted"
    app.clock.advance(PAUSE_MS)
    assert other.turn() == 1


def test_a_clock_that_was_set_back_stops_no_counting(app):
    app.say("a")
    assert count(app) == 1
    hour = 3_600_000
    app.database.write(
        lambda connection: (
            connection.execute(update(report_state).values(claimed_at=app.clock() + hour)) and None
        )
    )
    app.say("a")
    assert count(app) == 1


def test_all_threads_are_counted_once_after_an_upgrade(app, sue):
    for name in ("a", "b", "c"):
        app.say(name)
    count(app)

    def forget(connection) -> None:
        connection.execute(delete(report_facts))
        connection.execute(delete(report_threads))
        connection.execute(update(report_state).values(swept_id=0))

    app.database.write(forget)
    query = {"metric": "new"}
    assert sue.get("/admin/api/reports", query_string=query).json["counted_until"] is None
    assert count(app) == 3 and number(sue) == 3
    said = sue.get("/admin/api/reports", query_string=query).json
    assert said["counted_until"] == app.clock()


def test_an_erased_customer_is_in_no_number(app, sue):
    app.say("a", customer="c-1")
    app.say("b", customer="c-2")
    count(app)
    body = {"source": "shop", "customer": "c-1"}
    assert sue.post("/admin/api/customers/delete", json=body).status_code < 300
    assert number(sue) == number(sue, "waiting") == 1
    with app.database.read() as connection:
        left = connection.scalar(select(func.count(report_facts.c.thread_id.distinct())))
    assert left == 1


def test_a_thread_that_is_erased_while_it_is_counted_leaves_nothing(app, sue, monkeypatch):
    count(app)
    app.say("a", customer="c-1")
    app.say("b")
    is_late = iter([True])
    body = {"source": "shop", "customer": "c-1"}
    database = app.services.fact_keeper._database

    class Late:
        """A database in which something happens between a reading and the writing after it."""

        read = database.read

        def write(self, work, **more):
            if more and next(is_late, False):
                answer = sue.post("/admin/api/customers/delete", json=body)
                assert answer.status_code < 300
                app.say("b")
            return database.write(work, **more)

    monkeypatch.setattr(app.services.fact_keeper, "_database", Late())
    assert count(app) == 1
    assert number(sue) == 1 and number(sue, "waiting") == 1
    assert count(app) == 1, "the other one changed meanwhile"


def test_a_sweep_that_is_begun_anew_meanwhile_is_not_noted_as_done(app, monkeypatch):
    app.say("a")
    take_up = app.services.fact_keeper._count

    def begun_anew(ids):
        counted = take_up(ids)
        app.database.write(lambda connection: progress.forget(connection, 2))
        return counted

    monkeypatch.setattr(app.services.fact_keeper, "_count", begun_anew)
    count(app)
    monkeypatch.undo()
    with app.database.read() as connection:
        assert progress.current(connection).swept_id == 0


def test_from_now_on_only_handoffs_ask_for_a_person(app, sue):
    app.say("a")
    count(app)
    assert number(sue, "waiting") == 1
    keys = app.services.api_keys
    draft = {"source": "shop", "scopes": ["read"], "handoff": True}
    assert sue.post("/admin/api/keys", json=draft).status_code == 201
    keys.refold("shop")
    assert count(app) == 1
    assert number(sue, "waiting") == 0


@pytest.mark.parametrize("metric", ["new", "waiting", "first_reply"])
def test_a_key_reads_the_numbers_of_its_source(app, sue, metric):
    app.say("a")
    count(app)
    body = {"source": "shop", "scopes": ["reports"]}
    key = sue.post("/admin/api/keys", json=body).json["key"]

    def read(**query) -> tuple[int, dict]:
        headers = {"Authorization": f"Bearer {key}"}
        given = {"metric": metric, "by": "source", "to": "2027-01-01T00:00:00Z"} | query
        answer = app.client().get("/api/v1/reports", query_string=given, headers=headers)
        return answer.status_code, answer.json

    status, before = read()
    assert status == 200
    other = app.database.write(lambda connection: sources.ensure(connection, "other", 0))
    customer = {"id": "c-9", "name": "Somebody"}
    event = {"type": "message", "id": "x", "thread": "x", "role": "client", "body": "Hello"}
    at = {"occurred_at": "2026-09-21T12:00:00Z", "customer": customer}
    app.ingest.accept(other, [parse(event | at)])
    assert count(app) == 1
    _, after = read()
    assert after | {"counted_until": 0} == before | {"counted_until": 0}
    assert read(metric="online")[0] == 422
    assert read(query="assigned:me")[0] == 422


def test_a_report_is_counted_again_if_facts_go_while_it_is_counted(app, sue, monkeypatch):
    app.say("a")
    app.happens("message", "a", customer={"id": "c-a"}, role="admin", body="Hello")
    count(app)
    read_beside, reads = app.database.read_beside, []

    def read(statement):
        rows = read_beside(statement)
        reads.append(rows)
        if len(reads) == 1:
            app.database.write(lambda connection: connection.execute(delete(report_facts)))
        return rows

    monkeypatch.setattr(app.database, "read_beside", read)
    answer = sue.get("/admin/api/reports", query_string={"metric": "first_reply"})
    assert answer.status_code == 200, answer.text
    assert answer.json["total"]["count"] == 0 and len(reads) == 3


def promised(sue) -> dict[str, object]:
    """Promises a reply within 20 minutes, at any hour; returns the policy."""
    week = {day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    always = {"name": "Always", "timezone": "UTC", "week": week, "exceptions": []}
    calendar = sue.post("/admin/api/calendars", json=always).json["calendar"]["id"]
    policy = {"name": "All", "query": "is:open", "first_reply": 20, "next_reply": 20}
    policy |= {"calendar": calendar}
    made = sue.post("/admin/api/policies", json=policy)
    assert made.status_code == 201, made.text
    return policy | {"id": made.json["policy"]["id"]}


def test_a_missed_promise_stays_so_when_its_wait_begins_elsewhere_by_now(app, sue):
    """N9: the wait has the due time that was shown at its end."""
    promised(sue)
    for name in ("a", "a", "b"):
        app.say(name)
        app.clock.advance(60_000)
        app.happens("thread.handoff", name)
        app.clock.advance((40, 10)[name == "b"] * 60_000)
        app.services.due_queue.turn()
        app.happens("message", name, customer={"id": name}, role="admin", body="Hello")
        count(app)
    assert (number(sue, "missed"), number(sue, "met")) == (2, 1)
    draft = {"source": "shop", "scopes": ["read"], "handoff": True}
    assert sue.post("/admin/api/keys", json=draft).status_code == 201
    app.services.api_keys.refold("shop")
    count(app)
    assert number(sue, "waiting") == 0
    assert (number(sue, "missed"), number(sue, "met")) == (2, 1)


def test_a_wait_that_later_policies_allow_is_not_missed(app, sue):
    """It has its due time by the policies of now, as its row."""
    policy = promised(sue)
    id = policy.pop("id")
    app.say("a")
    app.clock.advance(21 * 60_000)
    app.services.due_queue.turn()
    count(app)
    assert number(sue, "missed") == 1
    later = policy | {"first_reply": 600, "next_reply": 600}
    changed = sue.put(f"/admin/api/policies/{id}", json=later)
    assert changed.status_code == 200, changed.text
    assert number(sue, "missed") == 1, "the thread is not recomputed yet"
    count(app)
    app.services.recompute.turn()
    count(app)
    assert number(sue, "missed") == 0
    assert count(app) == 0
