"""What is refused when a sort is written, with the place and the reason."""

from collections.abc import Iterator
from typing import NamedTuple

from scoring.sorting.regions import Regions, TooManyRegions
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import TIMES


class Refusal(NamedTuple):
    """What is wrong in the rules of a sort; `pointer` is a JSON pointer below the sort."""

    pointer: str
    code: str
    detail: str


def refusals(sort: ResolvedSort) -> Iterator[Refusal]:
    """What is wrong in rules whose conditions can be read; nothing where the sort may be saved."""
    try:
        yield from _refusals(sort)
    except TooManyRegions:
        text = "tell too many kinds of threads apart to be checked: leave some conditions out"
        yield Refusal("/rules", "sort_too_large", text)


def _refusals(sort: ResolvedSort) -> Iterator[Refusal]:
    regions = Regions([rule.when for rule in sort.rules])
    for at, rule in enumerate(sort.rules):
        if not regions.take(rule.when):
            yield Refusal(
                f"/rules/{at}/when",
                "unreachable_rule",
                _why_unreachable(regions.can_hold(rule.when)),
            )
        if all(regions.can_lack(rule.when, time) for time in TIMES[rule.by]):
            yield Refusal(
                f"/rules/{at}/by",
                "time_missing",
                f"is no time of every thread of the rule: some have no {rule.by}",
            )
    if not regions.is_all_taken:
        yield Refusal("/rules", "rest_missing", "need a last rule for all other threads")


def _why_unreachable(can_hold: bool) -> str:
    if can_hold:
        return "is never reached: earlier rules place every thread that it is for"
    return "holds for no thread: its conditions exclude each other"
