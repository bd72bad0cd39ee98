"""The note on each customer, as stored: one text, its author and its time."""

from typing import TypedDict

from sqlalchemy import Connection, select, update

from dashboard.db.accounts.admins import AdminName
from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import customers


class Note(TypedDict):
    """A note; `at` in milliseconds: no two notes on a customer have the same time."""

    text: str
    by: AdminName
    at: int


_NOTE = (
    select(customers.c.note, customers.c.note_by_id, admins.c.name, customers.c.note_at)
    .join(admins, admins.c.id == customers.c.note_by_id, isouter=True)
    .where(customers.c.note.is_not(None))
)


def stored(connection: Connection, customer_id: int, *, locked: bool = False) -> Note | None:
    """Returns the note on a customer, None without one. `locked` locks the customer."""
    if locked:
        row_lock = select(customers.c.id).where(customers.c.id == customer_id)
        connection.execute(row_lock.with_for_update())
    row = connection.execute(_NOTE.where(customers.c.id == customer_id)).first()
    if row is None:
        return None
    text, admin_id, name, at = row
    return {"text": text, "by": {"id": admin_id, "name": name}, "at": at}


def put(
    connection: Connection, customer_id: int, text: str | None, admin_id: int | None, at_ms: int
) -> None:
    """Replaces the note on a customer; without a text it is deleted."""
    values = (text, admin_id, at_ms) if text else (None, None, None)
    named = dict(zip(("note", "note_by_id", "note_at"), values, strict=True))
    connection.execute(update(customers).where(customers.c.id == customer_id).values(named))
