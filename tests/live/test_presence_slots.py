"""Presence of a worker's sockets, with time in the test's hands."""

from collections import Counter

import fakeredis
import pytest

from dashboard.attendance.attendance import Attendance
from dashboard.live.answers import Caller
from dashboard.live.presence import Presence
from dashboard.live.screens import Screens
from dashboard.live.viewers import Viewers
from presence.people import Connection
from presence.states import Viewer

SOCKETS = 5_000


class Outlet:
    """Counts what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, sid, event, data, acknowledged=None) -> None:
        self.sent.append((sid, event))

    def broadcast(self, event, data) -> None:
        """Nobody listens."""

    def hang_up(self, sid) -> None:
        """Nobody is there."""


class Worker:
    def __init__(self, database, clock):
        self.seconds = 1_000.0
        self.outlet = Outlet()
        self.attendance = Attendance(fakeredis.FakeRedis(), database, clock)
        viewers = Viewers(self.attendance, Screens(), lambda ids: {}, self.outlet)
        self.presence = Presence(self.attendance, viewers, self.outlet, clock, lambda: self.seconds)

    def come(self, sid: str, admin_id: int = 7, greet: bool = True) -> Caller:
        caller = Caller(sid, admin_id, connection=sid, device="browser")
        self.presence.arrive(caller)
        if greet:
            self.presence.greet(caller)
        return caller

    def status(self, admin_id: int = 7) -> str:
        person = str(admin_id)
        return self.attendance.look("admin", [person], Viewer(person))[person]["status"]

    def connections(self) -> list[Connection]:
        return self.attendance.admins.where("7")


@pytest.fixture
def worker(database, clock) -> Worker:
    return Worker(database, clock)


def test_each_socket_is_pinged_once_a_period_and_all_are_spread_over_it(worker):
    """T22: heartbeats a second stay level."""
    for number in range(SOCKETS):
        worker.come(f"s{number}", greet=False)
    by_second: Counter[int] = Counter()
    for step in range(50 * 4):
        worker.seconds += 0.25
        before = len(worker.outlet.sent)
        worker.presence.tick()
        by_second[step // 4] += len(worker.outlet.sent) - before
    pinged = Counter(sid for sid, event in worker.outlet.sent if event == "presence:ping")
    assert len(pinged) == SOCKETS and set(pinged.values()) == {2}
    mean = SOCKETS / 25
    assert all(0.6 * mean < count < 1.4 * mean for count in by_second.values())


def test_a_window_hidden_for_a_minute_is_away_without_another_word(worker):
    """R33: the worker's clock decides, for a hidden window's timers do not."""
    caller = worker.come("s")
    worker.presence.pong(caller, ({"visible": False, "idle_ms": 5},))
    worker.seconds += 59
    worker.presence.tick()
    assert worker.status() == "online"
    worker.seconds += 1
    worker.presence.tick()
    assert worker.status() == "away"
    worker.presence.pong(caller, ({"visible": True, "idle_ms": 5},))
    assert worker.status() == "online"


@pytest.mark.parametrize(
    ("reason", "stays"),
    [
        ("server disconnect", False),
        ("client disconnect", True),
        ("transport close", True),
        ("ping timeout", True),
    ],
)
def test_how_a_socket_ended_says_whether_it_may_come_back(worker, reason, stays):
    """R14, R18."""
    worker.come("s")
    worker.presence.gone("s", reason)
    assert (worker.status() == "online") == stays
    assert bool(worker.connections()) == stays


def test_after_draining_the_sockets_ends_change_nothing(worker):
    worker.come("s")
    worker.presence.drain()
    worker.presence.gone("s", "server disconnect")
    assert worker.status() == "online" and len(worker.connections()) == 1


def test_a_socket_that_went_while_it_was_greeted_is_not_left_behind(worker):
    """B7: the goodbye may overtake the greeting."""
    caller = worker.come("s", greet=False)
    worker.presence.gone("s", "client disconnect")
    worker.presence.greet(caller)
    assert worker.connections() == [] and worker.status() == "offline"


def test_nothing_is_kept_of_a_socket_that_went(worker):
    """R71."""
    for number in range(50):
        caller = worker.come(f"s{number}")
        worker.presence.watch(caller, ({"kind": "admin", "add": ["7", "8"]},))
        worker.presence.gone(caller.sid, "client disconnect")
    assert len(worker.presence.heartbeats) == 0
    assert [len(one) for one in worker.presence.watchers.values()] == [0, 0]
