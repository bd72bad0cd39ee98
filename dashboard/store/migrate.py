"""Brings the schema to head: every command does so first, under a lock."""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from dashboard.errors import StartError, StorageUnavailable
from dashboard.store import models, sources
from dashboard.store.database import Database

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"
#: PostgreSQL: the advisory lock that is held while the schema changes; any number of our own.
ADVISORY_LOCK = 7_513_046_120
#: How long another process may take to bring the schema to head.
LOCK_WAIT_SECONDS = 60
_TRY_AGAIN_SECONDS = 0.05
#: How long a file may be held by another that just closes it.
_READ_WAIT_SECONDS = 2


def bring_to_head(database: Database) -> None:
    """Creates or upgrades the tables and makes the built-in source; takes no time at head.

    Raises StartError for a database that is not ours, newer than us, damaged, read-only or away.
    """
    if database.is_sqlite:
        _make_folder(database)
    # Looking needs the lock, too: a new SQLite file turns to WAL when it is first opened, and
    # whoever opens it at that moment finds it locked.
    with _start_errors(database), _lock(database):
        if not _is_ready(database):
            _upgrade(database)
        _check_writable(database)


def head() -> str:
    """The newest revision that there is."""
    newest = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert newest is not None, "migrations/ has no revision"
    return newest


def revision(connection: Connection) -> str | None:
    """The revision that the database stands at; None for an empty one."""
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        return connection.scalar(text("SELECT version_num FROM alembic_version"))
    if tables:
        raise StartError(
            "LINEUP_DATABASE_URL: the database holds tables that are not Lineup's; "
            "give Lineup a database of its own."
        )
    return None


def downgrade(connection: Connection) -> None:
    """Takes back every revision, and with them all data."""
    command.downgrade(_config(connection), "base")


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _is_ready(database: Database) -> bool:
    deadline = time.monotonic() + _READ_WAIT_SECONDS
    while True:
        try:
            return _is_at_head(database)
        except StorageUnavailable as error:
            # Whoever closes a SQLite file last holds it for a moment, to empty its log.
            if "locked" not in _cause(error) or time.monotonic() > deadline:
                raise
        time.sleep(_TRY_AGAIN_SECONDS)


def _is_at_head(database: Database) -> bool:
    with database.read() as connection:
        return (
            revision(connection) == head()
            and sources.named(connection, sources.DASHBOARD) is not None
        )


def _upgrade(database: Database) -> None:
    known = {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}

    def write(connection: Connection) -> None:
        current = revision(connection)
        if current is not None and current not in known:
            raise StartError(
                "LINEUP_DATABASE_URL: the database was made by a newer Lineup; upgrade Lineup."
            )
        command.upgrade(_config(connection), "head")
        sources.ensure_dashboard(connection, time.time_ns() // 1_000_000)

    database.write(write)


def _check_writable(database: Database) -> None:
    """Writing nothing fails on what is read-only; being locked is no failure."""
    nothing = update(models.sources).where(models.sources.c.id < 0).values(name="")
    try:
        database.write(lambda connection: connection.execute(nothing))
    except StorageUnavailable as error:
        if "locked" not in _cause(error):
            raise


def _make_folder(database: Database) -> None:
    path = _file(database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"The folder {path.parent} cannot be made: {error.strerror}.") from error


def _file(database: Database) -> Path:
    name = make_url(database.url).database or ""
    return Path(name.removeprefix("file:").partition("?")[0])


@contextmanager
def _lock(database: Database) -> Iterator[None]:
    with _file_lock(database) if database.is_sqlite else _advisory_lock(database):
        yield


@contextmanager
def _file_lock(database: Database) -> Iterator[None]:
    path = _file(database)
    try:
        lock = path.with_name(path.name + ".lock").open("w")
    except OSError as error:
        raise StartError(f"The folder {path.parent} is read-only: {error.strerror}.") from error
    with lock:
        _wait_for(lambda: _try_flock(lock))
        yield


def _try_flock(lock) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _advisory_lock(database: Database) -> Iterator[None]:
    # A session's lock, on a connection of its own: the upgrade itself is another transaction.
    with database.engine.connect() as connection:
        key = {"key": ADVISORY_LOCK}
        take = text("SELECT pg_try_advisory_lock(:key)")
        give = text("SELECT pg_advisory_unlock(:key)")
        _wait_for(lambda: bool(connection.scalar(take, key)))
        connection.commit()
        try:
            yield
        finally:
            connection.scalar(give, key)
            connection.commit()


def _wait_for(taken: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LOCK_WAIT_SECONDS
    while not taken():
        if time.monotonic() > deadline:
            raise StartError("Another process has been changing the database for too long.")
        time.sleep(_TRY_AGAIN_SECONDS)


@contextmanager
def _start_errors(database: Database) -> Iterator[None]:
    """What the driver says, as one sentence for the person who starts us."""
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
