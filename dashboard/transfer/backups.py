"""Makes a backup: a snapshot of the database, then the contents of the files in it."""

import gzip
import hashlib
import io
import os
import re
import sqlite3
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection, Table, create_engine, inspect, text
from sqlalchemy.exc import DatabaseError

from dashboard.db import files as stored_files
from dashboard.db import migrate, plain_postgres
from dashboard.db.database import Database
from dashboard.db.models import accounts, history, queues, reports, threads, views, webhooks
from dashboard.db.models.base import SEARCH_TABLES
from dashboard.db.outbox.outgoing import timestamp
from dashboard.errors import NotFound, StartError
from dashboard.files.store import FileStore, errors_of_folder
from dashboard.protocol import VERSION
from dashboard.settings import sqlite_url

#: Grows when earlier versions of Lineup cannot read the file any more.
FORMAT = 1
#: zlib's quickest level: pictures and dumps gain little from a slower one.
COMPRESSION = 1
CHUNK_BYTES = 1024 * 1024
MANIFEST, SQLITE, DIGEST = "manifest.json", "database.sqlite", "sha256"
TABLES, FILES = "tables/", "files/"
_NAMES = re.compile(r"database\.sqlite|tables/[^/]{1,63}|files/[0-9a-f]{32}")
#: A manifest names tables and columns.
_SMALL_BYTES = 1024 * 1024
_FAULTS = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError)

Progress = Callable[[int], object]


class TableOf(BaseModel):
    """A table of PostgreSQL: its columns in order, and the last id that it gave out, if any."""

    model_config = ConfigDict(strict=True, frozen=True)

    name: str
    columns: list[str]
    last_id: int | None


class Manifest(BaseModel):
    """The contents of a backup; `made_at` is RFC 3339, `revision` that of the schema."""

    model_config = ConfigDict(strict=True, frozen=True)

    format: int
    made_at: str
    version: str
    revision: str
    engine: Literal["sqlite", "postgresql"]
    tables: list[TableOf]


class ArchiveWriter:
    """Writes members in the order given; `close` completes the file."""

    def __init__(self, out: BinaryIO, progress: Progress = lambda count: None):
        self._zipped = gzip.GzipFile("", "wb", COMPRESSION, out, mtime=0)
        self._tar = tarfile.open(fileobj=self._zipped, mode="w|")  # noqa: SIM115
        self._digest = hashlib.sha256()
        self._progress = progress

    def add(self, name: str, content: BinaryIO, size: int) -> None:
        """Adds `size` bytes of `content`. Raises OSError, also if it has fewer."""
        self._digest.update(_heading(name, size))
        self._tar.addfile(_info(name, size), _Observed(content, self._observe))

    def add_text(self, name: str, text: str) -> None:
        data = text.encode()
        self.add(name, io.BytesIO(data), len(data))

    def close(self) -> None:
        self.add_text(DIGEST, self._digest.hexdigest())
        self._tar.close()
        self._zipped.close()

    def _observe(self, data: bytes) -> None:
        self._digest.update(data)
        self._progress(len(data))


