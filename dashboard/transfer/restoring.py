"""Restores a backup: checks it first, then restores all of it in one transaction, or nothing."""

import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sqlalchemy import Connection, delete, inspect, text, update

from dashboard.db import audit, migrate, plain_postgres
from dashboard.db.audit import Actor, Target, add
from dashboard.db.database import Database
from dashboard.db.models.accounts import sessions
from dashboard.db.models.threads import epochs, threads
from dashboard.db.models.views import sorts_version, views_version
from dashboard.db.models.webhooks import outgoing_head
from dashboard.errors import StartError
from dashboard.files.store import FileStore, errors_of_folder
from dashboard.settings import sqlite_url
from dashboard.transfer.backups import (
    FILES,
    OWN_TABLES,
    SQLITE,
    TABLES,
    ArchiveReader,
    Manifest,
    Progress,
    TableOf,
    chunks,
)

#: More changes than a thread can have had since the backup.
REVISIONS = 2**20
#: More rows than a table can have got since then. Ids stay below 2^53; thread ids have 12 digits in
#: Redis.
IDS = 1_000_000_000
IDS_OF_THREADS = 10_000_000
_MISSING_COUNTERS = text(
    "INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_master"
    " WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    " AND name NOT IN (SELECT name FROM sqlite_sequence)"
)


def begin(connection: Connection, now_ms: int) -> None:
    """Begins a new life of a restored database at head, in the transaction that restores it."""
    # Lists in Redis with an epoch that is not here are rebuilt; browsers open them again.
    connection.execute(delete(epochs))
    # From now on all revisions are later than those in Redis and in browsers.
    connection.execute(
        update(threads).values(
            revision=threads.c.revision + REVISIONS,
            placed_revision=threads.c.placed_revision + REVISIONS,
        )
    )
    # A chatbot may go on with a cursor from after the backup. Positions grow by one an event, far
    # slower than milliseconds pass: all earlier positions are below the current time.
    position = outgoing_head.c.position
    connection.execute(update(outgoing_head).where(position < now_ms).values(position=now_ms))
    connection.execute(update(views_version).values(version=views_version.c.version + REVISIONS))
    connection.execute(update(sorts_version).values(token=secrets.token_hex(16)))
    # Some of these sessions may have been ended since the backup.
    connection.execute(delete(sessions))


def skip_ids(connection: Connection, last_ids: dict[str, int]) -> None:
    """Makes new ids begin far above the backup's ids; `last_ids`: the last id of each table."""
    if connection.dialect.name == "sqlite":
        # A table that never had a row has no counter yet.
        connection.execute(_MISSING_COUNTERS)
        connection.execute(
            text(
                "UPDATE sqlite_sequence SET seq = seq +"
                " CASE name WHEN 'threads' THEN :threads ELSE :others END"
            ),
            {"threads": IDS_OF_THREADS, "others": IDS},
        )
        return
    for table in OWN_TABLES.intersection(inspect(connection).get_table_names()):
        sequence = plain_postgres.sequence_of(connection, table)
        if sequence is None:
            continue
        column = plain_postgres.quoted(sequence.column)
        rows = text(f"SELECT max({column}) FROM {plain_postgres.quoted(table)}")
        last_id = max(connection.scalar(rows) or 0, last_ids.get(table, 0))
        step = IDS_OF_THREADS if table == "threads" else IDS
        plain_postgres.set_last_id(connection, sequence, last_id + step)


#: Rows in one of these mean that a database is in use.
_USED = ("admins", "api_keys", "events", "webhooks", "audit_log")
#: Longest wait for other programs that hold the lock of a SQLite file.
LOCK_WAIT_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
#: The functions that revisions make.
_FUNCTIONS = ("audit_log_refuse",)


class Restored(NamedTuple):
    """The contents of a restored backup, and the tables in it that are not Lineup's."""

    manifest: Manifest
    files: int
    left_out: list[str]


