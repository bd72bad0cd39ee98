"""Mentions of admins in notes, stored with the note and read by the admin."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, insert, select, update

from dashboard.db.accounts.admins import AdminName
from dashboard.db.models.threads import mentions


class Mentioned(NamedTuple):
    """A mentioned admin, and the name in the note, without the `@`."""

    admin_id: int
    name: str


def add(
    connection: Connection, thread_id: int, note_id: int, at: int, named: Iterable[Mentioned]
) -> None:
    """Stores the mentions in a note of a locked thread, at a time in ms."""
    note = {"thread_id": thread_id, "event_id": note_id, "at": at}
    rows = [note | mention._asdict() for mention in named]
    if rows:
        connection.execute(insert(mentions), rows)


def of_note(connection: Connection, note_id: int) -> set[int]:
    """Returns the ids of the admins that a note mentions."""
    statement = select(mentions.c.admin_id).where(mentions.c.event_id == note_id)
    return set(connection.scalars(statement))


def by_note(connection: Connection, notes: Collection[int]) -> Mapping[int, list[AdminName]]:
    """Maps the notes that mention somebody to the admins, with their names in the text."""
    admins: dict[int, list[AdminName]] = defaultdict(list)
    if not notes:
        return admins
    columns = (mentions.c.event_id, mentions.c.admin_id, mentions.c.name)
    rows = connection.execute(
        select(*columns).where(mentions.c.event_id.in_(notes)).order_by(*columns)
    )
    for note_id, admin_id, name in rows:
        admins[note_id].append({"id": admin_id, "name": name})
    return admins


def unread(connection: Connection, thread_id: int, admin_id: int) -> list[int]:
    """Returns the ids of a thread's notes with mentions that the admin has not read, in order."""
    statement = select(mentions.c.event_id).where(
        _of(thread_id, admin_id), mentions.c.read_at.is_(None)
    )
    return sorted(connection.scalars(statement))


def have_unread(connection: Connection, thread_id: int) -> set[int]:
    """Returns the ids of admins with unread mentions in a thread."""
    is_unread = mentions.c.read_at.is_(None)
    statement = select(mentions.c.admin_id).where(mentions.c.thread_id == thread_id, is_unread)
    return set(connection.scalars(statement.distinct()))


def read(connection: Connection, thread_id: int, admin_id: int, through: int, now: int) -> bool:
    """Marks mentions up to a message as read by the admin. Returns whether any was unread."""
    until = _of(thread_id, admin_id) & (mentions.c.event_id <= through)
    is_unread = mentions.c.read_at.is_(None)
    result = connection.execute(update(mentions).where(until, is_unread).values(read_at=now))
    return result.rowcount > 0


def unread_again(connection: Connection, thread_id: int, admin_id: int, note_id: int) -> bool:
    """Marks a mention as unread again; False if the note does not mention the admin."""
    condition = _of(thread_id, admin_id) & (mentions.c.event_id == note_id)
    result = connection.execute(update(mentions).where(condition).values(read_at=None))
    return result.rowcount > 0


def _of(thread_id: int, admin_id: int) -> ColumnElement[bool]:
    return (mentions.c.thread_id == thread_id) & (mentions.c.admin_id == admin_id)
