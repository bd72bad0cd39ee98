"""The database: one way to write, one way to read, and the translation of driver errors."""

import importlib
import math
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    create_engine,
    delete,
    event,
    false,
    insert,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dashboard.db.models.threads import epochs
from dashboard.errors import OutcomeUnknown, StorageUnavailable
from dashboard.turns import WaitReady, turns

#: Seconds between two checkpoints.
CHECKPOINT_SECONDS = 5.0
#: From this many pages (of 4 KiB) on, the log is restarted. SQLite restarts a shorter one by itself
#: at a checkpoint without a concurrent commit.
RESTART_PAGES = 4_000
#: From this many pages on, a commit makes a checkpoint after all: in a process that makes no
#: others, or while somebody has been reading the log for long.
COMMIT_PAGES = 16_000
#: PostgreSQL runs a long statement on one processor, so that it leaves others to events; it sorts
#: and hashes in memory, and does not compile, which takes longer than it saves.
_BESIDE = (
    "SET LOCAL max_parallel_workers_per_gather = 0; "
    "SET LOCAL work_mem = '64MB'; SET LOCAL jit = off"
)


def stamp(path: str) -> tuple[int, int] | None:
    """Returns a value that differs after each commit; None if there is no log."""
    with suppress(OSError):
        stat = os.stat(f"{path}-wal")
        return stat.st_mtime_ns, stat.st_size
    return None


def checkpoint(path: str) -> bool:
    """Copies the log of the database at `path` into it; others commit meanwhile. Returns whether
    all of it is copied.

    If the log is long, commits wait while the last pages are copied. Then it is written from its
    beginning, unless somebody reads it. Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        _, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages >= RESTART_PAGES:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
    return bool(pages == copied)


def empty(path: str) -> bool:
    """Copies the log of the database at `path` into it and empties it; False if it is in use.

    Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy


Result = TypeVar("Result")

#: Seconds that a write waits for the lock before it raises StorageUnavailable.
LOCK_WAIT_SECONDS = 2.0
RETRY_SECONDS = 0.005
#: Tries of a write that conflicts with others, also beyond LOCK_WAIT_SECONDS: PostgreSQL needs a
#: second to notice a deadlock, and the transaction that it ends has lost nothing but time.
CONFLICT_TRIES = 3
#: Tries of a write that finds SQLite locked. SQLite reports it at once, but on a starved machine
#: the time is over after one or two tries.
LOCKED_TRIES = 20
POOL_SIZE = 10
POOL_WAIT_SECONDS = 2

#: PostgreSQL: serialization failure, deadlock.
_CONFLICT_SQLSTATES = frozenset({"40001", "40P01"})
#: PostgreSQL: another transaction has a lock that a statement does not wait for, or for which it
#: has waited for LOCK_WAIT_SECONDS.
_LOCK_TAKEN_SQLSTATE = "55P03"
#: PostgreSQL: lock timeout, query cancelled, too many connections. Others hold the resource.
_BUSY_SQLSTATES = frozenset({_LOCK_TAKEN_SQLSTATE, "57014", "53300"})
#: PostgreSQL takes no writes: read-only (also in recovery), no rights (also to sign in). Classes:
#: no resources (disk or table space full), an operator, a system error, damaged data.
_REFUSING_SQLSTATES = frozenset({"25006", "42501", "28000", "28P01"})
_REFUSING_CLASSES = frozenset({"53", "57", "58", "XX"})
#: Rows that a trial stores and deletes: they need pages that a full disk does not have.
_TRIAL_ROWS = 100
#: In seconds: interval of trials while writes are refused, how long a good trial counts, and how
#: long a trial waits for a lock.
TRIAL_SECONDS = 1.0
_GOOD_TRIAL_SECONDS = 5.0
_TRIAL_WAIT_SECONDS = 0.25
#: Tables and sequences of PostgreSQL that the role may not write.
_LACKED_RIGHTS = """
SELECT count(*) FROM pg_class AS it
WHERE it.relnamespace = current_schema()::regnamespace AND it.relname <> 'alembic_version'
AND CASE it.relkind
  WHEN 'r' THEN NOT (has_table_privilege(it.oid, 'INSERT') AND has_table_privilege(it.oid, 'UPDATE')
    AND has_table_privilege(it.oid, 'DELETE'))
  WHEN 'S' THEN NOT has_sequence_privilege(it.oid, 'USAGE')
  ELSE false END
"""

