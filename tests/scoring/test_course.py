"""The turns of a thread are the differences between the facts of its events up to each moment."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scoring.course import Turn, course
from scoring.facts import Facts, ThreadEvent, fold
from tests.scoring.events import event_lists


def prefixes(events, handoff_only):
    """Yields the events of each moment, with the facts before and after them, folded anew."""
    undone = {event.undoes for event in events if event.undoes is not None}
    counted = [event for event in events if event.undoes is None and event.id not in undone]
    moments = sorted({event.ranked_at for event in counted})
    folded = [Facts()]
    folded += [
        fold([event for event in counted if event.ranked_at <= at], handoff_only=handoff_only)
        for at in moments
    ]
    for at, (before, after) in zip(moments, pairwise(folded), strict=True):
        group = sorted(
            (event for event in counted if event.ranked_at == at), key=lambda event: event.id
        )
        yield group, before, after


def expected(events, handoff_only):
    turns, opened_at = [], None
    for group, before, after in prefixes(events, handoff_only):
        at, last = group[0].ranked_at, group[-1].id
        if opened_at is None:
            opened_at = at
            turns.append(Turn("began", at, group[0].id))
        waited, waits = before.waiting_since, after.waiting_since
        messages = [event.id for event in group if event.kind == "admin"]
        is_reply = bool(messages) and waited is not None and waits != waited
        if is_reply:
            kind = "first_reply" if before.last_admin_at is None else "next_reply"
            turns.append(Turn(kind, at, messages.pop(0), waited))
        turns += [Turn("message", at, id) for id in messages]
        if waited is None and waits is not None:
            turns.append(Turn("waiting", at, last))
        if waited is not None and waits is None:
            turns.append(Turn("waited", at, last, None if is_reply else waited))
        was_closed = before.closed and before != Facts()
        if after.closed and not was_closed:
            close = next(event for event in group if event.kind == "close")
            turns.append(Turn("closed", at, close.id, opened_at))
        if was_closed and not after.closed:
            opened_at = at
            turns.append(Turn("reopened", at, last))
    return turns


@given(event_lists, st.booleans())
def test_turns_are_the_differences_between_the_facts_of_prefixes(events, handoff_only):
    assert course(events, handoff_only=handoff_only) == expected(events, handoff_only)


def test_a_conversation():
    events = [
        ThreadEvent("client", 10, 1),
        ThreadEvent("client", 20, 2),
        ThreadEvent("admin", 30, 3, seen_id=1),
        ThreadEvent("admin", 50, 4),
        ThreadEvent("admin", 60, 5),
        ThreadEvent("close", 70, 6),
        ThreadEvent("client", 90, 7),
        ThreadEvent("close", 95, 8),
    ]
    assert course(events) == [
        Turn("began", 10, 1),
        Turn("waiting", 10, 1),
        Turn("first_reply", 30, 3, 10),
        Turn("next_reply", 50, 4, 20),
        Turn("waited", 50, 4),
        Turn("message", 60, 5),
        Turn("closed", 70, 6, 10),
        Turn("waiting", 90, 7),
        Turn("reopened", 90, 7),
        Turn("waited", 95, 8, 90),
        Turn("closed", 95, 8, 90),
    ]
