"""Lists of saved views that nobody opens: the set of their threads is exact, their order is not
kept."""

import fakeredis
import pytest

from dashboard.db.lists import entries, kept_lists, named_lists, query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ingest.due import DueQueue
from dashboard.ordering import diff, filling
from dashboard.ordering.filling import FillingByQuery
from dashboard.ordering.list_keeper import LOOKED_AT_MS, RENEWED_MS, ListBuilder, ListKeeper
from dashboard.ordering.placer import placements_everywhere
from scoring.sorts import BUILT_IN_SORTS
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock

SECONDS = 15
FIRST, OTHER = "-is:closed", "is:closed"


@pytest.fixture
def order(any_database, monkeypatch):
    """Three threads on the list of FIRST; Redis has not kept its order since they came."""
    monkeypatch.setattr(kept_lists, "ORDERED_MAX", 1)
    made = Order(any_database, fakeredis.FakeRedis(), SettableClock())
    made.database.write(kept_lists.keep)
    for name in "abc":
        made.post(name)
    made.first, made.other = keep(made, FIRST), keep(made, OTHER)
    made.keeper = ListKeeper(made.database, made.clock)
    made.keeper.keep(made.other, listed(OTHER))
    made.tick(2)
    assert unordered(made) == {made.first}
    return made


def listed(query):
    return ListedQuery(query, "arrival", "UTC")


def keep(order, query):
    return order.database.write(lambda connection: query_lists.keep(connection, listed(query)))[0]


def unordered(order):
    with order.database.read() as connection:
        return query_lists.current(connection).unordered


def in_sql(order, list_id):
    with order.database.read() as connection:
        query_list = query_lists.current(connection).lists[list_id]
        return entries.entries(connection, query_list, order.clock(), 100)


def in_redis(order, list_id):
    return order.ranking.head(list_id, "arrival", 100).entries


def epoch_of(order, list_id):
    with order.database.read() as connection:
        return named_lists.epoch_of(connection, list_id)


def unneeded(order):
    with order.database.read() as connection:
        needed = kept_lists.ids_in(connection, BUILT_IN_SORTS)
        return kept_lists.unneeded_in_order(connection, needed, order.clock())


def leave(connection, order):
    kept_lists.leave_unordered(connection, [order.first, order.other], order.clock())


def build(order, list_id):
    assert ListBuilder(order.rebuilder, order.ranking).build(list_id).wait(SECONDS)


def test_a_message_does_not_move_its_thread_but_one_that_enters_or_leaves_is_counted(order):
    before = in_redis(order, order.first)
    version = order.ranking.states([order.first])[order.first].version
    order.post("a")
    assert in_redis(order, order.first) == before
    assert order.ranking.states([order.first])[order.first].version == version
    order.post("d")
    order.event(type="thread.close", thread="b")
    assert {entry.id for entry in in_redis(order, order.first)} == {1, 3, 4}
    assert order.ranking.states([order.first])[order.first].total == 3
    assert in_redis(order, order.other) == in_sql(order, order.other) != []


def test_what_is_not_in_order_is_neither_repaired_nor_a_difference(order):
    order.post("a")
    states = order.ranking.states(order.rebuilder.list_ids())
    for _ in range(3):
        assert order.diff.differing_in_next_slice(states) == set()
    assert (order.differences(), order.reconciler.repairs) == ([], 0)
    assert in_redis(order, order.first) != in_sql(order, order.first)


def test_a_pass_that_began_while_it_was_in_order_compares_no_scores_from_then_on(
    order, monkeypatch
):
    order.keeper.keep(order.first, listed(FIRST))
    build(order, order.first)
    for name in ("PART", "SLICE_MAX"):
        monkeypatch.setattr(diff, name, 1)
    states = order.ranking.states(order.rebuilder.list_ids())
    while order.diff._after_id != 1:
        assert order.diff.differing_in_next_slice(states) == set()
    order.clock.advance(LOOKED_AT_MS + RENEWED_MS + 1)
    order.database.write(lambda connection: leave(connection, order))
    order.post("b")
    assert order.diff.differing_in_next_slice(states) == set() and order.diff._after_id == 2


def test_to_place_a_thread_on_every_list_leaves_it_where_it_is_on_this_one(order):
    order.post("a")
    before = in_redis(order, order.first)
    list_ids = order.rebuilder.list_ids()
    placements = placements_everywhere(order.database, [1, 2], list_ids, order.clock())
    assert order.placer.place_now(placements, is_everywhere=True) == 0
    assert in_redis(order, order.first) == before


def test_a_thread_that_is_missing_or_too_many_is_repaired_without_touching_the_others(order):
    order.post("b")
    [key] = {order.ranking.keys.sort(order.first, "arrival")}
    order.client.zrem(key, "000000000001")
    order.client.zadd(key, {"000000000099": 7})
    assert {(each.entry.id, each.is_in_redis) for each in order.differences()} == {
        (1, False),
        (99, True),
    }
    order.tick(200)
    assert {entry.id for entry in in_redis(order, order.first)} == {1, 2, 3}
    assert in_redis(order, order.first) != in_sql(order, order.first), "b stays where it was"


