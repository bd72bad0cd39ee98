"""Callers that come together share a step, and each gets its own result."""

import threading

import pytest

from dashboard.intake.gather import Gather
from tests.support import wait_until


def test_one_caller_gets_its_result_at_once():
    assert Gather(lambda items: [item * 2 for item in items], most=9).do(4) == 8


def test_callers_who_wait_share_the_next_step():
    steps, gate = [], threading.Event()

    def work(items):
        steps.append(list(items))
        assert gate.wait(5)
        return [item * 2 for item in items]

    gather, results = Gather(work, most=9), {}

    def call(item):
        results[item] = gather.do(item)

    callers = [threading.Thread(target=call, args=[0])]
    callers[0].start()
    wait_until(lambda: steps)
    callers += [threading.Thread(target=call, args=[item]) for item in (1, 2, 3)]
    for caller in callers[1:]:
        caller.start()
    wait_until(lambda: len(gather._next.items) == 3)
    gate.set()
    for caller in callers:
        caller.join(5)
    assert [sorted(step) for step in steps] == [[0], [1, 2, 3]]
    assert results == {0: 0, 1: 2, 2: 4, 3: 6}


def test_no_step_is_larger_than_the_most():
    gather = Gather(lambda items: list(items), most=2)
    for _ in range(2):
        gather._next.items.append("waiting")
    assert gather.do("one more") == "one more"


def test_what_a_step_raises_reaches_its_callers_and_no_others():
    def work(items):
        if "bad" in items:
            raise ValueError("no")
        return items

    gather = Gather(work, most=9)
    with pytest.raises(ValueError, match="no"):
        gather.do("bad")
    assert gather.do("good") == "good"
