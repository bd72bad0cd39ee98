"""The traffic of a busy desk: threads follow stories, one event after the other.

Pure, with the time and the random source given.
"""

import math
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from random import Random
from typing import Any

from demo.content import LOCALES, phrases, pick
from demo.conversation import iso
from demo.stories import (
    COVERED_THREADS,
    MINUTE_MS,
    PRIORITIES,
    PRIORITY_WEIGHTS,
    TAGS,
    Story,
    StoryWriter,
    log_uniform,
)

#: Threads under way: as many as were found at the start, and at least so many.
THREADS_MIN = 200
NEW_SHARE = 0.15
#: At a desk with admins, customers come until so many wait. The number swings once in a period,
#: which is no divisor of an hour: a day has busy and quiet times.
WAITING_MEAN, WAITING_SWING = 75, 45
SWING_MS = 37 * MINUTE_MS
#: How long a customer waits before giving up; one with an admin's name on the thread is patient.
PATIENCE_MS = (8 * MINUTE_MS, 60 * MINUTE_MS)
PATIENCE_KEPT_MS = 6 * 60 * MINUTE_MS
#: Share of the events in which somebody gives up, while somebody has lost patience.
GIVE_UP_SHARE = 0.25
#: How the ids of simulated threads begin.
OWN_PREFIXES = ("desk-", "demo-", "sim-")
#: Messages in a row that a customer writes without an answer.
UNANSWERED_MAX = 5
#: Share of the fillers that are messages; the others change tags or the priority.
FILLING_MESSAGES_SHARE = 0.5
#: Threads drawn to find one that may go on.
DRAWS = 12
#: Messages of a story, on average, beside those that it needs.
EXTRA_MESSAGES = 2
#: Events drawn ahead: their customers are typing.
AHEAD = 6

#: An act of a customer, a chatbot or an admin, as the bot API takes it.
Event = dict[str, Any]
#: After these a customer waits for an admin.
_ASKING = ("client", "thread.handoff")


@dataclass(eq=False)
class Thread:
    """A thread, and the events that are to come."""

    id: str
    customer_id: str
    locale: str
    events: deque[Event] = field(default_factory=deque)
    open: bool = True
    waiting: bool = False
    #: Since when it waits, messages of the customer since the last answer, and when the customer
    #: gives up.
    since_ms: int = 0
    unanswered: int = 0
    patient_until_ms: int = 0
    #: Whether it waits again if it is opened again.
    was_waiting: bool = False
    #: The admin who has it.
    owner: int | None = None
    #: Whether the chatbot wrote last.
    is_soothed: bool = False

    def allows(self, event: Event) -> bool:
        """Whether the event makes sense now: admins answer waiting threads, and close others."""
        kind = _kind(event)
        if kind in ("admin", "thread.close"):
            return self.open and self.waiting == (kind == "admin")
        return self.open != (kind == "thread.reopen") or kind == "client"

    def apply(self, kind: str) -> None:
        self.is_soothed = kind == "bot"
        if kind == "thread.close":
            self.was_waiting, self.open, self.waiting = self.waiting, False, False
        elif kind == "thread.reopen":
            self.open, self.waiting = True, self.was_waiting
        elif kind == "admin":
            self.waiting, self.unanswered, self.patient_until_ms = False, 0, 0
        elif kind in _ASKING:
            self.open = self.waiting = True
            self.unanswered += kind == "client"


