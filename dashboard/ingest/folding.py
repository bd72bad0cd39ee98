"""Applies events to locked threads, folds their facts, and stores the acts of new events."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from dashboard import event_types
from dashboard.db.threads import conversations, events, thread_tags
from dashboard.db.threads.events import Stamp, stamped, wins
from dashboard.db.threads.thread_rows import preview_of
from dashboard.db.threads.thread_states import ThreadColumns, ThreadState
from dashboard.event_types import OutgoingType
from dashboard.ingest.schema import ParsedEvent
from scoring.facts import Kind, Settlement, ThreadEvent, advance, fold

#: The customer's messages are shown before all others, even newer ones: an admin who looks down the
#: list reads questions, not "I am passing you on to our team". If no customer has written, an
#: admin's message is shown before messages of the chatbot and the system.
_RANKS = {"client": 2, "admin": 1}
#: Events that reopen a thread, with the `cause` of the act if reopening was not the intention.
_CAUSES: dict[Kind, str | None] = {"reopen": None, "handoff": "handoff", "client": "message"}


def apply(
    state: ThreadState, event: ParsedEvent, row: ThreadEvent, stamp: Stamp, customer_id: int | None
) -> None:
    """Applies the values of a new event to its thread (for most values the last writer wins), and
    keeps the event for the fold as `row`. `stamp` is the stamp of its values, `customer_id` the id
    of its customer."""
    state.events.append(row)
    won: dict[str, Stamp] = {}
    columns = state.columns
    stamps = columns.stamps
    if "priority" in event.data and wins(stamps, "priority", stamp):
        won["priority"] = stamp
        state.facts = state.facts._replace(priority=event.data["priority"])
    if "desk" in event.data and wins(stamps, "desk", stamp):
        won["desk"] = stamp
        columns.desk = event.data["desk"]
    if customer_id is not None and wins(stamps, "customer", stamp):
        won["customer"] = stamp
        columns.customer_id = customer_id
    columns.has_file |= bool(event.attachments)
    if event.role is not None and not event.private:
        columns.last_message_id = max(columns.last_message_id or 0, row.id)
        if wins(stamps, "last", stamp):
            won["last"] = stamp
            columns.last_role = event.role
        if _is_shown_next(columns, event.role, stamp):
            won["preview"] = stamp
            _show(columns, event, row)
    elif event.role is not None and wins(stamps, "note", stamp):
        won["note"] = stamp
    if won:
        columns.stamps = stamped(stamps, won)
    # A note, or a message older than the newest, changes no column; but a browser that has the
    # thread open reads its messages when its revision changes.
    state.row_changed |= event.role is not None


def fold_new(connection: Connection, states: Sequence[ThreadState], handoff_only: bool) -> None:
    """Brings the facts up to date with `events` of the states, which are stored already.

    Facts that callers set, such as the priority, stay as they are. Stored events that are needed
    are read for all threads at once.
    """
    moved: dict[int, Settlement] = {}
    to_refold: list[ThreadState] = []
    for state in states:
        step = advance(state.facts, state.events, handoff_only=handoff_only)
        state.facts = step.facts
        if step.needs_all:
            to_refold.append(state)
        elif step.moved is not None:
            moved[state.id] = step.moved
    unsettled = events.unsettled(connection, moved, handoff_only)
    for state in states:
        if state.id in unsettled:
            unanswered_since, unanswered = unsettled[state.id]
            state.facts = state.facts._replace(
                unanswered_since=unanswered_since, unanswered=unanswered
            )
    fold_stored(connection, to_refold, handoff_only)


def fold_stored(connection: Connection, states: Sequence[ThreadState], handoff_only: bool) -> None:
    """Folds the facts from all stored events; facts that callers set stay as they are."""
    rows = events.folded(connection, [state.id for state in states])
    for state in states:
        state.facts = fold(rows[state.id], handoff_only=handoff_only).keeping(state.facts)


def add_acts(connection: Connection, states: Sequence[ThreadState], admin_id: int | None) -> None:
    """Stores the acts of folded threads' new events; `admin_id` is their author."""
    by = {"admin_id": admin_id}
    conversations.add_many(connection, [act | by for state in states for act in _acts_of(state)])


def _is_shown_next(columns: ThreadColumns, role: str, stamp: Stamp) -> bool:
    """Whether a public message replaces the one that the thread's row shows.

    The customer's messages win over admins' messages, and these over all others; among equals, the
    newest wins. So the preview does not depend on the order in which messages arrive.
    """
    old, new = _RANKS.get(columns.preview_role or "", 0), _RANKS.get(role, 0)
    return new > old if new != old else wins(columns.stamps, "preview", stamp)


def _show(columns: ThreadColumns, event: ParsedEvent, row: ThreadEvent) -> None:
    """Makes the thread's row show this message, which is kept as `row`."""
    columns.preview_role = event.role
    columns.preview_body = preview_of(event.body, event.attachments)
    columns.preview_at = row.ranked_at
    columns.preview_event_id = row.id


def _acts_of(state: ThreadState) -> Iterator[dict[str, object]]:
    """Yields the acts of a folded thread's new events, as rows of their table.

    A priority, a desk and tags that a thread has from its beginning are no changes.
    """
    if state.stored.closed != state.facts.closed:
        closed = _act(state, event_types.CLOSED, _latest(state, "close"))
        yield closed if state.facts.closed else _reopened(state)
    is_new = state.revision == 0
    if state.stored.priority != state.facts.priority and not is_new:
        priorities = {"priority": state.facts.priority, "before": state.stored.priority}
        yield _act(state, event_types.PRIORITY_CHANGED, _latest(state, "other"), priorities)
    if state.before.desk != state.columns.desk and not is_new:
        moved = {"desk": state.columns.desk, "before": {"desk": state.before.desk}}
        yield _act(state, event_types.DESK_CHANGED, _latest(state, "handoff"), moved)
    if state.before.tags != state.columns.tags and not is_new:
        tags = thread_tags.difference(state.before.tags, state.columns.tags)
        yield _act(state, event_types.TAGS_CHANGED, _latest(state, "other"), tags)


def _reopened(state: ThreadState) -> dict[str, object]:
    kinds = {event.kind for event in state.events}
    kind: Kind = next((kind for kind in _CAUSES if kind in kinds), "client")
    cause = _CAUSES[kind]
    data = None if cause is None else {"cause": cause}
    return _act(state, event_types.REOPENED, _latest(state, kind), data)


def _latest(state: ThreadState, kind: Kind) -> ThreadEvent:
    """Returns the latest new event of this kind; without one, the new event stored last."""
    matches = (event for event in state.events if event.kind == kind)
    return max(matches, key=lambda event: (event.ranked_at, event.id), default=state.events[-1])


def _act(
    state: ThreadState,
    type: OutgoingType,
    event: ThreadEvent,
    data: Mapping[str, Any] | None = None,
) -> dict[str, object]:
    return {
        "thread_id": state.id,
        "at": event.ranked_at,
        "type": type.name,
        "event_id": event.id,
        "data": data,
    }
