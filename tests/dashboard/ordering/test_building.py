"""Lists that somebody asks for are built once, beside each other, whatever Redis held of them."""

import threading
from contextlib import contextmanager

import fakeredis
import pytest
from sqlalchemy import event

from dashboard.db import conditions, id_ranges
from dashboard.db.lists import query_lists, sorts, views
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ingest.actions import Admin
from dashboard.ingest.due import DueQueue
from dashboard.ordering import filling, list_keeper, pace, rebuild
from dashboard.ordering.filling import FillingByQuery
from dashboard.ordering.list_keeper import (
    ADDED_AT_ONCE,
    LOOKED_AT_MS,
    RENEWED_MS,
    ListBuilder,
    ListKeeper,
)
from dashboard.ordering.rebuild import Rebuilder
from scoring import rebuilding
from scoring.sorting.rules import Rule, Sort
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock, wait_until

SECONDS = 15


@pytest.fixture
def order(database):
    made = Order(database, fakeredis.FakeRedis(), SettableClock())
    made.tick()
    for name in "abc":
        made.post(name)
    return made


def keep(order, query, admin_id=None):
    listed = ListedQuery(query, "arrival", "UTC", admin_id)
    return order.database.write(lambda connection: query_lists.keep(connection, listed))[0]


def new_builder(order) -> ListBuilder:
    """Returns the builder of another process."""
    parts = order.database, order.ranking, order.placer, order.clock
    return ListBuilder(Rebuilder(*parts), order.ranking)


def held(order, list_id):
    return {entry.id for entry in order.ranking.head(list_id, "arrival", 10).entries}


def test_two_processes_that_are_asked_build_a_list_once(order, monkeypatch):
    list_id = keep(order, "is:open")
    builders = [new_builder(order) for _ in range(2)]
    may_go_on = threading.Event()
    filled = FillingByQuery.by_ranges

    def slow(*given):
        may_go_on.wait(SECONDS)
        return filled(*given)

    monkeypatch.setattr(FillingByQuery, "by_ranges", slow)
    ended = [builder.build(list_id) for builder in (*builders, *builders)]
    assert ended[0] is ended[2] and ended[1] is ended[3]
    wait_until(lambda: order.ranking.progress(list_id) is not None, what="the first one's lock")
    may_go_on.set()
    assert all(each.wait(SECONDS) for each in ended)
    assert sum(builder.built for builder in builders) == 1
    assert order.ranking.head(list_id, "arrival", 10).total == 3


def test_a_list_that_redis_still_holds_of_an_earlier_life_is_built_anew(order):
    list_id = keep(order, "is:open")
    order.tick()
    order.rebuilder.forget_epochs([list_id])
    builder = new_builder(order)
    before = order.ranking.states([list_id])[list_id].epoch
    assert builder.build(list_id).wait(SECONDS)
    after = order.ranking.states([list_id])[list_id].epoch
    assert after not in (None, before)
    assert order.rebuilder.epochs([list_id]) == {list_id: after}


@pytest.fixture
def mixed(order):
    """Seven threads; the fifth is answered."""
    for name in "defg":
        order.post(name)
    order.post("e", "admin")
    return order


@pytest.mark.parametrize("slice", [1, 2, 3, 4])
def test_a_list_is_whole_however_many_of_its_threads_are_read_at_once(mixed, monkeypatch, slice):
    monkeypatch.setattr(filling, "SLICE", slice)
    for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(id_ranges, name, 2)
    list_id = keep(mixed, "is:waiting")
    assert new_builder(mixed).build(list_id).wait(SECONDS)
    assert held(mixed, list_id) == {1, 2, 3, 4, 6, 7}


def keep_some(order):
    """Adds more lists than are built one by one, with too many threads for an index; returns their
    threads by list id."""
    return {
        keep(order, "is:waiting"): {1, 2, 3, 4, 6, 7},
        keep(order, "-is:waiting"): {5},
        keep(order, "last:bot"): set(),
        keep(order, "waits:<1h"): {1, 2, 3, 4, 6, 7},
    }


@pytest.mark.parametrize(("slice", "slices"), [(1, 7), (3, 3), (50, 1)])
def test_many_lists_are_built_with_a_pause_after_each_slice(mixed, monkeypatch, slice, slices):
    pauses = []
    monkeypatch.setattr(rebuild, "FILTERED_MAX", 1)
    monkeypatch.setattr(filling, "Pace", lambda: pace.Pace(sleep=pauses.append))
    for name in ("SLICE", "SLICE_MIN", "SLICE_MAX"):
        monkeypatch.setattr(pace, name, slice)
    wanted = keep_some(mixed)
    assert mixed.rebuilder.rebuild(list(wanted), with_pauses=True) == 7
    assert {list_id: held(mixed, list_id) for list_id in wanted} == wanted
    assert mixed.rebuilder.epochs(wanted).keys() == wanted.keys()
    assert len(pauses) == slices + 1, "also after the look that finds no more"


