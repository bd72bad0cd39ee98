"""Applies events and tags to locked threads, folds their facts, and stores the acts of events."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard import event_types
from dashboard.db.search import search_index
from dashboard.db.threads import conversations, edits, events, thread_tags
from dashboard.db.threads.edits import Edited, Rank
from dashboard.db.threads.events import Stamp, stamped, wins
from dashboard.db.threads.thread_rows import preview_of
from dashboard.db.threads.thread_states import ThreadColumns, ThreadState
from dashboard.db.threads.thread_tags import changes_since, in_column, tags_in
from dashboard.errors import CustomerErased, Problem
from dashboard.event_types import OutgoingType
from dashboard.ingest.erase import ErasedEvents
from dashboard.ingest.schema import NO_FINGERPRINT, ParsedEvent
from dashboard.validation.field_errors import field_error
from scoring.conditions.tags import TAGS_MAX, LastWriters, TagChange, tags_after
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


def edit_refused(
    event: ParsedEvent, message: Edited | ParsedEvent | None, erased: Collection[str]
) -> Problem | None:
    """Returns the problem of an edit or deletion of this message, which is stored or comes before
    it in the batch; None for no problem. `erased`: ids of refused events."""
    if message is None and event.data["message"] not in erased:
        return field_error("/message", "unknown_message", "is not a message that is stored here")
    if message is None or message.fingerprint == NO_FINGERPRINT:
        return CustomerErased()
    if message.role not in ("client", "bot") or message.thread != event.thread:
        detail = "is not a message of the customer or the chatbot in this thread"
        return field_error("/message", "unknown_value", detail)
    return None


class NewEdit(NamedTuple):
    """A stored edit or deletion of a message in a locked thread; `ranked_at` in milliseconds."""

    state: ThreadState
    event: ParsedEvent
    ranked_at: int
    id: int


def apply_edits(
    connection: Connection, new: Sequence[NewEdit], messages: Mapping[str, Edited]
) -> dict[int, str]:
    """Carries out edits of messages, named by their source's ids, as far as they count; returns the
    new texts of the messages for the search index.

    No fact changes: the customer still waits for an answer, as long as before. An admin reads the
    conversation, and decides whether there is something to answer. Raises ErasedEvents for an edit
    of a message that is there no more.
    """
    counting: dict[int, tuple[Rank, NewEdit]] = {}
    for edit in new:
        state, event = edit.state, edit.event
        message = messages.get(event.data["message"])
        if message is None or message.thread is None:
            raise ErasedEvents({event.id})
        state.columns.has_file |= bool(event.attachments)
        rank = Rank(event.type == event_types.DELETED.name, edit.ranked_at, event.id)
        last = counting[message.id][0] if message.id in counting else message.rank
        if last is None or rank > last:
            counting[message.id] = rank, edit
    texts = {id: _show_edit(edit, id) for id, (_, edit) in counting.items()}
    edits.point(connection, {id: edit.id for id, (_, edit) in counting.items()})
    search_index.remove_messages(connection, texts)
    return texts


def _show_edit(edit: NewEdit, message_id: int) -> str:
    """Shows an edit in its thread's row, if the row shows its message; returns the new text."""
    event, columns = edit.event, edit.state.columns
    edit.state.row_changed = True
    if columns.preview_event_id == message_id:
        is_deleted = event.type == event_types.DELETED.name
        columns.preview_body = None if is_deleted else preview_of(event.body, event.attachments)
    return search_index.message_text(event.body, event.attachments)


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


def apply_tags(
    connection: Connection,
    threads: Mapping[str, ThreadState],
    changes: Sequence[tuple[ParsedEvent, TagChange]],
) -> dict[str, Problem]:
    """Changes the tags of locked threads by new events, in the order of the batch; saves nothing.

    Returns a problem, by event id, for each event that would give a thread more than 20 tags. It
    must not be stored, so that tags always follow from all stored events, in any order of arrival.
    """
    if not changes:
        return {}
    ids = {threads[event.thread or ""].id for event, _ in changes}
    since = min(change.stamp[0] for _, change in changes)
    rows = changes_since(connection, ids, since)
    writers = {id: LastWriters(rows.get(id, {}).values()) for id in ids}
    refused: dict[str, Problem] = {}
    for event, change in changes:
        state = threads[event.thread or ""]
        won = writers[state.id].winning(change)
        tags = won.of(tags_in(state.columns.tags))
        if len(tags) > TAGS_MAX:
            refused[event.id] = too_many_tags()
        else:
            writers[state.id].add(won)
            state.columns.tags = in_column(tags)
    return refused


def take_back(connection: Connection, state: ThreadState, event_id: int) -> None:
    """Gives a locked thread the tags that it would have without this event; saves nothing.

    Raises Invalid if they would be too many.
    """
    changes = changes_since(connection, [state.id], 0).get(state.id, {})
    tags = tags_after(change for id, change in changes.items() if id != event_id)
    if len(tags) > TAGS_MAX:
        raise too_many_tags()
    state.columns.tags = in_column(tags)


def too_many_tags() -> Problem:
    """Returns the error (422) for a thread that would have too many tags."""
    detail = f"would be more than {TAGS_MAX} tags of one thread"
    return field_error("/add", "too_many_tags", detail)
