"""Ingest and ordering for tests: events go in, lists are compared with SQL."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.ingest.schema import parse
from dashboard.presence.erasing import Deleted, Erasing
from tests.drivers.audit import OPERATOR
from tests.services import services_over
from tests.support import SettableClock


@dataclass
class Order:
    """All parts of ingest and ordering over one database and one Redis, with a settable time.

    `run_id` stands for what INFO says, unless `read_run_id` reads it.
    """

    database: Database
    client: redis.Redis
    clock: SettableClock
    seconds: float = 0.0
    run_id: str | None = "first life"
    read_run_id: Callable[..., str | None] | None = None
    count: int = 0

    def __post_init__(self) -> None:
        self.services = services = services_over(
            self.database, self.client, self.clock, monotonic=self.monotonic
        )
        services.redis_run_id = self.read_run_id or (lambda *connection: self.run_id)
        self.ranking, self.placer = services.ranking, services.placer
        self.state, self.diff = services.ordering_status, services.diff
        self.rebuilder, self.reconciler = services.rebuilder, services.reconciler
        self.recorder, self.ingest = services.recorder, services.ingest
        self.source_id = self.database.write(
            lambda connection: sources.ensure(connection, "shop", self.clock())
        )

    def monotonic(self) -> float:
        return self.seconds

    def post(self, thread: str, role: str = "client", **fields: Any) -> None:
        """One message, a second after the last."""
        self.clock.advance(1_000)
        message = {
            "type": "message",
            "thread": thread,
            "customer": {"id": f"customer-of-{thread}"},
            "role": role,
            "body": "Xin chào",
        }
        self.event(**message | fields)

    def event(self, **fields: Any) -> None:
        self.count += 1
        moment = f"2026-11-20T10:{self.count // 60 % 60:02d}:{self.count % 60:02d}Z"
        event = {"id": f"e-{self.count}", "occurred_at": moment, **fields}
        [outcome] = self.ingest.accept(self.source_id, [parse(event)])
        assert outcome.status == "created", outcome

    def erase(
        self,
        customer: str,
        now: Callable[[float], object] = lambda seconds: None,
        traces_seconds: float | None = None,
    ) -> Deleted | None:
        """Deletes a customer; `now` is called while presence is waited for."""
        presence = self.services.presence_service
        store = self.services.file_store
        return Erasing(self.database, self.placer, presence, store, self.clock, now).erase(
            OPERATOR, "shop", customer, traces_seconds
        )

    def entries(self) -> int:
        """Counts the fields of hashes and members of sorted sets of all keys, but not the logs of
        changes: these are cut once in 64 changes."""
        count = {b"hash": self.client.hlen, b"zset": self.client.zcard}
        keys = [key for key in self.client.scan_iter() if not key.endswith((b"|changes", b"|log"))]
        kinds = {key: self.client.type(key) for key in keys}
        return sum(count[kind](key) for key, kind in kinds.items() if kind in count)

    def tick(self, times: int = 1, seconds: float = 1.0) -> bool:
        """Runs ticks of the reconciler; returns the result of the last one."""
        is_current = False
        for _ in range(times):
            self.seconds += seconds
            is_current = self.reconciler.tick()
        return is_current

    def differences(self) -> list:
        return list(self.diff.differences(self.rebuilder.list_ids()))
