"""Threads that were closed long ago leave all lists at their moment, and come back when opened."""

from datetime import UTC, datetime

import fakeredis
import pytest
from sqlalchemy import select, update

from dashboard.db import archive, id_ranges
from dashboard.db.lists import kept_lists, query_lists, sorts, versions
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.ingest.actions import Admin
from dashboard.ingest.due import Archiver
from dashboard.ingest.replies import Reply
from dashboard.ordering import filling, pace
from scoring import placing
from scoring.sorting.rules import Rule, Sort
from scoring.sorts import SORTS
from scoring.views import DAY_MS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order


@pytest.fixture
def order(any_database, clock) -> Order:
    made = Order(any_database, fakeredis.FakeRedis(), clock)
    set_days(made, 90)
    made.tick()
    return made


def set_days(order: Order, days: int) -> None:
    order.database.write(lambda connection: versions.set_history_days(connection, days))


def archiver(order: Order, **parts) -> Archiver:
    return Archiver(order.database, order.placer, order.clock, sleep=lambda seconds: None, **parts)


def close(order: Order, *names: str) -> None:
    for name in names:
        order.post(name)
        order.clock.advance(1)
        order.event(type="thread.close", thread=name)


def keep(order: Order, query: str, sort: str = "arrival") -> str:
    id, _ = order.database.write(
        lambda connection: query_lists.keep(connection, ListedQuery(query, sort, "UTC"))
    )
    order.tick()
    return id


def on(order: Order, list_id: str) -> list[int]:
    """The threads that Redis has on a list, which are those of SQL."""
    assert order.differences() == []
    head = order.ranking.head(list_id, order.ranking.sorts_of(list_id)[0], 100)
    return [entry.id for entry in head.entries]


def archived(order: Order) -> list[int]:
    with order.database.read() as connection:
        found = select(threads.c.id).where(threads.c.archived.is_(True)).order_by(threads.c.id)
        return list(connection.scalars(found))


def listed(order: Order, query: str, sort: str = "arrival", limit: int = 2) -> list[int]:
    """The archived threads of a list, read in parts."""
    ids: list[int] = []
    with order.database.read() as connection:
        asked = query_lists.list_of(connection, ListedQuery(query, sort, "UTC"))
        after, ends = None, False
        while not ends:
            part = archive.part(connection, asked, order.clock(), limit, after)
            assert len(part.entries) <= limit
            ids += [entry.id for entry in part.entries]
            after, ends = part.next, part.next is None
    return ids


def test_a_thread_leaves_all_lists_at_its_moment_and_once(order):
    closed, everything = keep(order, "is:closed"), keep(order, "")
    unassigned = keep(order, "is:closed assigned:none")
    close(order, "a", "b")
    order.post("c")
    with order.database.read() as connection:
        at = connection.scalar(select(threads.c.closed_at).where(threads.c.id == 1))
    order.clock.now_ms = at + 90 * DAY_MS - 1
    assert archiver(order).turn() == 0
    assert on(order, "history") == [2, 1]
    order.clock.advance(1)
    assert on(order, "history") == [2, 1], "nothing has taken it up"
    assert archiver(order).turn() == 1
    assert (on(order, "history"), on(order, closed), on(order, everything)) == ([2], [2], [3, 2])
    assert (on(order, unassigned), archived(order)) == ([2], [1])
    assert archiver(order).turn() == 0
    order.tick(3)
    assert order.reconciler.repairs == 0


def test_redis_holds_as_much_after_years_as_after_a_quarter(order, monkeypatch):
    """It grows only with open threads: the data of threads that have left are bounded."""
    for name in ("LEFT_ENTRIES", "UNLISTED_ENTRIES"):
        monkeypatch.setattr(placing, name, 5)
    keep(order, ""), keep(order, "is:closed")
    order.post("still-open")

    def now() -> str:
        return datetime.fromtimestamp(order.clock() / 1_000, UTC).isoformat()

    def held_after_a_quarter(number: int) -> int:
        for thread in range(20):
            order.post(f"{number}-{thread}", occurred_at=now())
            order.clock.advance(1)
            order.event(type="thread.close", thread=f"{number}-{thread}", occurred_at=now())
        order.clock.advance(90 * DAY_MS)
        assert archiver(order).turn() == 20
        order.tick()
        return order.entries()

    first, *later = [held_after_a_quarter(number) for number in range(5)]
    assert later == [first] * 4
    assert archived(order) == [*range(2, 102)]


