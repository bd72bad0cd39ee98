"""Posts events to Lineup, each until it is stored there."""

import json
import re
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from time import monotonic
from typing import Any, Literal, NotRequired, TypedDict, Unpack, cast
from unicodedata import category

from lineup_client import models
from lineup_client.client import FINAL, Lineup, Refused, Unavailable
from lineup_client.storage import THREAD, remember
from lineup_client.work import Background, log

BATCH_MAX = 500
PAUSE_SECONDS = 5.0
#: The last year of times that Lineup takes.
YEAR_MAX = 2100
#: Answers to a whole batch that stay the same. Others, such as 404, are about the address.
FINAL_OF_BATCH = frozenset({400, 413, 422})
#: Refusals that may pass: the message is stored later, or the thread loses tags. So long, and so
#: often, such an event is posted again.
PASSING = frozenset({"unknown_message", "too_many_tags"})
PASSING_SECONDS, AGAIN_SECONDS = 3_600.0, 30.0
#: Most characters of a message.
BODY_MAX = 20_000
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: Unicode's categories of characters that show nothing, and letters and signs that do not either.
_UNSEEN = frozenset({"Cc", "Cf", "Mn", "Zl", "Zp", "Zs"})
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_KEEP = "INSERT OR IGNORE INTO lineup_outbox (id, event) VALUES (?, ?)"
_NEXT = (
    "SELECT number, event FROM lineup_outbox WHERE id NOT IN (SELECT value FROM json_each(?))"
    " ORDER BY number LIMIT ?"
)
_LAST_AT = "sender.last_at"

Role = Literal["client", "admin", "bot", "system"]
#: Called with an event that Lineup will never store, and the reason.
OnRefused = Callable[[models.Event, models.Problem], None]


class Message(TypedDict):
    """Optional members of a message."""

    id: NotRequired[str]
    occurred_at: NotRequired[str]
    attachments: NotRequired[list[models.Attachment]]


