"""The traffic of a busy desk: threads follow stories, one event after the other.

Pure, with the time and the random source given.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from demo.content import LOCALES, phrases, pick
from demo.conversation import iso
from demo.stories import COVERED_THREADS, Story, StoryWriter

#: Least number of threads under way, and of threads that wait at a desk with admins; if more were
#: found at the start, that number counts.
THREADS_MIN, WAITING_MIN = 200, 40
NEW_SHARE = 0.15
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

    def allows(self, event: Event) -> bool:
        """Whether the event makes sense now: admins answer waiting threads, and close others."""
        kind = _kind(event)
        if kind in ("admin", "thread.close"):
            return self.open and self.waiting == (kind == "admin")
        return self.open != (kind == "thread.reopen") or kind == "client"

    def apply(self, kind: str) -> None:
        if kind == "thread.close":
            self.open = self.waiting = False
        elif kind == "thread.reopen":
            self.open = True
        elif kind == "admin":
            self.waiting = False
        elif kind in _ASKING:
            self.open = self.waiting = True


class TrafficModel:
    """Makes one event after the other, and keeps what later ones depend on.

    Ids begin with `run`, which no other model of the same source may use. If the desk `is_staffed`
    nobody answers but its admins; pass their acts to `happened`.
    """

    def __init__(self, random: Random, run: str, *, is_staffed: bool = False):
        self._random = random
        self._run = run
        self._is_staffed = is_staffed
        #: Threads by id, each open or with events to come.
        self._threads: dict[str, Thread] = {}
        self._threads_max, self._waiting_max = THREADS_MIN, WAITING_MIN
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
        )
        self._threads[thread.id] = thread
        self._go_on(thread)
        self._threads_max = max(self._threads_max, len(self._threads))
        self._waiting_max = max(self._waiting_max, len(self._waiting()))

    def next_event(self, now_ms: int) -> Event:
        """Returns the next event, as `POST /api/v1/events` takes it; later than the one before."""
        while len(self._ahead) <= AHEAD:
            self._ahead.append(self._draw())
        thread, event = self._ahead.popleft()
        if _kind(event) == "client":
            self._writers[thread.customer_id] = None
        self._last_ms = max(now_ms, self._last_ms + 1)
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

    def waiting(self, locales: tuple[str, ...]) -> list[str]:
        """Returns the ids of threads that wait for an admin, of customers with these languages."""
        return [thread.id for thread in self._waiting() if thread.locale in locales]

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
        elif event["type"] == "message.created":
            thread.apply("admin")

    def _draw(self) -> tuple[Thread, Event]:
        """Draws what happens next."""
        has_room = len(self._threads) < self._threads_max and self._may_wait
        is_new = not self._threads or (has_room and self._random.random() < NEW_SHARE)
        thread = self._new_thread() if is_new else self._drawn_thread()
        if thread is None:
            # A message in a thread that waits already does not lengthen the list.
            waiting = self._waiting()
            thread = self._random.choice(waiting) if waiting else self._new_thread()
            thread.events.appendleft(self._message(thread))
        event = thread.events.popleft()
        thread.apply(_kind(event))
        if not thread.open and not thread.events:
            del self._threads[thread.id]
        return thread, event

    def _drawn_thread(self) -> Thread | None:
        """Returns a thread with a next event that may happen now, if one is drawn."""
        threads = list(self._threads.values())
        for _ in range(DRAWS):
            thread = self._random.choice(threads)
            while thread.events and self._is_past(thread, thread.events[0]):
                thread.events.popleft()
            if not thread.events:
                self._go_on(thread)
            elif self._may_happen(thread, _kind(thread.events[0])):
                return thread
        return None

    def _is_past(self, thread: Thread, event: Event) -> bool:
        """Whether the event makes no sense any more; colleagues write notes when they like."""
        return not thread.allows(event) or (self._is_staffed and _kind(event) == "note")

    def _may_happen(self, thread: Thread, kind: str) -> bool:
        if self._is_staffed and kind == "admin":
            return False
        return self._may_wait or thread.waiting or kind not in _ASKING

    @property
    def _may_wait(self) -> bool:
        """Whether more threads may wait: the list of a staffed desk keeps its length."""
        return not self._is_staffed or len(self._waiting()) < self._waiting_max

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

    def _message(self, thread: Thread) -> Event:
        customer, body = {"id": thread.customer_id}, self._text(thread, "follow_ups")
        message = {"type": "message", "role": "client", "body": body}
        return message | {"thread": thread.id, "customer": customer}

    def _text(self, thread: Thread, kind: str) -> str:
        texts = phrases(thread.locale)
        text: str = pick(self._random, texts.lines(kind)).format(**texts.details(self._random))
        return text[0].upper() + text[1:]


def _kind(event: Event) -> str:
    """Returns the role of a message, or `note`; else the type of the event."""
    return "note" if event.get("private") else str(event.get("role", event["type"]))
