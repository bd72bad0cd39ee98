"""Presence for the bot API: heartbeats, look-ups and typing of a source's customers."""

import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db import erasures
from dashboard.db.accounts.presence_settings import of_customers
from dashboard.db.accounts.team import assignee_of
from dashboard.db.database import Database
from dashboard.db.threads import threads
from dashboard.errors import NotFound
from dashboard.ingest.outgoing import NOT_KNOWN, CustomerPresence
from dashboard.presence.service import OTHERS, TRUTH, PresenceService
from dashboard.turns import turns
from presence.heartbeats import accept_beats
from presence.listing import Page, Position, Times
from presence.people import TOMBSTONE_MS, Connection
from presence.rooms import Membership
from presence.settings import Settings
from presence.states import UNSET, State

#: Device and type of a customer known only by messages.
MESSAGES, HTTP = "messages", "http"
#: A message that occurred longer ago, in milliseconds, is no heartbeat.
RECENT_MS = 60_000
#: Heartbeats sent at once while others wait: meanwhile Redis answers nobody else.
BEATS_FIRST = 50
#: Messages waiting to be sent to Redis as heartbeats; more are dropped.
PENDING_MAX = 5_000


class CustomerWrote(NamedTuple):
    """A message of a customer: source, the source's id of the customer, Lineup's thread id."""

    source: str
    customer: str
    thread_id: int | None = None

    @property
    def person(self) -> str:
        return f"{self.source}/{self.customer}"


