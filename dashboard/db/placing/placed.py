"""Which revisions of threads are known to be in Redis."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, bindparam, select, update

from dashboard.db.models.threads import threads

_PLACED = select(threads.c.id, threads.c.placed_revision)
_PLACED_BY_ID = _PLACED.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_REVISIONS = select(threads.c.id, threads.c.revision).where(
    threads.c.id.in_(bindparam("ids", expanding=True))
)
_SAVE = (
    update(threads)
    .where(threads.c.id == bindparam("thread"), threads.c.placed_revision < bindparam("placed"))
    .values(placed_revision=bindparam("placed"))
)


def unplaced(connection: Connection, limit: int) -> dict[int, int]:
    """Threads whose last revision is not known to be in Redis: id to the last one that is."""
    behind = _PLACED.where(threads.c.placed_revision != threads.c.revision)
    found = connection.execute(behind.order_by(threads.c.id).limit(limit))
    return {row.id: row.placed_revision for row in found}


def placed_revisions(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Thread id to the last revision known to be in Redis; unknown ids are left out."""
    found = connection.execute(_PLACED_BY_ID, {"ids": list(ids)})
    return {row.id: row.placed_revision for row in found}


def revisions(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Thread id to its revision; unknown ids are left out."""
    found = connection.execute(_REVISIONS, {"ids": list(ids)})
    return {row.id: row.revision for row in found}


def save_placed(connection: Connection, revisions: Mapping[int, int]) -> None:
    """Writes the last revision (by thread id) that is known to be in Redis; none goes back."""
    rows = [{"thread": id, "placed": revision} for id, revision in sorted(revisions.items())]
    if rows:
        connection.execute(_SAVE, rows)