@pytest.mark.parametrize("read_once_above", [1, 30])
def test_lists_are_kept_while_the_moments_of_a_million_threads_are_brought_forward(
    mixed, monkeypatch, read_once_above
):
    """For many lists it takes minutes, in which none of them is filled."""
    monkeypatch.setattr(rebuild, "FILTERED_MAX", read_once_above)
    for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(id_ranges, name, 2)
    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    client, are_renewed, write = mixed.client, [], filling.bring_forward

    def bring_forward(connection, changes):
        for key in client.keys("*q:*|next|lease"):
            are_renewed.append(client.pttl(key) <= rebuilding.LEASE_MS)
            client.pexpire(key, 10 * rebuilding.LEASE_MS)
        write(connection, changes)

    monkeypatch.setattr(filling, "bring_forward", bring_forward)
    mixed.rebuilder.rebuild([keep(mixed, "waits:<1h"), keep(mixed, "waits:>2h")])
    assert are_renewed == [True] * 8, "both lists, in each of four steps"


def test_a_list_of_which_an_index_names_the_threads_waits_for_no_look_at_all_others(
    mixed, monkeypatch
):
    """However many admins come at once, each with lists of their own."""
    monkeypatch.setattr(rebuild, "FILTERED_MAX", 1)
    monkeypatch.setattr(conditions, "SHARE", 3)
    mai, bob = (Admin(new_admin(mixed.database, name), name) for name in ("Mai", "Bob"))
    for id in (2, 5):
        mixed.ingest.act(mixed.services.actions.claim, mai, id)
    mine = {
        keep(mixed, "assigned:me", mai.id): {2, 5},
        keep(mixed, "assigned:me is:waiting -priority:high waits:<1h", mai.id): {2},
        keep(mixed, "assigned:me", bob.id): set(),
        keep(mixed, "mentions:me", bob.id): set(),
    }
    others = keep_some(mixed)
    held_before = {}
    monkeypatch.setattr(filling, "between", None)
    mixed.rebuilder.rebuild(list(mine), with_pauses=True)
    assert {list_id: held(mixed, list_id) for list_id in mine} == mine

    def pauses(seconds):
        held_before.update({list_id: held(mixed, list_id) for list_id in mine})
        assert not mixed.rebuilder.epochs(others)

    monkeypatch.setattr(filling, "Pace", lambda: pace.Pace(sleep=pauses))
    mixed.client.flushall()
    mixed.rebuilder.forget_epochs([*mine])
    mixed.rebuilder.rebuild([*others, *mine], with_pauses=True)
    assert held_before == mine, "they are there before the others are begun"
    assert {list_id: held(mixed, list_id) for list_id in others} == others


def test_time_moves_threads_on_and_off_a_new_list_that_an_index_has_filled(mixed, monkeypatch):
    monkeypatch.setattr(conditions, "SHARE", 3)
    mai = Admin(new_admin(mixed.database, "Mai"), "Mai")
    mixed.ingest.act(mixed.services.actions.claim, mai, 3)
    list_id = keep(mixed, "assigned:me waits:<1h", mai.id)
    monkeypatch.setattr(filling, "between", None)
    mixed.rebuilder.rebuild([list_id])
    assert held(mixed, list_id) == {3}
    mixed.clock.advance(3_600_000)
    assert DueQueue(mixed.database, mixed.placer, mixed.clock).turn() == 1, "no other thread"
    assert held(mixed, list_id) == set()


def test_while_serving_the_reconciler_builds_many_lists_beside_its_ticks(mixed, monkeypatch):
    monkeypatch.setattr(rebuild, "FILTERED_MAX", 1)
    may_go_on, begun = threading.Event(), []

    def wait(seconds):
        begun.append(seconds)
        may_go_on.wait(SECONDS)

    monkeypatch.setattr(filling, "Pace", lambda: pace.Pace(sleep=wait))
    wanted = keep_some(mixed)
    assert mixed.reconciler.tick(is_serving=True)
    wait_until(lambda: begun, what="the first pause")
    before, list_keeper = mixed.reconciler.rebuilds, mixed.reconciler._building
    assert mixed.reconciler.tick(is_serving=True), "a tick does not wait for what is built"
    assert mixed.reconciler.rebuilds == before and not mixed.rebuilder.epochs(wanted)
    assert mixed.reconciler._building is list_keeper, "what is built is not begun again"
    may_go_on.set()
    wait_until(lambda: mixed.reconciler.rebuilds == before + len(wanted), what="the lists")
    assert {list_id: held(mixed, list_id) for list_id in wanted} == wanted


