"""The way in as a whole, for tests: events go in, lists are compared with SQL."""

from dataclasses import dataclass, field
from typing import Any

import redis

from dashboard.intake.compare import Comparison
from dashboard.intake.heal import Healer
from dashboard.intake.intake import Intake
from dashboard.intake.order_state import OrderState
from dashboard.intake.place import Placer
from dashboard.intake.rebuild import Rebuilder
from dashboard.intake.record import Recorder
from dashboard.intake.schema import parse
from dashboard.store import sources
from dashboard.store.database import Database
from scoring.ranking import Ranking
from tests.support import SettableClock


@dataclass
class Order:
    """All parts of the way in, over one database and one Redis, with time in the test's hands."""

    database: Database
    client: redis.Redis
    clock: SettableClock
    seconds: float = 0.0
    run_id: str = "first life"
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.ranking = Ranking(self.client)
        self.state = OrderState(self.clock)
        self.placer = Placer(self.ranking, self.database, self.state, self.monotonic)
        self.recorder = Recorder(self.database, self.clock)
        self.rebuilder = Rebuilder(self.database, self.ranking, self.placer)
        self.comparison = Comparison(self.database, self.ranking, self.monotonic)
        self.healer = Healer(
            self.database,
            self.ranking,
            self.placer,
            self.rebuilder,
            self.comparison,
            self.state,
            run_id=lambda: self.run_id,
            monotonic=self.monotonic,
        )
        self.intake = Intake(self.recorder, self.placer)
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
        [outcome] = self.intake.accept(self.source_id, [parse(event)])
        assert outcome.status == "created", outcome

    def tick(self, times: int = 1, seconds: float = 1.0) -> bool:
        """Lets the healer look so often; whether the order was right at the last look."""
        right = False
        for _ in range(times):
            self.seconds += seconds
            right = self.healer.tick()
        return right

    def differences(self) -> list:
        return list(self.comparison.differences(self.rebuilder.tags()))
