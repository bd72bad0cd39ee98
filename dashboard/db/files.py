"""Files that admins uploaded: their rows, and the message that each is attached to."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import files, threads

#: Rows that one transaction removes.
SLICE = 200


class StoredFile(NamedTuple):
    """A file of an admin; `size` in bytes."""

    id: str
    thread_id: int
    admin_id: int
    name: str
    type: str
    size: int

    def to_json(self) -> dict[str, object]:
        """Returns the JSON for the admin who uploaded it."""
        return {"id": self.id, "name": self.name, "type": self.type, "size": self.size}


class FoundFile(NamedTuple):
    """A file, the desk of its thread, and the message that it is attached to, if any."""

    file: StoredFile
    desk: str
    event_id: int | None


_COLUMNS = (
    files.c.id,
    files.c.thread_id,
    files.c.admin_id,
    files.c.name,
    files.c.type,
    files.c.size,
)
_IS_UNATTACHED = files.c.event_id.is_(None)


def find(connection: Connection, id: str) -> FoundFile | None:
    """Returns the file with this id, or None."""
    row = connection.execute(
        select(*_COLUMNS, threads.c.desk, files.c.event_id)
        .join(threads, threads.c.id == files.c.thread_id)
        .where(files.c.id == id)
    ).first()
    return None if row is None else FoundFile(StoredFile(*row[:-2]), row[-2], row[-1])


def unattached_bytes(connection: Connection, admin_id: int) -> tuple[int, int]:
    """Returns the bytes of all files that are in no message: this admin's, and all admins'."""
    sizes = select(files.c.admin_id, func.sum(files.c.size)).where(_IS_UNATTACHED)
    by_admin = {row[0]: int(row[1]) for row in connection.execute(sizes.group_by(files.c.admin_id))}
    return by_admin.get(admin_id, 0), sum(by_admin.values())


def lock_for_adding(connection: Connection, thread_id: int, admin_id: int) -> str | None:
    """Locks the thread until the transaction ends; other uploads of the admin wait.

    Returns the desk of the thread; None if there is no such thread.
    """
    # In this order, as when a thread is assigned.
    one_by_one = select(admins.c.id).where(admins.c.id == admin_id)
    connection.execute(one_by_one.with_for_update(key_share=True))
    return connection.scalar(
        select(threads.c.desk)
        .where(threads.c.id == thread_id)
        .with_for_update(read=True, key_share=True)
    )


def add(connection: Connection, file: StoredFile, now_ms: int) -> None:
    """Adds the row of a file after its content is stored."""
    connection.execute(insert(files).values(**file._asdict(), created_at=now_ms))


def take(
    connection: Connection, thread_id: int, admin_id: int, ids: Sequence[str]
) -> dict[str, StoredFile]:
    """Returns the files that the admin uploaded for this thread and that are in no message yet.

    They are locked until the transaction ends.
    """
    if not ids:
        return {}
    rows = connection.execute(
        _unattached(admin_id)
        .where(files.c.id.in_(ids), files.c.thread_id == thread_id)
        .order_by(files.c.id)
        .with_for_update()
    )
    return {row.id: StoredFile(*row) for row in rows}


def attach(connection: Connection, ids: Collection[str], event_id: int) -> None:
    """Attaches the files to a message."""
    if ids:
        connection.execute(update(files).where(files.c.id.in_(ids)).values(event_id=event_id))


def remove(connection: Connection, id: str, admin_id: int) -> bool:
    """Removes the row of a file of the admin that is in no message. Returns whether it existed."""
    where = files.c.id == id, files.c.admin_id == admin_id, _IS_UNATTACHED
    return connection.execute(delete(files).where(*where)).rowcount == 1


def remove_abandoned(connection: Connection, before_ms: int) -> list[str]:
    """Removes up to `SLICE` rows of older files that are in no message; returns their ids."""
    oldest = (
        select(files.c.id)
        .where(_IS_UNATTACHED, files.c.created_at < before_ms)
        .order_by(files.c.created_at)
        .limit(SLICE)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.scalars(oldest))
    if ids:
        connection.execute(delete(files).where(files.c.id.in_(ids)))
    return ids


def known(connection: Connection, ids: Collection[str]) -> set[str]:
    """Returns the ids among these that have a row."""
    if not ids:
        return set()
    return set(connection.scalars(select(files.c.id).where(files.c.id.in_(ids))))


def every_id(connection: Connection) -> Iterator[str]:
    """Yields the ids of all files on this snapshot, in their order."""
    after = ""
    while True:
        next_ids = select(files.c.id).where(files.c.id > after).order_by(files.c.id).limit(SLICE)
        ids = list(connection.scalars(next_ids))
        if not ids:
            return
        yield from ids
        after = ids[-1]


def of_threads(connection: Connection, thread_ids: Select[tuple[int]]) -> list[str]:
    """Returns the ids of all files of the selected threads."""
    return list(connection.scalars(select(files.c.id).where(files.c.thread_id.in_(thread_ids))))


def _unattached(admin_id: int) -> Select[Any]:
    return select(*_COLUMNS).where(files.c.admin_id == admin_id, _IS_UNATTACHED)
