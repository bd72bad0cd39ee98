"""Connections to PostgreSQL that end in any case: none of them waits for ever."""

from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from sqlalchemy import Engine, create_engine, event

_OPTIONS = "-c lock_timeout=2000 -c statement_timeout=15000 -c timezone=UTC"
_CONNECT_SECONDS = 3
POOL_SIZE = 10
POOL_WAIT_SECONDS = 2
#: A server that is alive ends each statement sooner; one that was stopped never says a word.
SILENCE_SECONDS = 17.0


class BoundedConnection(psycopg.Connection[Any]):
    """Gives up a server that is silent for longer than it may take over a statement."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        try:
            bound = SILENCE_SECONDS if timeout is None else timeout
            return super().wait(gen, interval, bound)
        except psycopg.OperationalError:
            if timeout is None and self.pgconn.transaction_status == _ACTIVE:
                # The answer that is still to come must reach nobody else.
                self.close()
            raise


_ACTIVE = psycopg.pq.TransactionStatus.ACTIVE


def postgres_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"options": _OPTIONS, "connect_timeout": _CONNECT_SECONDS},
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE // 2,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_pre_ping=True,
    )

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, given: list[Any], named: dict[str, Any]) -> Any:
        return BoundedConnection.connect(*given, **named)

    return engine