def test_revisions_of_a_list_that_is_no_more_go_with_the_threads(order, monkeypatch):
    """All lists of queries share revisions: else Redis would keep one of every thread ever."""
    monkeypatch.setattr(placing, "LEFT_ENTRIES", 2)
    close(order, *"abcdef")
    order.post("g")
    [group] = order.ranking.keys.shared_groups()
    list_id = keep(order, "")
    assert order.client.hlen(group.revisions) == 7
    order.database.write(lambda connection: kept_lists.release(connection, [list_id], 0))
    order.tick()
    assert list_id not in order.ranking.held_lists()
    order.clock.advance(100 * DAY_MS)
    assert archiver(order).turn() == 6
    assert order.client.hlen(group.revisions) == 1 + 2, "of the open thread, and the last ones"
    assert order.client.zcard(group.left) == 2
    assert (on(order, "history"), on(order, "arrival")) == ([], [7])


def test_a_list_is_built_without_looking_through_the_archive(order, monkeypatch):
    """After years, few threads are not archived."""
    looked_at, between = [], filling.between

    def looks(connection, query_list, now_ms, after_id, last_id, limit):
        looked_at.append((after_id, last_id))
        return between(connection, query_list, now_ms, after_id, last_id, limit)

    monkeypatch.setattr(filling, "between", looks)
    for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(id_ranges, name, 2)
    order.post("a")
    close(order, "b", "c", "d")
    for name in "efgh":
        order.post(name)
    order.clock.advance(90 * DAY_MS)
    assert archiver(order).turn() == 3
    assert on(order, keep(order, "-tag:vip")) == [8, 7, 6, 5, 1]
    assert looked_at == [(0, 2), (4, 6), (6, 8)], "ranges of two begin with what is not archived"


def test_a_thread_that_is_opened_again_returns_to_its_place(order):
    everything = keep(order, "")
    close(order, "a", "b", "c")
    order.clock.advance(100 * DAY_MS)
    assert archiver(order).turn() == 3
    assert (on(order, everything), on(order, "history")) == ([], [])
    order.post("b", role="bot")
    assert archived(order) == [1, 2, 3]
    order.post("b")
    assert (on(order, "arrival"), on(order, everything), archived(order)) == ([2], [2], [1, 3])
    order.clock.advance(1)
    order.event(type="thread.close", thread="b")
    assert (on(order, "history"), on(order, "arrival")) == ([2], [])


def test_an_old_close_that_arrives_late_enters_no_list(order):
    """As of an import: `occurred_at` decides."""
    moment = "2020-01-01T10:00:00Z"
    fields = {"thread": "a", "customer": {"id": "ann"}, "role": "client", "body": "Hello"}
    order.event(type="message", occurred_at=moment, **fields)
    assert on(order, "arrival") == [1]
    order.event(type="thread.close", thread="a", occurred_at="2020-01-01T10:00:01Z")
    assert (on(order, "arrival"), on(order, "history"), archived(order)) == ([], [], [1])


def test_lists_follow_a_change_of_the_setting_in_both_directions(order):
    close(order, "a")
    order.clock.advance(20 * DAY_MS)
    close(order, "b")
    order.clock.advance(20 * DAY_MS)
    for days, history in ((30, [2]), (10, []), (41, [2, 1]), (90, [2, 1])):
        set_days(order, days)
        archiver(order).turn()
        assert on(order, "history") == history
        assert archiver(order).turn() == 0
    order.tick(3)
    assert order.reconciler.repairs == 0


def test_one_with_an_unread_mention_waits_for_its_reader(order):
    close(order, "a", "b")
    mentioned = update(threads).where(threads.c.id == 1).values(mentioned=" 7 ")
    order.database.write(lambda connection: connection.execute(mentioned))
    order.clock.advance(100 * DAY_MS)
    assert archiver(order).turn() == 1
    assert on(order, "history") == [1]


