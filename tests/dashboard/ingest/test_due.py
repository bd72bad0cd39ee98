"""Time puts threads on lists of queries, and takes them off: at the moment, and once."""

import threading

import fakeredis
import pytest
from sqlalchemy import select, update

from dashboard.db.lists import entries, query_lists, sorts
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import epochs, threads
from dashboard.db.models.views import query_lists as table
from dashboard.db.threads import thread_states
from dashboard.db.threads import threads as stored_threads
from dashboard.ingest.due import PAUSE_MAX_SECONDS, DueQueue
from dashboard.ordering import pace
from scoring.placing import Placement
from scoring.sorting.rules import Rule, Sort
from scoring.sorts import SORTS
from scoring.views import VIEWS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order


@pytest.fixture
def order(any_database, clock) -> Order:
    made = Order(any_database, fakeredis.FakeRedis(), clock)
    made.tick()
    return made


@pytest.fixture
def due(order) -> DueQueue:
    return order.services.due_queue


def keep(
    order: Order, query: str, kept_until: int | None = None, sort: str = "longest_wait"
) -> str:
    """Adds a list, and builds it."""
    listed = ListedQuery(query, sort, "UTC")
    id, _ = order.database.write(
        lambda connection: query_lists.keep(connection, listed, kept_until)
    )
    order.tick()
    return id


def on(order: Order, list_id: str) -> list[int]:
    """The threads that Redis has on a list; SQL must have the same."""
    with order.database.read() as connection:
        found = query_lists.current(connection).lists[list_id]
        now = order.clock()
        in_sql, total = entries.listed(connection, found, now, 100)
        assert total == len(in_sql)
        ranks = [entries.rank(connection, found, now, entry.id) for entry in in_sql]
    assert ranks == list(range(len(in_sql)))
    assert order.ranking.head(list_id, "longest_wait", 100).entries == in_sql
    return [entry.id for entry in in_sql]


def revision(order: Order, id: int) -> int:
    with order.database.read() as connection:
        return connection.scalar(select(threads.c.revision).where(threads.c.id == id))


@pytest.mark.parametrize("comes_first", ["the list", "the thread"])
def test_a_thread_enters_a_list_at_its_moment_and_once(order, due, comes_first):
    list_id = keep(order, "waits:>1m") if comes_first == "the list" else ""
    order.post("t")
    list_id = list_id or keep(order, "waits:>1m")
    order.clock.advance(60_000)
    assert due.turn() == 0
    assert on(order, list_id) == []
    before = revision(order, 1)
    order.clock.advance(1)
    assert on(order, list_id) == [], "nothing has taken it up"
    assert due.turn() == 1
    assert on(order, list_id) == [1]
    assert revision(order, 1) == before + 1
    assert due.turn() == 0


def test_a_change_that_is_due_is_also_taken_up_by_an_event(order, due):
    list_id = keep(order, "waits:<1m")
    order.post("t")
    assert on(order, list_id) == [1]
    order.clock.advance(90_000)
    assert on(order, list_id) == [1], "nothing has taken it up"
    order.post("t", role="bot")
    assert on(order, list_id) == []
    assert due.turn() == 0


def test_time_touches_no_list_on_which_the_thread_keeps_its_place(order, due):
    """Otherwise each moment would rewrite each list, though nobody would see a difference."""
    kept, lasts, ends = (keep(order, query) for query in ("is:open", "waits:>1m", "waits:<=1m"))
    order.post("t")
    order.post("u")
    list_ids = order.rebuilder.list_ids()
    before, pulse = order.ranking.states(list_ids), order.ranking.pulse()
    order.clock.advance(60_001)
    assert due.turn() == 2
    after = order.ranking.states(list_ids)
    touched = {id for id in list_ids if after[id] != before[id]}
    assert {lasts, ends} <= touched
    assert touched.isdisjoint({kept, *VIEWS}), "nothing that they show has changed"
    assert order.ranking.pulse().unlisted == pulse.unlisted
    assert [on(order, id) for id in (kept, lasts, ends)] == [[1, 2], [1, 2], []]


def test_time_moves_a_thread_on_the_lists_where_a_saved_sort_gives_it_another_place(order, due):
    """It is on the same lists as before, and on those in other sorts nothing changes."""
    rules = Rule("waits:>1m", "recent_at", "oldest"), Rule("", "recent_at", "newest")
    mai = new_admin(order.database, "Mai")
    late_first = Sort("late_first", rules, "Late first")
    order.database.write(lambda connection: sorts.create(connection, late_first, mai, 1))
    resorted, kept = keep(order, "is:open", sort="late_first"), keep(order, "is:open")
    order.post("t")
    order.clock.advance(50_000)
    order.post("u")
    assert [id for id, _ in order.ranking.head(resorted, "late_first", 10).entries] == [2, 1]
    before = order.ranking.states([resorted, kept])
    order.clock.advance(10_001)
    assert due.turn() == 1
    assert [id for id, _ in order.ranking.head(resorted, "late_first", 10).entries] == [1, 2]
    after = order.ranking.states([resorted, kept])
    assert (after[resorted].version, after[kept]) == (before[resorted].version + 1, before[kept])
    assert order.differences() == []


