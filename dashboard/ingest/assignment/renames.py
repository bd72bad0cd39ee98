"""Has the rows of an admin's threads sent and read anew, after the admin was given another name."""

from collections.abc import Iterator
from functools import partial

from sqlalchemy import Connection, or_, select

from dashboard.db.database import Database
from dashboard.db.models.threads import threads
from dashboard.db.threads import thread_states
from scoring.placing import Placement

#: Threads that one transaction writes; other writes run in between.
SLICE = 200
#: Of closed threads, the newest ones: rows of older ones are not cached.
CLOSED_MAX = 1_000


def renew_rows_of(database: Database, admin_id: int, now_ms: int) -> Iterator[list[Placement]]:
    """Gives the threads that name the admin on their rows a new revision, in slices; yields their
    placements. Each keeps its place on every list."""
    with database.read() as connection:
        ids = _ids(connection, admin_id)
    for start in range(0, len(ids), SLICE):
        some = ids[start : start + SLICE]
        yield database.write(partial(_renew, ids=some, now_ms=now_ms), is_idempotent=True)


def _ids(connection: Connection, admin_id: int) -> list[int]:
    named = select(threads.c.id).where(
        or_(threads.c.assignee_id == admin_id, threads.c.snoozed_by_id == admin_id)
    )
    newest = named.where(threads.c.closed).order_by(threads.c.recent_at.desc()).limit(CLOSED_MAX)
    are_open = connection.scalars(named.where(threads.c.closed.is_(False)))
    return sorted({*are_open, *connection.scalars(newest)})


def _renew(connection: Connection, ids: list[int], now_ms: int) -> list[Placement]:
    states = thread_states.locked_by_id(connection, ids)
    for state in states:
        state.row_changed = True
    return thread_states.save(connection, states, now_ms)
