"""Dashboards that each have a saved view open, and all badges."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from bench.drive.clients import Dashboard, LineupDashboard
from bench.drive.payloads import Payloads
from bench.drive.wire import Http, SocketIO


class ViewDashboard(LineupDashboard):
    """A dashboard with a view. `views`: ids of views on screens; dashboards take them in turn."""

    async def open(self) -> None:
        self.totals: dict[str, int] = {}
        await super().open()
        headers = {"Cookie": self.cookie, "Origin": self.settings["url"]}
        before, self.totals = self.totals, {}
        http = Http(self.settings["url"], headers)
        status, body, _ = await http.request("GET", "/admin/api/views")
        if status != 200:
            self.problems.append(f"views: {status}")
            return
        read = {view["id"]: view["total"] for view in json.loads(body)["views"]}
        # Pushed totals are newer.
        self.totals = before | read | self.totals

    async def held(self) -> Any:
        # The list is not opened again: if time had just changed it, its version would differ, and
        # the frame up to that version would not be sent any more.
        return {"head": None, "of": self._view, "whole": self.whole_list(), "totals": self.totals}

    @property
    def _view(self) -> str:
        views = self.settings["views"]
        return views[self.number % len(views)]

    @property
    def _list(self) -> dict[str, str]:
        return {"view": self._view, "sort": self.settings["sort"]}

    def take(self, content: bytes, acknowledge: Callable[[], None] | None) -> None:
        if content.startswith(b'["views:totals",'):
            self.totals |= json.loads(content)[1]["totals"]
        super().take(content, acknowledge)


class ExactDashboard(ViewDashboard):
    """A dashboard that gets its badges with versions, and notes the versions of all that it holds.

    `versions`: [version of the list, ns]. `badges`: [number of the message among the payloads, ns];
    each begins with what was held at the reset.
    """

    _BADGES = (b'["views:totals",', b'["pages:totals",')

    def __init__(self, settings: dict[str, Any], payloads: Payloads, number: int):
        super().__init__(settings, payloads, number)
        self._latest: dict[bytes, bytes] = {}
        self.versions: list[tuple[int, int]] = []
        self.badges: list[tuple[int, int]] = []

    async def open(self) -> None:
        await super().open()
        assert self.link is not None
        await self.link.call("views:totals", {})

    def reset(self) -> None:
        super().reset()
        now = time.monotonic_ns()
        self.versions, self.badges = [(self.version, now)], []
        for content in self._latest.values():
            self._note_badges(content, now)

    def report(self) -> dict[str, Any]:
        return super().report() | {"versions": self.versions, "badges": self.badges}

    def take(self, content: bytes, acknowledge: Callable[[], None] | None) -> None:
        for name in self._BADGES:
            if content.startswith(name) and b'"as_of":' in content:
                is_of_others = name == self._BADGES[1] and b'"filter":"all"' not in content
                if not is_of_others:
                    self._latest[name] = content
                    self._note_badges(content, time.monotonic_ns())
        super().take(content, acknowledge)

    def _note_badges(self, content: bytes, now: int) -> None:
        self.badges.append((self.payloads.index(content, lambda: json.loads(content)), now))

    def apply(self, frame: dict[str, Any]) -> None:
        super().apply(frame)
        self.versions.append((self.version, time.monotonic_ns()))


class CountingDashboard(Dashboard):
    """Gets the first threads of its view again and again, and badges that count up to 99."""

    last = b""

    async def open(self) -> None:
        self.link = SocketIO(self.settings["url"], "/", {}, self._event)
        self._first = asyncio.get_running_loop().create_future()
        await self.link.connect()
        self.link.emit("open_view", self.number % self.settings["on_screens"])
        await asyncio.wait_for(self._first, 60)

    async def held(self) -> Any:
        return {"head": None, "last": json.loads(self.last)[1]}

    def _event(self, content: bytes, acknowledge: Any) -> None:
        if not content.startswith(b'["view",'):
            return
        self.last = content
        if not self._first.done():
            self._first.set_result(None)
        at = int(content[:60].partition(b'"at":')[2].partition(b",")[0])
        self.note(content, lambda: at)


KINDS: dict[str, type[Dashboard]] = {
    "views": ViewDashboard,
    "exact": ExactDashboard,
    "counting": CountingDashboard,
}
