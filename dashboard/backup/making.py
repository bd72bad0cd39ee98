"""Makes a backup: a snapshot of the database, then the contents of the files in it."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import DatabaseError

from dashboard.backup.archive import (
    FILES,
    FORMAT,
    MANIFEST,
    SQLITE,
    TABLES,
    ArchiveWriter,
    Manifest,
    Progress,
    TableOf,
)
from dashboard.db import files as stored_files
from dashboard.db import migrate, plain_postgres
from dashboard.db.database import Database
from dashboard.db.outbox.outgoing import timestamp
from dashboard.errors import NotFound, StartError
from dashboard.files.store import FileStore
from dashboard.protocol import VERSION

#: Set by migrations; a restore writes it by itself.
NOT_COPIED = frozenset({"alembic_version"})


class MadeBackup(NamedTuple):
    """How many files are in it, and the ids of those without content that could be copied."""

    files: int
    missing: list[str]


class BackupMaker:
    """Copies a database at head and the contents of `store`; `clock` gives milliseconds.

    Files come after the snapshot. A content is stored before its row, so each that the snapshot
    names exists, unless it was deleted since.
    """

    def __init__(self, database: Database, store: FileStore, clock: Callable[[], int]):
        self._database = database
        self._store = store
        self._clock = clock

    def make(
        self, out: BinaryIO, folder: Path, progress: Progress = lambda count: None
    ) -> MadeBackup:
        """Writes the backup; `folder` is for copies that are needed meanwhile.

        Raises StartError, and OSError where `out` or the folder cannot be written.
        """
        archive = ArchiveWriter(out, progress)
        made = self._sqlite if self._database.is_sqlite else self._postgres
        with made(archive, folder) as snapshot:
            found = self._add_files(archive, snapshot)
        archive.close()
        return found

    @contextmanager
    def _sqlite(self, archive: ArchiveWriter, folder: Path) -> Iterator[Connection]:
        path = folder / SQLITE
        _copy_sqlite(self._database, path)
        engine = create_engine(f"sqlite:///{path}")
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
            # No table is altered before it is locked, and none is while it is locked.
            with migrate.exclusive(self._database):
                tables = _tables(snapshot)
                names = ", ".join(plain_postgres.quoted(each.name) for each in tables)
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
                with self._store.open(id) as content:
                    archive.add(FILES + id, content, os.fstat(content.fileno()).st_size)
                    count += 1
            except NotFound:
                missing.append(id)
        with self._database.read() as connection:
            # Of what was deleted meanwhile, the row went first.
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
            [found] = copy.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.DatabaseError, DatabaseError) as error:
        raise StartError(f"The database cannot be copied ({error}).") from error
    finally:
        raw.close()
    if found != "ok":
        raise StartError(f"The database is damaged ({found}); restore an earlier backup.")


def _tables(connection: Connection) -> list[TableOf]:
    """All tables of Lineup, those that others refer to before these."""
    found = inspect(connection)
    made = []
    for name, _ in found.get_sorted_table_and_fkc_names():
        if name is not None and name not in NOT_COPIED:
            columns = [column["name"] for column in found.get_columns(name)]
            last_id = plain_postgres.last_id(connection, name, columns)
            made.append(TableOf(name=name, columns=columns, last_id=last_id))
    return made


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
