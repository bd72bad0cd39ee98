"""The chatbots, and the built-in source that stands for the dashboard."""

import re

from sqlalchemy import Connection, bindparam, insert, select, update

from dashboard.errors import StartError
from dashboard.store.models import sources

#: The source of what admins do on the dashboard; its underscore keeps it apart from chatbots.
DASHBOARD = "_lineup"
NAME = re.compile(r"[a-z0-9-]{1,64}")

_HANDOFF_ONLY = select(sources.c.handoff_only).where(sources.c.id == bindparam("source"))


def named(connection: Connection, name: str) -> int | None:
    """The id of a source."""
    return connection.scalar(select(sources.c.id).where(sources.c.name == name))


def ensure(connection: Connection, name: str, now_ms: int) -> int:
    """The id of a chatbot's source, made if it is new. Raises StartError for a wrong name."""
    if not NAME.fullmatch(name):
        raise StartError("A source is named by 1 to 64 of a-z, 0-9 and “-”.")
    return _ensure(connection, name, now_ms)


def ensure_dashboard(connection: Connection, now_ms: int) -> int:
    """The id of the built-in source, made if it is new."""
    return _ensure(connection, DASHBOARD, now_ms)


def is_handoff_only(connection: Connection, source_id: int) -> bool:
    """Whether only a hand-off calls for a person.

    Ask after the threads are locked: then no thread is folded by what held before.
    """
    return bool(connection.scalar(_HANDOFF_ONLY, {"source": source_id}))


def set_handoff_only(connection: Connection, source_id: int) -> bool:
    """From now on only a hand-off calls for a person; whether that is news."""
    changed = connection.execute(
        update(sources)
        .where(sources.c.id == source_id, sources.c.handoff_only.is_(False))
        .values(handoff_only=True)
    )
    return changed.rowcount > 0


def _ensure(connection: Connection, name: str, now_ms: int) -> int:
    known = named(connection, name)
    if known is not None:
        return known
    connection.execute(insert(sources).values(name=name, created_at=now_ms))
    return connection.scalars(select(sources.c.id).where(sources.c.name == name)).one()
