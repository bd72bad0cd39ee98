"""The driven dashboards: one class a side; each notes what came and when."""

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from bench.drive.head import Head
from bench.drive.payloads import Payloads
from bench.drive.wire import Http, SocketIO
from scoring.sorts import BUILT_IN

#: The number of rows that a browser requests when it opens a list, and the number that it shows.
HEAD = 100
VISIBLE = 20
MORE = 20_000
#: Interval at which a browser asks again for a list that is being built.
BUILDING_SECONDS = 0.2
#: Times for which a browser gathers missing rows, and reports of its screen after a frame.
FETCH_SECONDS = 0.1
WATCH_SECONDS = 0.08
WATCH_PAUSE_SECONDS = 1.0
WATCH_SPREAD_SECONDS = 2.0


class Dashboard(ABC):
    """A dashboard of any side; notes [payload, received in ns], and counts bytes."""

    def __init__(self, settings: dict[str, Any], payloads: Payloads, number: int):
        self.settings = settings
        self.payloads = payloads
        self.number = number
        self.frames: list[tuple[int, int]] = []
        self.problems: list[str] = []
        self.fetched_bytes = self.fetches = 0
        self.link: SocketIO | None = None
        cookies = settings.get("cookies", [""])
        self.cookie = cookies[number % len(cookies)]
        self._bytes_before = 0
        ports = settings.get("lines")
        self._address = ("127.0.0.1", ports[number]) if ports else None

    @abstractmethod
    async def open(self) -> None:
        """Opens the list; returns when it is there."""

    @abstractmethod
    async def held(self) -> Any:
        """Returns the dashboard's final content, to be compared."""

    def close(self) -> None:
        if self.link is not None:
            self.link.close()

    def reset(self) -> None:
        self.frames.clear()
        self.fetched_bytes = self.fetches = 0
        self._bytes_before = self._received()

    def report(self) -> dict[str, Any]:
        return {
            "frames": self.frames,
            "received": self._received() - self._bytes_before,
            "fetched": self.fetched_bytes,
            "fetches": self.fetches,
            "problems": self.problems,
        }

    def _received(self) -> int:
        socket = self.link.socket if self.link else None
        return socket.received if socket else 0

    def note(self, key: bytes, read: Callable[[], Any]) -> int:
        index = self.payloads.index(key, read)
        self.frames.append((index, time.monotonic_ns()))
        return index


class LineupDashboard(Dashboard):
    """Applies and acknowledges frames, and fetches visible rows that were not sent."""

    head: Head
    version = -1
    _watched_at = -WATCH_PAUSE_SECONDS
    whole: dict[int, int] | None = None

    async def open(self) -> None:
        headers = {"Cookie": self.cookie, "Origin": self.settings["url"]}
        url = self.settings["url"]
        self.link = SocketIO(url, "/admin", headers, self.take, self._address)
        self._http = Http(url, headers, self._address)
        self._fetching: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._early: list[dict[str, Any]] = []
        self.version = -1
        await self.link.connect()
        await self._take_list()

    async def _take_list(self) -> None:
        """Opens the list. Frames that come meanwhile are applied at the end."""
        answer = await self._open_list()
        assert answer["ok"], answer
        self.head = Head(answer["ids"], answer["scores"], answer["total"] <= HEAD)
        self._rows = {row["id"] for row in answer["rows"]}
        self._watched = set(self._rows)
        version, self.epoch = answer["version"], answer["epoch"]
        if self.number < int(self.settings.get("whole", 0)):
            await self._read_on(answer)
        early, self._early, self.version = self._early, [], version
        for frame in early:
            self.apply(frame)

    async def held(self) -> Any:
        """Returns the head, after comparing it with a newly opened list."""
        assert self.link is not None
        answer = await self._open_list()
        assert answer["ok"], answer
        fresh = list(zip(answer["scores"], answer["ids"], strict=True))
        held = self.head.entries()
        # A thread that left the head and came back may be missing at its very end.
        if held[:VISIBLE] != fresh[:VISIBLE] or self.version != answer["version"]:
            self.problems.append(f"differs from a fresh opening at version {self.version}")
        return {"head": held[:VISIBLE], "whole": self.whole_list()}

    def whole_list(self) -> list[tuple[int, int]] | None:
        """Returns (score, id) of all entries in order, if this dashboard holds them."""
        if self.whole is None:
            return None
        return sorted((score, id) for id, score in self.whole.items())

    @property
    def _list(self) -> dict[str, str]:
        return {"view": self.settings["view"], "sort": self.settings["sort"]}

    async def _open_list(self) -> dict[str, Any]:
        """Returns the answer to `list:open` once the list is built."""
        assert self.link is not None
        while True:
            answer = await self.link.call("list:open", self._list | {"limit": HEAD})
            if not answer.get("building"):
                return answer
            await asyncio.sleep(BUILDING_SECONDS)

    async def _read_on(self, answer: dict[str, Any]) -> None:
        """Reads the whole list, as if scrolled to its end."""
        assert self.link is not None
        self.whole = dict(zip(answer["ids"], answer["scores"], strict=True))
        while answer["ids"] and len(self.whole) < answer["total"]:
            after = [answer["scores"][-1], answer["ids"][-1]]
            answer = await self.link.call("list:more", self._list | {"after": after, "limit": MORE})
            self.whole |= dict(zip(answer["ids"], answer["scores"], strict=True))

    def take(self, content: bytes, acknowledge: Callable[[], None] | None) -> None:
        if content.startswith(b'["presence:ping"') and self.link is not None:
            self.link.emit("presence:pong", {"visible": True, "idle_ms": 0})
        if not content.startswith(b'["list:order",'):
            return
        frame: list[Any] = []

        def read() -> Any:
            frame.extend(json.loads(content))
            sort = BUILT_IN[self.settings["sort"]]
            seen = [(id, sort.unpack(score)[1]) for id, score in frame[1]["set"]]
            return frame[1] | {"seen": seen}

        applied = self.payloads.seen[self.note(content, read)]
        self.apply(applied)
        if acknowledge is not None:
            acknowledge()

    def apply(self, frame: dict[str, Any]) -> None:
        if self.version < 0:
            self._early.append(frame)
            return
        if frame["epoch"] != self.epoch:
            # The list was rebuilt, perhaps with lower versions: a browser opens it again.
            self.version = -1
            self._opening = asyncio.create_task(self._take_list())
            return
        if frame["version"] <= self.version:
            return
        if frame["from"] > self.version:
            self.problems.append(f"a gap from {self.version} to {frame['from']}")
        self.version = frame["version"]
        self.head.apply(frame["set"], frame["del"])
        if self.whole is not None:
            for id in frame["del"]:
                self.whole.pop(id, None)
            self.whole.update(frame["set"])
        self._look(frame)

    def _look(self, frame: dict[str, Any]) -> None:
        """Notes which rows are known and current after a frame; fetches and reports if needed."""
        self._rows -= {id for id, _ in frame["set"]}
        self._rows |= {int(id) for id in frame["rows"]}
        visible = set(self.head.first(VISIBLE))
        if self._fetching is None and not visible <= self._rows:
            self._fetching = asyncio.create_task(self._fetch())
        if self._watching is None and visible != self._watched:
            self._watching = asyncio.create_task(self._watch())

    async def _fetch(self) -> None:
        await asyncio.sleep(FETCH_SECONDS)
        self._fetching = None
        ids = sorted(set(self.head.first(VISIBLE)) - self._rows)
        if not ids:
            return
        self._rows |= set(ids)
        query = urlencode({"ids": ",".join(map(str, ids))})
        status, _, size = await self._http.request("GET", f"/admin/api/threads?{query}")
        if status != 200:
            self.problems.append(f"rows: {status}")
        self.fetched_bytes += size
        self.fetches += 1

    async def _watch(self) -> None:
        """Reports the rows that are on screen now."""
        assert self.link is not None
        pause = self._watched_at + WATCH_PAUSE_SECONDS - time.monotonic()
        spread = WATCH_SPREAD_SECONDS * random.random()
        await asyncio.sleep(max(WATCH_SECONDS, pause) + spread)
        self._watching, self._watched_at = None, time.monotonic()
        visible = set(self.head.first(VISIBLE))
        add, gone = sorted(visible - self._watched), sorted(self._watched - visible)
        self._watched = visible
        if add or gone:
            await self.link.call("threads:watch", {"add": add, "del": gone})