_SQLITE_PRAGMAS = (
    # Changing a new file to WAL mode takes a lock that another process may hold.
    "PRAGMA busy_timeout=1000",
    "PRAGMA journal_mode=WAL",
    # A 2xx is durable: every commit is on the disk before the response.
    "PRAGMA synchronous=FULL",
    f"PRAGMA wal_autocheckpoint={COMMIT_PAGES}",
    "PRAGMA foreign_keys=ON",
    # Deleted and replaced data is overwritten: deleting a person leaves no copies in free space.
    "PRAGMA secure_delete=ON",
    # SQLite's own waiting would stop every green thread of the process.
    "PRAGMA busy_timeout=0",
    "PRAGMA cache_size=-16384",
)


class Database:
    """SQLite or PostgreSQL by URL. Raises StorageUnavailable if it is busy or unreachable."""

    def __init__(
        self,
        url: str,
        *,
        sleep: Callable[[float], None] | None = None,
        wait_ready: WaitReady | None = None,
        offload: Callable[..., Any] = lambda work, *arguments: work(*arguments),
    ):
        """Sets how green threads wait for PostgreSQL (`wait_ready`), and how they run long work of
        SQLite elsewhere (`offload(function, *arguments)`)."""
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else _postgres_engine(url, wait_ready)
        #: On PostgreSQL a read without a transaction is one round trip, and not three.
        self._reading = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        )
        #: The engine for requests: other green threads run between two statements.
        self._yielding = self._reading.execution_options()
        event.listen(self._yielding, "before_cursor_execute", lambda *_: turns.step())
        self._sleep = sleep or (lambda seconds: time.sleep(seconds))
        self._offload = offload
        #: Held while a long statement runs.
        self._one_beside = threading.Lock()
        self._copied_log: tuple[int, int] | None = None
        #: Whether a write was refused although no other connection held what it needed: the
        #: database is read-only, full or away. Stays so until a trial succeeds.
        self.refuses_writes = False
        self._tried_at = -math.inf

    def write(
        self,
        work: Callable[[Connection], Result],
        *,
        is_idempotent: bool = False,
        wait_seconds: float = LOCK_WAIT_SECONDS,
    ) -> Result:
        """Runs `work` in one write transaction and returns its result.

        `work` may run more than once (a lock was taken, a deadlock was broken, a connection was
        lost), so it must change nothing but the database. On SQLite it must not yield to other
        green threads. Raises StorageUnavailable after `wait_seconds` (after 3 tries, if deadlocks
        were broken), with nothing stored.

        If the connection is lost during the COMMIT, `work` may have been stored: it runs again if
        it `is_idempotent` (a second run changes nothing, and its result serves as well). Otherwise,
        and if the repeated run fails, OutcomeUnknown is raised.
        """
        turns.step()
        deadline = time.monotonic() + wait_seconds
        tries, was_lost = 0, False
        while True:
            tries += 1
            is_committing = False
            try:
                with turns.holding_lock(), self.engine.begin() as connection:
                    self._begin(connection, "BEGIN IMMEDIATE")
                    result = work(connection)
                    is_committing = True
                return result
            except (DBAPIError, PoolTimeoutError) as error:
                is_lost = getattr(error, "connection_invalidated", False)
                was_lost = was_lost or (is_lost and is_committing)
                if was_lost and not is_idempotent:
                    raise OutcomeUnknown() from error
                is_last = time.monotonic() > deadline and tries >= _least_tries(error)
                if is_last or not _may_succeed_later(error):
                    raise self._noted(error, was_lost) from error
            self._sleep(RETRY_SECONDS * (1 + random.random()))

    @contextmanager
    def read(self, *, in_transaction: bool = False) -> Iterator[Connection]:
        """Opens a connection for reading: on one snapshot of SQLite; on PostgreSQL each statement
        sees what is committed before it. Raises StorageUnavailable.

        In a request other green threads may run before each statement. `in_transaction`: PostgreSQL
        begins a transaction, too, for `SET LOCAL`; no green threads run in it.
        """
        # Only in requests: the listener that calls `step` makes each statement a little slower.
        engine = self._yielding if turns.is_working() else self._reading
        try:
            with (self.engine if in_transaction else engine).begin() as connection:
                self._begin(connection, "BEGIN")
                yield connection
        except (DBAPIError, PoolTimeoutError) as error:
            raise _translated(error) from error

    def read_beside(self, statement: Select[Any]) -> Sequence[Sequence[Any]]:
        """Returns the rows of a long statement, as the driver's values. On SQLite, which would stop
        all green threads of the process, it is offloaded, over a connection of its own. A process
        runs one at a time, so that many leave processors to events. Raises StorageUnavailable."""
        with self._one_beside:
            if not self.is_sqlite:
                with self.read(in_transaction=True) as connection:
                    connection.exec_driver_sql(_BESIDE)
                    return connection.execute(statement).all()
            literal = statement.compile(self.engine, compile_kwargs={"literal_binds": True})
            rows: Sequence[Sequence[Any]] = self._beside(_all_rows, str(literal))
            return rows

    def checkpoint(self) -> None:
        """Copies SQLite's log into the database, beside other work, if the log has changed;
        PostgreSQL does so by itself. Raises StorageUnavailable."""
        log = stamp(str(self.engine.url.database)) if self.is_sqlite else None
        if self.is_sqlite and (log is None or log != self._copied_log):
            self._copied_log = log if self._beside(checkpoint) else None

    def empty_log(self) -> bool:
        """Copies SQLite's log into the database and empties it, beside other work; False if the log
        is in use. Raises StorageUnavailable."""
        return bool(self._beside(empty))

    def is_there(self) -> bool:
        """Whether the database answers a query."""
        try:
            with self.read() as connection:
                connection.exec_driver_sql("SELECT 1")
        except StorageUnavailable:
            return False
        return True

    def takes_writes(self) -> bool:
        """Whether a write would be stored now, according to a trial of the last 5 s."""
        if not self.refuses_writes and time.monotonic() > self._tried_at + _GOOD_TRIAL_SECONDS:
            self.try_writing()
        return not self.refuses_writes

    def watch_writes(self) -> None:
        """Tries writing while writes are refused; else checks now and then, at no cost for the
        disk, whether the database is read-only. Call it each second; never raises."""
        if self.refuses_writes:
            self.try_writing()
        elif time.monotonic() > self._tried_at + _GOOD_TRIAL_SECONDS:
            self._tried_at = time.monotonic()
            with suppress(StorageUnavailable):
                self.write(_write_nothing, wait_seconds=0)

    def try_writing(self) -> None:
        """Finds out whether writes are refused, by storing and deleting rows. If others hold a
        lock, the earlier result stays."""
        self._tried_at = time.monotonic()
        token = os.urandom(8).hex()
        names = [f"trial:{token}:{at}" for at in range(_TRIAL_ROWS)]

        def write(connection: Connection) -> bool:
            rows = [{"list_id": name, "epoch": token * 4} for name in names]
            connection.execute(insert(epochs), rows)
            connection.execute(delete(epochs).where(epochs.c.list_id.in_(names)))
            if self.is_sqlite:
                return True
            return connection.exec_driver_sql(_LACKED_RIGHTS).scalar_one() == 0

        with suppress(StorageUnavailable):
            may_write = self.write(write, is_idempotent=True, wait_seconds=_TRIAL_WAIT_SECONDS)
            self.refuses_writes = not may_write

    def server_ms(self) -> float:
        """Returns the PostgreSQL server's time, in ms since 1970. Raises StorageUnavailable.

        SQLite has no clock of its own.
        """
        with self.read() as connection:
            epoch = connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())")
            return float(epoch.scalar_one()) * 1000

    def close(self) -> None:
        self.engine.dispose()

    def _noted(self, error: Exception, was_lost: bool) -> Exception:
        """Translates a driver's error into ours; records if it says that writes are refused.
        `was_lost`: a try may have been stored, as its connection was lost during the COMMIT."""
        translated = _translated(error)
        if isinstance(translated, StorageUnavailable) and not _is_of_others(error):
            self.refuses_writes = True
        is_unknown = was_lost and isinstance(translated, StorageUnavailable)
        return OutcomeUnknown() if is_unknown else translated

    def _beside(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Runs `work(path, *arguments)`, which opens its own connection to SQLite."""
        try:
            return self._offload(work, self.engine.url.database, *arguments)
        except sqlite3.Error as error:
            raise StorageUnavailable() from error

    def _begin(self, connection: Connection, how: str) -> None:
        """Begins a transaction by the statement `how`; PostgreSQL's driver does so by itself."""
        if self.is_sqlite:
            # Not by a listener for `begin`, which would slow down each statement.
            connection.exec_driver_sql(how)


def _write_nothing(connection: Connection) -> None:
    """Runs an UPDATE of no rows, which fails on a read-only database."""
    connection.execute(update(epochs).where(false()).values(epoch=""))


def _all_rows(path: str, text: str) -> list[Sequence[Any]]:
    # It may wait: it runs beside all else.
    with closing(sqlite3.connect(path, timeout=LOCK_WAIT_SECONDS)) as connection:
        return connection.execute(text).fetchall()


def _postgres_engine(url: str, wait_ready: WaitReady | None) -> Engine:
    # A process with SQLite does not need the driver, which takes 8 MB.
    return importlib.import_module("dashboard.db.postgres").postgres_engine(url, wait_ready)


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": 0, "check_same_thread": False},
        pool_size=POOL_SIZE,
        max_overflow=2 * POOL_SIZE,
        pool_timeout=POOL_WAIT_SECONDS,
        # Each connection has a cache of pages. Last in, first out: few caches are used, and those
        # fill.
        pool_use_lifo=True,
        # Otherwise an error's text, which is logged, contains the values of the statement.
        hide_parameters=True,
    )

    @event.listens_for(engine, "do_connect")
    def make_private(dialect: Any, record: Any, args: list[Any], kwargs: Any) -> None:
        if not kwargs.get("uri"):
            _make_private(Path(args[0]))

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        # The driver must not begin transactions by itself: `_begin` does.
        connection.isolation_level = None
        for pragma in _SQLITE_PRAGMAS:
            connection.execute(pragma)

    return engine


