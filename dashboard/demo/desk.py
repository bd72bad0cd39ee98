"""Decides what happens next at a busy support desk: pure, with time and chance given."""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from dashboard.demo.content import LOCALES, phrases
from dashboard.demo.conversation import ROLES, Conversation, iso
from dashboard.demo.customers import customer
from scoring.sorts import MEMBER_STATUSES, PRIORITIES

#: A desk knows so many threads at most; then it forgets one, a closed one where it finds any.
THREADS_MAX = 1000
#: So many threads are looked at to find one that an action fits: where few wait, few are answered.
LOOKS = 12
RETURNING_SHARE = 0.2
BOT_ANSWERS_SHARE = 0.5
BURST_SHARE = 0.3
BURST_MAX = 4
#: How soon what follows from an event comes.
BOT_AFTER_MS = (800, 3_000)
BURST_AFTER_MS = (700, 6_000)
PRIORITY_WEIGHTS = (1, 3, 5, 2)


@dataclass(eq=False)
class Thread:
    """A thread as far as the desk knows it; `customer` goes with its next message."""

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


#: What may happen: how often, and to which threads. The closes outweigh the arrivals, and are
#: held up by what waits, so that the lists keep their length.
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


class Desk:
    """Gives one event after the other and remembers what it gave.

    Ids begin with `run`, which no other desk of the source may share.
    """

    def __init__(self, random: Random, run: str):
        self._random = random
        self._run = run
        self._threads: list[Thread] = []
        self._planned: list[tuple[int, int, Thread, str]] = []
        self._plans = 0
        self._events = 0
        self._arrivals = 0
        self._last_ms = 0
        self._writers: dict[str, None] = {}

    def meet(self, row: Mapping[str, Any]) -> None:
        """Learns a thread from its row (contract section 5)."""
        person = row["customer"] or {"id": f"{self._run}-of-{row['id']}"}
        locale = person.get("locale")
        self._keep(
            self._thread(
                row["thread"],
                {"id": person["id"].removeprefix(f"{row['source']}/")},
                locale if locale in LOCALES else LOCALES[0],
                open=row["open"],
                waiting=row["waiting_since"] is not None,
            )
        )

    def next(self, now_ms: int) -> dict[str, Any]:
        """The next event, as `POST /api/v1/events` takes it; each is later than the one before."""
        self._last_ms = max(now_ms, self._last_ms + 1)
        due = self._due()
        if due is not None:
            return self._event(*due)
        thread, step = self._drawn()
        self._plan_after(thread, step)
        return self._event(thread, step)

    def about_to_write(self, until_ms: int) -> list[tuple[str, str]]:
        """(thread, customer) of the messages that customers will have written by then."""
        return [
            (thread.id, thread.customer["id"])
            for due_ms, _, thread, step in self._planned
            if due_ms <= until_ms and thread.open and ROLES.get(step) == "client"
        ]

    def writers(self) -> list[str]:
        """The customers who wrote since this was last asked."""
        writers, self._writers = self._writers, {}
        return list(writers)

    def _due(self) -> tuple[Thread, str] | None:
        while self._planned and self._planned[0][0] <= self._last_ms:
            _, _, thread, step = heapq.heappop(self._planned)
            if thread.open:
                return thread, step
        return None

    def _drawn(self) -> tuple[Thread, str]:
        step = self._random.choices(_STEPS, _WEIGHTS)[0]
        if step == "ask":
            return self._arrival(), step
        thread = self._found(ACTIONS[step][1])
        if thread is None:
            step, thread = "client", self._found(_is_open)
        return (thread, step) if thread is not None else (self._arrival(), "ask")

    def _found(self, fits: Callable[[Thread], bool]) -> Thread | None:
        for _ in range(LOOKS if self._threads else 0):
            thread = self._random.choice(self._threads)
            if fits(thread):
                return thread
        return None

    def _arrival(self) -> Thread:
        self._arrivals += 1
        id = f"{self._run}-t{self._arrivals}"
        if self._threads and self._random.random() < RETURNING_SHARE:
            known = self._random.choice(self._threads)
            thread = self._thread(id, known.customer, known.locale)
        else:
            person = customer(self._run, self._arrivals)
            thread = self._thread(id, person.facts(), person.locale)
        self._keep(thread)
        return thread

    def _thread(self, id: str, customer: dict[str, Any], locale: str, **state: bool) -> Thread:
        conversation = Conversation(self._random, phrases(locale))
        return Thread(id, customer, locale, conversation, **state)

    def _keep(self, thread: Thread) -> None:
        if len(self._threads) >= THREADS_MAX:
            self._threads.remove(self._found(_is_closed) or self._random.choice(self._threads))
        self._threads.append(thread)

    def _plan_after(self, thread: Thread, step: str) -> None:
        if step == "person":
            self._plan(thread, "passing_on", BOT_AFTER_MS)
            self._plan(thread, "handoff", BURST_AFTER_MS)
        elif ROLES.get(step) == "client":
            if self._random.random() < BOT_ANSWERS_SHARE:
                self._plan(thread, "bot", BOT_AFTER_MS)
            if self._random.random() < BURST_SHARE:
                for _ in range(self._random.randrange(1, BURST_MAX)):
                    self._plan(thread, "client", BURST_AFTER_MS)

    def _plan(self, thread: Thread, step: str, after_ms: tuple[int, int]) -> None:
        self._plans += 1
        due_ms = self._last_ms + self._random.randrange(*after_ms)
        heapq.heappush(self._planned, (due_ms, self._plans, thread, step))

    def _event(self, thread: Thread, step: str) -> dict[str, Any]:
        self._events += 1
        event = {"id": f"{self._run}-{self._events}", "occurred_at": iso(self._last_ms)}
        return event | self._content(thread, step)

    def _content(self, thread: Thread, step: str) -> dict[str, Any]:
        _remember(thread, step)
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
        said = {"thread": thread.id, "customer": thread.customer}
        thread.customer = {"id": thread.customer["id"]}
        return said | thread.conversation.message(step)


def _remember(thread: Thread, step: str) -> None:
    if step == "close":
        thread.open = thread.waiting = False
    elif step == "reopen":
        thread.open = True
    elif step == "handoff" or ROLES.get(step) == "client":
        thread.open = thread.waiting = True
    elif step == "admin":
        thread.waiting = False
