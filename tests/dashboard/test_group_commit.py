"""Concurrent callers share a step, and each gets its own result."""

import threading

import greenlet
import pytest

from dashboard.group_commit import GroupCommit
from dashboard.turns import STEP_SECONDS, Turns
from tests.support import wait_until


def test_one_caller_gets_its_result_at_once():
    assert GroupCommit(lambda items: [item * 2 for item in items], most=9).do(4) == 8


def test_waiting_callers_share_the_next_step():
    steps, gate = [], threading.Event()

    def work(items):
        steps.append(list(items))
        assert gate.wait(5)
        return [item * 2 for item in items]

    group_commit, results = GroupCommit(work, most=9), {}

    def call(item):
        results[item] = group_commit.do(item)

    callers = [threading.Thread(target=call, args=[0])]
    callers[0].start()
    wait_until(lambda: steps)
    callers += [threading.Thread(target=call, args=[item]) for item in (1, 2, 3)]
    for caller in callers[1:]:
        caller.start()
    wait_until(lambda: len(group_commit._next.items) == 3)
    gate.set()
    for caller in callers:
        caller.join(5)
    assert [sorted(step) for step in steps] == [[0], [1, 2, 3]]
    assert results == {0: 0, 1: 2, 2: 4, 3: 6}


def test_a_step_has_at_most_the_given_number_of_items():
    group_commit = GroupCommit(lambda items: list(items), most=2)
    for _ in range(2):
        group_commit._next.items.append("waiting")
    assert group_commit.do("one more") == "one more"


def test_an_error_of_a_step_reaches_its_callers_only():
    def work(items):
        if "bad" in items:
            raise ValueError("no")
        return items

    group_commit = GroupCommit(work, most=9)
    with pytest.raises(ValueError, match="no"):
        group_commit.do("bad")
    assert group_commit.do("good") == "good"


def test_who_does_the_work_of_others_does_not_go_behind_them(monkeypatch):
    """They would wait for the step while its caller waits for them."""
    monkeypatch.setattr("dashboard.group_commit.turns", turns := Turns())
    given: list[str] = []
    turns.install(lambda: given.append("turn"))

    def work(items):
        meter = turns._clock.meter()
        meter.used += 2 * STEP_SECONDS
        turns.step()
        given.append("worked")
        return items

    def call():
        with turns.working("caller"):
            GroupCommit(work, most=9).do("item")
            turns.step()

    try:
        greenlet.greenlet(call).switch()
    finally:
        greenlet.settrace(None)
    assert given == ["worked", "turn"]
