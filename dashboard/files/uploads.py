"""Receives files of admins: checks the space, streams to disk, finds the type, adds the row."""

import codecs
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import puremagic
import regex
from sqlalchemy import Connection

from dashboard.db import files
from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.database import Database
from dashboard.db.files import StoredFile
from dashboard.errors import NotFound, OutcomeUnknown, Problem
from dashboard.files import pictures
from dashboard.files.store import FileStore, errors_of_disk, new_id, storage_full

#: The type of files that have none of the types below.
UNKNOWN = "application/octet-stream"
TEXT = "text/plain"
PDF = "application/pdf"
#: Types that no program runs when it opens them; all others are sent as `UNKNOWN`. Pictures are
#: among them only after they were encoded again.
_PASSIVE = re.compile(
    r"(audio|video)/[a-z0-9.+-]+|application/(pdf|zip|gzip|x-gzip|x-7z-compressed|msword|rtf"
    r"|vnd\.(ms-(excel|powerpoint)|openxmlformats-officedocument\.[a-z.]+"
    r"|oasis\.opendocument\.[a-z]+))"
)
#: Shorter signatures match by chance.
_SIGNATURE_MIN_BYTES = 3
_HEAD_BYTES = 64 * 1024
_NO_TEXT = regex.compile(r"[^\P{Cc}\t\n\r\f]")


def type_of(path: Path, name: str) -> str:
    """Returns the type of a file that is no picture.

    Its name only chooses between types that begin alike, such as documents that are archives.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if _is_text(head):
            return PDF if head.startswith(b"%PDF-") else TEXT
        file.seek(0)
        try:
            matches = puremagic.magic_stream(file, filename=name)
        except (puremagic.PureError, ValueError):
            return UNKNOWN
    for match in matches:
        is_certain = len(match.byte_match) >= _SIGNATURE_MIN_BYTES
        if is_certain and _PASSIVE.fullmatch(match.mime_type):
            return match.mime_type
    return UNKNOWN


def _is_text(head: bytes) -> bool:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return _NO_TEXT.search(text) is None


#: Longest name that is kept, in characters; the end with the extension stays.
NAME_MAX = 120
_EXTENSION_MAX = 16
#: Control characters, characters that are invisible or change the direction of a text, and
#: characters that file systems refuse in a name.
_UNSAFE = regex.compile(r'[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"*:<>?|]+')
_BLANKS = regex.compile(r"\s+")
_FALLBACK = "file"


def clean(name: str) -> str:
    """Returns the last part of a path without unsafe characters, at most `NAME_MAX` characters."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    safe = _BLANKS.sub(" ", _UNSAFE.sub("", last)).strip(". ")
    if len(safe) > NAME_MAX:
        stem, dot, extension = safe.rpartition(".")
        end = dot + extension if stem and len(extension) <= _EXTENSION_MAX else ""
        safe = safe[: NAME_MAX - len(end)].rstrip(". ") + end
    return safe or _FALLBACK


#: Largest file.
FILE_BYTES = 10 * 1024 * 1024
#: Most bytes of files in no message that one admin may have uploaded, and that all may have.
ADMIN_BYTES = 200 * 1024 * 1024
ALL_BYTES = 4 * 1024 * 1024 * 1024


class Uploader(NamedTuple):
    """The admin who uploads, and the desks of the threads that they see; None: all."""

    admin_id: int
    desks: Desks


class Uploads:
    """Receives files. `clock` gives ms; `offload(function, *arguments)` runs beside requests."""

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
        errors of `chunks`; StorageUnavailable. Nothing is stored then, unless it is OutcomeUnknown.
        """
        with self._database.read() as connection:
            _check_room(connection, uploader.admin_id, 0)
        file = StoredFile(new_id(), thread_id, uploader.admin_id, clean(name), "", 0)
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
            # The row may have been written; a content without a row is removed by `FileCleaner`.
            raise
        except Exception:
            self._store.remove([file.id])
            raise
        return file

    def discard(self, admin_id: int, id: str) -> None:
        """Removes a file of the admin that belongs to no message. Raises NotFound."""
        if not self._database.write(lambda c: files.remove(c, id, admin_id)):
            raise NotFound("There is no such file.")
        self._store.remove([id])

    def _prepared(self, received: Path, name: str) -> tuple[Path, str]:
        """Returns the file to keep and its type: a picture encoded again, or the received file."""
        picture = received.with_name("picture")
        if self._offload(pictures.is_large, received):
            type = pictures.encode_beside(received, picture)
        else:
            type = self._offload(pictures.reencode, received, picture)
        if type is not None:
            return picture, type
        return received, self._offload(type_of, received, name)

    def _add(self, connection: Connection, uploader: Uploader, file: StoredFile) -> None:
        desk = files.lock_for_adding(connection, file.thread_id, file.admin_id)
        if desk is None or not sees(uploader.desks, desk):
            raise NotFound("There is no such thread.")
        _check_room(connection, file.admin_id, file.size)
        files.add(connection, file, self._clock())


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
    own, everybody = files.unattached_bytes(connection, admin_id)
    # Checked before anything is read, too: a full quota takes no further byte.
    needed = max(size, 1)
    if own + needed > ADMIN_BYTES:
        raise Problem(
            413, "upload_quota", "200 MiB of your files are in no message: send or remove some."
        )
    if everybody + needed > ALL_BYTES:
        raise storage_full()
