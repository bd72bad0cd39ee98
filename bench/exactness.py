"""Time to exact: from the answer to an event until all lists and badges of all dashboards have it.

A `Sample` is what Redis held at a moment. An event is in the first sample that was taken after its
answer, for Lineup answers when a thread is placed. A dashboard is exact for the event as soon as
what it holds is that sample or a later one, by version: it never counts as exact because it happens
to look right.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from bench.latency import percentile, spread

#: What a dashboard holds from a time on: the number of the last sample that it equals, and ns.
Stop = tuple[int, int]
#: An event that takes longer is late (ms).
LATE_MS = 200.0


class Sample(NamedTuple):
    """What lists were, from the first to the last look that found them so (ns).

    `numbers`: of the last call that changed a list of saved views, one for each group of lists.
    `versions`: of the lists on screens. `pages`: version and length of each built-in list.
    `totals`: the lengths of lists of saved views that are not those of the sample before.
    """

    first: int
    last: int
    numbers: Sequence[int]
    versions: Mapping[str, int]
    pages: Mapping[str, Sequence[int]]
    totals: Mapping[str, int]


class Truth:
    """The samples of a run, in order."""

    def __init__(self, samples: Iterable[Sample]):
        self.samples = list(samples)
        self._ends = [sample.last for sample in self.samples]
        lengths = [{view: length for view, (_, length) in s.pages.items()} for s in self.samples]
        self._same_totals = _same([bool(sample.totals) for sample in self.samples])
        self._same_pages = _same(
            [at > 0 and lengths[at] != lengths[at - 1] for at in range(len(lengths))]
        )

    def sample_of(self, answered: int) -> int | None:
        """Returns the number of the first sample that was looked at after this time (ns)."""
        at = bisect_left(self._ends, answered)
        return at if at < len(self.samples) else None

    def of_list(self, list_id: str, version: int) -> int:
        """Returns the last sample that a list of this version equals, -1 without one."""
        return self._last(lambda sample: sample.versions.get(list_id, -1) <= version)

    def of_totals(self, as_of: Sequence[int]) -> int:
        """Returns the last sample whose lengths are those after calls with these numbers: an event
        that changes no length needs no message."""
        at = self._last(lambda sample: not _is_above(sample.numbers, as_of))
        return at if at < 0 else self._same_totals[at]

    def of_pages(self, as_of: Mapping[str, int]) -> int:
        """Returns the same for the built-in lists, by their versions."""
        at = self._last(
            lambda sample: all(state[0] <= as_of[view] for view, state in sample.pages.items())
        )
        return at if at < 0 else self._same_pages[at]

    def wrong(self, messages: Iterable[tuple[Sequence[int], Mapping[str, int]]]) -> tuple[int, int]:
        """Compares lengths with those of the sample with the same numbers, where there is one.
        Returns the number of lengths that were compared, and of wrong ones."""
        by_numbers = {tuple(as_of): totals for as_of, totals in messages}
        held, compared, wrong = dict[str, int](), 0, 0
        for sample in self.samples:
            held |= sample.totals
            if totals := by_numbers.get(tuple(sample.numbers)):
                compared += len(totals)
                wrong += sum(held.get(list_id) != total for list_id, total in totals.items())
        return compared, wrong

    def _last(self, holds: Callable[[Sample], bool]) -> int:
        """Returns the number of the last sample for which it holds, as for all before it."""
        return bisect_left(self.samples, True, key=lambda sample: not holds(sample)) - 1


def times_to_exact(
    truth: Truth, answered: Sequence[int], parts: Iterable[Sequence[Stop]]
) -> list[float | None]:
    """Returns for each answer (ns) the ms until all parts of all dashboards were exact; None: they
    never were. A part is a list or the badges of a dashboard, with its stops in order of time."""
    wanted = [truth.sample_of(at) for at in answered]
    until: dict[int, int | None] = {at: 0 for at in wanted if at is not None}
    for part in parts:
        reached = list(accumulate((sample for sample, _ in part), max))
        for sample, latest in until.items():
            at = bisect_left(reached, sample)
            if at == len(part):
                until[sample] = None
            elif latest is not None:
                until[sample] = max(latest, part[at][1])
    moments = [None if sample is None else until[sample] for sample in wanted]
    return [
        None if moment is None else max(0.0, (moment - at) / 1e6)
        for at, moment in zip(answered, moments, strict=True)
    ]


def summed(times: Sequence[float | None]) -> dict[str, Any]:
    """Returns the spread of times, the longest, and how many events were late or never exact."""
    known = [time for time in times if time is not None]
    return {
        "ms": spread(known) | {"max": round(percentile(known, 100), 2)},
        "late": sum(time > LATE_MS for time in known),
        "not_exact": len(times) - len(known),
        "events": len(times),
    }


def _same(changed: Sequence[bool]) -> list[int]:
    """Maps each sample to the last one after it that has not changed meanwhile."""
    found, through = [0] * len(changed), len(changed) - 1
    for at in range(len(changed) - 1, -1, -1):
        found[at] = through
        if changed[at]:
            through = at - 1
    return found


def _is_above(numbers: Sequence[int], others: Sequence[int]) -> bool:
    return any(one > other for one, other in zip(numbers, others, strict=True))
