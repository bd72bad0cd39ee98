"""The demo's admins: they look into threads, take them, write, answer and close."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol
from uuid import uuid4

from demo.content import LOCALES, phrases, pick
from demo.dashboard_client import DashboardError
from demo.traffic_model import TrafficModel

SECOND_MS = 1_000
#: Shortest and longest time that each takes.
IDLE_MS = (3 * SECOND_MS, 14 * SECOND_MS)
READING_MS = (3 * SECOND_MS, 9 * SECOND_MS)
WRITING_MS = (4 * SECOND_MS, 12 * SECOND_MS)
LOOKING_AFTER_MS = (2 * SECOND_MS, 7 * SECOND_MS)
#: Typing ends by itself after a few seconds, so it is said again.
TYPING_EVERY_MS = 2 * SECOND_MS
CONNECT_AGAIN_MS = 5 * SECOND_MS
ONLY_LOOKS_SHARE = 0.15
TAKES_SHARE = 0.6
NOTE_SHARE = 0.1
CLOSES_SHARE = 0.3


class Client(Protocol):
    """One window of an admin: `demo.dashboard_client.DashboardClient`."""

    def connect(self) -> None: ...
    def close(self) -> None: ...
    def call(self, name: str, data: dict[str, Any]) -> dict[str, Any]: ...
    def request(self, method: str, path: str, document: Any = None) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Person:
    """An admin of the demo, with the languages that they answer in."""

    id: int
    name: str
    locales: tuple[str, ...]


class Work(Protocol):
    """What is to be done: `demo.workload.Workload`."""

    @property
    def may_answer(self) -> bool: ...
    @property
    def may_close(self) -> bool: ...
    def next_thread(self, person: Person) -> int | None: ...
    def let_go(self, thread_id: int) -> None: ...


class Colleague:
    """One admin at work. `tick` does what is due and never waits long."""

    def __init__(
        self, person: Person, client: Client, work: Work, model: TrafficModel, random: Random
    ):
        self.person = person
        self._client = client
        self._work = work
        self._model = model
        self._random = random
        self._thread_id: int | None = None
        self._steps: Iterator[int] = self._day()
        self._due_ms = 0

    def tick(self, now_ms: int) -> None:
        try:
            if now_ms >= self._due_ms:
                self._due_ms = now_ms + next(self._steps)
        except DashboardError:
            # The server is away, or the thread went on: what is under way is given up.
            self._let_go()
            self._client.close()
            self._steps = self._day()
            self._due_ms = now_ms + CONNECT_AGAIN_MS

    def _day(self) -> Iterator[int]:
        """Yields for how many milliseconds to go on with what is being done."""
        self._client.connect()
        while True:
            yield self._draw(IDLE_MS)
            self._thread_id = self._work.next_thread(self.person)
            if self._thread_id is not None:
                yield from self._look_into(self._thread_id)
                self._client.call("thread:close", {"id": self._thread_id})
                self._let_go()

    def _let_go(self) -> None:
        if self._thread_id is not None:
            self._work.let_go(self._thread_id)
            self._thread_id = None

    def _look_into(self, thread_id: int) -> Iterator[int]:
        opened = self._client.call("thread:open", {"id": thread_id})
        row, messages = opened["row"], opened["messages"]
        last_id = messages[-1]["id"] if messages else None
        self._is_at(thread_id, "viewing", "messages", last_id)
        yield self._draw(READING_MS)
        if not self._work.may_answer or self._random.random() < ONLY_LOOKS_SHARE:
            return
        if row["assignee"] is None and self._random.random() < TAKES_SHARE:
            self._do(f"threads/{thread_id}/claim", {})
        if self._random.random() < NOTE_SHARE:
            yield from self._write(row, "note", last_id)
        answered = yield from self._write(row, "admin", last_id)
        yield self._draw(LOOKING_AFTER_MS)
        if answered and self._work.may_close and self._random.random() < CLOSES_SHARE:
            self._do(f"threads/{thread_id}/close", {"seen_message_id": answered})

    def _write(
        self, row: dict[str, Any], step: str, seen_id: int | None
    ) -> Generator[int, None, int | None]:
        """Types, then sends; returns the message's id, None where the conversation moved on."""
        thread_id, is_note = row["id"], step == "note"
        left_ms = self._draw(WRITING_MS)
        while left_ms > 0:
            self._is_at(thread_id, "typing", "note" if is_note else "reply", seen_id)
            yield min(left_ms, TYPING_EVERY_MS)
            left_ms -= TYPING_EVERY_MS
        document = {"body": self._words(row, step), "token": uuid4().hex, "private": is_note}
        if seen_id is not None:
            document["seen_message_id"] = seen_id
        sent = self._do(f"threads/{thread_id}/replies", document)
        self._is_at(thread_id, "viewing", "messages", seen_id)
        return sent["message"]["id"] if sent else None

    def _words(self, row: dict[str, Any], step: str) -> str:
        known = self._model.words(row["thread"], step)
        if known is not None:
            return known
        locale = (row["customer"] or {}).get("locale")
        texts = phrases(locale if locale in LOCALES else LOCALES[0])
        text = pick(self._random, texts.lines("notes" if step == "note" else "admin"))
        return text.format(**texts.details(self._random))

    def _do(self, path: str, document: dict[str, Any]) -> dict[str, Any] | None:
        """Posts it; None where somebody else was faster."""
        try:
            return self._client.request("POST", path, document)
        except DashboardError as error:
            if error.code in ("conversation_moved", "already_claimed", "not_found"):
                return None
            raise

    def _is_at(self, thread_id: int, mode: str, field: str, message_id: int | None) -> None:
        cursor = {"field": field, "position": 0, "message_id": message_id}
        self._client.call("thread:mode", {"id": thread_id, "mode": mode, "cursor": cursor})

    def _draw(self, between_ms: tuple[int, int]) -> int:
        return self._random.randrange(*between_ms)
