"""Time to exact, by versions: what counts as exact, as late, and as wrong."""

import random

import pytest

from bench.exactness import Sample, Truth, summed, times_to_exact
from bench.measure.exact import Exact

MS = 1_000_000


def sample(at, number, version=0, page=(0, 0), **totals):
    """A sample that was looked at from `at` for 9 ms."""
    pages = {"arrival": page}
    return Sample(at * MS, (at + 9) * MS, [number], {"list": version}, pages, totals)


@pytest.fixture
def truth():
    """Four calls; the second one changes no length, the third one not the open list."""
    return Truth(
        [
            sample(0, 1, version=5, page=(1, 7), v1=3),
            sample(10, 2, version=6, page=(2, 7)),
            sample(20, 3, version=6, page=(3, 8), v1=4),
            sample(30, 4, version=7, page=(4, 8), v1=5),
        ]
    )


def test_an_event_is_in_the_first_sample_that_was_looked_at_after_its_answer(truth):
    assert [truth.sample_of(at * MS) for at in (0, 9, 10, 20, 39)] == [0, 0, 1, 2, 3]
    assert truth.sample_of(40 * MS) is None


def test_a_list_equals_the_samples_up_to_its_version(truth):
    assert [truth.of_list("list", version) for version in (4, 5, 6, 7, 8)] == [-1, 0, 2, 3, 3]


def test_badges_need_no_message_while_no_length_changes(truth):
    """Call 2 changed no length, so badges as of call 1 are those of sample 1, too."""
    assert [truth.of_totals([number]) for number in (0, 1, 2, 3, 4)] == [-1, 1, 1, 2, 3]
    versions = [truth.of_pages({"arrival": version}) for version in (0, 1, 2, 3, 4)]
    assert versions == [-1, 1, 1, 3, 3]


def test_the_last_part_to_come_decides(truth):
    quick = [(0, 0), (1, 12 * MS), (3, 33 * MS)]
    slow = [(0, 0), (3, 50 * MS)]
    assert times_to_exact(truth, [10 * MS, 30 * MS], [quick]) == [2.0, 3.0]
    assert times_to_exact(truth, [10 * MS, 30 * MS], [quick, slow]) == [40.0, 20.0]


def test_what_was_exact_before_the_answer_takes_no_time(truth):
    assert times_to_exact(truth, [25 * MS], [[(3, 21 * MS)]]) == [0.0]


def test_an_older_message_takes_nothing_back(truth):
    part = [(0, 0), (3, 22 * MS), (1, 25 * MS), (3, 60 * MS)]
    assert times_to_exact(truth, [20 * MS], [part]) == [2.0]


def test_what_never_comes_is_not_exact_and_not_late(truth):
    times = times_to_exact(truth, [5 * MS, 30 * MS, 45 * MS], [[(0, 0), (2, 300 * MS)]])
    assert times == [0.0, None, None]
    times = times_to_exact(truth, [15 * MS], [[(0, 0), (2, 300 * MS)]])
    assert summed([*times, None]) == {
        "ms": {"p50": 285.0, "p95": 285.0, "p99": 285.0, "max": 285.0},
        "late": 1,
        "not_exact": 1,
        "events": 2,
    }


def test_lengths_are_compared_with_those_after_the_same_call(truth):
    assert truth.wrong([([3], {"v1": 4}), ([4], {"v1": 5})]) == (2, 0)
    assert truth.wrong([([3], {"v1": 5}), ([4], {"v1": 5})]) == (2, 1)
    assert truth.wrong([([2], {"v1": 3})]) == (1, 0), "a length that has not changed since"
    assert truth.wrong([([9], {"v1": 5})]) == (0, 0), "no look found the lists after that call"


@pytest.mark.parametrize("seed", range(20))
def test_times_equal_those_by_going_through_all_moments(seed):
    """Compared with a slow search for the first moment at which everything is there."""
    chance = random.Random(seed)
    samples = [sample(10 * at, at, version=at, page=(at, 0)) for at in range(12)]
    truth = Truth(samples)
    parts = []
    for _ in range(3):
        moments = sorted(chance.sample(range(150), 8))
        reached = sorted(chance.choices(range(12), k=8))
        parts.append([(at, moment * MS) for at, moment in zip(reached, moments, strict=True)])
    answered = [chance.randrange(115) * MS for _ in range(20)]
    expected = []
    for at in answered:
        wanted = next(n for n, each in enumerate(samples) if each.last >= at)
        moments = [
            next((moment for reached, moment in part if reached >= wanted), None) for part in parts
        ]
        latest = None if None in moments else max(moments)
        expected.append(None if latest is None else max(0.0, (latest - at) / MS))
    assert times_to_exact(truth, answered, parts) == expected


def test_no_thread_gets_messages_at_two_points():
    """A second message to the same thread would leave its badges as they are."""
    points = ((50, 50.0), (100, 50.0), (50, 100.0))
    by_point = dict(Exact(1_000, points=points).targets())
    assert tuple(by_point) == points
    targets = [number for numbers in by_point.values() for number in numbers]
    assert len(targets) == len(set(targets)) == 900
    assert {len(numbers) for numbers in by_point.values()} == {300}
