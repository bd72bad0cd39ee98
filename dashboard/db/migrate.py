"""Brings the schema to head (the newest revision): every command does so first, under a lock.

Alembic is imported only when the schema changes: a process that finds it at head does not need it.
"""

import fcntl
import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, event, inspect, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from dashboard import ROOT
from dashboard.db import plain_postgres
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.models.accounts import sources as sources_table
from dashboard.errors import StartError, StorageUnavailable

MIGRATIONS = ROOT / "migrations"
#: PostgreSQL's advisory lock for schema changes; the number is arbitrary.
ADVISORY_LOCK = 7_513_046_120
#: Seconds to wait for another process that changes the schema; more on a starved machine.
LOCK_WAIT_SECONDS = 60
_RETRY_SECONDS = 0.05
_NEWER = "LINEUP_DATABASE_URL: the database was upgraded by a newer Lineup; upgrade Lineup."
_NOT_OURS = (
    "LINEUP_DATABASE_URL: the database holds tables that are not Lineup's; "
    "give Lineup a database of its own."
)
#: Tables of all revisions: other programs also use Alembic.
_FIRST_TABLES = frozenset({"sources", "customers", "threads", "events", "epochs"})
#: Seconds to wait for another process that is closing the SQLite file.
_READ_WAIT_SECONDS = 2


def bring_to_head(database: Database) -> None:
    """Creates or upgrades the tables and adds the built-in source; at head it only checks.

    Raises StartError for a database that is not Lineup's, newer than this Lineup, damaged,
    read-only or unreachable.
    """
    # Even reading the revision needs the lock: a new SQLite file changes to WAL mode when it is
    # first opened, and another process that opens it at that moment finds it locked.
    with exclusive(database):
        if not _is_ready(database):
            _upgrade(database)
        _check_writable(database)


@contextmanager
def exclusive(database: Database) -> Iterator[None]:
    """Holds the lock of schema changes; driver errors inside become StartError.

    Creates the folder of a SQLite file. Raises StartError after 60 s without the lock.
    """
    if database.is_sqlite:
        _make_folder(database)
    with _start_errors(database), _lock(database):
        yield


def head() -> str:
    """Returns the newest revision in `migrations/`, such as "0005"."""
    return max(known_revisions())


def known_revisions() -> frozenset[str]:
    """Returns all revisions in `migrations/`: each file name begins with its own."""
    files = (MIGRATIONS / "versions").glob("[0-9]*.py")
    return frozenset(file.name.partition("_")[0] for file in files)


def revision(connection: Connection) -> str | None:
    """Returns the revision of the database; None for an empty one.

    Raises StartError if it holds tables of another program.
    """
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        return connection.scalar(text("SELECT version_num FROM alembic_version"))
    if tables:
        raise StartError(_NOT_OURS)
    return None


def is_newer(connection: Connection) -> bool:
    """Whether a newer Lineup upgraded the database. Raises StartError if it is not Lineup's."""
    current = revision(connection)
    if current is None or current in known_revisions():
        return False
    if not set(inspect(connection).get_table_names()) >= _FIRST_TABLES:
        raise StartError(_NOT_OURS)
    return True


def change_schema(database: Database, work: Callable[[Connection], object]) -> None:
    """Runs `work`, which changes the schema, in one write transaction, however long it takes.

    SQLite cannot alter a column: Alembic's batch mode copies the table and drops the original.
    Foreign keys are therefore not enforced meanwhile, but checked before the commit, and a copied
    table goes on counting its ids from the original's last one. Call it under `exclusive`. Raises
    StartError, with nothing changed, if a row would refer to a missing one.
    """
    if not database.is_sqlite:
        # No statement is cut off: an index of many rows takes longer than any other write may.
        with plain_postgres.transaction(database.url, "READ COMMITTED") as connection:
            work(connection)
        return

    def checked(connection: Connection) -> None:
        last_ids = _last_ids(connection)
        work(connection)
        _check_foreign_keys(connection)
        _keep_last_ids(connection, last_ids)

    # The pragma has no effect inside a transaction and belongs to a connection. These connections
    # are used for nothing else.
    unenforced = Database(database.url)
    event.listen(unenforced.engine, "connect", _disable_foreign_keys)
    try:
        unenforced.write(checked)
    finally:
        unenforced.close()


def upgrade(connection: Connection, target: str) -> None:
    """Carries out every revision up to `target`, which may be "head"."""
    importlib.import_module("alembic.command").upgrade(_config(connection), target)


def downgrade(connection: Connection, target: str = "base") -> None:
    """Reverts every revision after `target`; "base" reverts all, and with them all data."""
    importlib.import_module("alembic.command").downgrade(_config(connection), target)


def _config(connection: Connection) -> Any:
    config = importlib.import_module("alembic.config").Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _is_ready(database: Database) -> bool:
    for _ in range(round(_READ_WAIT_SECONDS / _RETRY_SECONDS)):
        try:
            return _is_at_head(database)
        except StorageUnavailable as error:
            # The last connection to a SQLite file locks it while it copies the WAL back.
            if "locked" not in _cause(error):
                raise
        time.sleep(_RETRY_SECONDS)
    return _is_at_head(database)


