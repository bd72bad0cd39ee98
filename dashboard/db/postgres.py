"""Connections to PostgreSQL on which every wait is bounded."""

import select
import time
from functools import partial
from traceback import clear_frames
from typing import Any, cast

import psycopg
from psycopg.abc import RV, PQGen, PyFormat
from psycopg.adapt import Dumper
from psycopg.types.numeric import Int4, Int4Dumper, IntDumper
from psycopg.waiting import Ready
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import InvalidatePoolError

from dashboard.turns import WaitReady

_OPTIONS = "-c lock_timeout=2000 -c statement_timeout=15000 -c timezone=UTC"
_CONNECT_SECONDS = 3
#: A quiet connection says by packets of its own that it is open: routers forget silent ones.
_KEEPALIVE = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 3}
POOL_SIZE = 10
POOL_WAIT_SECONDS = 2
#: The longest wait for the server, longer than statement_timeout: only a frozen server exceeds it.
SILENCE_SECONDS = 17.0
#: A connection that was used this recently is not asked whether its server is still there, unless
#: the server has sent something since: the end of a connection arrives by itself.
USED_SECONDS = 5.0
#: The longest wait for the answer whether it is still there.
PING_SECONDS = 2.0


class _FewTypesDumper(IntDumper):
    """Sends no number as `smallint`. PostgreSQL plans a statement anew for each combination of the
    types of its parameters, and the driver chooses these by the size of each number."""

    _integer = Int4Dumper(Int4)

    def upgrade(self, obj: int, format: PyFormat) -> Dumper:
        is_small = -(2**15) <= obj < 2**15
        return self._integer if is_small else super().upgrade(obj, format)


class BoundedConnection(psycopg.Connection[Any]):
    """Gives up on a server that sends nothing for `SILENCE_SECONDS`."""

    #: Waits in a process with green threads; None: the driver waits by itself.
    wait_ready: WaitReady | None = None
    #: Replaces `SILENCE_SECONDS` for a statement that takes longer and sends nothing meanwhile.
    silence_seconds: float | None = None
    #: When the connection went back to the pool, or was made.
    used_at = 0.0

    def is_surely_open(self) -> bool:
        """Whether it was used a moment ago, and nothing has come from its server since."""
        is_recent = time.monotonic() <= self.used_at + USED_SECONDS
        return is_recent and not self._has_input()

    def _has_input(self) -> bool:
        descriptor = self.pgconn.socket
        if self.wait_ready is None:
            # A process patched for green threads has no `poll`.
            return bool(select.select([descriptor], [], [], 0)[0])
        # It can be written to, so this does not wait.
        return bool(self.wait_ready(descriptor, Ready.RW, 0.0) & Ready.R)

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        try:
            bound = (self.silence_seconds or SILENCE_SECONDS) if timeout is None else timeout
            if self.wait_ready is None:
                return super().wait(gen, interval, bound)
            return _wait(gen, self.pgconn.socket, self.wait_ready, bound)
        except psycopg.OperationalError:
            if timeout is None and self.pgconn.transaction_status == _ACTIVE:
                # A late answer must not reach the next user of this connection.
                self.close()
            raise


def _wait(gen: PQGen[RV], descriptor: int, wait_ready: WaitReady, seconds: float) -> RV:
    """Runs a generator of the driver, which yields the events to wait for; returns its result."""
    deadline = time.monotonic() + seconds
    try:
        events = next(gen)
        while True:
            ready = wait_ready(descriptor, events, deadline - time.monotonic())
            if not ready:
                raise psycopg.OperationalError("the server sends nothing")
            events = gen.send(cast(Ready, ready))
    except StopIteration as ended:
        return ended.value


_ACTIVE = psycopg.pq.TransactionStatus.ACTIVE


def postgres_engine(url: str, wait_ready: WaitReady | None) -> Engine:
    engine = create_engine(
        url,
        connect_args={"options": _OPTIONS, "connect_timeout": _CONNECT_SECONDS, **_KEEPALIVE},
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE // 2,
        pool_timeout=POOL_WAIT_SECONDS,
        # The connection that was used last: PostgreSQL keeps the plans of statements by connection.
        pool_use_lifo=True,
        # Otherwise an error's text, which is logged, contains the values of the statement.
        hide_parameters=True,
    )

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            connection = BoundedConnection.connect(*args, **kwargs)
        except psycopg.Error as error:
            # The frames hold the connection and the error itself: the server would keep the
            # connection until the garbage collector finds the cycle.
            clear_frames(error.__traceback__)
            raise
        connection.wait_ready = wait_ready
        connection.adapters.register_dumper(int, _FewTypesDumper)
        connection.used_at = time.monotonic()
        return connection

    event.listen(engine, "checkout", partial(_check, engine.dialect))
    event.listen(engine, "checkin", _note_use)
    return engine


def _check(dialect: Any, connection: BoundedConnection, record: Any, proxy: Any) -> None:
    """Has the pool connect again if the server has gone. SQLAlchemy's own check would be a round
    trip before each transaction."""
    try:
        if not connection.is_surely_open():
            connection.silence_seconds = PING_SECONDS
            dialect.do_ping(connection)
            connection.silence_seconds = None
    except psycopg.Error as error:
        raise InvalidatePoolError() from error


def _note_use(connection: BoundedConnection | None, record: Any) -> None:
    if connection is not None:
        connection.used_at = time.monotonic()
        connection.silence_seconds = None