class ArchiveReader:
    """Reads a backup from a seekable file; errors call it `name`."""

    def __init__(self, file: BinaryIO, name: str):
        self._file = file
        self._name = name

    def manifest(self) -> Manifest:
        """Reads the manifest. Raises StartError if it is missing, or of an unknown format."""
        with self._errors():
            for name, _, content in self._members():
                if name == MANIFEST:
                    return self._parsed(content.read(_SMALL_BYTES))
                break
        raise self._no_backup()

    def verify(self, progress: Progress = lambda count: None) -> int:
        """Reads the whole backup; returns the number of files. Raises StartError if anything is
        not as it was written."""
        digest = hashlib.sha256()
        files, last, stated = 0, "", ""
        with self._errors():
            for name, size, content in self._members():
                last = name
                if name == DIGEST:
                    stated = content.read(_SMALL_BYTES).decode("ascii", "replace")
                    continue
                files += name.startswith(FILES)
                digest.update(_heading(name, size))
                for data in chunks(content):
                    digest.update(data)
                    progress(len(data))
        if last != DIGEST or stated != digest.hexdigest():
            raise self._damaged()
        return files

    def contents(self) -> Iterator[tuple[str, BinaryIO]]:
        """Yields the members between manifest and digest; read each before the next one."""
        with self._errors():
            for name, _, content in self._members():
                if name not in (MANIFEST, DIGEST):
                    yield name, content

    def _members(self) -> Iterator[tuple[str, int, BinaryIO]]:
        self._file.seek(0)
        with (
            gzip.GzipFile(fileobj=self._file, mode="rb") as unzipped,
            tarfile.open(fileobj=unzipped, mode="r|") as tar,
        ):
            for at, info in enumerate(tar):
                is_known = info.name in (MANIFEST, DIGEST) or _NAMES.fullmatch(info.name)
                if not is_known or not info.isreg() or (at == 0) != (info.name == MANIFEST):
                    raise self._no_backup() if at == 0 else self._damaged()
                content = tar.extractfile(info)
                assert content is not None, "regular files have a content"
                yield info.name, info.size, content  # type: ignore[misc]
                # Otherwise the members that were read would stay in memory.
                tar.members = []  # type: ignore[attr-defined]
            # Read to the end: the checksum is behind the compressed data.
            while unzipped.read(CHUNK_BYTES):
                pass

    def _parsed(self, data: bytes) -> Manifest:
        try:
            manifest = Manifest.model_validate_json(data)
        except ValidationError:
            raise self._no_backup() from None
        if manifest.format != FORMAT:
            raise StartError(
                f"{self._name} was made by Lineup {manifest.version}; restore it with that one."
            )
        return manifest

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except gzip.BadGzipFile as error:
            # Raised for a wrong beginning as well as for a wrong checksum.
            raise (self._no_backup() if "Not a gzip" in str(error) else self._damaged()) from error
        except _FAULTS as error:
            raise self._damaged() from error
        except OSError as error:
            raise StartError(f"{self._name} cannot be read: {error.strerror or error}.") from error

    def _no_backup(self) -> StartError:
        return StartError(f"{self._name} is not a backup of Lineup.")

    def _damaged(self) -> StartError:
        return StartError(f"{self._name} is damaged or cut off; nothing was changed.")


class _Observed:
    """A file that also passes its bytes on as they are read."""

    def __init__(self, content: BinaryIO, observe: Callable[[bytes], object]):
        self._content = content
        self._observe = observe

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self._observe(data)
        return data


def chunks(content: IO[Any]) -> Iterator[bytes]:
    """Yields the bytes of a file, piece by piece."""
    while data := content.read(CHUNK_BYTES):
        yield data


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


def _heading(name: str, size: int) -> bytes:
    return f"{name} {size}\n".encode()


_MODELS = (accounts, history, queues, reports, threads, views, webhooks)
#: All tables that revisions make; none has ever dropped one.
OWN_TABLES = frozenset({"alembic_version", *SEARCH_TABLES}).union(
    table.name for module in _MODELS for table in vars(module).values() if isinstance(table, Table)
)


class MadeBackup(NamedTuple):
    """The number of files in a backup, and the ids of files that have no content."""

    files: int
    missing: list[str]


