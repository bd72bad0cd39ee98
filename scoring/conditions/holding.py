"""The plain reader: whether one query holds for a thread, and when that may change by itself."""

from collections.abc import Iterable

from scoring.conditions.leaves import Leaf, Within, reached_at, value_of
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject

#: Instants that are tried for a change; beyond that, the next one is returned untried.
TRIES = 32


def holds(resolved: Resolved, subject: Subject, now_ms: int) -> bool:
    """Whether a thread is on the list of the query."""
    return resolved.root.holds(subject, now_ms)


def next_change(
    resolved: Resolved, subject: Subject, now_ms: int, tries: int = TRIES
) -> int | None:
    """Returns the next instant after `now_ms` at which time alone changes the truth, or None.

    Exact, except for queries with more than `tries` thresholds ahead: then an instant that is not
    later than the change, at which the caller must ask again.
    """
    instants = flips(resolved.leaves(), subject, now_ms)
    now_holds = holds(resolved, subject, now_ms)
    for at in instants[:tries]:
        if holds(resolved, subject, at) != now_holds:
            return at
    return instants[tries] if len(instants) > tries else None


def flips(leaves: Iterable[Leaf], subject: Subject, now_ms: int) -> list[int]:
    """Returns the instants after `now_ms`, in order, at which one of the leaves may change."""
    return sorted(
        {
            at
            for leaf in leaves
            if isinstance(leaf, Within)
            for at in _flips(leaf, subject)
            if at > now_ms
        }
    )


def _flips(leaf: Within, subject: Subject) -> set[int]:
    """Returns the instants at which a leaf may change its answer."""
    time_ms = value_of(subject, leaf.attribute)
    if time_ms is None:
        return set()
    instants = (reached_at(leaf.measure, time_ms, bound) for bound in leaf.bounds)
    return {at for at in instants if at is not None}
