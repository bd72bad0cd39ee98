"""Acts of admins are written to the outbox in their transaction; private notes are not."""

import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from sqlalchemy import event as listeners
from sqlalchemy import select, text

from dashboard.db.database import Database
from dashboard.db.models.webhooks import (
    deliveries,
    outgoing_events,
    outgoing_threads,
    sent_messages,
)
from dashboard.db.outbox import outgoing
from dashboard.db.outbox.outgoing import Outgoing
from dashboard.errors import Problem, StorageUnavailable
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.erase import erase_customer
from tests.dashboard.ingest.shop import START_MS, Shop, new_admin, thread_event
from tests.drivers.audit import OPERATOR
from tests.support import wait_until


class Reader:
    """Reads a source's outbox as a chatbot does, from the last position on."""

    def __init__(self, shop: Shop):
        self.shop = shop
        self.position = 0

    def read(self, limit: int = 500) -> list[Outgoing]:
        database = self.shop.database
        while database.write(lambda connection: outgoing.assign_positions(connection, 0)):
            pass
        with database.read() as connection:
            found, self.position = outgoing.after(
                connection, self.shop.source_id, self.position, limit
            )
        return found

    def types(self) -> list[str]:
        return [event.type for event in self.read()]


class NoPlacer:
    def place(self, placements) -> None:
        pass


@pytest.fixture
def thread(shop) -> int:
    return shop.says(0).thread_id


def test_each_act_of_an_admin_is_one_event_in_order(shop, actions, linh, thread, clock):
    reader = Reader(shop)
    actions.claim(linh, thread)
    actions.claim(linh, thread)
    replied, _ = actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    actions.set_priority(linh, thread, "high")
    actions.set_priority(linh, thread, "high")
    clock.advance(1)
    actions.close(linh, thread)
    actions.close(linh, thread)
    clock.advance(1)
    actions.reopen(linh, thread)
    actions.release(linh, thread)
    actions.release(linh, thread)
    events = reader.read()
    assert [event.type for event in events] == [
        "thread.assigned",
        "message.created",
        "thread.priority_changed",
        "thread.closed",
        "thread.reopened",
        "thread.released",
    ]
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert {event.thread for event in events} == {"t"}
    by = {"id": linh.id, "name": "Linh"}
    assert events[0].data == {"thread_id": thread, "by": by, "assignee": by}
    not_known = {"delivery": None, "customer_online": None, "last_seen": None}
    assert events[1].data == replied.message | not_known
    assert events[2].data["priority"] == "high"
    assert events[5].data["assignee"] is None
    assert reader.read() == []


def test_notes_and_events_of_chatbots_are_not_in_the_outbox(shop, actions, linh, thread):
    actions.reply(linh, thread, Reply("A secret", "tok-1", private=True))
    shop.says(5, role="admin")
    shop.says(6, role="bot")
    shop.send(thread_event("thread.close", 7))
    assert Reader(shop).read() == []
    assert all(message["delivery"] is None for message in shop.conversation())


def test_refused_acts_are_not_in_the_outbox(shop, actions, linh, thread):
    ken = Admin(new_admin(shop.database, "Ken"), "Ken")
    actions.claim(linh, thread)
    with pytest.raises(Problem, match="already_claimed"):
        actions.claim(ken, thread)
    with pytest.raises(Problem, match="conversation_moved"):
        actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=0))
    assert Reader(shop).types() == ["thread.assigned"]


def test_a_close_without_effect_is_not_in_the_outbox(shop, actions, linh, clock):
    """The thread stays open, because its customer wrote what the author had not seen. (H28)"""
    at = clock.now_ms - START_MS
    thread = shop.says(at, thread="tie").thread_id
    actions.close(linh, thread, seen_message_id=0)
    assert Reader(shop).types() == []
    assert shop.row("tie")["open"]


def test_a_source_reads_events_of_its_own_threads_only(shop, actions, linh, thread, clock):
    other = Shop(shop.database, clock, "other")
    theirs = other.says(0).thread_id
    actions.claim(linh, theirs)
    actions.claim(linh, thread)
    assert [event.seq for event in Reader(shop).read()] == [1]
    assert [event.seq for event in Reader(other).read()] == [1]


def test_reading_with_a_limit_gives_every_event_once(shop, actions, linh, thread):
    for number in range(7):
        actions.reply(linh, thread, Reply(f"{number}", f"tok-{number}", confirm=True))
    reader = Reader(shop)
    parts = [reader.read(limit=3) for _ in range(4)]
    assert [len(part) for part in parts] == [3, 3, 1, 0]
    assert [event.data["body"] for part in parts for event in part] == [*"0123456"]


def test_events_older_than_thirty_days_are_deleted_and_numbering_goes_on(
    shop, actions, linh, thread, clock
):
    actions.claim(linh, thread)
    Reader(shop).read()
    clock.advance(outgoing.KEPT_MS)
    actions.release(linh, thread)
    trim = lambda: shop.database.write(lambda c: outgoing.trim(c, clock()))  # noqa: E731
    assert trim() == 0
    clock.advance(1)
    assert (trim(), trim()) == (1, 0)
    clock.advance(outgoing.KEPT_MS)
    reader = Reader(shop)
    assert [event.seq for event in reader.read()] == [2]
    last = reader.position
    assert trim() == 1
    actions.claim(linh, thread)
    fresh = Reader(shop)
    assert [event.seq for event in fresh.read()] == [3]
    assert fresh.position == last + 1


