"""Canned replies: texts that admins insert by typing a shortcut."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dashboard.db.models.accounts import canned_replies


class Canned(NamedTuple):
    """A canned reply; its time in milliseconds."""

    id: int
    shortcut: str
    body: str
    updated_at: int


_ALL = select(
    canned_replies.c.id,
    canned_replies.c.shortcut,
    canned_replies.c.body,
    canned_replies.c.updated_at,
)


def listing(connection: Connection) -> list[Canned]:
    """Returns all canned replies, by shortcut."""
    rows = connection.execute(_ALL.order_by(canned_replies.c.shortcut))
    return [Canned(*row) for row in rows]


def one(connection: Connection, id: int) -> Canned | None:
    """Returns the canned reply with this id, or None."""
    row = connection.execute(_ALL.where(canned_replies.c.id == id)).first()
    return Canned(*row) if row else None


def create(connection: Connection, shortcut: str, body: str, now_ms: int) -> int:
    """Adds a canned reply and returns its id. Raises IntegrityError if the shortcut is taken."""
    key = connection.execute(
        insert(canned_replies).values(shortcut=shortcut, body=body, updated_at=now_ms)
    ).inserted_primary_key
    assert key is not None
    return key[0]


def change(connection: Connection, id: int, shortcut: str, body: str, now_ms: int) -> bool:
    """Changes a reply; False for an unknown id. Raises IntegrityError if the shortcut is taken."""
    changed = connection.execute(
        update(canned_replies)
        .where(canned_replies.c.id == id)
        .values(shortcut=shortcut, body=body, updated_at=now_ms)
    )
    return changed.rowcount > 0


def remove(connection: Connection, id: int) -> bool:
    """Deletes a reply; False for an unknown id."""
    return connection.execute(delete(canned_replies).where(canned_replies.c.id == id)).rowcount > 0
