"""The check of a sort takes a bounded number of operations; sorts with many names are decided."""

from itertools import product
from string import ascii_lowercase

import pytest

from scoring.sorting import regions
from scoring.sorting.boxes import Boxes
from scoring.sorting.checks import refusals
from scoring.sorting.resolved import resolve_sort
from scoring.sorting.rules import Rule, Sort

NAMES = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)]
TOO_LARGE = [("/rules", "sort_too_large")]


@pytest.fixture
def operations(monkeypatch):
    """Lists the size of each operation on boxes, in units of few axes."""
    done = []

    class CountedBoxes(Boxes):
        def has_threads(self, box):
            done.append(self.cost)
            return super().has_threads(box)

        def without(self, box, taken):
            parts = super().without(box, taken)
            done.extend([self.cost] * len(parts))
            return parts

    monkeypatch.setattr(regions, "Boxes", CountedBoxes)
    return done


def resolved(*whens):
    rules = [Rule(when, "recent_at", "oldest") for when in (*whens, "")]
    return resolve_sort(Sort("test", tuple(rules)))


def refused(*whens):
    return [(found.pointer, found.code) for found in refusals(resolved(*whens))]


def without_tags(first, count):
    return "-tag:" + ",".join(NAMES[first : first + count])


def choices(rule, count):
    return " ".join(f"(tag:a{rule}{n} or -source:b{rule}{n})" for n in range(count))


@pytest.mark.parametrize(
    ("whens", "most"),
    [
        ([without_tags(0, 110), without_tags(110, 110)], 200),
        ([without_tags(at * 240, 240) for at in range(4)], 1_000),
        ([without_tags(at * 60, 240) for at in range(4)], 2_500),
        (["tag:" + ",".join(NAMES[:240]), "tag:" + ",".join(NAMES[240:480])], 200),
        ([" ".join(f"-source:{name}" for name in NAMES[:70])], 200),
        ([f"tag:{name} is:open" for name in NAMES[:19]], 15_000),
        ([f"waits:>{40 - n}m" for n in range(19)], 15_000),
        ([f"lang:{name[1:]} member:0,1" for name in NAMES[:19]], 15_000),
    ],
)
def test_a_sort_with_many_names_takes_few_operations(operations, whens, most):
    assert refused(*whens) == []
    assert 0 < sum(operations) < most


def test_a_large_rule_is_decided():
    tags = ",".join(NAMES[:240])
    assert refused(f"tag:{tags}", f"tag:{NAMES[239]} is:open") == [
        ("/rules/1/when", "unreachable_rule")
    ]
    assert refused(f"tag:{tags}", f"tag:{NAMES[239]},{NAMES[240]}") == []


@pytest.mark.parametrize(
    "whens",
    [
        [choices(rule, 6) for rule in range(19)],
        [f"{choices(rule, 6)} {without_tags(rule * 100, 100)}" for rule in range(19)],
        [without_tags(rule * 12, 240) for rule in range(19)],
    ],
)
def test_a_sort_that_takes_too_many_operations_is_refused_before_it_has_taken_more(
    operations, whens
):
    assert refused(*whens) == TOO_LARGE
    # A few operations need no counting: those that find the states that lack a time.
    assert sum(operations) < regions.OPERATIONS_MAX + 5_000


def test_what_is_too_large_is_told_with_what_helps():
    [refusal] = refusals(resolved(*(choices(rule, 6) for rule in range(19))))
    assert refusal.detail.endswith("leave some conditions out")