def test_erasing_a_customer_empties_the_outbox_of_their_threads(shop, actions, linh, thread):
    actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    Reader(shop).read()
    erase_customer(shop.database, NoPlacer(), OPERATOR, "shop", "c", 0)
    with shop.database.read() as connection:
        for table in (outgoing_events, outgoing_threads, sent_messages, deliveries):
            assert connection.execute(select(table)).all() == [], table.name


@pytest.fixture
def late_writer(postgres_database) -> Iterator[Database]:
    """Another process's pool of connections."""
    other = Database(postgres_database.url)
    yield other
    other.close()


@pytest.mark.postgres
def test_a_transaction_that_commits_late_is_neither_skipped_nor_waited_for(
    postgres_database, late_writer, clock
):
    """The transaction that inserted first commits last. (F37)"""
    shop = Shop(postgres_database, clock)
    linh = Admin(new_admin(postgres_database, "Linh"), "Linh")
    first, second = (shop.says(0, thread=name).thread_id for name in ("t-1", "t-2"))
    inserted, commit = threading.Event(), threading.Event()

    def sleeping(connection) -> None:
        outgoing.add(connection, shop.source_id, first, "thread.closed", 1, {})
        inserted.set()
        assert commit.wait(10)

    writer = threading.Thread(target=late_writer.write, args=[sleeping])
    writer.start()
    assert inserted.wait(10)
    Actions(postgres_database, clock).claim(linh, second)
    reader = Reader(shop)
    assert [event.thread for event in reader.read()] == ["t-2"]
    assert reader.read() == []
    commit.set()
    writer.join()
    assert [event.thread for event in reader.read()] == ["t-1"]
    with postgres_database.read() as connection:
        ids = connection.scalars(select(outgoing_events.c.id).order_by("position")).all()
    assert ids == sorted(ids, reverse=True), "the ids were handed out in the other order"


@pytest.mark.postgres
def test_a_reader_beside_many_writers_gets_every_event_in_the_order_of_its_thread(
    postgres_database, late_writer, clock
):
    shop = Shop(postgres_database, clock)
    linh = Admin(new_admin(postgres_database, "Linh"), "Linh")
    ids = [shop.says(0, thread=f"t-{number}").thread_id for number in range(4)]
    pools, rounds = (postgres_database, late_writer), 60

    def stored(thread: int, reply: Reply, actions: Actions) -> bool:
        """Returns False if a lock came too late, as when the machine stalls for seconds."""
        with suppress(StorageUnavailable):
            return bool(actions.reply(linh, thread, reply))
        return False

    def write(pool: Database, offset: int) -> None:
        actions = Actions(pool, clock)
        for number in range(rounds):
            reply = Reply("Hello", f"{offset}-{number}", confirm=True)
            while not stored(ids[(number + offset) % 4], reply, actions):
                pass

    writers = [threading.Thread(target=write, args=[pools[at % 2], at]) for at in range(4)]
    for writer in writers:
        writer.start()
    reader, events = Reader(shop), []
    wait_until(lambda: events.extend(reader.read()) or len(events) >= 4 * rounds, 60, "all events")
    for writer in writers:
        writer.join()
    assert len({event.name for event in events}) == 4 * rounds == len(events)
    for name in {event.thread for event in events}:
        assert [event.seq for event in events if event.thread == name] == list(range(1, rounds + 1))


@pytest.mark.slow
@pytest.mark.postgres
def test_a_process_that_freezes_while_assigning_positions_loses_its_session(
    postgres_database, late_writer, clock
):
    """Others wait for its lock for seconds only. (F52)"""
    shop = Shop(postgres_database, clock)
    linh = Admin(new_admin(postgres_database, "Linh"), "Linh")
    Actions(postgres_database, clock).claim(linh, shop.says(0).thread_id)
    with late_writer.engine.connect() as frozen:
        frozen.begin()
        assert outgoing.assign_positions(frozen, 0) == 1
        waiting = text("SELECT state FROM pg_stat_activity WHERE state = 'idle in transaction'")

        def is_terminated() -> bool:
            with postgres_database.read() as connection:
                return not connection.execute(waiting).all()

        wait_until(is_terminated, 10, "the frozen session to be terminated")
        assert Reader(shop).types() == ["thread.assigned"]
        frozen.invalidate()


@pytest.mark.postgres
def test_an_event_that_comes_while_a_chatbot_reads_is_not_behind_its_cursor(
    postgres_database, late_writer, clock
):
    shop = Shop(postgres_database, clock)
    linh = Admin(new_admin(postgres_database, "Linh"), "Linh")
    thread = shop.says(0).thread_id
    reader, came = Reader(shop), []

    def comes(connection, cursor, statement, *_):
        if "max(" in statement and not came:
            came.append(statement)
            Actions(late_writer, clock).claim(linh, thread)
            late_writer.write(lambda connection: outgoing.assign_positions(connection, 0))

    listeners.listen(postgres_database.engine, "before_cursor_execute", comes)
    first = reader.types()
    listeners.remove(postgres_database.engine, "before_cursor_execute", comes)
    assert came and first == []
    assert reader.types() == ["thread.assigned"]
