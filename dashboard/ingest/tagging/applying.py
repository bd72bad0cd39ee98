"""What new events do to the tags of their threads."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from dashboard.db.threads.thread_state import ThreadState
from dashboard.db.threads.thread_tags import changes_since, in_column, tags_in
from dashboard.errors import Problem
from dashboard.ingest.schema import ParsedEvent
from dashboard.validation.field_errors import field_error
from scoring.conditions.tags import TAGS_MAX, LastWriters, TagChange, tags_after


def apply_tags(
    connection: Connection,
    threads: Mapping[str, ThreadState],
    changes: Sequence[tuple[ParsedEvent, TagChange]],
) -> dict[str, Problem]:
    """Changes the tags of locked threads by new events, in the order of the batch; saves nothing.

    Returns the events, by id, with which a thread would have more than 20 tags: they are not to be
    stored, so that the tags are always those of all stored events, in whatever order they came.
    """
    if not changes:
        return {}
    ids = {threads[event.thread or ""].id for event, _ in changes}
    since = min(change.stamp[0] for _, change in changes)
    stored = changes_since(connection, ids, since)
    writers = {id: LastWriters(stored.get(id, {}).values()) for id in ids}
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

    Raises Invalid where they would be too many.
    """
    changes = changes_since(connection, [state.id], 0).get(state.id, {})
    tags = tags_after(change for id, change in changes.items() if id != event_id)
    if len(tags) > TAGS_MAX:
        raise too_many_tags()
    state.columns.tags = in_column(tags)


def too_many_tags() -> Problem:
    """422: a thread would have too many tags."""
    detail = f"would be more than {TAGS_MAX} tags of one thread"
    return field_error("/add", "too_many_tags", detail)
