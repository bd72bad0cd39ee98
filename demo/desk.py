"""The demo's desk: colleagues who look into threads, write and close, and the shop's chatbot."""

import heapq
import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

from dashboard.tasks import Backoff
from demo.clients import REPORT, BotClient, DashboardClient, DashboardError
from demo.conversation import iso
from demo.traffic import StaffedTraffic

log = logging.getLogger(__name__)

SECOND_MS = 1_000
#: Shortest and longest time of each activity.
IDLE_MS = (2 * SECOND_MS, 9 * SECOND_MS)
READING_MS = (3 * SECOND_MS, 8 * SECOND_MS)
WRITING_MS = (4 * SECOND_MS, 10 * SECOND_MS)
LOOKING_AFTER_MS = (2 * SECOND_MS, 5 * SECOND_MS)
#: Typing ends by itself after a few seconds, so it is reported again.
TYPING_EVERY_MS = 2 * SECOND_MS
#: Bounds of the pause before a colleague comes back: the first, and the longest.
COME_BACK_SECONDS = (2.0, 30.0)
ONLY_LOOKS_SHARE = 0.15
#: Share of the threads that a colleague answers although another admin has them open; the others
#: are left alone.
TAKES_AWAY_SHARE = 0.3
TAKES_SHARE = 0.6
NOTE_SHARE = 0.1
CLOSES_SHARE = 0.3
#: Share of the notes that mention a colleague; share of the threads that are snoozed, and for how
#: long.
MENTION_SHARE = 0.5
SNOOZE_SHARE, SNOOZE_MS = 0.05, (120 * SECOND_MS, 900 * SECOND_MS)
#: Threads that a colleague looks at to find one.
LOOKS_MAX = 3
#: Share of the threads that a colleague takes from among so many that wait longest.
LONGEST_SHARE, LONGEST = 0.5, 12
#: The chatbot: its interval of reading, and the number of events that it reads at once.
READ_MS = 1_000
EVENTS_PATH = "/api/v1/events"
EVENTS_MAX = 500
#: Time until a reply is delivered, and until it is read; the share that is read. The last one of
#: FAILED_EVERY fails, so that a visitor sees the usual case first.
DELIVERED_AFTER_MS = (600, 2_500)
READ_AFTER_MS = (4_000, 45_000)
READ_SHARE = 0.7
FAILED_EVERY = 50
#: Somebody else was faster.
_TOO_LATE = ("conversation_moved", "already_claimed", "not_found")


class Person(NamedTuple):
    """An admin of the demo, with the languages that they answer in."""

    id: int
    name: str
    locales: tuple[str, ...]


class Desk:
    """The threads that wait, and those that a colleague has open: all colleagues share them.

    `model` is the traffic; there is none before the simulator has begun.
    """

    def __init__(self, people: Sequence[Person]):
        self.staff = frozenset(person.id for person in people)
        self.names = [person.name for person in people]
        self.model: StaffedTraffic | None = None
        self._busy: set[int] = set()

    def next_thread(self, person: Person, client: BotClient, random: Random) -> int | None:
        """Returns the id of a thread that waits, in the admin's languages, and is nobody else's:
        of a few, the one that waits longest."""
        waiting = self.model.waiting(person.locales, person.id) if self.model else []
        if random.random() < LONGEST_SHARE:
            waiting = waiting[:LONGEST]
        rows = []
        for thread in random.sample(waiting, min(len(waiting), LOOKS_MAX)):
            row = client.get(f"/api/v1/threads/{thread}").body
            owner = (row.get("assignee") or {}).get("id", person.id)
            if owner == person.id and row.get("waiting_since") and row["id"] not in self._busy:
                rows.append(row)
        if not rows:
            return None
        id = int(min(rows, key=itemgetter("waiting_since"))["id"])
        self._busy.add(id)
        return id

    def let_go(self, thread_id: int) -> None:
        self._busy.discard(thread_id)

    def words(self, thread: str, *, is_note: bool) -> str:
        """Returns what an admin writes next in the thread."""
        if self.model is None:
            raise DashboardError("disconnected")
        return self.model.words(thread, is_note=is_note)


