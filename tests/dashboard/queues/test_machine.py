"""The machine of queues holds for the plainest desk, and finds each mistake planted in it."""

from functools import partial

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.dashboard.queues.machine import QueueMachine
from tests.dashboard.queues.plain import MISTAKES, PlainDesk


def run(examples: int, steps: int = 50, mistake: str = "") -> None:
    make = staticmethod(partial(PlainDesk, mistake=mistake))
    run_state_machine_as_test(
        type("HereMachine", (QueueMachine,), {"make": make}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=[Phase.generate],
        ),
    )


def test_what_queues_promise_holds_in_every_history():
    run(60)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("part", range(20))
def test_what_queues_promise_holds_in_a_million_steps(part):
    """In parts, because a test may take ten minutes at most."""
    run(500, 100)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_found(mistake):
    with pytest.raises(AssertionError):
        run(10_000, mistake=mistake)