def test_who_looks_gets_the_order_built_and_it_is_kept_while_somebody_looks(order):
    order.post("a")
    order.keeper.keep(order.first, listed(FIRST))
    assert unordered(order) == frozenset() and epoch_of(order, order.first) is None
    order.post("b")
    assert epoch_of(order, order.first) is None, "it is not read before it is built"
    build(order, order.first)
    order.post("c")
    for _ in range(3):
        assert in_redis(order, order.first) == in_sql(order, order.first)
        order.clock.advance(LOOKED_AT_MS)
        order.keeper.renew([order.first])
        order.tick()
    assert order.first not in unordered(order)
    order.clock.advance(LOOKED_AT_MS + RENEWED_MS + 1)
    order.tick()
    # Somebody looked at the other one earlier.
    assert unordered(order) == {order.other}


def test_the_reconciler_builds_the_order_where_nobody_else_does(order):
    order.post("a")
    order.keeper.keep(order.first, listed(FIRST))
    order.tick()
    assert in_redis(order, order.first) == in_sql(order, order.first)
    assert epoch_of(order, order.first) is not None and order.reconciler.repairs == 0


def test_lists_that_somebody_looks_at_stay_in_order_however_many(order):
    order.keeper.keep(order.first, listed(FIRST))
    build(order, order.first)
    assert unneeded(order) == []
    # As if another process had found it unneeded just before.
    order.database.write(lambda connection: leave(connection, order))
    assert unordered(order) == frozenset() and epoch_of(order, order.first) is not None


def test_a_list_that_was_never_built_is_built_first(order):
    """Threads must know when time changes whether it holds them."""
    new = keep(order, "waits:>1m")
    assert unneeded(order) == []
    order.tick()
    assert unneeded(order) == [new]


def test_of_a_list_that_was_built_before_threads_know_when_time_changes_it(order, monkeypatch):
    waits = keep(order, "waits:>1m")
    order.tick(2)
    assert waits in unordered(order)
    monkeypatch.setattr(filling, "changes_ahead", None)
    order.keeper.keep(waits, listed("waits:>1m"))
    build(order, waits)
    assert epoch_of(order, waits) is not None


def test_built_in_lists_and_those_of_unsaved_queries_stay_in_order(order):
    with order.database.read() as connection:
        built_in = kept_lists.ids_in(connection, BUILT_IN_SORTS)
    order.keeper.keep_many({"": ListedQuery("is:waiting", "arrival", "UTC")})
    order.tick(2)
    assert unordered(order) == {order.first} and len(built_in) == len(BUILT_IN_SORTS)
    assert len(order.rebuilder.list_ids()) == 3 + 3 + len(built_in)


def test_a_list_that_comes_in_order_while_it_is_built_is_built_once_more(order, monkeypatch):
    """Entries filled before may be of threads that moved since, though not on this list."""
    filled = FillingByQuery.by_ranges

    def fill(*given):
        found = filled(*given)
        order.post("a")
        order.keeper.keep(order.first, listed(FIRST))
        return found

    monkeypatch.setattr(FillingByQuery, "by_ranges", fill)
    order.rebuilder.rebuild([order.first])
    assert in_redis(order, order.first) != in_sql(order, order.first)
    assert epoch_of(order, order.first) is None
    monkeypatch.undo()
    build(order, order.first)
    assert in_redis(order, order.first) == in_sql(order, order.first)


def test_a_placement_from_before_the_order_is_kept_does_not_undo_it(order):
    """An event of another process is placed when the list is already in order."""
    late = []
    place, order.placer.place = order.placer.place, late.extend
    order.post("a")
    order.placer.place = place
    [placement] = late
    assert order.first not in placement.lists and placement.stays
    order.keeper.keep(order.first, listed(FIRST))
    build(order, order.first)
    order.placer.place(late)
    assert in_redis(order, order.first) == in_sql(order, order.first)


def test_time_changes_who_is_on_it_and_its_total(order, monkeypatch):
    waits = keep(order, "waits:>1m")
    order.tick(2)
    assert unordered(order) == {order.first, waits}
    order.clock.advance(50_000)
    order.post("c", role="admin")
    order.clock.advance(20_000)
    DueQueue(order.database, order.placer, order.clock).turn()
    assert {entry.id for entry in in_redis(order, waits)} == {1, 2}


def test_after_a_loss_of_redis_it_is_built_and_stays_unordered(order):
    order.client.flushall()
    order.tick(2)
    assert {entry.id for entry in in_redis(order, order.first)} == {1, 2, 3}
    assert unordered(order) == {order.first} and epoch_of(order, order.first) is None