class Colleague:
    """One admin at work. `tick` does what is due and waits for nothing but answers, which have a
    limit of time; whatever fails, the colleague comes back a moment later.

    `bot` looks up threads; no other colleague uses it.
    """

    def __init__(
        self, person: Person, client: DashboardClient, bot: BotClient, desk: Desk, random: Random
    ):
        self._person = person
        self._client = client
        self._bot = bot
        self._desk = desk
        self._random = random
        self._thread_id: int | None = None
        self._steps: Iterator[int] = self._day()
        self._due_ms = self._now_ms = 0
        self._backoff = Backoff(*COME_BACK_SECONDS, jitter=False)

    def tick(self, now_ms: int) -> None:
        if now_ms < self._due_ms:
            return
        self._now_ms = now_ms
        try:
            self._due_ms = now_ms + next(self._steps)
        except Exception as error:
            # The server is away, the session has ended, the thread went on: what is under way is
            # given up. A generator that raised is over, so that the day begins again in any case.
            log.debug("%s comes back: %r", self._person.name, error)
            self._let_go()
            self._client.close()
            self._steps = self._day()
            self._due_ms = now_ms + round(self._backoff.next_seconds() * SECOND_MS)

    def _day(self) -> Iterator[int]:
        """Yields the milliseconds for which each activity goes on."""
        self._client.connect()
        while True:
            yield self._random.randrange(*IDLE_MS)
            self._thread_id = self._desk.next_thread(self._person, self._bot, self._random)
            if self._thread_id is None:
                # Says that somebody is there, as a page does that is only looked at.
                self._client.call("presence:pong", REPORT)
                continue
            yield from self._look_into(self._thread_id)
            self._client.call("thread:close", {"id": self._thread_id})
            self._let_go()
            self._backoff.reset()

    def _let_go(self) -> None:
        if self._thread_id is not None:
            self._desk.let_go(self._thread_id)
            self._thread_id = None

    def _look_into(self, thread_id: int) -> Iterator[int]:
        opened = self._client.call("thread:open", {"id": thread_id})
        row, messages = opened["row"], opened["messages"]
        last_id = messages[-1]["id"] if messages else None
        self._is_at(thread_id, "viewing", "messages", last_id)
        is_others = any(viewer["id"] not in self._desk.staff for viewer in opened["viewers"])
        yield self._random.randrange(*READING_MS)
        share = 1 - TAKES_AWAY_SHARE if is_others else ONLY_LOOKS_SHARE
        if self._random.random() < share:
            return
        if row["assignee"] is None and self._random.random() < TAKES_SHARE:
            self._do(f"threads/{thread_id}/claim", {})
        if self._random.random() < NOTE_SHARE:
            yield from self._write(row, last_id, is_note=True)
        if self._random.random() < SNOOZE_SHARE:
            self._snooze(thread_id)
            return
        answered = yield from self._write(row, last_id)
        yield self._random.randrange(*LOOKING_AFTER_MS)
        if answered and self._random.random() < CLOSES_SHARE:
            self._do(f"threads/{thread_id}/close", {"seen_message_id": answered})

    def _write(
        self, row: dict[str, Any], seen_id: int | None, *, is_note: bool = False
    ) -> Generator[int, None, int | None]:
        """Types, then sends; returns the message's id, None if the conversation moved on."""
        thread_id = row["id"]
        left_ms = self._random.randrange(*WRITING_MS)
        while left_ms > 0:
            self._is_at(thread_id, "typing", "note" if is_note else "reply", seen_id)
            yield min(left_ms, TYPING_EVERY_MS)
            left_ms -= TYPING_EVERY_MS
        text = self._desk.words(row["thread"], is_note=is_note)
        others = [name for name in self._desk.names if name != self._person.name]
        if is_note and others and self._random.random() < MENTION_SHARE:
            text = f"@{self._random.choice(others)} {text}"
        document = {"body": text, "token": uuid4().hex, "private": is_note}
        if seen_id is not None:
            document["seen_message_id"] = seen_id
        answer = self._do(f"threads/{thread_id}/replies", document)
        self._is_at(thread_id, "viewing", "messages", seen_id)
        return answer["message"]["id"] if answer else None

    def _snooze(self, thread_id: int) -> None:
        until = self._now_ms + self._random.randrange(*SNOOZE_MS)
        self._do(f"threads/{thread_id}/snooze", {"until": iso(until), "wake": "reply"})

    def _do(self, path: str, document: dict[str, Any]) -> dict[str, Any] | None:
        """Posts the document; returns None if somebody else was faster."""
        try:
            return self._client.request("POST", path, document)
        except DashboardError as error:
            if error.code in _TOO_LATE:
                return None
            raise

    def _is_at(self, thread_id: int, mode: str, field: str, message_id: int | None) -> None:
        cursor = {"field": field, "position": 0, "message_id": message_id}
        self._client.call("thread:mode", {"id": thread_id, "mode": mode, "cursor": cursor})