class Restorer:
    """Restores into a database of any revision, or an empty one; `clock` gives milliseconds."""

    def __init__(
        self, database: Database, store: FileStore, clock: Callable[[], int], actor: Actor
    ):
        self._database = database
        self._store = store
        self._clock = clock
        self._actor = actor

    def restore(
        self, archive: ArchiveReader, *, force: bool, progress: Progress = lambda count: None
    ) -> Restored:
        """Restores a backup, and brings the schema to head.

        Without `force` the database must not be in use; with it, all its content is replaced.
        Raises StartError, with nothing changed.
        """
        manifest = archive.manifest()
        self._check(manifest)
        files = archive.verify(progress)
        with migrate.exclusive(self._database):
            self._check_place(force)
            if self._database.is_sqlite:
                self._restore_sqlite(archive, manifest)
            else:
                self._restore_postgres(archive, manifest)
        others = {table.name for table in manifest.tables} - OWN_TABLES
        return Restored(manifest, files, sorted(others))

    def _check(self, manifest: Manifest) -> None:
        mine = "sqlite" if self._database.is_sqlite else "postgresql"
        if manifest.engine != mine:
            names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
            raise StartError(
                f"This is a backup of {names[manifest.engine]}, and LINEUP_DATABASE_URL is "
                f"{names[mine]}. Restore it there; `export` and `import` take the "
                "events from one to the other."
            )
        if manifest.revision not in migrate.known_revisions():
            raise StartError(
                f"The backup was made by a newer Lineup ({manifest.version}, schema "
                f"{manifest.revision}); upgrade Lineup."
            )

    def _check_place(self, force: bool) -> None:
        with self._database.read() as connection:
            tables = set(inspect(connection).get_table_names())
            unknown = sorted(tables - OWN_TABLES)
            if migrate.is_newer(connection) and unknown and not self._database.is_sqlite:
                raise StartError(
                    "The database was upgraded by a newer Lineup, whose tables this one does not "
                    f"know ({', '.join(unknown)}). Give LINEUP_DATABASE_URL an empty one."
                )
            if migrate.revision(connection) is None or force:
                return
            for table in tables.intersection(_USED):
                if connection.scalar(text(f"SELECT EXISTS (SELECT 1 FROM {table})")):
                    raise StartError(
                        "The database is in use. Give LINEUP_DATABASE_URL an empty one; --force "
                        "replaces the contents of this one; Lineup must not be running."
                    )

    def _restore_sqlite(self, archive: ArchiveReader, manifest: Manifest) -> None:
        """Brings a copy to head beside the database, and writes it there in one transaction."""
        beside = migrate.sqlite_file(self._database).parent
        try:
            with tempfile.TemporaryDirectory(prefix=".restore-", dir=beside) as folder:
                path = Path(folder, SQLITE)
                self._unpack(archive, path)
                copy = Database(sqlite_url(path))
                try:
                    migrate.bring_to_head(copy)
                    copy.write(lambda connection: self._begin(connection, manifest))
                finally:
                    copy.close()
                _write_sqlite(path, self._database)
        except OSError as error:
            raise StartError(f"{beside} cannot be written: {error.strerror or error}.") from error

    def _unpack(self, archive: ArchiveReader, path: Path) -> None:
        """Writes the database to `path`, and puts the files into their place."""
        for name, content in archive.contents():
            if name == SQLITE:
                with path.open("wb") as file:
                    for data in chunks(content):
                        file.write(data)
            else:
                self._keep_file(name, content)

    def _restore_postgres(self, archive: ArchiveReader, manifest: Manifest) -> None:
        by_name = {table.name: table for table in manifest.tables if table.name in OWN_TABLES}
        with plain_postgres.transaction(self._database.url, "READ COMMITTED") as connection:
            _drop_all(connection)
            migrate.upgrade(connection, manifest.revision)
            for name in reversed(by_name):
                _empty(connection, name)
            for name, content in archive.contents():
                table = by_name.get(name.removeprefix(TABLES))
                if table is not None:
                    _fill(connection, table, content)
                elif name.startswith(FILES):
                    self._keep_file(name, content)
            migrate.upgrade(connection, "head")
            self._begin(connection, manifest)

    def _keep_file(self, name: str, content: BinaryIO) -> None:
        """Stores a file before its row: an interrupted restore leaves a content without a row."""
        with errors_of_folder(), self._store.incoming() as folder:
            path = folder / "restored"
            self._store.write(path, chunks(content))
            self._store.keep(path, name.removeprefix(FILES))

    def _begin(self, connection: Connection, manifest: Manifest) -> None:
        now = self._clock()
        begin(connection, now)
        ids = {table.name: table.last_id for table in manifest.tables if table.last_id is not None}
        skip_ids(connection, ids)
        details = {"made_at": manifest.made_at, "version": manifest.version}
        add(connection, now, self._actor, audit.BACKUP_RESTORED, Target(None), details)


def _write_sqlite(path: Path, database: Database) -> None:
    """Replaces the database's content in one transaction: other processes see all of it or none."""
    deadline = time.monotonic() + LOCK_WAIT_SECONDS

    def check(status: int, remaining: int, total: int) -> None:
        if time.monotonic() > deadline and remaining == total:
            raise StartError("Another program keeps the database locked; nothing was changed.")

    raw = database.engine.raw_connection()
    try:
        with closing(sqlite3.connect(path)) as copy:
            target = raw.driver_connection
            assert isinstance(target, sqlite3.Connection)
            copy.backup(target, progress=check, sleep=_PAUSE_SECONDS)
    except sqlite3.DatabaseError as error:
        raise StartError(f"The database cannot be written ({error}).") from error
    finally:
        raw.close()


def _drop_all(connection: Connection) -> None:
    """Drops all tables and functions of revisions, and nothing else."""
    for table in OWN_TABLES.intersection(inspect(connection).get_table_names()):
        connection.execute(text(f"DROP TABLE IF EXISTS {plain_postgres.quoted(table)} CASCADE"))
    for function in _FUNCTIONS:
        connection.execute(text(f"DROP FUNCTION IF EXISTS {function} CASCADE"))


def _empty(connection: Connection, table: str) -> None:
    """Deletes the rows that revisions add to a new database."""
    name = plain_postgres.quoted(table)
    # Not if there are none: the audit log, which is empty, refuses any deletion.
    if connection.scalar(text(f"SELECT EXISTS (SELECT 1 FROM {name})")):
        connection.execute(text(f"DELETE FROM {name}"))


def _fill(connection: Connection, table: TableOf, content: BinaryIO) -> None:
    columns = ", ".join(map(plain_postgres.quoted, table.columns))
    statement = f"COPY {plain_postgres.quoted(table.name)} ({columns}) FROM STDIN"
    with plain_postgres.cursor_of(connection).copy(statement) as rows:
        for data in chunks(content):
            rows.write(data)
