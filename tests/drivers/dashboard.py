"""A dashboard without a browser: Socket.IO, and the browser's own reducer behind it."""

import itertools
import threading
from collections.abc import Callable
from typing import Any

import requests

from tests.drivers.replay import Replay, shared_replay
from tests.servers.lineup import LiveServer
from tests.support import wait_until

NAMESPACE = "/admin"
CALL_SECONDS = 60
ACKNOWLEDGE_SECONDS = 60
#: A list: (view, sort, filter); `?QUERY` in place of the view stands for a list of a query.
ListName = tuple[str, str, str]
_numbers = itertools.count(1)


class DashboardDriver:
    """Keeps lists as the page does: applies and acknowledges frames, syncs, opens again.

    `events` holds (name, data) of every event, `frames` every `list:order` as it came. While
    `may_acknowledge` is cleared, the next frame waits before it is applied and acknowledged.
    """

    def __init__(
        self, server: LiveServer, session: requests.Session, replay: Replay | None = None
    ) -> None:
        self.events: list[tuple[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.may_acknowledge = threading.Event()
        self.may_acknowledge.set()
        self._server, self._session = server, session
        self._replay = replay or shared_replay()
        self._name = f"dashboard-{next(_numbers)}"
        self._lock = threading.Lock()
        self._limits: dict[ListName, int] = {}
        self._stale: set[ListName] = set()
        #: Frames that come while the answer to `list:open` is not applied yet.
        self._early: dict[ListName, list[dict[str, Any]]] = {}
        self._was_late = False
        self.connect()

    def __enter__(self) -> "DashboardDriver":
        return self

    def __exit__(self, *error: object) -> None:
        self.disconnect()

    def connect(self) -> "DashboardDriver":
        """Connects; lists from before are kept as they are, and synced when they are read."""
        with self._lock:
            self._stale |= set(self._limits)
        self.client = self._server.connect(
            self._session,
            {"*": self._on_event, "list:order": self._on_frame, "order:status": self._on_status},
        )
        return self

    def disconnect(self) -> None:
        self.may_acknowledge.set()
        self.client.disconnect()

    def call(self, name: str, *data: Any) -> dict[str, Any]:
        """Makes a Socket.IO request; returns its acknowledgement, whether ok or a problem."""
        sent = data[0] if len(data) == 1 else tuple(data)
        return self.client.call(name, sent, namespace=NAMESPACE, timeout=CALL_SECONDS)

    def open(self, view: str, sort: str, filter: str = "all", limit: int = 500) -> dict[str, Any]:
        """Opens a list; returns the answer."""
        name = view, sort, filter
        with self._lock:
            self._limits[name] = limit
            self._stale.discard(name)
            self._early[name] = []
        answer = self._opened(_named(name) | {"limit": limit})
        with self._lock:
            self._replay.do("open", self._key(name), answer=answer)
            if answer["epoch"] is None:
                self._stale.add(name)
            for frame in self._early.pop(name):
                self._apply(name, frame)
        return answer

    def _opened(self, given: dict[str, Any]) -> dict[str, Any]:
        """Returns the answer to `list:open`, once the list is built."""

        def answer() -> dict[str, Any]:
            found = self.call("list:open", given)
            assert found["ok"], found
            return {} if found.get("building") else found

        return wait_until(answer, what=f"the list {given}")

    def sync(self, view: str, sort: str, filter: str = "all") -> None:
        """Asks for all changes since; opens the list again if the server says so."""
        name = view, sort, filter
        held = self._held(name)
        if held["epoch"]:
            known = {"epoch": held["epoch"], "version": held["version"]}
            answer = self.call("list:sync", _named(name) | known)
            assert answer["ok"], answer
            with self._lock:
                done = self._replay.do("sync", self._key(name), answer=answer)["result"]
            if done in ("applied", "old"):
                return
        self.open(view, sort, filter, self._limits[name])

    def entries(self, view: str, sort: str, filter: str = "all") -> list[tuple[int, int]]:
        """(id, score) of the list in the order in which the browser holds it."""
        name = view, sort, filter
        with self._lock:
            is_stale = name in self._stale
            self._stale.discard(name)
        if is_stale:
            self.sync(*name)
        held = self._held(name)
        return [*zip(held["ids"], held["scores"], strict=True)]

    def ids(self, view: str, sort: str, filter: str = "all") -> list[int]:
        return [id for id, _ in self.entries(view, sort, filter)]

    def totals(self) -> dict[str, dict[str, int]]:
        """Maps each filter to its last `pages:totals`, by view."""
        return {
            data["filter"]: {name: data[name] for name in data if name != "filter"}
            for data in self.of("pages:totals")
        }

    def of(self, name: str) -> list[Any]:
        """Returns the data of all events of a name, oldest first."""
        return [data for event, data in list(self.events) if event == name]

    def wait_for(
        self,
        name: str,
        matches: Callable[[Any], bool] = lambda data: True,
        timeout_seconds: float = 60,
    ) -> Any:
        """Waits for an event of a name that matches; returns the data of the first one."""

        def found() -> list[Any]:
            return [data for data in self.of(name) if matches(data)]

        return wait_until(found, timeout_seconds, f"{name} among {self.events[-5:]}")[0]

    def _on_event(self, event: str, *data: Any) -> None:
        self.events.append((event, data[0] if data else None))

    def _on_frame(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        self.may_acknowledge.wait(ACKNOWLEDGE_SECONDS)
        view = frame["view"] if "view" in frame else f"?{frame['query']}"
        name = view, frame["sort"], frame["filter"]
        with self._lock:
            if name in self._early:
                self._early[name].append(frame)
            elif name in self._limits:
                self._apply(name, frame)

    def _on_status(self, status: dict[str, Any]) -> None:
        self._on_event("order:status", status)
        with self._lock:
            if self._was_late and not status["late"]:
                self._stale |= set(self._limits)
            self._was_late = status["late"]

    def _apply(self, name: ListName, frame: dict[str, Any]) -> None:
        if self._replay.do("frame", self._key(name), frame=frame)["result"] == "sync":
            self._stale.add(name)

    def _held(self, name: ListName) -> dict[str, Any]:
        return self._replay.do("dump", self._key(name))

    def _key(self, name: ListName) -> str:
        return f"{self._name}:{'/'.join(name)}"


def _named(name: ListName) -> dict[str, Any]:
    view, sort, filter = name
    named = {"query": view[1:]} if view.startswith("?") else {"view": view}
    return named | {"sort": sort, "filter": filter}