class BotPresence:
    """The presence of a source's own customers: it sees their true state, even if they hide it.

    Methods raise RedisError and StorageUnavailable.
    """

    def __init__(
        self,
        presence_service: PresenceService,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._presence_service = presence_service
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._pending: dict[CustomerWrote, float] = {}
        self._closed: set[int] = set()
        #: Called when there is something new for `flush_pending`.
        self.on_pending: Callable[[], object] = lambda: None

    def beat(self, source: str, beats: Iterable[tuple[str, str, str, bool]]) -> None:
        """Sends heartbeats: (customer, device, type, active)."""
        connections = [
            Connection(f"{source}/{customer}", device, type, device, active=active)
            for customer, device, type, active in beats
        ]
        for some in turns.slices(connections, BEATS_FIRST):
            self._accept(some)

    def leave(self, source: str, devices: Iterable[tuple[str, str]]) -> None:
        """Closes devices at once: (customer, device)."""
        ended = [(f"{source}/{customer}", device) for customer, device in devices]
        for some in turns.slices(ended, BEATS_FIRST):
            self._presence_service.customers.close_all_of(some, leave_tombstones=True)

    def look_up(self, source: str, customers: Sequence[str]) -> dict[str, State]:
        people = {f"{source}/{customer}": customer for customer in customers}
        states = self._presence_service.look_up("customer", list(people), TRUTH)
        return {people[person]: state for person, state in states.items()}

    def of_thread(self, thread_id: int) -> CustomerPresence:
        """Returns the presence of a thread's customer, not known while Redis is away."""
        with self._database.read() as connection:
            person = threads.customer_of(connection, thread_id)
        if person is None:
            return NOT_KNOWN
        try:
            state = self._presence_service.look_up("customer", [person], TRUTH)[person]
        except (RedisError, OSError):
            return NOT_KNOWN
        return CustomerPresence(state["status"] != "offline", state["last_seen"])

    def seen(self, source: str, times: Times, limit: int, after: Position | None) -> Page:
        """Returns the source's customers who were seen in these times, page by page."""
        return self._presence_service.seen.page(times, limit, after, TRUTH, source)

    def team(self, source_id: int, thread: str) -> dict[str, object]:
        """Returns the team's state for a customer: whether anyone is online, and the assignee.

        Raises NotFound for an unknown thread.
        """
        with self._database.read() as connection:
            thread_id = threads.id_of(connection, source_id, thread)
            if thread_id is None:
                raise NotFound("There is no such thread.")
            assignee = assignee_of(connection, thread_id)
        person = None
        if assignee is not None:
            id, name = assignee
            person = {"name": name, "status": self.team_statuses([id])[id]}
        return {"online": self.is_team_online(), "assignee": person}

    def team_statuses(self, ids: Iterable[int]) -> dict[int, str]:
        """Maps admins to their statuses, as a customer may see them; up to `MAX_LOOKED_UP`."""
        states = self._presence_service.look_up("admin", list(map(str, ids)), OTHERS)
        return {int(id): state["status"] for id, state in states.items()}

    def is_team_online(self) -> bool:
        """Whether anyone of the team is online, as a customer may see it."""
        return any(count > 0 for count in self._presence_service.admins.counts().values())

    def typing(self, source_id: int, source: str, thread: str, customer: str) -> None:
        """Shows that the customer is typing in the thread.

        Raises NotFound for an unknown thread, and for the thread of another customer.
        """
        person = f"{source}/{customer}"
        with self._database.read() as connection:
            row = threads.with_customer(connection, source_id, thread)
            stored = of_customers(connection, [person]).get(person)
            is_deleted = bool(erasures.gone(connection, [person]))
        if row is None:
            raise NotFound("There is no such thread.")
        thread_id, owner = row
        if owner not in (None, customer) or is_deleted:
            raise NotFound("This thread is not this customer's.")
        self.beat(source, [(customer, MESSAGES, HTTP, True)])
        settings = stored.settings if stored else UNSET
        if _shows_typing(settings, self._clock()):
            membership = Membership(str(thread_id), person, MESSAGES)
            # The visibility is sent in the field of the cursor; customers have no cursor.
            self._presence_service.writers.put(membership, "typing", cursor=settings.visibility)

    def enqueue(self, messages: Collection[CustomerWrote]) -> None:
        """Keeps messages for the next `flush_pending`, so that no event waits for Redis."""
        if len(self._pending) < PENDING_MAX:
            self._pending.update(dict.fromkeys(messages, self._monotonic()))
            self.on_pending()

    def enqueue_closed(self, thread_ids: Iterable[int]) -> None:
        """Keeps threads that were closed: the next `flush_pending` ends typing in them."""
        if len(self._closed) < PENDING_MAX:
            self._closed.update(thread_ids)
            self.on_pending()

    @property
    def has_pending(self) -> bool:
        """Whether anything is kept for `flush_pending`."""
        return bool(self._pending or self._closed)

    def flush_pending(self) -> int:
        """Sends the kept messages as heartbeats; returns their number. Raises RedisError."""
        self._flush_closed()
        if not self._pending:
            return 0
        pending = self._take_pending()
        latest: dict[str, int] = {}
        for message, at_ms in pending.items():
            latest[message.person] = max(at_ms, latest.get(message.person, 0))
        self._accept(
            [Connection(who, MESSAGES, HTTP, MESSAGES, opened_ms=at) for who, at in latest.items()]
        )
        # The customer has stopped typing a message that was sent.
        self._presence_service.writers.leave_late(
            {
                Membership(str(message.thread_id), message.person, MESSAGES): at_ms
                for message, at_ms in pending.items()
                if message.thread_id is not None
            }
        )
        return len(pending)

    def _accept(self, connections: Sequence[Connection]) -> None:
        presence_service = self._presence_service
        accept_beats(
            presence_service.customers,
            connections,
            presence_service.customer_settings,
            presence_service.deleted_customers,
        )

    def _flush_closed(self) -> None:
        closed, self._closed = self._closed, set()
        try:
            self._presence_service.writers.empty(map(str, closed))
        except Exception:
            self._closed |= closed
            raise

    def _take_pending(self) -> dict[CustomerWrote, int]:
        """Returns the kept messages, each with its time by Redis's clock in ms, rounded down.

        A time too late would open a device again that was closed after the message.
        """
        now_ms, now = self._presence_service.customers.now_ms(), self._monotonic()
        pending, self._pending = self._pending, {}
        ages = {message: math.ceil(1_000 * (now - at)) for message, at in pending.items()}
        # The tombstone of an older one may be gone, and its device may have been closed since.
        return {message: now_ms - age for message, age in ages.items() if age < TOMBSTONE_MS}


def _shows_typing(settings: Settings, now_ms: int) -> bool:
    """Whether others may see the customer type: not if the customer is hidden."""
    hidden = settings.override.at(now_ms).status == "invisible"
    return settings.show_typing and settings.visibility != "nobody" and not hidden
