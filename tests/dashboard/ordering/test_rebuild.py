"""A rebuild reads SQL in slices, and reads on while Redis stores the previous ones."""

import threading

import pytest

from dashboard.ordering import filling
from scoring.rebuilding import Rebuild, RebuildLost
from tests.dashboard.ordering.order import Order

THREADS = 12
SLICE = 2
ENOUGH_SECONDS = 30


@pytest.fixture
def order(database, client, clock, monkeypatch) -> Order:
    monkeypatch.setattr(filling, "THREADS_AT_ONCE", SLICE)
    opened = Order(database, client, clock)
    opened.tick()
    for number in range(THREADS):
        opened.post(f"t-{number}")
    opened.tick()
    return opened


def rebuilt(order: Order, progress=lambda threads: None) -> int:
    return order.rebuilder.rebuild(order.rebuilder.list_ids(), progress)


def test_every_slice_is_filled_and_reported(order):
    reported = []
    assert rebuilt(order, reported.append) == THREADS
    assert reported == [SLICE] * (THREADS // SLICE)
    assert order.differences() == []


def test_the_next_slice_is_read_while_redis_stores_the_previous_one(order, monkeypatch):
    read = threading.Semaphore(0)
    fill = Rebuild.fill_all

    def fill_when_read_on(self, rows_of, progress):
        assert read.acquire(timeout=ENOUGH_SECONDS), "the next slice was not read meanwhile"
        read.release()
        fill(self, rows_of, progress)

    monkeypatch.setattr(Rebuild, "fill_all", fill_when_read_on)
    # Progress is first reported while a slice is being sent and Redis has not answered yet.
    assert rebuilt(order, lambda threads: read.release()) == THREADS
    assert order.differences() == []


def test_a_lost_shadow_list_ends_the_rebuild_and_leaves_the_lists(order, monkeypatch):
    before = order.ranking.head("arrival", "arrival", THREADS)
    fill = Rebuild.fill_all

    def lose_one(self, rows_of, progress):
        if any(row[0] == THREADS // 2 for rows in rows_of.values() for row in rows):
            raise RebuildLost("the filled entries are gone")
        fill(self, rows_of, progress)

    monkeypatch.setattr(Rebuild, "fill_all", lose_one)
    with pytest.raises(RebuildLost):
        rebuilt(order)
    assert order.rebuilder.lost == 1
    assert order.ranking.head("arrival", "arrival", THREADS) == before
    monkeypatch.setattr(Rebuild, "fill_all", fill)
    assert rebuilt(order) == THREADS
    assert order.differences() == []
