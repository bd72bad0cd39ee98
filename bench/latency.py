"""From post to dashboard: the first frame that showed an event, and the spread of the times."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

#: A dashboard's frames: (payload, received in ns).
Frames = Sequence[Sequence[int]]
#: (thread, occurred_at in ms, due in ns, answered in ns).
Posted = Sequence[Sequence[int]]


def seen_ms(posted: Posted, payloads: Sequence[Any], frames: Frames) -> list[float]:
    """Returns the ms from due to seen for each event that the dashboard saw.

    A payload has threads with the time of their newest message, or one time up to which it is
    complete. A dashboard that saw a thread's newer message has seen the older ones.
    """
    waiting: dict[int, list[tuple[int, int]]] = defaultdict(list)
    everything: list[tuple[int, int]] = []
    for thread, at, due, _ in sorted(posted, key=lambda each: each[1], reverse=True):
        waiting[thread].append((at, due))
        everything.append((at, due))
    found: list[float] = []
    for index, received in frames:
        payload = payloads[index]
        if isinstance(payload, int):
            _take(everything, payload, received, found)
        else:
            for thread, at in payload:
                _take(waiting[thread], at, received, found)
    return found


def _take(waiting: list[tuple[int, int]], up_to: int, received: int, found: list[float]) -> None:
    while waiting and waiting[-1][0] <= up_to:
        found.append((received - waiting.pop()[1]) / 1e6)


def percentile(values: Iterable[float], percent: float) -> float:
    """Returns the value that `percent` of all do not exceed (nearest rank); nan without values."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    rank = max(1, -(-len(ordered) * percent // 100))
    return ordered[min(len(ordered), int(rank)) - 1]


def spread(values: Sequence[float]) -> dict[str, float]:
    return {f"p{percent}": round(percentile(values, percent), 2) for percent in (50, 95, 99)}
