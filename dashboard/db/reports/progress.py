"""The progress of counting: threads with new events or acts, and all threads once."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, select, union, update

from dashboard.db.models.reports import report_state, report_threads
from dashboard.db.models.threads import events, thread_acts, threads


class Progress(NamedTuple):
    """The progress so far: see `report_state`."""

    counted_until: int | None
    event_id: int
    next_event_id: int
    act_id: int
    next_act_id: int
    swept_id: int | None


_COLUMNS = [report_state.c[name] for name in Progress._fields]


def current(connection: Connection) -> Progress:
    """Returns the progress so far."""
    return Progress(*connection.execute(select(*_COLUMNS)).one())


def claim(connection: Connection, now_ms: int, pause_ms: int) -> bool:
    """Claims the counting for this process; False if another one has claimed it within the last
    `pause_ms`, or seems to have done so in the future."""
    claimed_at = report_state.c.claimed_at
    is_free = (claimed_at <= now_ms - pause_ms) | (claimed_at > now_ms + pause_ms)
    if connection.scalar(select(report_state.c.id).where(is_free)) is None:
        return False
    claimed = update(report_state).where(is_free).values(claimed_at=now_ms)
    return connection.execute(claimed).rowcount > 0


def claim_on(connection: Connection, now_ms: int) -> None:
    """Goes on claiming it, during a long turn."""
    connection.execute(update(report_state).values(claimed_at=now_ms))


def last_ids(connection: Connection) -> tuple[int, int]:
    """Returns the ids of the last event and of the last act."""
    statement = select(
        select(func.max(events.c.id)).scalar_subquery(),
        select(func.max(thread_acts.c.id)).scalar_subquery(),
    )
    event_id, act_id = connection.execute(statement).one()
    return event_id or 0, act_id or 0


def changed(connection: Connection, progress: Progress) -> Sequence[int]:
    """Returns the threads with new events or acts, and those of customers with new values."""
    new = events.c.id > progress.event_id
    said = select(events.c.customer_id).where(new, events.c.customer_id.is_not(None))
    ids = union(
        select(events.c.thread_id).where(new, events.c.thread_id.is_not(None)),
        select(thread_acts.c.thread_id).where(thread_acts.c.id > progress.act_id),
        select(threads.c.id).where(threads.c.customer_id.in_(said)),
    )
    return sorted(connection.scalars(ids))


def unswept(connection: Connection, after_id: int, most: int) -> list[int]:
    """Returns the next threads by id."""
    some = select(threads.c.id).where(threads.c.id > after_id).order_by(threads.c.id)
    return list(connection.scalars(some.limit(most)))


def note_swept(connection: Connection, before: int, after: int | None) -> bool:
    """Notes how far the sweep is; False if it was begun anew meanwhile."""
    is_same = report_state.c.swept_id == before
    noted = update(report_state).where(is_same).values(swept_id=after)
    return connection.execute(noted).rowcount > 0


def note(connection: Connection, **values: Any) -> None:
    """Sets columns of `report_state`."""
    connection.execute(update(report_state).values(values))


def forget(connection: Connection, source_id: int) -> None:
    """Has all threads of a source counted again."""
    theirs = select(threads.c.id).where(threads.c.source_id == source_id)
    connection.execute(delete(report_threads).where(report_threads.c.thread_id.in_(theirs)))
    connection.execute(update(report_state).values(swept_id=0))