class RecipeDashboard(Dashboard):
    """Gets the whole list each time, but does not parse it, as a browser must."""

    last = b""

    async def open(self) -> None:
        self.link = SocketIO(self.settings["url"], "/", {}, self._event, self._address)
        self._first = asyncio.get_running_loop().create_future()
        await self.link.connect()
        self.link.emit("watch_list", self._key)
        await asyncio.wait_for(self._first, 60)

    async def held(self) -> Any:
        return json.loads(self.last)[1]["threads"]

    @property
    def _key(self) -> str:
        return f"list:{self.settings['view']}:{self.settings['sort']}"

    def _event(self, content: bytes, acknowledge: Any) -> None:
        self.last = content
        if not self._first.done():
            self._first.set_result(None)
        start = content[:80]
        self.note(start, lambda: int(start.partition(b'"at":')[2].partition(b",")[0]))


class PollingDashboard(Dashboard):
    """Asks every ten seconds; the dashboards begin at different moments."""

    last = b""

    async def open(self) -> None:
        self._http = Http(self.settings["url"], address=self._address)
        self._task = asyncio.create_task(self._poll())

    async def held(self) -> Any:
        await self._ask()
        return [row["id"] for row in json.loads(self.last)["threads"]]

    def close(self) -> None:
        self._task.cancel()

    async def _poll(self) -> None:
        period = self.settings["poll_seconds"]
        await asyncio.sleep(period * self.number / self.settings["dashboards"])
        while True:
            begun = time.monotonic()
            await self._ask()
            await asyncio.sleep(max(0.0, begun + period - time.monotonic()))

    async def _ask(self) -> None:
        path = f"/lists/{self.settings['view']}/{self.settings['sort']}"
        status, self.last, size = await self._http.request("GET", path)
        if status != 200:
            self.problems.append(f"list: {status}")
        self.fetched_bytes += size
        self.note(self.last, lambda: json.loads(self.last)["at"])


class FloorDashboard(Dashboard):
    """Gets frames that only have the time up to which they are current."""

    async def open(self) -> None:
        self.link = SocketIO(self.settings["url"], "/admin", {}, self._event, self._address)
        await self.link.connect()
        await self.link.call("open", {})

    async def held(self) -> Any:
        return None

    def _event(self, content: bytes, acknowledge: Callable[[], None] | None) -> None:
        self.note(content, lambda: json.loads(content)[1]["at"])
        if acknowledge is not None:
            acknowledge()


KINDS: dict[str, type[Dashboard]] = {
    "lineup": LineupDashboard,
    "recipe": RecipeDashboard,
    "polling": PollingDashboard,
    "floor": FloorDashboard,
}
