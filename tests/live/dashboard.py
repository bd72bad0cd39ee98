"""A dashboard without a browser: Socket.IO on one side, the browser's own reducer behind it."""

import threading
from typing import Any

import requests
import socketio

from tests.live.replay import Replay
from tests.live_server import LiveServer

CALL_SECONDS = 10


class Dashboard:
    """Keeps one list as the page does: applies and acknowledges frames, syncs, opens anew."""

    def __init__(
        self, server: LiveServer, session: requests.Session, replay: Replay, list: str, name: str
    ):
        self._server, self._session, self._replay = server, session, replay
        self._page, self._sort = list.split("/")
        self._key = f"{name}:{list}"
        self._stale = threading.Event()
        self.late: bool | None = None
        self.client: socketio.Client | None = None
        self.totals: dict[str, Any] = {}

    def connect(self) -> None:
        """Connects, and opens the list anew."""
        self.client = self._server.connect(self._session, handle_sigint=False)
        self.client.on("list:order", self._frame, namespace="/admin")
        self.client.on("order:status", self._status, namespace="/admin")
        self.client.on("pages:totals", self._totals, namespace="/admin")
        self.open()

    def close(self) -> None:
        if self.client is not None:
            self.client.disconnect()

    def open(self) -> None:
        self._stale.clear()
        answer = self.call("list:open", page=self._page, sort=self._sort, limit=500)
        self._replay.do("open", self._key, answer=answer)
        if answer["epoch"] is None:
            self._stale.set()

    def freshen(self) -> None:
        """What the page does when a frame did not fit, or the order was late."""
        if not self._stale.is_set():
            return
        self._stale.clear()
        held = self.held()
        if held["epoch"]:
            answer = self.call(
                "list:sync",
                page=self._page,
                sort=self._sort,
                epoch=held["epoch"],
                version=held["version"],
            )
            if self._replay.do("sync", self._key, answer=answer)["result"] in ("applied", "old"):
                return
        self.open()

    def held(self) -> dict[str, Any]:
        return self._replay.do("dump", self._key)

    def entries(self) -> list[tuple[int, int]]:
        """(id, score) of what the browser holds, in its order."""
        self.freshen()
        held = self.held()
        return [*zip(held["ids"], held["scores"], strict=True)]

    def call(self, name: str, **given: Any) -> dict[str, Any]:
        assert self.client is not None
        answer = self.client.call(name, given, namespace="/admin", timeout=CALL_SECONDS)
        assert answer["ok"], answer
        return answer

    def _frame(self, frame: dict[str, Any]) -> None:
        if self._replay.do("frame", self._key, frame=frame)["result"] == "sync":
            self._stale.set()

    def _status(self, status: dict[str, Any]) -> None:
        if self.late and not status["late"]:
            self._stale.set()
        self.late = status["late"]

    def _totals(self, totals: dict[str, Any]) -> None:
        if totals["filter"] == "all":
            self.totals = totals