class TrafficModel:
    """Makes one event after the other, and keeps what later ones depend on.

    Ids begin with `run`, which no other model of the same source may use.
    """

    def __init__(self, random: Random, run: str):
        self._random = random
        self._run = run
        #: Threads by id, each open or with events to come.
        self._threads: dict[str, Thread] = {}
        self._threads_max = THREADS_MIN
        self._ahead: deque[tuple[Thread, Event]] = deque()
        self._stories = COVERED_THREADS
        self._events = self._last_ms = 0
        self._writers: dict[str, None] = {}

    def add_existing(self, row: Mapping[str, Any]) -> None:
        """Takes over a thread of the server, from its row (docs/protocol.md, "Row")."""
        person = row["customer"] or {"id": f"{self._run}-of-{row['id']}"}
        locale = person.get("locale")
        thread = Thread(
            row["thread"],
            person["id"].removeprefix(f"{row['source']}/"),
            locale if locale in LOCALES else LOCALES[0],
            open=row["open"],
            waiting=row["waiting_since"] is not None,
            unanswered=row["unanswered"],
            since_ms=row["waiting_since"] or 0,
        )
        self._threads[thread.id] = thread
        self._go_on(thread)
        self._threads_max = max(self._threads_max, len(self._threads))

    def takes(self, thread_id: str) -> bool:
        """Whether to take over a thread of the server: it is not under way yet."""
        return thread_id not in self._threads

    def next_event(self, now_ms: int) -> Event:
        """Returns the next event, as `POST /api/v1/events` takes it; later than the one before."""
        self._last_ms = max(now_ms, self._last_ms + 1)
        while len(self._ahead) <= AHEAD:
            self._ahead.append(self.draw())
        thread, event = self._ahead.popleft()
        if _kind(event) == "client":
            self._writers[thread.customer_id] = None
        self._events += 1
        return event | {"id": f"{self._run}-{self._events}", "occurred_at": iso(self._last_ms)}

    def about_to_write(self) -> dict[str, str]:
        """Maps threads to their customers who write next."""
        return {
            thread.id: thread.customer_id
            for thread, event in self._ahead
            if _kind(event) == "client"
        }

    def writers(self) -> list[str]:
        """Returns the customers who wrote since the last call."""
        writers, self._writers = self._writers, {}
        return list(writers)

    def draw(self) -> tuple[Thread, Event]:
        """Draws what happens next."""
        is_new = not self._threads or (self.has_room() and self._random.random() < NEW_SHARE)
        thread = self._new_thread() if is_new else self._drawn_thread()
        if thread is None:
            thread = self._filled()
        event = thread.events.popleft()
        if not thread.waiting:
            thread.since_ms = self._last_ms
        thread.apply(_kind(event))
        if not thread.open and not thread.events:
            del self._threads[thread.id]
        return thread, event

    def has_room(self) -> bool:
        """Whether there may be another thread."""
        return len(self._threads) < self._threads_max

    def _drawn_thread(self) -> Thread | None:
        """Returns a thread with a next event that may happen now, if one is drawn."""
        threads = list(self._threads.values())
        for _ in range(DRAWS):
            thread = self._random.choice(threads)
            while thread.events and self.is_past(thread, thread.events[0]):
                thread.events.popleft()
            if not thread.events:
                self._go_on(thread)
            elif self._may_happen(thread, _kind(thread.events[0])):
                return thread
        return None

    def is_past(self, thread: Thread, event: Event) -> bool:
        """Whether the event makes no sense any more."""
        return not thread.allows(event)

    def _may_happen(self, thread: Thread, kind: str) -> bool:
        return True

    def _filled(self) -> Thread:
        """Returns a thread with an event that makes the list no longer: somebody who waits already
        writes again."""
        waiting = self._waiting()
        thread = self._random.choice(waiting) if waiting else self._new_thread()
        thread.events.appendleft(self._message(thread, "client", "follow_ups"))
        return thread

    def _waiting(self) -> list[Thread]:
        return [thread for thread in self._threads.values() if thread.waiting]

    def _new_thread(self) -> Thread:
        story = self._story()
        thread = Thread(story.thread, story.customer.id, story.customer.locale)
        thread.events.extend(story.events)
        self._threads[thread.id] = thread
        return thread

    def _go_on(self, thread: Thread) -> None:
        """Gives a thread the events of another story, as its own."""
        own = {"thread": thread.id, "customer": {"id": thread.customer_id}}
        for event in self._story(thread.locale).events:
            if event["type"] != "customer":
                thread.events.append(event | {name: own[name] for name in own if name in event})

    def _story(self, locale: str | None = None) -> Story:
        self._stories += 1
        return StoryWriter(self._run, self._stories, locale).write(self._last_ms, EXTRA_MESSAGES)

    def _message(self, thread: Thread, role: str, kind: str) -> Event:
        customer, body = {"id": thread.customer_id}, self._text(thread, kind)
        message = {"type": "message", "role": role, "body": body}
        return message | {"thread": thread.id, "customer": customer}

    def _text(self, thread: Thread, kind: str) -> str:
        texts = phrases(thread.locale)
        text: str = pick(self._random, texts.lines(kind)).format(**texts.details(self._random))
        return text[0].upper() + text[1:]