def test_a_note_that_mentions_somebody_puts_it_back_until_it_is_read(order):
    close(order, "a", "b")
    order.clock.advance(100 * DAY_MS)
    assert archiver(order).turn() == 2
    lan, mai = (Admin(new_admin(order.database, name), name) for name in ("Lan", "Mai"))
    services = order.services

    def note(body: str) -> int:
        reply = Reply(body, f"token of {body}", True, None, True)
        return order.ingest.act(services.actions.reply, lan, 1, reply).message["id"]

    note("Nobody is called.")
    assert (on(order, "history"), archived(order)) == ([], [1, 2])
    id = note("@Mai, look.")
    assert (on(order, "history"), archived(order)) == ([1], [2])
    assert archiver(order).turn() == 0
    order.ingest.act(services.mentioning.read, mai, 1, id)
    assert (on(order, "history"), archived(order)) == ([], [1, 2])


def test_several_archivers_share_the_work_and_none_begins_anew(order, monkeypatch):
    monkeypatch.setattr(pace, "SLICE", 3)
    close(order, *(f"t-{number}" for number in range(20)))
    order.clock.advance(100 * DAY_MS)
    pauses = []

    class Killed(Exception):
        pass

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            raise Killed

    with pytest.raises(Killed):
        Archiver(order.database, order.placer, order.clock, sleep=pause).turn()
    done = len(archived(order))
    assert 0 < done < 20
    assert archiver(order).turn() == 20 - done
    assert on(order, "history") == []


def test_what_a_process_archived_and_did_not_place_the_reconciler_does(order, monkeypatch):
    close(order, "a", "b")
    order.tick(2)
    order.clock.advance(100 * DAY_MS)
    monkeypatch.setattr(order.placer, "place", lambda placements: None)
    assert archiver(order).turn() == 2
    order.tick(3)
    assert on(order, "history") == []


def test_a_rebuild_reads_live_threads_alone(order):
    close(order, *(f"t-{number}" for number in range(8)))
    order.clock.advance(100 * DAY_MS)
    archiver(order).turn()
    order.post("open")
    close(order, "closed")
    order.client.flushall()
    read: list[int] = []
    assert order.reconciler.tick(read.append)
    assert sum(read) == 2
    assert (on(order, "arrival"), on(order, "history")) == ([9], [10])


@pytest.mark.parametrize("sort", SORTS)
def test_the_archive_is_read_in_the_order_of_the_list_in_parts(order, sort):
    for number in range(7):
        close(order, f"t-{number}")
        order.event(
            type="thread.priority", thread=f"t-{number}", priority="high" if number % 2 else "low"
        )
    order.event(type="thread.tags", thread="t-4", add=["vip"])
    query_list = keep(order, "is:closed", sort)
    expected = [entry.id for entry in order.ranking.head(query_list, sort, 100).entries]
    assert listed(order, "is:closed", sort) == [], "they are live"
    order.clock.advance(100 * DAY_MS)
    archiver(order).turn()
    order.post("t-3")
    expected.remove(4)
    assert listed(order, "is:closed", sort) == expected
    assert listed(order, "", sort, limit=1) == expected
    assert listed(order, "tag:vip", sort) == [5]
    assert listed(order, "is:closed -tag:vip", sort) == [id for id in expected if id != 5]
    assert listed(order, "is:open", sort) == listed(order, "is:waiting", sort) == []
    mai = Admin(new_admin(order.database, "Mai"), "Mai")
    for id in expected[::2]:
        order.ingest.act(order.services.actions.claim, mai, id)
    query = "assigned:mai@desk.example is:closed"
    assert listed(order, query, sort, limit=1) == expected[::2]
    assert listed(order, "assigned:none is:closed", sort) == expected[1::2]


def test_the_archive_is_read_in_saved_sorts_too(order):
    rules = (Rule("tag:vip", "recent_at", "oldest"), Rule("", "recent_at", "newest", "priority"))
    id = new_admin(order.database, "Mai", "supervisor")
    vip = Sort("vip", rules, "VIPs")
    order.database.write(lambda connection: sorts.create(connection, vip, id, order.clock()))
    close(order, "a", "b", "c", "d")
    for name in ("c", "b"):
        order.event(type="thread.tags", thread=name, add=["vip"])
    order.clock.advance(100 * DAY_MS)
    archiver(order).turn()
    assert listed(order, "is:closed", "vip") == listed(order, "", "vip", limit=3) == [2, 3, 4, 1]
