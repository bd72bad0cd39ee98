"""Releases threads of an admin, and renews their rows after a change of the admin's name."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from sqlalchemy import ColumnElement, Connection, func, or_, select

from dashboard.db.accounts import admin_desks, admins
from dashboard.db.database import Database
from dashboard.db.models.threads import threads
from dashboard.db.threads import thread_states
from dashboard.db.threads.thread_rows import ANSWERED_BY
from dashboard.db.threads.thread_states import ThreadState
from dashboard.event_types import RELEASED
from dashboard.ingest.outgoing import Admin, add_event
from dashboard.ingest.saving import save
from scoring.placing import Placement

#: Threads that one transaction writes; other writes run in between.
ROWS_AT_ONCE = 200
#: Threads that one statement looks at, each with its newest messages.
LOOKED_AT_AT_ONCE = 2_000
#: The newest closed threads: rows of older ones are not cached.
CLOSED_MAX = 1_000


def renew_rows_of(database: Database, admin_id: int, now_ms: int) -> Iterator[list[Placement]]:
    """Gives a new revision to threads with rows that name the admin, in slices; yields their
    placements. Each thread keeps its place on every list."""
    with database.read() as connection:
        ids = _ids(connection, admin_id)
    for start in range(0, len(ids), ROWS_AT_ONCE):
        some = ids[start : start + ROWS_AT_ONCE]
        yield database.write(partial(_renew, ids=some, now_ms=now_ms), is_idempotent=True)


def _ids(connection: Connection, admin_id: int) -> list[int]:
    named = select(threads.c.id).where(
        or_(threads.c.assignee_id == admin_id, threads.c.snoozed_by_id == admin_id)
    )
    newest = named.where(threads.c.closed).order_by(threads.c.recent_at.desc()).limit(CLOSED_MAX)
    are_open = connection.scalars(named.where(threads.c.closed.is_(False)))
    answered = _answered(connection, admin_id)
    return sorted({*are_open, *connection.scalars(newest), *answered})


def _answered(connection: Connection, admin_id: int) -> Iterator[int]:
    """Yields the open threads that the admin was the last to answer: their rows name the admin."""
    open_ones = select(threads.c.id).where(
        threads.c.archived.is_(False), threads.c.closed.is_(False), threads.c.last_role == "admin"
    )
    some = open_ones.order_by(threads.c.id).limit(LOOKED_AT_AT_ONCE)
    after = 0
    while ids := connection.scalars(some.where(threads.c.id > after)).all():
        yield from connection.scalars(
            select(threads.c.id).where(threads.c.id.in_(ids), ANSWERED_BY.in_([admin_id]))
        )
        after = ids[-1]


def _renew(connection: Connection, ids: list[int], now_ms: int) -> list[Placement]:
    states = thread_states.locked_by_id(connection, ids)
    for state in states:
        state.row_changed = True
    return save(connection, states, now_ms)


#: Threads that one transaction releases, within about 40 ms; others run in between.
SLICE = 20

#: Whether an admin has no window open. Must not wait: it is called inside transactions.
IsAbsent = Callable[[int], bool]


def release_all_of(
    database: Database, admin_id: int, now_ms: int, kept_at: Collection[str] = ()
) -> Iterator[list[Placement]]:
    """Releases every thread of an admin, open ones before closed ones, in slices; yields their
    placements. Those at the desks `kept_at` are kept.

    Only the assignee changes, so each thread keeps its place on the lists of all threads.
    """
    theirs = (threads.c.assignee_id == admin_id) & threads.c.desk.not_in(kept_at)
    for which in (theirs & threads.c.closed.is_(False), theirs):
        release = partial(
            _release_slice, which=which, admin_id=admin_id, now_ms=now_ms, kept_at=kept_at
        )
        while placements := database.write(release):
            yield placements


def left_of(
    connection: Connection, admin_ids: Collection[int], kept_at: Collection[str] = ()
) -> dict[int, int]:
    """Counts for each admin the threads that `release_all_of` would release."""
    theirs = threads.c.assignee_id.in_(admin_ids) & threads.c.desk.not_in(kept_at)
    counted = select(threads.c.assignee_id, func.count()).where(theirs)
    rows = connection.execute(counted.group_by(threads.c.assignee_id)) if admin_ids else ()
    return dict.fromkeys(admin_ids, 0) | {row[0]: row[1] for row in rows}


def release_unanswered(
    connection: Connection, states: Iterable[ThreadState], is_absent: IsAbsent, now_ms: int
) -> None:
    """Releases threads that events have reopened while their assignee is absent, or moved to a desk
    that the assignee does not see; saves nothing.

    No thread is bound to an admin who will not answer it. (Case E7)
    """
    for state in states:
        assignee_id = state.columns.assignee_id
        if assignee_id is None:
            continue
        is_reopened = state.stored.closed and not state.facts.closed
        is_moved = state.before.desk != state.columns.desk
        if (is_reopened and is_absent(assignee_id)) or (
            is_moved and not _is_seen_by(connection, state, assignee_id)
        ):
            _release(connection, state, assignee_id, now_ms)


def _is_seen_by(connection: Connection, state: ThreadState, admin_id: int) -> bool:
    admin = admins.by_id(connection, admin_id)
    desk = state.columns.desk
    return admin is not None and admin_desks.is_seen_by(connection, desk, admin.id, admin.role)


def _release_slice(
    connection: Connection,
    which: ColumnElement[bool],
    admin_id: int,
    now_ms: int,
    kept_at: Collection[str],
) -> list[Placement]:
    first = select(threads.c.id).where(which).order_by(threads.c.id).limit(SLICE)
    ids = list(connection.scalars(first))
    states = thread_states.locked_by_id(connection, ids)
    for state in states:
        if state.columns.assignee_id == admin_id and state.columns.desk not in kept_at:
            _release(connection, state, admin_id, now_ms)
    return save(connection, states, now_ms)


def _release(connection: Connection, state: ThreadState, assignee_id: int, now_ms: int) -> None:
    """Releases the thread in the name of its assignee. It waits for another admin: so the event
    names its desk."""
    admin = admins.by_id(connection, assignee_id)
    state.columns.assignee_id = state.columns.assigned_at = None
    if admin is not None:
        by = Admin(admin.id, admin.name, admin.role)
        before = {"id": admin.id, "name": admin.name, "assigned_at": state.before.assigned_at}
        data = {"assignee": None, "desk": state.columns.desk}
        add_event(connection, by, state, RELEASED, now_ms, data, before=before)
