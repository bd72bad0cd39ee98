"""Generated events: few moments, so that ties are common, and the ends of the range."""

from hypothesis import strategies as st

from scoring.composite import TIME_MAX_MS
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES
from scoring.facts import Facts, ThreadEvent, fold

KINDS = ["client", "admin", "note", "other", "handoff", "close", "reopen"]

moments = st.integers(1, 9) | st.sampled_from([0, 1_790_000_000_000, TIME_MAX_MS - 1, TIME_MAX_MS])


@st.composite
def stored_events(draw) -> list[ThreadEvent]:
    """Events with their ids, in the order in which they were stored, by a clock that never goes
    back: an act on the dashboard has its time of receipt, and has seen all that was stored before.
    A close or reopen may be undone, by an event of the other kind."""
    chosen = st.tuples(st.sampled_from([*KINDS, "undo"]), moments, st.none() | st.integers(0, 12))
    events: list[ThreadEvent] = []
    received_at = 0
    for id, (kind, at, seen) in enumerate(draw(st.lists(chosen, max_size=12)), start=1):
        received_at = max(received_at, at)
        undone = {event.undoes for event in events}
        undoable = [
            event
            for event in events
            if (event.seen_id is not None and event.kind == "close") or event.kind == "reopen"
            if event.undoes is None and event.id not in undone
        ]
        if kind == "undo":
            if undoable:
                last = undoable[(seen or 0) % len(undoable)]
                other = "reopen" if last.kind == "close" else "close"
                events.append(ThreadEvent(other, received_at, id, None, last.id))
        elif seen is None or kind not in ("admin", "close"):
            events.append(ThreadEvent(kind, at, id))
        else:
            events.append(ThreadEvent(kind, received_at, id, min(seen, id - 1)))
    return events


event_lists = stored_events()


@st.composite
def thread_facts(draw) -> Facts:
    """Facts as some set of events gives them, with any priority and status."""
    folded = fold(draw(event_lists), handoff_only=draw(st.booleans()))
    priority = draw(st.sampled_from(PRIORITIES))
    waits = folded.waiting_since is not None
    return folded._replace(
        priority=priority,
        snoozed_until=draw(st.none() | moments),
        due_at=draw(st.none() | moments) if waits else None,
        member_status=draw(st.sampled_from(MEMBER_STATUSES)),
    )
