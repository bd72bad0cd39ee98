"""A worker whose placements wait until the test lets them go, in any order."""

from collections.abc import Sequence
from typing import Any

from dashboard.db.database import Database
from scoring.placing import Placement
from tests.dashboard.live.model import AtOnce, Worker
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock


class Process:
    """A worker: its own connections, its known lists, and its placements that wait."""

    def __init__(self, url: str, client: Any, clock: SettableClock):
        self.database = Database(url)
        self.order = Order(self.database, client, clock)
        self.order.services.list_builder = AtOnce(self.order)  # type: ignore[assignment]
        self.waiting: list[Sequence[Placement]] = []
        self._place = self.order.placer.place
        self.order.placer.place = self.waiting.append  # type: ignore[method-assign, assignment]
        self.worker = Worker(self.order)
        self.network = self.worker.network
        self.due = self.order.services.due_queue

    def place(self, number: int) -> None:
        """Releases one of the waiting placements, the oldest or a later one."""
        if self.waiting:
            self._place(self.waiting.pop(number % len(self.waiting)))

    def turn(self, seconds: float = 0.3) -> None:
        """Runs a turn of the broadcaster and of totals, with all their notifications."""
        self.order.seconds += seconds
        self.worker.live_lists.renew()
        self.worker.broadcaster.notify(None)
        self.worker.broadcaster.notify_queries()
        self.worker.broadcaster.turn()
        self.worker.live_lists.view_totals.note()
        self.worker.live_lists.view_totals.turn()
