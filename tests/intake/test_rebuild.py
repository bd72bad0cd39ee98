"""A rebuild goes through SQL in slices, and reads on while Redis is at the last ones."""

import threading

import pytest

from dashboard.intake import rebuild
from scoring.rebuilding import Rebuild, RebuildLost
from tests.intake.order import Order

THREADS = 12
SLICE = 2
ENOUGH_SECONDS = 30


@pytest.fixture
def order(database, client, clock, monkeypatch) -> Order:
    monkeypatch.setattr(rebuild, "SLICE", SLICE)
    opened = Order(database, client, clock)
    opened.tick()
    for number in range(THREADS):
        opened.post(f"t-{number}")
    opened.tick()
    return opened


def rebuilt(order: Order, progress=lambda threads: None) -> int:
    return order.rebuilder.rebuild(order.rebuilder.tags(), progress)


def test_every_slice_is_filled_and_told(order):
    told = []
    assert rebuilt(order, told.append) == THREADS
    assert told == [SLICE] * (THREADS // SLICE)
    assert order.differences() == []


def test_the_next_slice_is_read_while_redis_takes_the_one_before(order, monkeypatch):
    read = threading.Semaphore(0)
    fill = Rebuild.fill

    def fill_when_read_on(self, tag, rows):
        assert read.acquire(timeout=ENOUGH_SECONDS), "nothing was read meanwhile"
        read.release()
        fill(self, tag, rows)

    monkeypatch.setattr(Rebuild, "fill", fill_when_read_on)
    # The first progress is told when a slice is on its way, and no answer of Redis came yet.
    assert rebuilt(order, lambda threads: read.release()) == THREADS
    assert order.differences() == []


def test_what_was_lost_on_the_way_ends_the_rebuild_and_leaves_the_lists(order, monkeypatch):
    before = order.ranking.head("arrival", "arrival", THREADS)
    fill = Rebuild.fill

    def lose_one(self, tag, rows):
        if any(row[0] == THREADS // 2 for row in rows):
            raise RebuildLost("what was filled is gone")
        fill(self, tag, rows)

    monkeypatch.setattr(Rebuild, "fill", lose_one)
    with pytest.raises(RebuildLost):
        rebuilt(order)
    assert order.ranking.head("arrival", "arrival", THREADS) == before
    monkeypatch.setattr(Rebuild, "fill", fill)
    assert rebuilt(order) == THREADS
    assert order.differences() == []
