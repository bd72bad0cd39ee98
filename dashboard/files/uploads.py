"""Receives files of admins: checks room, streams to disk, finds the type, and adds the row."""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.database import Database
from dashboard.db.files import stored_files
from dashboard.db.files.stored_files import StoredFile
from dashboard.errors import NotFound, OutcomeUnknown, Problem
from dashboard.files import kinds, names, pictures
from dashboard.files.store import FileStore, errors_of_disk, new_id, storage_full

#: Largest file.
FILE_BYTES = 10 * 1024 * 1024
#: What an admin may have uploaded that is in no message, and what all together may have.
ADMIN_BYTES = 200 * 1024 * 1024
ALL_BYTES = 4 * 1024 * 1024 * 1024


class Uploader(NamedTuple):
    """The admin who uploads, and the desks whose threads they see; None: all."""

    admin_id: int
    desks: Desks


class Uploads:
    """`clock` gives milliseconds; `offload(function, *arguments)` runs beside other requests."""

    def __init__(
        self,
        database: Database,
        store: FileStore,
        clock: Callable[[], int],
        offload: Callable[..., Any],
    ):
        self._database = database
        self._store = store
        self._clock = clock
        self._offload = offload
        # A picture takes up to 900 MB while it is decoded, turned upright and encoded.
        self._one_picture = threading.Lock()

    def receive(
        self, uploader: Uploader, thread_id: int, name: str, chunks: Iterable[bytes]
    ) -> StoredFile:
        """Stores a file for a message in a thread; `chunks` are its bytes.

        Raises Problem: 404, `payload_too_large`, `empty_file`, `upload_quota`, `storage_full`, and
        those of `chunks`; StorageUnavailable. Nothing is left then, unless it is OutcomeUnknown.
        """
        with self._database.read() as connection:
            _check_room(connection, uploader.admin_id, 0)
        file = StoredFile(new_id(), thread_id, uploader.admin_id, names.clean(name), "", 0)
        with self._store.incoming() as folder:
            received = folder / "received"
            self._store.write(received, _limited(chunks))
            if not received.stat().st_size:
                raise Problem(422, "empty_file", "The file is empty.")
            with self._one_picture, errors_of_disk():
                path, type = self._prepared(received, file.name)
            size = self._offload(self._store.keep, path, file.id)
        file = file._replace(type=type, size=size)
        try:
            self._database.write(lambda connection: self._add(connection, uploader, file))
        except OutcomeUnknown:
            # The row may be there; a content without one is removed by `FileCleaner`.
            raise
        except Exception:
            self._store.remove([file.id])
            raise
        return file

    def discard(self, admin_id: int, id: str) -> None:
        """Removes a file of the admin that is in no message. Raises NotFound."""
        if not self._database.write(lambda c: stored_files.remove(c, id, admin_id)):
            raise NotFound("There is no such file.")
        self._store.remove([id])

    def _prepared(self, received: Path, name: str) -> tuple[Path, str]:
        """The file to keep, and its type: a picture encoded anew, or the file that was received."""
        picture = received.with_name("picture")
        if self._offload(pictures.is_large, received):
            type = pictures.encode_beside(received, picture)
        else:
            type = self._offload(pictures.encode_anew, received, picture)
        if type is not None:
            return picture, type
        return received, self._offload(kinds.type_of, received, name)

    def _add(self, connection: Connection, uploader: Uploader, file: StoredFile) -> None:
        desk = stored_files.lock_for_adding(connection, file.thread_id, file.admin_id)
        if desk is None or not sees(uploader.desks, desk):
            raise NotFound("There is no such thread.")
        _check_room(connection, file.admin_id, file.size)
        stored_files.add(connection, file, self._clock())


def too_large() -> Problem:
    return Problem(413, "payload_too_large", "A file may have up to 10 MiB.")


def _limited(chunks: Iterable[bytes]) -> Iterator[bytes]:
    left = FILE_BYTES
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise too_large()
        yield chunk


def _check_room(connection: Connection, admin_id: int, size: int) -> None:
    own, everybody = stored_files.unattached_bytes(connection, admin_id)
    # Also before anything is read: a full quota takes no byte more.
    needed = max(size, 1)
    if own + needed > ADMIN_BYTES:
        raise Problem(
            413, "upload_quota", "200 MiB of your files are in no message: send or remove some."
        )
    if everybody + needed > ALL_BYTES:
        raise storage_full()
