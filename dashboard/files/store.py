"""Stores contents of files in a folder, and removes those that nothing needs any more."""

import errno
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dashboard.db import files
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.errors import NotFound, Problem, StartError, StorageUnavailable

#: Ids of files: random, and safe as file names.
ID = re.compile("[0-9a-f]{32}")
#: Number of subfolders that files are spread over, by the first two digits of their ids.
SUBFOLDERS = 256
_INCOMING = "incoming"
#: The file that names the database to which the folder belongs.
OWNER = "database"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def new_id() -> str:
    """Returns a new id that cannot be guessed."""
    return secrets.token_hex(16)


def storage_full() -> Problem:
    return Problem(507, "storage_full", "There is no room for more files; nothing was stored.")


@contextmanager
def errors_of_disk() -> Iterator[None]:
    """Raises Problem (507) for a full disk, and StorageUnavailable for other faults of the disk."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise storage_full() from error
        raise StorageUnavailable() from error


@contextmanager
def errors_of_folder() -> Iterator[None]:
    """Turns StorageUnavailable of the store into a StartError that names the path."""
    try:
        yield
    except StorageUnavailable as error:
        cause = error.__cause__
        assert isinstance(cause, OSError)
        place, reason = cause.filename or "the folder", cause.strerror
        raise StartError(f"LINEUP_FILES: {place} cannot be used: {reason}.") from error


class FileStore:
    """The folder of the contents. Only its owner may read it (0700, files 0600).

    A file is at `FOLDER/ab/ID`, where `ab` are the first two digits of its id; no part of a path
    comes from outside.
    """

    def __init__(self, folder: Path):
        self._folder = folder

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Yields a folder for a file that is being received; removes it afterwards in any case."""
        folder = self._folder / _INCOMING / new_id()
        with errors_of_disk():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.parent.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            _remove_folder(folder)

    def write(self, path: Path, chunks: Iterable[bytes]) -> None:
        """Writes a new file. Raises Problem, and the errors that `chunks` raises."""
        with errors_of_disk():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            for chunk in chunks:
                left = memoryview(chunk)
                while left:
                    with errors_of_disk():
                        left = left[os.write(descriptor, left) :]
        finally:
            os.close(descriptor)

    def keep(self, path: Path, id: str) -> int:
        """Moves a received file into its place and syncs it to disk; returns its bytes."""
        with errors_of_disk():
            path.chmod(0o600)
            target = self._path(id)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            _sync(path)
            path.replace(target)
            _sync(target.parent)
            return target.stat().st_size

    def open(self, id: str) -> BinaryIO:
        """Opens the content of a file for reading. Raises NotFound."""
        try:
            return self._path(id).open("rb")
        except FileNotFoundError:
            raise NotFound("There is no such file.") from None
        except OSError as error:
            raise StorageUnavailable() from error

    def remove(self, ids: Iterable[str]) -> None:
        """Removes contents. Contents that cannot be removed now are found as unknown later."""
        for id in ids:
            with suppress(OSError):
                self._path(id).unlink()

    def older_than(self, subfolder: int, time_s: float) -> list[str]:
        """Returns the ids in a subfolder (0 to 255) with contents stored before a time (s)."""
        found = _entries(self._folder / f"{subfolder:02x}")
        return [each.name for each in found if _is_older(each, time_s)]

    def remove_incoming(self, time_s: float) -> int:
        """Removes unfinished files that were begun before a time (s); returns their number."""
        old = [each for each in _entries(self._folder / _INCOMING) if _is_older(each, time_s)]
        for each in old:
            _remove_folder(Path(each.path))
        return len(old)

    def belongs_to(self, database: str) -> bool:
        """Whether the folder is that of this database: the first one that asks gets it.

        Raises StorageUnavailable.
        """
        owner = self._folder / OWNER
        try:
            if not self._folder.exists():
                return True
            if not owner.exists():
                # Renamed when it is complete: other processes read it meanwhile.
                new = self._folder / f"{OWNER}.{os.getpid()}"
                new.touch(mode=0o600)
                new.write_text(database)
                new.replace(owner)
            return owner.read_text() == database
        except OSError as error:
            raise StorageUnavailable() from error

    def _path(self, id: str) -> Path:
        assert ID.fullmatch(id), "ids are made here"
        return self._folder / id[:2] / id


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return [each for each in entries if ID.fullmatch(each.name)]
    except OSError:
        return []


def _is_older(entry: "os.DirEntry[str]", time_s: float) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_mtime < time_s
    except OSError:
        return False


def _remove_folder(folder: Path) -> None:
    with suppress(OSError):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


#: Interval between steps; 256 steps, about 43 minutes, compare all contents once.
STEP_SECONDS = 10.0
#: Age at which a file that belongs to no message is removed.
ABANDONED_MS = 24 * 3_600_000
#: Age from which a content without a row belongs to no upload under way. The same age holds for
#: files that were not received completely.
UNKNOWN_SECONDS = 3_600.0


log = logging.getLogger(__name__)


class FileCleaner:
    """Removes files that nothing needs. Several may run at once: a second removal changes nothing.

    In the folder of another database it removes nothing, because all files are unknown here.

    `clock` gives milliseconds; `now_s` is the clock of the file system.
    """

    def __init__(
        self,
        database: Database,
        store: FileStore,
        clock: Callable[[], int],
        now_s: Callable[[], float] = time.time,
    ):
        self._database = database
        self._store = store
        self._clock = clock
        self._now_s = now_s
        self._subfolder = 0
        self._is_told = False

    def step(self) -> None:
        """Removes abandoned files, and checks one of the subfolders.

        A row is removed before its content: a step that is cut off leaves a content without a row.
        Raises StorageUnavailable.
        """
        if not self._is_own_folder():
            return
        before_ms = self._clock() - ABANDONED_MS
        self._store.remove(self._database.write(lambda c: files.remove_abandoned(c, before_ms)))
        before_s = self._now_s() - UNKNOWN_SECONDS
        self._store.remove_incoming(before_s)
        self._remove_unknown(self._store.older_than(self._subfolder, before_s))
        self._subfolder = (self._subfolder + 1) % SUBFOLDERS

    def _is_own_folder(self) -> bool:
        with self._database.read() as connection:
            made_at = sources.dashboard_made_at(connection)
        is_own = self._store.belongs_to(str(made_at))
        if not is_own and not self._is_told:
            log.warning(
                "LINEUP_FILES is the folder of another database, so no file is removed there. Give "
                "each database a folder of its own; if no other one uses it, remove the file “%s”.",
                OWNER,
            )
        self._is_told = not is_own
        return is_own

    def _remove_unknown(self, ids: list[str]) -> None:
        for start in range(0, len(ids), files.SLICE):
            some = ids[start : start + files.SLICE]
            with self._database.read() as connection:
                known = files.known(connection, some)
            self._store.remove(set(some) - known)
