"""Until when lists of queries are kept."""

from collections.abc import Collection

from sqlalchemy import Connection, func, select, update

from dashboard.db.models.query_lists import query_lists


def keep_longer(connection: Connection, ids: Collection[str], kept_until: int) -> set[str]:
    """Keeps those of the lists longer that are kept for a while; returns those that there are."""
    shorter = query_lists.c.id.in_(ids) & (query_lists.c.kept_until < kept_until)
    connection.execute(update(query_lists).where(shorter).values(kept_until=kept_until))
    return set(connection.scalars(select(query_lists.c.id).where(query_lists.c.id.in_(ids))))


def kept_for_good(connection: Connection) -> set[str]:
    """The lists that are always kept."""
    kept = select(query_lists.c.id).where(query_lists.c.kept_until.is_(None))
    return set(connection.scalars(kept))


def count_temporary(connection: Connection) -> int:
    """How many lists there are that are kept for a while only."""
    temporary = query_lists.c.kept_until.is_not(None)
    return connection.scalar(select(func.count()).where(temporary)) or 0


def release(connection: Connection, ids: Collection[str], kept_until: int) -> None:
    """These lists are no longer those of saved views: they are kept until then, and go."""
    connection.execute(
        update(query_lists).where(query_lists.c.id.in_(ids)).values(kept_until=kept_until)
    )


def has_expired(connection: Connection, now_ms: int) -> bool:
    """Whether there are lists that nobody needs any more."""
    found = select(query_lists.c.id).where(query_lists.c.kept_until < now_ms).limit(1)
    return connection.scalar(found) is not None