class Chatbot:
    """Reads what admins do, from `cursor` on, and reports what became of their replies.

    Without a cursor it reads all that is kept; `keep` gets each new cursor.
    """

    def __init__(
        self,
        client: BotClient,
        model: StaffedTraffic,
        random: Random,
        cursor: str = "",
        keep: Callable[[str], object] = lambda cursor: None,
    ):
        self._client = client
        self._model = model
        self._random = random
        self._cursor = cursor
        self._keep = keep
        self._read_at = self._replies = 0
        self._receipts: list[tuple[int, int, str]] = []

    def tick(self, now_ms: int) -> None:
        """Reads and posts what is due at this time."""
        if now_ms >= self._read_at:
            self._read_at = now_ms + READ_MS
            self._read(now_ms)
        self._post_receipts(now_ms)

    def _read(self, now_ms: int) -> None:
        answer = self._client.get(f"{EVENTS_PATH}?after={self._cursor}&limit={EVENTS_MAX}")
        if answer.status == 422:
            # A cursor of another database, or from before the secret key changed.
            self._cursor = ""
        if answer.status != 200:
            return
        for event in answer.body["events"]:
            self._model.happened(event)
            if event["type"] == "message.created":
                self._expect_receipts(event["data"]["id"], now_ms)
        if answer.body["next"] != self._cursor:
            self._cursor = answer.body["next"]
            self._keep(self._cursor)

    def _expect_receipts(self, message_id: int, now_ms: int) -> None:
        self._replies += 1
        has_failed = self._replies % FAILED_EVERY == 0
        at_ms = now_ms + self._random.randrange(*DELIVERED_AFTER_MS)
        state = "failed" if has_failed else "delivered"
        heapq.heappush(self._receipts, (at_ms, message_id, state))
        if not has_failed and self._random.random() < READ_SHARE:
            at_ms += self._random.randrange(*READ_AFTER_MS)
            heapq.heappush(self._receipts, (at_ms, message_id, "read"))

    def _post_receipts(self, now_ms: int) -> None:
        receipts = []
        while self._receipts and self._receipts[0][0] <= now_ms:
            at_ms, message_id, state = heapq.heappop(self._receipts)
            receipt = {"type": "receipt", "message_id": message_id, "state": state}
            id = f"receipt-{message_id}-{state}-{at_ms:x}"
            receipts.append(receipt | {"id": id, "occurred_at": iso(now_ms)})
        for first in range(0, len(receipts), EVENTS_MAX):
            self._client.post(EVENTS_PATH, {"events": receipts[first : first + EVENTS_MAX]})
