"""SQL is asked once what is due: it says what each queue would find by itself."""

import fakeredis
import pytest
from sqlalchemy import func, select, update

from dashboard.db import agenda
from dashboard.db.archive import behind
from dashboard.db.lists import kept_lists, query_lists, versions
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.db.outbox import deliveries, outgoing
from dashboard.db.placing import unplaced
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ordering.agenda import READ_SECONDS, AgendaReader
from dashboard.webhooks.service import WebhookService
from scoring.views import DAY_MS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.dashboard.webhooks.fake_poster import FakePoster
from tests.drivers.audit import OPERATOR


@pytest.fixture
def order(any_database, clock) -> Order:
    made = Order(any_database, fakeredis.FakeRedis(), clock)
    made.tick()
    return made


def keep(order: Order, query: str, kept_until: int | None = None) -> None:
    order.database.write(
        lambda connection: query_lists.keep(
            connection, ListedQuery(query, "arrival", "UTC"), kept_until
        )
    )
    order.tick()


def found_by_queues(connection, now: int) -> agenda.Agenda:
    """Returns the due work as each queue would find it."""
    known = versions.current(connection)
    return agenda.Agenda(
        connection.scalar(select(func.min(threads.c.next_change_at))),
        outgoing.needs_positions(connection),
        bool(deliveries.waiting_webhooks(connection, now)),
        bool(behind(connection, now, 1)),
        bool(unplaced(connection, 1)),
        kept_lists.has_expired(connection, now),
        False,
        known.lists,
        known.policies,
    )


def assert_right(order: Order) -> agenda.Agenda:
    with order.database.read() as connection:
        read = agenda.read(connection, order.clock())
        assert read == found_by_queues(connection, order.clock())
    return read


def test_the_agenda_says_what_time_makes_due(order):
    """H35: in a story in which each queue has something to do, and then nothing."""
    assert not any(assert_right(order)[:6])
    keep(order, "waits:>1m")
    keep(order, "is:closed", kept_until=order.clock() + 200_000)
    order.post("t")
    read = assert_right(order)
    assert read.next_change_at == order.clock() + 60_001 and not read.has_change(order.clock())
    order.clock.advance(60_001)
    assert assert_right(order).has_change(order.clock())
    order.services.due_queue.turn()
    assert not assert_right(order).has_change(order.clock())
    order.clock.advance(200_000)
    assert assert_right(order).has_expired
    order.tick()
    assert not assert_right(order).has_expired
    order.event(type="thread.close", thread="t")
    order.clock.advance(91 * DAY_MS)
    assert assert_right(order).has_closed
    order.services.archiver.turn()
    assert not assert_right(order).has_closed
    order.database.write(lambda connection: versions.set_history_days(connection, 1_000))
    assert assert_right(order).has_closed, "it is to be brought back"


def test_the_agenda_says_what_is_to_be_delivered_and_placed(order):
    """H35: also what a worker that died has left."""
    order.post("t")
    WebhookService(order.database, order.clock, FakePoster()).create(
        OPERATOR, "shop", "https://bot.example/hook", None
    )
    admin = Admin(new_admin(order.database, "Linh"), "Linh")
    Actions(order.database, order.clock).reply(admin, 1, Reply("Hello", "tok-1", confirm=True))
    assert assert_right(order).has_events
    order.database.write(lambda c: outgoing.assign_positions(c, order.clock()))
    read = assert_right(order)
    assert read.has_deliveries and not read.has_events and read.has_unplaced
    [webhook] = order.database.write(lambda c: deliveries.waiting_webhooks(c, order.clock()))
    until = order.clock() + 6_000
    order.database.write(
        lambda c: deliveries.lease(c, webhook, "token", order.clock(), lambda attempts: until, 4)
    )
    assert not assert_right(order).has_deliveries
    order.clock.advance(6_001)
    assert assert_right(order).has_deliveries, "who had leased it has died"
    order.tick(3)
    assert not assert_right(order).has_unplaced


def test_it_is_asked_when_time_changes_a_thread_and_each_second_at_least(order):
    """W21, H35: a moment that is known is met, whatever the interval."""
    woken: list[int] = []
    reader = AgendaReader(
        order.database,
        order.clock,
        {lambda: woken.append(order.clock()): agenda.Agenda.has_change},
    )

    def interval() -> float:
        reader.turn()
        return reader._task._interval_seconds()

    assert interval() == READ_SECONDS
    keep(order, "waits:>1m")
    order.post("t")
    due_at = order.clock() + 60_001
    assert interval() == READ_SECONDS and woken == []
    order.clock.advance(59_801)
    assert interval() == pytest.approx(0.2) and woken == []
    order.clock.advance(200)
    interval()
    assert woken == [due_at]
    with order.database.engine.begin() as connection:
        connection.execute(update(threads).values(next_change_at=None))
    assert interval() == READ_SECONDS and woken == [due_at]


def test_each_queue_is_woken_by_what_concerns_it(order, monkeypatch):
    """H35: and by nothing else."""
    services, woken = order.services, []
    for name in ("due_queue", "dispatcher", "archiver", "recompute", "hand_outs"):
        queue = getattr(services, name)
        monkeypatch.setattr(queue, "wake", lambda name=name: woken.append(name))
    idle = agenda.Agenda(None, *[False] * 6, 0, services.recompute.done)
    for read, expected in (
        (idle, []),
        (idle._replace(next_change_at=order.clock()), ["due_queue"]),
        (idle._replace(next_change_at=order.clock() + 1), []),
        (idle._replace(has_events=True), ["dispatcher"]),
        (idle._replace(has_deliveries=True), ["dispatcher"]),
        (idle._replace(has_closed=True), ["archiver"]),
        (idle._replace(has_hand_outs=True), ["hand_outs"]),
        (idle._replace(policies=idle.policies + 1), ["recompute"]),
    ):
        monkeypatch.setattr(agenda, "read", lambda connection, now_ms, read=read: read)
        woken.clear()
        services.agenda.turn()
        assert woken == expected and services.agenda.latest == read
