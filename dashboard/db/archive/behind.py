"""Which threads are to be archived, or not to be archived any more."""

from typing import Any

from sqlalchemy import BindParameter, Connection, Select, select

from dashboard.db.lists import versions
from dashboard.db.models.threads import threads
from scoring.archive import closed_before

_LIVE = (
    select(threads.c.id)
    .where(threads.c.closed.is_(True), threads.c.archived.is_(False), threads.c.mentioned.is_(None))
    .order_by(threads.c.closed_at)
)
_ARCHIVED = (
    select(threads.c.id)
    .where(threads.c.archived.is_(True), threads.c.closed.is_(True))
    .order_by(threads.c.closed_at.desc())
)


def behind(connection: Connection, now_ms: int, limit: int) -> list[int]:
    """Ids of threads that time, or a change of how long lists hold closed ones, archives or brings
    back: at most so many."""
    latest = closed_before(versions.current(connection).history_days, now_ms)
    to_archive, to_bring_back = statements(latest, limit)
    return [*connection.scalars(to_archive), *connection.scalars(to_bring_back)][:limit]


def statements(
    latest: int | BindParameter[Any], limit: int | None
) -> tuple[Select[int], Select[int]]:
    """What finds those to archive, closed at this time or before, and those to bring back."""
    to_archive = _LIVE.where(threads.c.closed_at <= latest).limit(limit)
    return to_archive, _ARCHIVED.where(threads.c.closed_at > latest).limit(limit)
