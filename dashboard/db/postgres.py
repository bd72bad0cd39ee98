"""Connections to PostgreSQL on which every wait is bounded."""

import time
from traceback import clear_frames
from typing import Any, cast

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.waiting import Ready
from sqlalchemy import Engine, create_engine, event

from dashboard.turns import WaitReady

_OPTIONS = "-c lock_timeout=2000 -c statement_timeout=15000 -c timezone=UTC"
_CONNECT_SECONDS = 3
POOL_SIZE = 10
POOL_WAIT_SECONDS = 2
#: The longest wait for the server, longer than statement_timeout: only a frozen server exceeds it.
SILENCE_SECONDS = 17.0


class BoundedConnection(psycopg.Connection[Any]):
    """Gives up on a server that sends nothing for `SILENCE_SECONDS`."""

    #: Waits in a process with green threads; None: the driver waits by itself.
    wait_ready: WaitReady | None = None
    #: Replaces `SILENCE_SECONDS` for a statement that takes longer and sends nothing meanwhile.
    silence_seconds: float | None = None

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
        connect_args={"options": _OPTIONS, "connect_timeout": _CONNECT_SECONDS},
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE // 2,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_pre_ping=True,
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
        return connection

    return engine
