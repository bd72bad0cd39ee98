"""All threads are compared, in parts between which others are served."""

import pytest

from scoring.keys import member
from tests.dashboard.ordering.order import Order

THREADS = 12


@pytest.mark.parametrize("part", [1, 4, 5, THREADS, THREADS + 1])
def test_each_thread_is_compared_whatever_the_parts(database, client, clock, monkeypatch, part):
    monkeypatch.setattr("dashboard.ordering.diff.PART", part)
    monkeypatch.setattr("dashboard.ordering.diff.PAUSE_SECONDS", 0.0)
    monkeypatch.setattr("dashboard.ordering.diff.HEAD", 0)
    order = Order(database, client, clock)
    assert order.tick()
    for number in range(THREADS):
        order.post(f"t-{number}")
    assert order.tick()
    for _ in range(2):
        wrong = {member(id): id for id in range(1, THREADS + 1)}
        order.client.zadd("{lineup:arrival}|arrival", wrong, xx=True)
        assert len({each.entry.id for each in order.differences()}) == THREADS
        order.tick(THREADS // part + 2)
        assert order.differences() == []
