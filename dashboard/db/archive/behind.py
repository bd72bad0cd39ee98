"""Which threads are to be archived, or not to be archived any more."""

from sqlalchemy import Connection, select

from dashboard.db.lists import versions
from dashboard.db.models.threads import threads
from scoring.archive import closed_before

_TO_ARCHIVE = (
    select(threads.c.id)
    .where(threads.c.closed.is_(True), threads.c.archived.is_(False), threads.c.mentioned.is_(None))
    .order_by(threads.c.closed_at)
)
_ARCHIVED = (
    select(threads.c.id).where(threads.c.archived.is_(True)).order_by(threads.c.closed_at.desc())
)


def behind(connection: Connection, now_ms: int, limit: int) -> list[int]:
    """Ids of threads that time, or a change of how long lists hold closed ones, archives or brings
    back: at most so many."""
    latest = closed_before(versions.current(connection).history_days, now_ms)
    found = connection.scalars(_TO_ARCHIVE.where(threads.c.closed_at <= latest).limit(limit))
    ids = list(found)
    if len(ids) < limit:
        back = _ARCHIVED.where(threads.c.closed_at > latest).limit(limit - len(ids))
        ids += connection.scalars(back)
    return ids