class Sender(Background):
    """Keeps events in order, in `file` if it is given, and posts them in the background.

    An event is safe as soon as `send` has returned, whatever happens to the process: its id makes
    it safe to post it again. `refused` is called with events that Lineup will never store. An edit
    of an unknown message, and tags too many for a thread, are tried for an hour before.
    """

    def __init__(self, lineup: Lineup, file: str | None = None, refused: OnRefused | None = None):
        super().__init__("lineup sender", file, self.post_next, PAUSE_SECONDS)
        self._lineup = lineup
        self._refused = refused or _log_refused
        self._size = BATCH_MAX
        # The events whose refusal may pass: until when they are tried, and when again (s).
        self._passing: dict[str, tuple[float, float]] = {}

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """Begins a transaction of the file. Events that are sent in it, and rows that you write
        with the connection that it gives, are stored together or not at all."""
        return self._storage.transaction()

    def send(self, type: str, *, id: str = "", occurred_at: str = "", **members: Any) -> str:
        """Stores an event to be posted, and returns its id. An id that waits already changes
        nothing. The default time is now, and never before that of an earlier event."""
        event = {"id": id or uuid.uuid4().hex, "type": type, **members}
        with self._storage.transaction() as connection:
            event["occurred_at"] = self._time(connection, occurred_at)
            connection.execute(_KEEP, (event["id"], json.dumps(event)))
        self._worker.wake()
        return cast(str, event["id"])

    def message(
        self,
        thread: str,
        customer: models.Customer,
        role: Role,
        body: str,
        **more: Unpack[Message],
    ) -> str:
        """Sends a message of the customer (role "client"), the chatbot or the team."""
        return self.send("message", thread=thread, customer=customer, role=role, body=body, **more)

    def handoff(self, thread: str, desk: str | None = None, watch_place: bool | None = None) -> str:
        """Asks for a person, at a desk if it is given. `watch_place`: Lineup then tells of the
        customer's place in line as `thread.position`."""
        return self.send("thread.handoff", thread=thread, desk=desk, watch_place=watch_place)

    def waiting(self) -> int:
        """Returns the number of events that are still to be posted."""
        with self._storage.transaction() as connection:
            count: int = connection.execute("SELECT count(*) FROM lineup_outbox").fetchone()[0]
        return count

    def pending(self, thread: str) -> list[dict[str, Any]]:
        """Returns the events of a thread that are still to be posted, in order."""
        query = f"SELECT event FROM lineup_outbox WHERE {THREAD} = ? ORDER BY number"
        with self._storage.transaction() as connection:
            return [json.loads(text) for (text,) in connection.execute(query, (thread,))]

    def post_next(self) -> bool:
        """Posts the events that wait longest; returns False if there are none. Raises
        Unavailable."""
        now = monotonic()
        held = json.dumps([id for id, (_, again) in self._passing.items() if again > now])
        with self._storage.transaction() as connection:
            rows = connection.execute(_NEXT, (held, self._size)).fetchall()
        if not rows:
            return False
        events = [cast(models.Event, json.loads(text)) for _, text in rows]
        try:
            results = self._lineup.post(events)["results"]
        except Unavailable as error:
            if error.status == HTTPStatus.TOO_MANY_REQUESTS:
                # Lineup counts the whole batch, which may be more than the key may ever post.
                self._size = max(1, len(rows) // 2)
            raise
        except Refused as error:
            if error.status not in FINAL_OF_BATCH:
                raise Unavailable(str(error)) from error
            # The whole batch, which may be too long: half of it, down to one event.
            if len(rows) > 1:
                self._size = len(rows) // 2
                return True
            results = [
                models.BatchResult(index=0, status="rejected", id=None, problem=error.problem)
            ]
        self._size = min(BATCH_MAX, 2 * self._size)
        kept = self._settle(list(zip(rows, events, results, strict=True)))
        return not kept

    def _settle(self, posted: list[tuple[Any, models.Event, models.BatchResult]]) -> bool:
        """Deletes the events that need no further try; returns whether others are to be posted
        again after a pause."""
        done, is_kept = [], False
        for (number, _), event, result in posted:
            problem = result.get("problem")
            if self._may_pass(event["id"], problem):
                continue
            if problem is not None and problem["status"] not in FINAL:
                is_kept = True
                continue
            if problem is not None:
                try:
                    self._refused(event, problem)
                except Exception:
                    log.exception("lineup sender: `refused` failed for the event %s", event["id"])
            done.append((number,))
        with self._storage.transaction() as connection:
            connection.executemany("DELETE FROM lineup_outbox WHERE number = ?", done)
        return is_kept

    def _may_pass(self, id: str, problem: models.Problem | None) -> bool:
        """Whether the event is held back for a while, because its refusal may pass."""
        now = monotonic()
        until, _ = self._passing.pop(id, (now + PASSING_SECONDS, now))
        if problem is None or problem.get("code") not in PASSING or now >= until:
            return False
        self._passing[id] = until, now + AGAIN_SECONDS
        return True

    def _time(self, connection: sqlite3.Connection, given: str) -> str:
        """Returns the given time, or the default one; the next default is not before it."""
        at = _moment(given) if given else _text(datetime.now(UTC))
        latest = max(at, self._storage.recall(_LAST_AT))
        remember(connection, _LAST_AT, latest)
        return given or latest


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(given: str) -> str:
    """Returns a given time in UTC; "" for one that Lineup refuses."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(given.upper())
        if moment.tzinfo and moment.year <= YEAR_MAX:
            return _text(moment.astimezone(UTC))
    return ""


def clean_text(body: str) -> str:
    """Returns a text as Lineup takes it in a message: without control characters and halves of
    characters. Raises ValueError for one that shows nothing, or is too long."""
    body = _FORBIDDEN.sub("", body)
    if len(body) > BODY_MAX or all(one in _BLANK or category(one) in _UNSEEN for one in body):
        raise ValueError(f"A message has 1 to {BODY_MAX} characters, and shows something.")
    return body


def _log_refused(event: models.Event, problem: models.Problem) -> None:
    log.error("Lineup refused the event %s: %s", event["id"], problem["detail"])
