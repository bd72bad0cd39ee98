"""A server under load for the tests of faults, and what must hold after each of them."""

import threading
from collections.abc import Callable
from functools import partial

from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import events
from dashboard.db.threads import threads
from scoring.views import VIEWS
from tests.drivers.dashboard import DashboardDriver
from tests.drivers.sender import Sender
from tests.servers.lineup import LiveServer
from tests.servers.redis import RedisServer
from tests.support import wait_until

THREADS = 120
LISTS = (("arrival", "arrival"), ("not_respond", "longest_wait"), ("history", "priority"))
#: From the end of the fault until all lists are right.
RECOVERY_SECONDS = 10


class Scene:
    """A server under load, with dashboards on several lists."""

    def __init__(
        self, database_url: str, redis_server: RedisServer, async_mode: str, workers: int = 1
    ):
        self.redis = redis_server
        self.database_url = database_url
        self.server = LiveServer(
            database_url, redis_server.url, async_mode=async_mode, workers=workers
        )
        self.server.start()
        self.database = Database(self.database_url)
        session = self.server.sign_in(self.server.create_admin())
        self.sender = Sender(self.server.bot(self.server.create_key()), self.server.url, THREADS)
        self.sender.fill()
        self.dashboards = [DashboardDriver(self.server, session) for _ in LISTS]
        for dashboard, (view, sort) in zip(self.dashboards, LISTS, strict=True):
            dashboard.open(view, sort)

    def under_load(self, fault: Callable[[], object], events: int = 300) -> None:
        """Runs `fault` while events are posted."""
        failures: list[BaseException] = []

        def send() -> None:
            try:
                self.sender.post_random(events, batch=5)
            except BaseException as error:
                failures.append(error)

        sending = threading.Thread(target=send)
        sending.start()
        fault()
        sending.join(120)
        assert not sending.is_alive(), "the sender is stuck"
        assert not failures, failures

    def check_nothing_is_lost(self) -> None:
        """Checks O1 to O4 and O6: each event once in SQL, and the same order everywhere."""
        with self.database.read() as connection:
            stored = list(connection.scalars(select(events.c.external_id)))
        assert len(stored) == len(set(stored))
        assert set(self.sender.accepted) <= set(stored), "an acknowledged event is lost"
        for dashboard, (view, sort) in zip(self.dashboards, LISTS, strict=True):
            wait_until(
                partial(self._is_sqls, dashboard, view, sort),
                RECOVERY_SECONDS,
                f"the dashboard's {view}/{sort} being SQL's",
            )
        wait_until(self._totals_are_right, RECOVERY_SECONDS, "the totals being right")
        # Last, because each try starts a process.
        wait_until(self._is_in_order, RECOVERY_SECONDS, "the order being right again")

    def is_late(self) -> bool:
        """Whether the last status that one of the dashboards got is "late"."""
        return any(dashboard.of("order:status")[-1]["late"] for dashboard in self.dashboards)

    def connect_again(self) -> None:
        """Connects the dashboards again whose connection a fault has ended."""
        for dashboard in self.dashboards:
            if not dashboard.client.connected:
                dashboard.connect()

    def close(self) -> None:
        for dashboard in self.dashboards:
            dashboard.disconnect()
        self.server.stop()
        self.database.close()

    def _is_in_order(self) -> bool:
        try:
            return "same order" in self.server.command("check")
        except AssertionError:
            return False

    def _is_sqls(self, dashboard: DashboardDriver, view: str, sort: str) -> bool:
        return dashboard.entries(view, sort) == self._sql(view, sort)

    def _sql(self, view: str, sort: str) -> list[tuple[int, int]]:
        with self.database.read() as connection:
            return [
                (id, score)
                for id, score in threads.listed(connection, view, "all", None, sort, 500)
            ]

    def _totals_are_right(self) -> bool:
        with self.database.read() as connection:
            assigned = threads.assigned(connection.execute(threads.ASSIGNED))
        counts = {view: assigned.get(view, {}) for view in VIEWS}
        all_threads = {view: sum(found.values()) for view, found in counts.items()}
        unassigned = {view: found.get(0, 0) for view, found in counts.items()}
        told = [dashboard.totals() for dashboard in self.dashboards]
        return all(
            (each.get("all"), each.get("unassigned")) == (all_threads, unassigned) for each in told
        )