def _make_private(path: Path) -> None:
    """Lets only the owner read the files; SQLite gives new logs the mode of the database.

    An existing file is never opened here: closing it would drop the locks of all connections of
    this process (SQLite, "How To Corrupt An SQLite Database File", section 2.2).
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(OSError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)


def _may_succeed_later(error: Exception) -> bool:
    if isinstance(error, PoolTimeoutError):
        return False
    assert isinstance(error, DBAPIError)
    if error.connection_invalidated:
        return True
    return _is_conflict(error) or _is_locked(error) or _sqlstate(error) == _LOCK_TAKEN_SQLSTATE


def _least_tries(error: Exception) -> int:
    """Returns how often a write is tried at least, even after its time is over."""
    if _is_conflict(error):
        return CONFLICT_TRIES
    return LOCKED_TRIES if _is_locked(error) else 1


def _is_locked(error: Exception) -> bool:
    """Whether another connection to SQLite is writing."""
    origin = str(getattr(error, "orig", None))
    return "database is locked" in origin or "table is locked" in origin


def _is_of_others(error: Exception) -> bool:
    """Whether others hold what a write needs: a lock or a connection."""
    if isinstance(error, PoolTimeoutError) or _is_conflict(error) or _is_locked(error):
        return True
    return _sqlstate(error) in _BUSY_SQLSTATES


def _sqlstate(error: Exception) -> str:
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def _is_conflict(error: Exception) -> bool:
    """Whether PostgreSQL ended this transaction so that another one could go on."""
    return _sqlstate(error) in _CONFLICT_SQLSTATES


def _translated(error: Exception) -> Exception:
    """Returns StorageUnavailable for errors of the storage; else the error itself."""
    if isinstance(error, IntegrityError):
        return error
    if isinstance(error, PoolTimeoutError | OperationalError):
        return StorageUnavailable()
    assert isinstance(error, DBAPIError)
    sqlstate = _sqlstate(error)
    if error.connection_invalidated or sqlstate in _BUSY_SQLSTATES | _CONFLICT_SQLSTATES:
        return StorageUnavailable()
    if sqlstate in _REFUSING_SQLSTATES or sqlstate[:2] in _REFUSING_CLASSES:
        return StorageUnavailable()
    # SQLite raises the base class for errors such as "database disk image is malformed".
    return StorageUnavailable() if type(error) in (DBAPIError, DatabaseError) else error
