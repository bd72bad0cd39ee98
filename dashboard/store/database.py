"""The database: one way to write, one way to read, and what to do when it is busy or away."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dashboard.errors import StorageUnavailable
from dashboard.store.postgres import postgres_engine

Result = TypeVar("Result")

#: How long a write waits for its turn before the caller is told to come again.
LOCK_WAIT_SECONDS = 2.0
RETRY_SECONDS = 0.005
POOL_SIZE = 10
POOL_WAIT_SECONDS = 2

#: PostgreSQL: serialization failure, deadlock.
_RETRIED_SQLSTATES = frozenset({"40001", "40P01"})
#: PostgreSQL: lock timeout, query cancelled, too many connections, disk full, out of memory.
_BUSY_SQLSTATES = frozenset({"55P03", "57014", "53300", "53100", "53200"})

_SQLITE_PRAGMAS = (
    # A new file becomes a WAL database once, and others may be at it at the same moment.
    "PRAGMA busy_timeout=1000",
    "PRAGMA journal_mode=WAL",
    # A 2xx is durable: every commit is on the disk before it is answered.
    "PRAGMA synchronous=FULL",
    # The log grows to 16 MB before it is copied back: pages that change often are copied less.
    "PRAGMA wal_autocheckpoint=4000",
    "PRAGMA foreign_keys=ON",
    # SQLite's own waiting would stop every green thread of the process.
    "PRAGMA busy_timeout=0",
    "PRAGMA cache_size=-65536",
)


class Database:
    """SQLite or PostgreSQL by URL; every driver error leaves here as StorageUnavailable."""

    def __init__(self, url: str, *, sleep: Callable[[float], None] | None = None):
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else postgres_engine(url)
        self._sleep = sleep or (lambda seconds: time.sleep(seconds))

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Runs `work` in one write transaction and gives what it gives.

        `work` may run more than once (a lock was taken, a deadlock was broken, a connection was
        lost), so it must change nothing but the database. On SQLite it must not yield to
        other green threads. Raises StorageUnavailable after 2 s, with nothing stored.
        """
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            try:
                with self.engine.begin() as connection:
                    self._begin(connection, "BEGIN IMMEDIATE")
                    return work(connection)
            except (DBAPIError, PoolTimeoutError) as error:
                if not _may_succeed_later(error):
                    raise _translated(error) from error
                if time.monotonic() > deadline:
                    raise StorageUnavailable() from error
            self._sleep(RETRY_SECONDS * (1 + random.random()))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection on one snapshot, for reading."""
        try:
            with self.engine.begin() as connection:
                self._begin(connection, "BEGIN")
                yield connection
        except (DBAPIError, PoolTimeoutError) as error:
            raise _translated(error) from error

    def is_there(self) -> bool:
        """Whether it answers."""
        try:
            with self.read() as connection:
                connection.exec_driver_sql("SELECT 1")
        except StorageUnavailable:
            return False
        return True

    def close(self) -> None:
        self.engine.dispose()

    def _begin(self, connection: Connection, how: str) -> None:
        """Begins a transaction of this kind; PostgreSQL's driver does so by itself."""
        if self.is_sqlite:
            # Not by a listener for `begin`: each statement would look for listeners, then.
            connection.exec_driver_sql(how)


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": 0, "check_same_thread": False},
        pool_size=POOL_SIZE,
        max_overflow=2 * POOL_SIZE,
        pool_timeout=POOL_WAIT_SECONDS,
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # The driver must not begin transactions by itself: `_begin` says which kind.
        connection.isolation_level = None
        for pragma in _SQLITE_PRAGMAS:
            connection.execute(pragma)

    return engine


def _may_succeed_later(error: Exception) -> bool:
    if isinstance(error, PoolTimeoutError):
        return False
    assert isinstance(error, DBAPIError)
    if error.connection_invalidated:
        return True
    if getattr(error.orig, "sqlstate", None) in _RETRIED_SQLSTATES:
        return True
    return "database is locked" in str(error.orig) or "table is locked" in str(error.orig)


def _translated(error: Exception) -> Exception:
    """StorageUnavailable for what the storage cannot help; else the error itself: a bug of ours."""
    if isinstance(error, IntegrityError):
        return error
    if isinstance(error, PoolTimeoutError | OperationalError):
        return StorageUnavailable()
    assert isinstance(error, DBAPIError)
    sqlstate = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or sqlstate in _BUSY_SQLSTATES:
        return StorageUnavailable()
    # SQLite says "database disk image is malformed" and the like with its base class.
    return StorageUnavailable() if type(error) in (DBAPIError, DatabaseError) else error