class StaffedTraffic(TrafficModel):
    """The traffic of a desk with admins: nobody answers but they, and `happened` tells of them.

    `staff` are the ids of simulated admins. The list of those who wait breathes: customers come
    until enough wait, give up after a while, and write only a few messages without an answer.
    """

    def __init__(self, random: Random, run: str, staff: Collection[int] = ()):
        super().__init__(random, run)
        self._staff = staff

    def takes(self, thread_id: str) -> bool:
        """Whether to take over a thread: those that a visitor posted are the visitor's."""
        return thread_id.startswith(OWN_PREFIXES) and super().takes(thread_id)

    def add_existing(self, row: Mapping[str, Any]) -> None:
        super().add_existing(row)
        self._note_assignee(self._threads[row["thread"]], row["assignee"])

    def waiting(self, locales: tuple[str, ...], admin_id: int) -> list[str]:
        """Returns the ids of threads that wait for this admin or for any, of customers with these
        languages, the longest wait first."""
        free = [
            thread
            for thread in self._waiting()
            if thread.locale in locales and thread.owner in (None, admin_id)
        ]
        return [thread.id for thread in sorted(free, key=attrgetter("since_ms"))]

    def words(self, thread_id: str, *, is_note: bool) -> str:
        """Returns what an admin writes next in the thread."""
        thread = self._threads.get(thread_id) or Thread("", "", LOCALES[0])
        kind = "note" if is_note else "admin"
        for event in thread.events:
            if _kind(event) == kind:
                return str(event["body"])
        return self._text(thread, kind)

    def happened(self, event: Mapping[str, Any]) -> None:
        """Takes over what an admin did: an event as `GET /api/v1/events` gives it."""
        thread = self._threads.get(event["thread"])
        if thread is None:
            return
        if event["type"] == "thread.closed":
            del self._threads[thread.id]
        elif event["type"] in ("thread.assigned", "thread.released"):
            self._note_assignee(thread, event["data"]["assignee"])
        elif event["type"] == "message.created":
            thread.apply("admin")

    def _note_assignee(self, thread: Thread, assignee: Mapping[str, Any] | None) -> None:
        thread.owner = None if assignee is None else assignee["id"]

    def draw(self) -> tuple[Thread, Event]:
        leaving = self._impatient() if self._random.random() < GIVE_UP_SHARE else None
        if leaving is not None:
            leaving.events = deque([{"type": "thread.close", "thread": leaving.id}])
            leaving.apply("thread.close")
            del self._threads[leaving.id]
            return leaving, leaving.events[0]
        return super().draw()

    def _impatient(self) -> Thread | None:
        """Returns the thread whose customer ran out of patience first, if one did."""
        waiting = self._waiting()
        for thread in waiting:
            if not thread.patient_until_ms:
                patience_ms = log_uniform(self._random, *PATIENCE_MS)
                thread.patient_until_ms = self._last_ms + patience_ms
        first = min(waiting, key=self._leaves_at, default=None)
        return first if first is not None and self._leaves_at(first) < self._last_ms else None

    def _leaves_at(self, thread: Thread) -> int:
        return thread.patient_until_ms + (PATIENCE_KEPT_MS if self._is_kept(thread) else 0)

    def _is_kept(self, thread: Thread) -> bool:
        """Whether an admin has the thread who is not simulated."""
        return thread.owner is not None and thread.owner not in self._staff

    def has_room(self) -> bool:
        return super().has_room() and self._may_wait()

    def _may_wait(self) -> bool:
        """Whether more threads may wait now."""
        swing = math.sin(self._last_ms / SWING_MS * math.tau)
        return len(self._waiting()) < WAITING_MEAN + WAITING_SWING * swing

    def is_past(self, thread: Thread, event: Event) -> bool:
        # Colleagues write notes when they like.
        is_too_much = _kind(event) == "client" and thread.unanswered >= UNANSWERED_MAX
        return super().is_past(thread, event) or _kind(event) == "note" or is_too_much

    def _may_happen(self, thread: Thread, kind: str) -> bool:
        if kind == "admin":
            return False
        return thread.waiting or kind not in ("thread.reopen", *_ASKING) or self._may_wait()

    def _filled(self) -> Thread:
        """Returns a thread with an event that makes the list no longer: a few more words of those
        who wait, a word of the chatbot, tags, or the priority."""
        open_threads = [thread for thread in self._threads.values() if thread.open]
        thread = self._random.choice(open_threads) if open_threads else self._new_thread()
        about: Event = {"thread": thread.id}
        if thread.waiting and self._random.random() < FILLING_MESSAGES_SHARE:
            if thread.unanswered < UNANSWERED_MAX:
                thread.events.appendleft(self._message(thread, "client", "follow_ups"))
                return thread
            if not thread.is_soothed:
                thread.events.appendleft(self._message(thread, "bot", "bot"))
                return thread
        if self._random.random() < FILLING_MESSAGES_SHARE:
            [priority] = self._random.choices(PRIORITIES, PRIORITY_WEIGHTS)
            about |= {"type": "thread.priority", "priority": priority}
        else:
            kept = self._random.choice(TAGS)
            others = [tag for tag in TAGS if tag != kept]
            about |= {"type": "thread.tags", "add": [kept], "remove": others}
        thread.events.appendleft(about)
        return thread


def _kind(event: Event) -> str:
    """Returns the role of a message, or `note`; else the type of the event."""
    return "note" if event.get("private") else str(event.get("role", event["type"]))
