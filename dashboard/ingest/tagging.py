"""Adds and removes tags of threads for admins, and undoes such changes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.threads import conversations, events, thread_tags
from dashboard.db.threads.conversations import Act
from dashboard.db.threads.thread_states import ThreadState
from dashboard.event_types import TAGS, TAGS_CHANGED
from dashboard.ingest import acting, outgoing
from dashboard.ingest.event_writer import Author
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.saving import save
from dashboard.ingest.schema import ParsedEvent, tags_data
from scoring.placing import Placement

Placements = Sequence[Placement]


class TagNames(NamedTuple):
    """The tags that a thread gets and loses; no tag occurs twice."""

    add: Sequence[str]
    remove: Sequence[str]


class Tagging:
    """Changes the tags of threads; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def change(
        self, admin: Admin, thread_id: int, names: TagNames
    ) -> tuple[int | None, Placements]:
        """Adds and removes tags in one write transaction.

        Returns the id of the act, None if nothing changes, and the placements of the thread. Raises
        NotFound for an unknown thread, Invalid (`too_many_tags`) if it would have more than 20,
        StorageUnavailable with nothing stored.
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[int | None, Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            author, data = acting.author(connection, admin), tags_data(*names)
            at = state.act_at(now)
            event = acting.new_act(admin, state, TAGS, at, data=data)
            placements = _written(connection, state, author, event, at)
            changes = _changes(connection, state)
            if not changes:
                return None, placements
            row = events.known(connection, author.source_id, {event.id})[event.id]
            act_id = outgoing.add_event(
                connection, admin, state, TAGS_CHANGED, at, changes, event_id=row.id
            )
            return act_id, placements

        return self._database.write(write)


def is_about_others(act: Act, other: Act) -> bool:
    """Whether both acts have changed tags and have no tag in common."""
    return act.type == TAGS_CHANGED.name and _tags_of(act).isdisjoint(_tags_of(other))


def reverse(
    connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int
) -> Placements:
    """Undoes a change of tags: it counts as never made. Raises Invalid as `Tagging.change`."""
    # The undoing must not be before the act, even if clocks differ.
    now = max(now, act.at)
    author = acting.author(connection, admin)._replace(undoes_id=act.event_id)
    data = tags_data(act.data.get("removed", ()), act.data.get("added", ()))
    event = acting.new_act(admin, state, TAGS, now, data=data)
    placements = _written(connection, state, author, event, now)
    changes = _changes(connection, state)
    if changes:
        outgoing.add_event(connection, admin, state, TAGS_CHANGED, now, changes, undoes=act.id)
        return placements
    # The thread already has the wanted tags; the act records the undoing.
    conversations.add_act(connection, state.id, now, act.type, admin.id, None, {"undoes": act.id})
    again = acting.locked(connection, state.id, None)
    again.row_changed = True
    return [*placements, *save(connection, [again], now)]


def _written(
    connection: Connection, state: ThreadState, author: Author, event: ParsedEvent, now: int
) -> Placements:
    """Stores the event. Raises its problem if it is refused."""
    result = acting.write(connection, state, author, event, now)
    [outcome] = result.outcomes
    if outcome.problem is not None:
        raise outcome.problem
    return result.placements


def _changes(connection: Connection, state: ThreadState) -> dict[str, list[str]]:
    """Returns the difference between the stored tags and the tags of `state`."""
    tags = thread_tags.stored(connection, state.id)
    return thread_tags.difference(state.columns.tags, tags)


def _tags_of(act: Act) -> frozenset[str]:
    return frozenset([*act.data.get("added", ()), *act.data.get("removed", ())])
