"""Draws the events of a busy support team: pure, with the time and the random source given."""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from demo.content import LOCALES, phrases
from demo.conversation import ROLES, Conversation, iso
from demo.customers import customer
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES

#: Most threads kept; beyond it one is dropped, a closed one where one is found.
THREADS_MAX = 1000
#: Threads drawn to find one that an action fits: where few wait, few are answered.
DRAWS = 12
RETURNING_SHARE = 0.2
BOT_ANSWERS_SHARE = 0.5
BURST_SHARE = 0.3
BURST_MAX = 4
#: Shortest and longest delay of what follows from an event.
BOT_AFTER_MS = (800, 3_000)
BURST_AFTER_MS = (700, 6_000)
PRIORITY_WEIGHTS = (1, 3, 5, 2)


@dataclass(eq=False)
class Thread:
    """What the model keeps of a thread; `customer` goes with its next message."""

    id: str
    customer: dict[str, Any]
    locale: str
    conversation: Conversation
    open: bool = True
    waiting: bool = False


def _never(thread: Thread) -> bool:
    return False


def _is_open(thread: Thread) -> bool:
    return thread.open


def _is_waiting(thread: Thread) -> bool:
    return thread.open and thread.waiting


def _is_answered(thread: Thread) -> bool:
    return thread.open and not thread.waiting


def _is_closed(thread: Thread) -> bool:
    return not thread.open


#: The steps that may be drawn: weight, and which threads they fit. Closes outweigh new threads but
#: fit only answered ones, so that the lists keep their length.
ACTIONS: dict[str, tuple[float, Callable[[Thread], bool]]] = {
    "ask": (7, _never),
    "client": (28, _is_open),
    "admin": (36, _is_waiting),
    "close": (11, _is_answered),
    "again": (1.5, _is_closed),
    "reopen": (1, _is_closed),
    "person": (2.5, _is_open),
    "note": (3, _is_open),
    "system": (1, _is_open),
    "priority": (4, _is_open),
    "member_status": (3, _is_open),
}
_STEPS = tuple(ACTIONS)
_WEIGHTS = [weight for weight, _ in ACTIONS.values()]
#: Steps that the admins of a staffed desk do themselves, on the dashboard.
_OF_ADMINS = ("admin", "note")
#: Share of the answers after which the customer writes again, and after how long.
WRITES_BACK_SHARE = 0.35
WRITES_BACK_MS = (8_000, 60_000)