@pytest.mark.parametrize("lost", [False, True], ids=["late", "lost"])
def test_an_event_that_is_placed_after_time_has_moved_its_thread_is_placed_everywhere(
    order, due, monkeypatch, lost
):
    """Time names few lists: on them the event's own placement is refused, or it never comes."""
    moved, other = keep(order, "waits:>1m"), keep(order, "last:admin")
    order.post("t")
    late: list[Placement] = []
    with monkeypatch.context() as patch:
        patch.setattr(order.placer, "place", late.extend)
        order.post("t", role="admin", private=True)
        order.post("t")
        order.clock.advance(60_001)
    assert due.turn() == 1
    if not lost:
        order.placer.place(late)
    order.tick(3)
    assert on(order, moved) == [1] and on(order, other) == []
    assert order.differences() == []


def test_several_queues_take_up_a_change_once(order):
    list_id = keep(order, "waits:>1m")
    for number in range(20):
        order.post(f"t-{number}")
    order.clock.advance(200_000)
    before = [revision(order, id) for id in range(1, 21)]
    queues = [DueQueue(order.database, order.placer, order.clock) for _ in range(4)]
    running = [threading.Thread(target=each.turn) for each in queues]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert [revision(order, id) for id in range(1, 21)] == [one + 1 for one in before]
    order.tick(3)
    assert on(order, list_id) == list(range(1, 21))


def test_of_many_at_one_moment_the_first_screens_come_first(order, monkeypatch):
    """W49: whichever sort a screen is in; then the rest, each once, in slices with pauses."""
    for name in ("SLICE_MIN", "SLICE_MAX"):
        monkeypatch.setattr(pace, name, 5)
    monkeypatch.setattr("dashboard.ingest.due.SLICE_MIN", 5)
    lists = [
        (keep(order, "waits:>1m", sort=sort), sort)
        for sort in ("arrival", "longest_wait", "member_status")
    ]
    for number in range(150):
        order.post(f"t-{number}", customer={"id": f"c-{number}", "member_status": number % 6})
    order.clock.advance(3_600_000)
    seen, pauses = [], []

    def rest(seconds: float) -> None:
        pauses.append(seconds)
        seen.append([order.ranking.head(id, sort, 5).entries for id, sort in lists])

    queue = DueQueue(order.database, order.placer, order.clock, sleep=rest)
    assert queue.turn() == 150
    assert len(seen) == 30 and max(pauses) <= PAUSE_MAX_SECONDS
    assert [len(head) for head in seen[-1]] == [5, 5, 5]
    first = next(at for at, heads in enumerate(seen) if heads == seen[-1])
    assert first <= 5 * len(SORTS) / 5, "as many slices as first screens need"
    order.tick(3)
    assert order.differences() == []
    assert queue.turn() == 0


def test_a_process_that_meets_another_one_goes_on_elsewhere(order, monkeypatch):
    """Two processes with the same first threads would wait for each other all the time."""
    for name in ("SLICE_MIN", "SLICE_MAX"):
        monkeypatch.setattr(pace, name, 5)
    monkeypatch.setattr("dashboard.ingest.due.SLICE_MIN", 5)
    keep(order, "waits:>1m")
    for number in range(60):
        order.post(f"t-{number}")
    order.clock.advance(3_600_000)
    begun: list[list[int]] = []
    saved = thread_states.locked_by_id
    other = DueQueue(order.database, order.placer, order.clock, sleep=lambda seconds: None)

    def locked(connection, ids):
        begun.append(list(ids))
        found = saved(connection, ids)
        return [] if len(begun) == 1 else found

    monkeypatch.setattr(thread_states, "locked_by_id", locked)
    monkeypatch.setattr("random.randrange", lambda begin, end, step: begin + 2 * step)
    other.turn()
    assert begun[1][0] not in begun[0] and len({*begun[1], *begun[2]} - {*begun[0]}) == 10
    with order.database.read() as connection:
        assert stored_threads.due(connection, order.clock(), 10) == []


def test_a_list_that_nobody_needs_goes_with_all_its_keys(order):
    list_id = keep(order, "is:open", kept_until=order.clock() + 60_000)
    order.post("t")
    assert on(order, list_id) == [1]
    order.clock.advance(60_001)
    order.tick()
    assert not [key for key in order.client.keys("*") if list_id.encode() in key]
    with order.database.read() as connection:
        assert not query_lists.current(connection)
        assert list_id not in set(connection.scalars(select(epochs.c.list_id)))
    order.post("t")
    assert order.differences() == []


def test_a_list_is_kept_as_long_as_the_last_one_needs_it(order):
    now = order.clock()
    list_id = keep(order, "is:open", kept_until=now + 1_000)
    assert keep(order, "is:open", kept_until=now + 500) == list_id
    assert keep(order, " IS:open  ") == list_id
    assert keep(order, "is:open", kept_until=now + 9_000) == list_id
    order.clock.advance(100_000)
    order.tick()
    assert on(order, list_id) == []


def test_a_stored_query_that_cannot_be_read_stops_no_event(order, caplog):
    list_id = keep(order, "is:open")
    keep(order, "is:waiting")
    with order.database.engine.begin() as connection:
        connection.execute(
            update(table).where(table.c.id == list_id).values(query="assigned:gone@desk.example")
        )
    order.database.write(
        lambda connection: query_lists.keep(connection, ListedQuery("", "arrival", "UTC"))
    )
    order.post("t")
    assert "cannot be kept" in caplog.text


def test_a_member_that_belongs_nowhere_is_found_by_its_length(order):
    list_id = keep(order, "is:closed")
    order.post("t")
    key = order.ranking.keys.sort(list_id, "longest_wait")
    order.client.zadd(key, {f"{1:012d}": 5})
    order.tick(8, seconds=60)
    assert on(order, list_id) == []
