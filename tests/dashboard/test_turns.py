"""Turns and budgets of time."""

import pytest

from dashboard.turns import (
    BATCH_SECONDS_MAX,
    BURST_SECONDS,
    PAUSE_SECONDS_MAX,
    SHARE,
    STEP_SECONDS,
    Budgets,
    Pace,
    Pauses,
    TimeBudget,
)


class Process:
    """A clock and a processor that are moved by hand; what a pace does is noted."""

    def __init__(self):
        self.now = self.used = 0.0
        self.done = []

    def work(self, seconds):
        self.now += seconds
        self.used += seconds

    def pause(self, seconds):
        self.done.append(round(seconds, 6))
        self.now += seconds

    def pace(self, budget=None):
        return Pace(
            budget or TimeBudget(lambda: self.now),
            lambda: self.done.append("turn"),
            self.pause,
            lambda: self.now,
        )


@pytest.fixture
def process():
    return Process()


def test_who_waited_for_its_client_begins_at_once(process):
    """H7"""
    pace = process.pace()
    pace.step()
    assert process.done == []
    pace.step()
    assert process.done == ["turn"], "the second piece of work was there already"
    pace.waited()
    pace.step()
    assert process.done == ["turn"]


def test_a_long_step_gives_a_turn_after_5_ms(process):
    """H7"""
    pace = process.pace()
    pace.long_step()
    assert process.done == []
    process.work(STEP_SECONDS)
    pace.long_step()
    assert process.done == ["turn"]


def test_who_works_on_and_on_gets_a_fifth_of_the_processor(process):
    """H7: a budget by time, not by count."""
    pace = process.pace()
    pace.step()
    while process.now < 60:
        process.work(0.003)
        pace.step()
    assert process.used == pytest.approx(60 * SHARE + BURST_SECONDS, rel=0.02)


def test_one_piece_of_work_counts_50_ms_at_most(process):
    """H7: a call that waited 10 s for a database does not silence its socket."""
    pace = process.pace()
    process.work(10)
    assert not pace.pay()


def test_a_pause_is_never_longer_than_a_second(process):
    """H7"""
    budget = TimeBudget(lambda: process.now)
    assert budget.spend(10) == PAUSE_SECONDS_MAX


def test_work_that_fits_into_the_share_never_pauses(process):
    """H7"""
    pace = process.pace()
    for _ in range(1000):
        process.work(0.009)
        assert not pace.pay()
        process.now += 0.05
        pace.waited()


def test_connections_of_one_caller_share_a_budget(process):
    """H7: twenty sockets of one admin get no more than one."""
    budgets = Budgets()
    one, same, other = budgets.of(1), budgets.of(1), budgets.of(2)
    assert one is same and one is not other
    del one, same
    assert len(budgets._budgets) == 1, "a budget that nobody holds is kept"


def test_a_call_in_batches_takes_a_fifth_of_the_time(process):
    """H7: what a batch waits for, beyond 10 ms, does not count."""
    pause = Pauses(process.pause, lambda: process.now)
    for seconds in (0.005, 10.0):
        process.work(seconds)
        pause()
    assert process.done == [0.02, round(BATCH_SECONDS_MAX / SHARE * (1 - SHARE), 6)]