class TrafficModel:
    """Makes one event after the other, and keeps what later ones depend on.

    Ids begin with `run`, which no other model of the same source may use. Where the desk
    `is_staffed` nobody answers but its admins, of whom `happened` tells. While `may_wait` is false
    no customer begins to wait, and while `may_close` is false no thread is closed.
    """

    def __init__(self, random: Random, run: str, *, is_staffed: bool = False):
        self._random = random
        self._run = run
        self._weights = list(_WEIGHTS)
        if is_staffed:
            self._weights = [
                0.0 if step in _OF_ADMINS else weight
                for step, weight in zip(_STEPS, _WEIGHTS, strict=True)
            ]
        self.may_wait = self.may_close = True
        self._threads: list[Thread] = []
        self._by_id: dict[str, Thread] = {}
        self._scheduled: list[tuple[int, int, Thread, str]] = []
        self._schedule_count = 0
        self._events = 0
        self._arrivals = 0
        self._last_ms = 0
        self._writers: dict[str, None] = {}

    def add_existing(self, row: Mapping[str, Any]) -> None:
        """Takes over a thread of the server, from its row (docs/protocol.md, "Row")."""
        person = row["customer"] or {"id": f"{self._run}-of-{row['id']}"}
        locale = person.get("locale")
        self._add(
            self._thread(
                row["thread"],
                {"id": person["id"].removeprefix(f"{row['source']}/")},
                locale if locale in LOCALES else LOCALES[0],
                open=row["open"],
                waiting=row["waiting_since"] is not None,
            )
        )

    def next_event(self, now_ms: int) -> dict[str, Any]:
        """The next event, as `POST /api/v1/events` takes it; later than the one before."""
        self._last_ms = max(now_ms, self._last_ms + 1)
        due = self._due()
        if due is not None:
            return self._event(*due)
        thread, step = self._draw_step()
        self._schedule_after(thread, step)
        return self._event(thread, step)

    def about_to_write(self, until_ms: int) -> list[tuple[str, str]]:
        """(thread, customer) of the customers' messages that are scheduled until then."""
        return [
            (thread.id, thread.customer["id"])
            for due_ms, _, thread, step in self._scheduled
            if due_ms <= until_ms and thread.open and ROLES.get(step) == "client"
        ]

    def writers(self) -> list[str]:
        """The customers who wrote since the last call."""
        writers, self._writers = self._writers, {}
        return list(writers)

    def happened(self, event: Mapping[str, Any]) -> None:
        """Takes over what an admin did: an event as `GET /api/v1/events` gives it."""
        thread = self._by_id.get(event["thread"])
        if thread is None:
            return
        if event["type"] == "thread.closed":
            thread.open = thread.waiting = False
        elif event["type"] == "thread.reopened":
            thread.open = True
        elif event["type"] == "message.created":
            thread.waiting = False
            if self.may_wait and self._random.random() < WRITES_BACK_SHARE:
                self._schedule(thread, "client", WRITES_BACK_MS)

    def words(self, thread_id: str, step: str) -> str | None:
        """What an admin may write in the thread (`admin`, `note`); None for an unknown one."""
        thread = self._by_id.get(thread_id)
        return None if thread is None else str(thread.conversation.message(step)["body"])

    def _due(self) -> tuple[Thread, str] | None:
        while self._scheduled and self._scheduled[0][0] <= self._last_ms:
            _, _, thread, step = heapq.heappop(self._scheduled)
            if thread.open:
                return thread, step
        return None

    def _draw_step(self) -> tuple[Thread, str]:
        step = self._random.choices(_STEPS, self._weights)[0]
        if not self._is_allowed(step):
            step = "client"
        if step == "ask":
            return self._new_thread(), step
        # A message of somebody who waits already makes the list no longer.
        writes = _is_open if self.may_wait else _is_waiting
        thread = self._draw_thread(writes if step == "client" else ACTIONS[step][1])
        if thread is None:
            step, thread = "client", self._draw_thread(writes)
        return (thread, step) if thread is not None else (self._new_thread(), "ask")

    def _is_allowed(self, step: str) -> bool:
        begins_to_wait = step in ("ask", "again", "person")
        return self.may_close if step == "close" else self.may_wait or not begins_to_wait

    def _draw_thread(self, fits: Callable[[Thread], bool]) -> Thread | None:
        for _ in range(DRAWS if self._threads else 0):
            thread = self._random.choice(self._threads)
            if fits(thread):
                return thread
        if not self.may_wait and fits is _is_waiting:
            waiting = [thread for thread in self._threads if _is_waiting(thread)]
            return self._random.choice(waiting) if waiting else None
        return None

    def _new_thread(self) -> Thread:
        self._arrivals += 1
        id = f"{self._run}-t{self._arrivals}"
        if self._threads and self._random.random() < RETURNING_SHARE:
            known = self._random.choice(self._threads)
            thread = self._thread(id, known.customer, known.locale)
        else:
            person = customer(self._run, self._arrivals)
            thread = self._thread(id, person.facts(), person.locale)
        self._add(thread)
        return thread

    def _thread(self, id: str, customer: dict[str, Any], locale: str, **state: bool) -> Thread:
        conversation = Conversation(self._random, phrases(locale))
        return Thread(id, customer, locale, conversation, **state)

    def _add(self, thread: Thread) -> None:
        if len(self._threads) >= THREADS_MAX:
            dropped = self._draw_thread(_is_closed) or self._random.choice(self._threads)
            self._threads.remove(dropped)
            self._by_id.pop(dropped.id, None)
        self._threads.append(thread)
        self._by_id[thread.id] = thread

    def _schedule_after(self, thread: Thread, step: str) -> None:
        if step == "person":
            self._schedule(thread, "passing_on", BOT_AFTER_MS)
            self._schedule(thread, "handoff", BURST_AFTER_MS)
        elif ROLES.get(step) == "client":
            if self._random.random() < BOT_ANSWERS_SHARE:
                self._schedule(thread, "bot", BOT_AFTER_MS)
            if self._random.random() < BURST_SHARE:
                for _ in range(self._random.randrange(1, BURST_MAX)):
                    self._schedule(thread, "client", BURST_AFTER_MS)

    def _schedule(self, thread: Thread, step: str, after_ms: tuple[int, int]) -> None:
        self._schedule_count += 1
        due_ms = self._last_ms + self._random.randrange(*after_ms)
        heapq.heappush(self._scheduled, (due_ms, self._schedule_count, thread, step))

    def _event(self, thread: Thread, step: str) -> dict[str, Any]:
        self._events += 1
        event = {"id": f"{self._run}-{self._events}", "occurred_at": iso(self._last_ms)}
        return event | self._content(thread, step)

    def _content(self, thread: Thread, step: str) -> dict[str, Any]:
        _apply(thread, step)
        if step == "member_status":
            status = self._random.choice(MEMBER_STATUSES)
            return {
                "type": "customer",
                "customer": {"id": thread.customer["id"], "member_status": status},
            }
        if step == "priority":
            priority = self._random.choices(PRIORITIES, PRIORITY_WEIGHTS)[0]
            return {"type": "thread.priority", "thread": thread.id, "priority": priority}
        if step not in ROLES:
            return {"type": f"thread.{step}", "thread": thread.id}
        if ROLES[step] == "client":
            self._writers[thread.customer["id"]] = None
        message = {"thread": thread.id, "customer": thread.customer}
        thread.customer = {"id": thread.customer["id"]}
        return message | thread.conversation.message(step)


def _apply(thread: Thread, step: str) -> None:
    if step == "close":
        thread.open = thread.waiting = False
    elif step == "reopen":
        thread.open = True
    elif step == "handoff" or ROLES.get(step) == "client":
        thread.open = thread.waiting = True
    elif step == "admin":
        thread.waiting = False