def _is_at_head(database: Database) -> bool:
    with database.read() as connection:
        return (
            revision(connection) == head()
            and sources.named(connection, sources.DASHBOARD) is not None
        )


def _upgrade(database: Database) -> None:
    def write(connection: Connection) -> None:
        if is_newer(connection):
            raise StartError(_NEWER)
        upgrade(connection, "head")
        sources.ensure_dashboard(connection, time.time_ns() // 1_000_000)

    change_schema(database, write)


def _disable_foreign_keys(connection: Any, record: Any) -> None:
    connection.execute("PRAGMA foreign_keys=OFF")


def _check_foreign_keys(connection: Connection) -> None:
    row = connection.execute(text("PRAGMA foreign_key_check")).first()
    if row is not None:
        raise StartError(
            f"LINEUP_DATABASE_URL: the upgrade was undone, because rows of {row.table} would "
            f"refer to missing rows of {row.parent}."
        )


def _last_ids(connection: Connection) -> dict[str, int]:
    """Maps tables to the greatest id they ever gave out (AUTOINCREMENT), deleted rows included."""
    if not inspect(connection).has_table("sqlite_sequence"):
        return {}
    rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence"))
    return {row.name: row.seq for row in rows}


def _keep_last_ids(connection: Connection, before: dict[str, int]) -> None:
    """Restores what copying a table loses: the greatest id ever, if its row is deleted."""
    tables = set(inspect(connection).get_table_names())
    after = _last_ids(connection)
    for name, seq in before.items():
        if name in tables and after.get(name, 0) < seq:
            row = {"name": name, "seq": seq}
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), row)
            connection.execute(text("INSERT INTO sqlite_sequence VALUES (:name, :seq)"), row)


def _check_writable(database: Database) -> None:
    """Raises StartError if an UPDATE of no rows fails: read-only. A locked database passes."""
    no_rows = update(sources_table).where(sources_table.c.id < 0).values(name="")
    try:
        database.write(lambda connection: connection.execute(no_rows))
    except StorageUnavailable as error:
        if "locked" not in _cause(error):
            raise


def _make_folder(database: Database) -> None:
    path = sqlite_file(database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(
            f"The folder {path.parent} cannot be created: {error.strerror}."
        ) from error


def sqlite_file(database: Database) -> Path:
    """Returns the path of a SQLite database."""
    name = make_url(database.url).database or ""
    return Path(name[5:].partition("?")[0] if name.startswith("file:") else name)


@contextmanager
def _lock(database: Database) -> Iterator[None]:
    with _file_lock(database) if database.is_sqlite else _advisory_lock(database):
        yield


@contextmanager
def _file_lock(database: Database) -> Iterator[None]:
    path = sqlite_file(database)
    try:
        lock = path.with_name(path.name + ".lock").open("w")
    except OSError as error:
        raise StartError(f"The folder {path.parent} is read-only: {error.strerror}.") from error
    with lock:
        _wait_for(lambda: _try_flock(lock))
        yield


def _try_flock(lock: IO[Any]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _advisory_lock(database: Database) -> Iterator[None]:
    # The lock belongs to a session, so it has its own connection: the upgrade is a transaction
    # of another one.
    with database.engine.connect() as connection:
        key = {"key": ADVISORY_LOCK}
        lock = text("SELECT pg_try_advisory_lock(:key)")
        unlock = text("SELECT pg_advisory_unlock(:key)")
        _wait_for(lambda: bool(connection.scalar(lock, key)))
        connection.commit()
        try:
            yield
        finally:
            connection.scalar(unlock, key)
            connection.commit()


def _wait_for(is_acquired: Callable[[], bool]) -> None:
    # Tries are counted, not seconds: on a starved machine the other process is as late as this one.
    for _ in range(round(LOCK_WAIT_SECONDS / _RETRY_SECONDS)):
        if is_acquired():
            return
        time.sleep(_RETRY_SECONDS)
    raise StartError("Another process has been changing the database for too long.")


@contextmanager
def _start_errors(database: Database) -> Iterator[None]:
    """Turns driver errors into a StartError of one sentence."""
    try:
        yield
    except (StorageUnavailable, DBAPIError) as error:
        raise StartError(f"LINEUP_DATABASE_URL: {_reason(_cause(error), database)}") from error


def _cause(error: BaseException) -> str:
    driver = error if isinstance(error, DBAPIError) else error.__cause__
    return str(getattr(driver, "orig", driver))


def _reason(cause: str, database: Database) -> str:
    if "readonly" in cause or "read-only" in cause:
        return "the database is read-only."
    if "not a database" in cause or "malformed" in cause:
        return "the file is damaged, or no SQLite database."
    if "unable to open" in cause:
        return "the database file cannot be opened."
    if "locked" in cause:
        return "another program keeps the database locked."
    where = "database" if database.is_sqlite else "PostgreSQL server"
    return f"the {where} cannot be used ({cause.strip().splitlines()[0][:200]})."
