"""All threads are compared, in parts between which others are served."""

import pytest

from dashboard.ordering.counts import LOOKS
from dashboard.ordering.diff import LENGTHS_SECONDS
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


@pytest.fixture
def busy(database, client, clock) -> Order:
    order = Order(database, client, clock)
    for number in range(THREADS):
        order.post(f"t-{number}")
    assert order.tick()
    return order


def test_a_wrong_count_of_an_admins_threads_is_repaired(busy):
    """The lists are built anew: no thread is in a wrong place. Case: faults and foreign writes."""
    keys = busy.ranking.keys
    busy.client.hincrby(keys.meta("arrival"), "of:0", -1)
    busy.client.hincrby(keys.meta("arrival"), "of:7", 1)
    epoch = busy.ranking.states(["arrival"])["arrival"].epoch
    busy.tick(seconds=LENGTHS_SECONDS)
    busy.tick(LOOKS - 2)
    assert busy.ranking.states(["arrival"])["arrival"].epoch == epoch, "it may be on its way"
    busy.tick(2)
    state = busy.ranking.states(["arrival"], {})["arrival"]
    assert state.epoch != epoch and state.assigned == {0: state.total}


def test_counts_that_change_all_the_time_lead_to_no_rebuild(busy):
    for number in range(40):
        busy.post(f"t-moving-{number}")
        busy.tick()
    assert busy.reconciler.rebuilds == 3, "those of the first tick"
