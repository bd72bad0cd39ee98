"""What the demo's admins work on, and how much of it, so that the lists keep their length."""

from collections.abc import Sequence
from random import Random
from typing import Any

from demo.bot_client import BotClient
from demo.colleagues import Client, Colleague, Person
from demo.dashboard_client import DashboardError
from demo.scenarios import DAY_MS, MINUTE_MS
from demo.traffic_model import TrafficModel

LOOK_MS = 4_000
#: How many of the waiting threads are looked at: those with the newest messages.
NEWEST = 80
#: Who began to wait in this time is answered, and who waits too long. All others stay, so that the
#: list keeps its short and its long waits.
FRESH_MS = 30 * MINUTE_MS
LONGEST_WAIT_MS = 4 * DAY_MS
#: How many fewer than before may wait; below it nobody is answered. Where a visitor answers many,
#: the desk stays at what is left and so many more.
SLACK = 20


class Level:
    """The length at which a list is to stay: that of the first look, or less if it was emptied."""

    def __init__(self) -> None:
        self._wanted: int | None = None
        self._now = 0

    def look(self, length: int) -> None:
        self._now = length
        self._wanted = min(length if self._wanted is None else self._wanted, length + SLACK)

    @property
    def is_low(self) -> bool:
        """Whether the list may grow."""
        return self._wanted is None or self._now <= self._wanted

    @property
    def is_very_low(self) -> bool:
        """Whether the list must not become shorter."""
        return self._wanted is None or self._now < self._wanted - SLACK / 2


class Workload:
    """Gives threads to the admins, and the customers' model what it may do.

    `reader` is the window by which rows are read.
    """

    def __init__(self, client: BotClient, model: TrafficModel, reader: Client, random: Random):
        self._client = client
        self._model = model
        self._reader = reader
        self._random = random
        self.colleagues: Sequence[Colleague] = ()
        self._waiting, self._open = Level(), Level()
        self._rows: list[dict[str, Any]] = []
        self._busy: set[int] = set()
        self._look_at = 0

    @property
    def may_answer(self) -> bool:
        return not self._waiting.is_very_low

    @property
    def may_close(self) -> bool:
        return not self._open.is_low

    def tick(self, now_ms: int) -> None:
        if now_ms >= self._look_at:
            self._look_at = now_ms + LOOK_MS
            self._look(now_ms)
        for colleague in self.colleagues:
            colleague.tick(now_ms)

    def next_thread(self, person: Person) -> int | None:
        """A thread that waits for this admin: their own first, then one in their languages."""
        free = [row for row in self._rows if row["id"] not in self._busy]
        own = [row for row in free if (row["assignee"] or {}).get("id") == person.id]
        anybodys = [
            row
            for row in free
            if row["assignee"] is None and (row["customer"] or {}).get("locale") in person.locales
        ]
        choices = own or anybodys
        if not choices:
            return None
        thread_id: int = self._random.choice(choices)["id"]
        self._busy.add(thread_id)
        return thread_id

    def let_go(self, thread_id: int) -> None:
        self._busy.discard(thread_id)

    def _look(self, now_ms: int) -> None:
        newest = self._list("not_respond/arrival", NEWEST)
        longest = self._list("not_respond/longest_wait", 1)
        opened = self._list("arrival/arrival", 1)
        self._waiting.look(newest.get("total", 0))
        self._open.look(opened.get("total", 0))
        self._model.may_wait = self._waiting.is_low
        self._model.may_close = self.may_close
        rows = self._read([*newest.get("threads", ()), *longest.get("threads", ())])
        self._rows = [row for row in rows if _is_due(row["waiting_since"], now_ms)]

    def _list(self, name: str, limit: int) -> dict[str, Any]:
        answer = self._client.get(f"/api/v1/lists/{name}?limit={limit}")
        return answer.body if answer.status == 200 else {}

    def _read(self, entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        ids = ",".join(str(id) for id in dict.fromkeys(entry["id"] for entry in entries))
        if not ids:
            return []
        try:
            return list(self._reader.request("GET", f"threads?ids={ids}")["rows"])
        except DashboardError:
            return []


def _is_due(waiting_since: int | None, now_ms: int) -> bool:
    if waiting_since is None:
        return False
    return not FRESH_MS < now_ms - waiting_since < LONGEST_WAIT_MS