def test_the_reconciler_leaves_a_list_that_somebody_has_built_since_it_looked(order, monkeypatch):
    """Otherwise a list on screens would be opened again for nothing."""
    list_id = keep(order, "is:open")
    build = order.reconciler._build

    def later(missing, progress):
        assert missing == {list_id: None}
        assert new_builder(order).build(list_id).wait(SECONDS)
        built.append(order.ranking.states([list_id])[list_id].epoch)
        build(missing, progress)

    built = []
    monkeypatch.setattr(order.reconciler, "_build", later)
    order.tick()
    assert [order.ranking.states([list_id])[list_id].epoch] == built


def test_a_list_that_another_process_builds_at_this_moment_is_not_built_again(order, monkeypatch):
    list_id = keep(order, "is:open")
    builder, other = (new_builder(order) for _ in range(2))
    progress = order.ranking.progress

    def meanwhile(id):
        monkeypatch.undo()
        assert other.build(list_id).wait(SECONDS)
        return progress(id)

    monkeypatch.setattr(order.ranking, "progress", meanwhile)
    assert builder.build(list_id).wait(SECONDS)
    assert (builder.built, other.built) == (0, 1)


def test_a_list_without_threads_is_there_at_once(order, monkeypatch):
    """Its opening does not wait for a second look."""
    monkeypatch.setattr(list_keeper, "LOOK_SECONDS", 10 * SECONDS)
    list_id, builder = keep(order, "last:bot"), new_builder(order)
    assert builder.build(list_id).wait(SECONDS)
    assert order.ranking.states([list_id])[list_id].epoch is not None
    assert builder.built == 1, "it counts, too"


def test_lists_that_another_process_builds_meanwhile_do_not_count_as_rebuilt(order):
    """For many lists it takes minutes, and every tick finds them missing."""
    mine, others = keep(order, "is:open"), keep(order, "is:closed")
    before = order.reconciler.rebuilds
    with order.ranking.begin_rebuild([others]):
        order.tick(3)
        assert order.ranking.states([mine])[mine].epoch is not None
        assert order.reconciler.rebuilds == before + 1
    order.tick(3)
    assert order.reconciler.rebuilds == before + 2


def test_what_nobody_wants_any_more_is_not_built(order):
    builder = new_builder(order)
    assert builder.build("q:0123:arrival").wait(SECONDS)
    assert builder.built == 0
    assert not [key for key in order.client.keys("*") if b"q:0123" in key]


@contextmanager
def marks_and_lists(database):
    """Yields the ids of lists as they are added, and None each time that lists are marked as
    changed: from then on events wait for the end of the transaction."""
    log = []

    def note(connection, cursor, statement, parameters, context, many):
        if statement.startswith("INSERT INTO query_lists"):
            log.append(parameters[0])
        elif statement.startswith("UPDATE query_lists_version"):
            log.append(None)

    event.listen(database.engine, "before_cursor_execute", note)
    yield log
    event.remove(database.engine, "before_cursor_execute", note)


def is_last(mark, log):
    return log.index(mark) == len(log) - log.count(mark)


def test_many_new_lists_are_added_a_few_at_a_time_and_marked_last(order):
    """Two processes that add the same lists would wait for each other otherwise."""
    queries = [ListedQuery(f"tag:t{n}", "arrival", "UTC") for n in range(2 * ADDED_AT_ONCE + 1)]
    with order.database.read() as connection:
        by_id = {query_lists.list_of(connection, query).id: query for query in queries}
    keeper = ListKeeper(order.database, order.clock)
    with marks_and_lists(order.database) as log:
        keeper.keep_many(by_id)
    size = ADDED_AT_ONCE + 1
    slices = [log[at : at + size] for at in range(0, len(log), size)]
    assert [len(ids) for ids in slices] == [size, size, 2]
    assert all(ids[-1] is None and ids[:-1] == sorted(ids[:-1]) for ids in slices)
    assert {*log} == {*by_id, None} and all(map(keeper.is_kept, by_id))
    order.clock.advance(LOOKED_AT_MS + RENEWED_MS + 1)
    order.tick()
    assert not {*by_id} & {*order.rebuilder.list_ids()}
    keeper.renew([*by_id])
    assert {*by_id} <= {*order.rebuilder.list_ids()}


def test_lists_of_views_in_a_changed_sort_are_marked_last(database):
    mai = new_admin(database, "Mai")
    rules = tuple(Rule(when, "recent_at", "newest") for when in ("is:waiting", ""))
    sort = database.write(lambda c: sorts.create(c, Sort("vip", rules, "VIPs"), mai, 1))
    for query in ("is:open", "is:closed", "is:waiting"):
        draft = views.Draft("View", query, "vip", "UTC", mai)
        database.write(lambda c, draft=draft: views.create(c, draft, mai, 1))

    def change(connection):
        views.begin_change(connection)
        sorts.change(connection, sort, Sort("vip", rules[1:], "VIPs"), mai, 2)
        views.keep_anew(connection, "vip", 2)

    with marks_and_lists(database) as log:
        database.write(change)
    ids = [id for id in log if id is not None]
    assert len(ids) > 3 and ids == sorted(ids) and is_last(None, log)
