"""Load during a fault of Redis, people who leave meanwhile, and the time until all lists are whole
again."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from presence.keys import Space
from scoring.keys import CLUSTER_GROUPS, Keys
from scoring.views import VIEWS
from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import LineupDriver
from tests.live.faults.scene import LISTS, Scene
from tests.live.presence.steps import beat, leave, wait_for_status, watch
from tests.support import wait_until

#: Expected events come within this time; the time that they took is printed.
PATIENCE_SECONDS = 30
EVENTS_PER_SECOND = 200
BATCH = 5
PEOPLE = 40
#: A key of presence.
PRESENCE = Space("customer", "lineup:p:").people(0).meta


def under_load(scene: Scene, fault: Callable[[], object]) -> float:
    """Runs `fault` while events are posted at a constant rate, and a second longer; returns how
    many a second were accepted."""
    ended = threading.Event()
    failures: list[BaseException] = []
    counts = [0]

    def send() -> None:
        began, sent = time.monotonic(), 0
        while not ended.is_set():
            try:
                scene.sender.post_random(BATCH, batch=BATCH)
            except BaseException as error:
                failures.append(error)
                return
            sent += BATCH
            counts[0] = sent
            ended.wait(max(0.0, began + sent / EVENTS_PER_SECOND - time.monotonic()))

    def wait_for_a_second_of_events() -> None:
        until = counts[0] + EVENTS_PER_SECOND
        wait_until(lambda: counts[0] >= until or failures, PATIENCE_SECONDS, "a second of events")

    sending = threading.Thread(target=send)
    began = time.monotonic()
    sending.start()
    try:
        wait_for_a_second_of_events()
        fault()
        wait_for_a_second_of_events()
    finally:
        ended.set()
        sending.join(120)
    assert not sending.is_alive(), "the sender is stuck"
    assert not failures, failures
    return counts[0] / (time.monotonic() - began)


def opened_scene(
    folder: Path, redis_server: Any, mode: str, database_url: str | None = None, workers: int = 1
) -> Iterator[Scene]:
    """A scene over this Redis, on SQLite where no other database is named; its server's log is
    printed at the end."""
    url = database_url or f"sqlite:///{folder / 'lineup.sqlite'}"
    opened = Scene(url, redis_server, mode, workers)
    yield opened
    print(*opened.server.log, sep="\n")
    opened.close()


def moved_keys() -> list[str]:
    """One key of each group of lists that is there, and of presence."""
    keys = Keys(groups=CLUSTER_GROUPS)
    groups = [group.touched for group in keys.shared_groups()]
    return [*map(keys.meta, VIEWS), *groups, keys.view_changes, PRESENCE]


class Recovery:
    """Measures the time from a fault until all dashboards are live again; `bench/` compares it with
    its bar."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._lineup = LineupDriver(scene.server)
        self._numbers = itertools.count(1)

    def seconds_until_live(self) -> float:
        """Waits until new threads have come to the lists of all dashboards, none of which is late;
        returns the seconds. Dashboards that the fault disconnected connect again.

        Called when the fault is over, such as at a promotion, while other events are posted.
        """
        began = time.monotonic()
        number = next(self._numbers)
        waiting, closed, _ = self._accepted(
            self._lineup.message_event(f"waiting-{number}"),
            self._lineup.message_event(f"closed-{number}"),
            self._lineup.close_event(f"closed-{number}"),
        )
        new = [closed if view == "history" else waiting for view, _ in LISTS]
        wait_until(lambda: self._have_come(new), PATIENCE_SECONDS, "the dashboards being live")
        return time.monotonic() - began

    def wait_until_live(self, fault: str) -> None:
        """Waits in the same way, and prints the time."""
        print(f"{fault}: live {self.seconds_until_live():.1f} s later")

    def _accepted(self, *events: dict[str, Any]) -> list[int]:
        """Posts until the events are accepted; returns the ids of their threads."""
        self._scene.sender.post([*events])
        return self._lineup.post(*events)

    def _have_come(self, new: list[int]) -> bool:
        self._scene.connect_again()
        return not self._scene.is_late() and all(
            id in dashboard.ids(*name)
            for dashboard, name, id in zip(self._scene.dashboards, LISTS, new, strict=True)
        )


class WatchedPeople:
    """Online customers, whom a dashboard watches."""

    def __init__(self, scene: Scene):
        self._lineup = LineupDriver(scene.server)
        self._dashboard = scene.dashboards[0]
        self._names = [f"p-{number}" for number in range(PEOPLE)]
        watch(self._dashboard, "customer", *(f"shop/{name}" for name in self._names))
        beat(self._lineup, *self._names)
        for name in self._names:
            wait_for_status(self._dashboard, f"shop/{name}", "online")

    def half_leave(self) -> None:
        """Half of the people leave; while presence is away a leave is refused, and repeated."""
        for name in self._names[::2]:
            wait_until(partial(self._has_left, name), PATIENCE_SECONDS, f"{name} having left")

    def check_each_was_shown_once(self) -> None:
        """Checks that each person is shown as they are, and that no change was shown twice."""
        left = [*self._names[::2], self._names[1]]
        leave(self._lineup, self._names[1])
        for name in left:
            wait_for_status(self._dashboard, f"shop/{name}", "offline", PATIENCE_SECONDS)
        for name in self._names:
            shown = [
                data["presence"][f"shop/{name}"]["status"]
                for data in self._dashboard.of("presence:update")
                if f"shop/{name}" in data["presence"]
            ]
            assert shown == (["online", "offline"] if name in left else ["online"]), name

    def _has_left(self, name: str) -> bool:
        try:
            leave(self._lineup, name)
        except AssertionError:
            return False
        return True


def fresh_lists_are_those_of(scene: Scene) -> None:
    """Checks that each dashboard holds what a fresh `list:open` gives."""
    session = scene.server.sign_in(scene.server.create_admin("Fresh"))
    with DashboardDriver(scene.server, session) as fresh:
        for dashboard, (view, sort) in zip(scene.dashboards, LISTS, strict=True):
            fresh.open(view, sort)
            assert dashboard.entries(view, sort) == fresh.entries(view, sort)