class BackupMaker:
    """Copies a database at head and the contents of `store`; `clock` gives milliseconds.

    Files come after the snapshot. The content of a file is stored before its row, so every file in
    the snapshot has its content, unless it was deleted since.
    """

    def __init__(self, database: Database, store: FileStore, clock: Callable[[], int]):
        self._database = database
        self._store = store
        self._clock = clock

    def make(
        self, out: BinaryIO, folder: Path, progress: Progress = lambda count: None
    ) -> MadeBackup:
        """Writes the backup; `folder` is for temporary copies.

        Raises StartError, and OSError if `out` or the folder cannot be written.
        """
        archive = ArchiveWriter(out, progress)
        maker = self._sqlite if self._database.is_sqlite else self._postgres
        with maker(archive, folder) as snapshot:
            backup = self._add_files(archive, snapshot)
        archive.close()
        return backup

    @contextmanager
    def _sqlite(self, archive: ArchiveWriter, folder: Path) -> Iterator[Connection]:
        path = folder / SQLITE
        _copy_sqlite(self._database, path)
        engine = create_engine(sqlite_url(path))
        try:
            with engine.connect() as snapshot:
                self._add_manifest(archive, snapshot, [])
                _add_file(archive, SQLITE, path)
                yield snapshot
        finally:
            engine.dispose()

    @contextmanager
    def _postgres(self, archive: ArchiveWriter, folder: Path) -> Iterator[Connection]:
        with plain_postgres.transaction(self._database.url, "REPEATABLE READ") as snapshot:
            # No table is altered before it is locked here, nor while it is locked.
            with migrate.exclusive(self._database):
                tables = _tables(snapshot)
                names = ", ".join(plain_postgres.quoted(table.name) for table in tables)
                snapshot.execute(text(f"LOCK TABLE {names} IN ACCESS SHARE MODE"))
            self._add_manifest(archive, snapshot, tables)
            for table in tables:
                path = folder / "table"
                _copy_table(snapshot, table, path)
                _add_file(archive, TABLES + table.name, path)
            yield snapshot

    def _add_manifest(
        self, archive: ArchiveWriter, snapshot: Connection, tables: list[TableOf]
    ) -> None:
        manifest = Manifest(
            format=FORMAT,
            made_at=timestamp(self._clock()),
            version=VERSION,
            revision=migrate.revision(snapshot) or "",
            engine="sqlite" if self._database.is_sqlite else "postgresql",
            tables=tables,
        )
        archive.add_text(MANIFEST, manifest.model_dump_json())

    def _add_files(self, archive: ArchiveWriter, snapshot: Connection) -> MadeBackup:
        count, missing = 0, []
        for id in stored_files.every_id(snapshot):
            try:
                with errors_of_folder():
                    opened = self._store.open(id)
                with opened as content:
                    archive.add(FILES + id, content, os.fstat(content.fileno()).st_size)
                    count += 1
            except NotFound:
                missing.append(id)
        with self._database.read() as connection:
            # A file that was deleted meanwhile has lost its row first: it is not missing.
            return MadeBackup(count, sorted(stored_files.known(connection, missing)))


def _copy_sqlite(database: Database, path: Path) -> None:
    """Copies on one snapshot; writers go on. Raises StartError for a damaged database."""
    raw = database.engine.raw_connection()
    try:
        with closing(sqlite3.connect(path)) as copy:
            source = raw.driver_connection
            assert isinstance(source, sqlite3.Connection)
            # All pages in one step: in steps it would begin again after each write.
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            [report] = copy.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.DatabaseError, DatabaseError) as error:
        raise StartError(f"The database cannot be copied ({error}).") from error
    finally:
        raw.close()
    if report != "ok":
        raise StartError(f"The database is damaged ({report}); restore an earlier backup.")


def _tables(connection: Connection) -> list[TableOf]:
    """Returns all tables of Lineup, each after the tables that it refers to."""
    schema = inspect(connection)
    # The revision is written by the revisions, also during a restore.
    copied = OWN_TABLES - {"alembic_version"}
    tables = []
    for name, _ in schema.get_sorted_table_and_fkc_names():
        if name in copied:
            columns = [column["name"] for column in schema.get_columns(name)]
            last_id = plain_postgres.last_id(connection, name)
            tables.append(TableOf(name=name, columns=columns, last_id=last_id))
    return tables


def _copy_table(connection: Connection, table: TableOf, path: Path) -> None:
    columns = ", ".join(map(plain_postgres.quoted, table.columns))
    statement = f"COPY {plain_postgres.quoted(table.name)} ({columns}) TO STDOUT"
    with path.open("wb") as file, plain_postgres.cursor_of(connection).copy(statement) as rows:
        for data in rows:
            file.write(data)


def _add_file(archive: ArchiveWriter, name: str, path: Path) -> None:
    with path.open("rb") as content:
        archive.add(name, content, path.stat().st_size)
    # The folder never holds more than one copy.
    path.unlink() if name != SQLITE else None
