"""Lists that somebody asks for are built once, beside each other, whatever Redis held of them."""

import threading

import fakeredis
import pytest

from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ordering import pace
from dashboard.ordering.building import ListBuilder
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


def keep(order, query):
    listed = ListedQuery(query, "arrival", "UTC")
    return order.database.write(lambda connection: query_lists.keep(connection, listed))[0]


def test_two_processes_that_are_asked_build_a_list_once(order, monkeypatch):
    list_id = keep(order, "is:open")
    builders = [ListBuilder(order.rebuilder, order.ranking) for _ in range(2)]
    may_go_on = threading.Event()
    filled = order.rebuilder._fill_queries

    def slow(*given):
        may_go_on.wait(SECONDS)
        return filled(*given)

    monkeypatch.setattr(order.rebuilder, "_fill_queries", slow)
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
    builder = ListBuilder(order.rebuilder, order.ranking)
    before = order.ranking.states([list_id])[list_id].epoch
    assert builder.build(list_id).wait(SECONDS)
    after = order.ranking.states([list_id])[list_id].epoch
    assert after not in (None, before)
    assert order.rebuilder.epochs([list_id]) == {list_id: after}


@pytest.mark.parametrize("slice", [1, 2, 3, 4])
def test_a_list_is_whole_however_many_of_its_threads_are_read_at_once(order, monkeypatch, slice):
    monkeypatch.setattr("dashboard.ordering.rebuild.SLICE", slice)
    monkeypatch.setattr("dashboard.ordering.rebuild.LOOKED_AT", 2)
    for name in "defg":
        order.post(name)
    order.post("e", "admin")
    list_id = keep(order, "is:waiting")
    assert ListBuilder(order.rebuilder, order.ranking).build(list_id).wait(SECONDS)
    assert {entry.id for entry in order.ranking.head(list_id, "arrival", 10).entries} == {
        1,
        2,
        3,
        4,
        6,
        7,
    }


@pytest.mark.parametrize("slice", [1, 3, 50])
def test_many_lists_are_whole_however_many_threads_are_read_at_once(order, monkeypatch, slice):
    monkeypatch.setattr("dashboard.ordering.rebuild.FILTERED_MAX", 1)
    for name in ("SLICE", "SLICE_MIN", "SLICE_MAX"):
        monkeypatch.setattr(pace, name, slice)
    for name in "defg":
        order.post(name)
    order.post("e", "admin")
    wanted = {
        keep(order, "is:waiting"): {1, 2, 3, 4, 6, 7},
        keep(order, "-is:waiting"): {5},
        keep(order, "is:closed"): set(),
        keep(order, "waits:<1h"): {1, 2, 3, 4, 6, 7},
    }
    assert order.rebuilder.rebuild(list(wanted)) == 7
    heads = {id: order.ranking.head(id, "arrival", 10).entries for id in wanted}
    assert {id: {entry.id for entry in head} for id, head in heads.items()} == wanted
    assert order.rebuilder.epochs(wanted).keys() == wanted.keys()


def test_what_nobody_wants_any_more_is_not_built(order):
    builder = ListBuilder(order.rebuilder, order.ranking)
    assert builder.build("q:0123:arrival").wait(SECONDS)
    assert builder.built == 0
    assert not [key for key in order.client.keys("*") if b"q:0123" in key]
