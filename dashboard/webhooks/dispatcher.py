"""Leases due webhook deliveries, posts them, and saves the outcome."""

import logging
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.outbox import deliveries, outgoing, webhooks
from dashboard.db.outbox.deliveries import Attempt, LeasedDelivery
from dashboard.errors import StorageUnavailable
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from dashboard.validation.strict_json import JsonObject
from dashboard.webhooks.http_client import Answer, Poster, Request, signed

_MINUTE, _HOUR = 60, 3600
#: Delay after the first attempt, after the second, …; after the last one the delivery has failed.
WAITS_SECONDS = (
    5,
    5 * _MINUTE,
    30 * _MINUTE,
    2 * _HOUR,
    5 * _HOUR,
    10 * _HOUR,
    14 * _HOUR,
    20 * _HOUR,
    24 * _HOUR,
)
ATTEMPTS_MAX = 1 + len(WAITS_SECONDS)
#: Share by which a delay may be longer, so that deliveries that failed together do not retry
#: together. Never shorter: the documentation promises these delays to receivers.
JITTER = 0.1
#: Longest delay that a receiver may ask for.
RETRY_AFTER_MAX_SECONDS = 24 * _HOUR
_DIGITS_MAX = 9


def next_at(
    attempts: int, retry_after_seconds: int | None, now_ms: int, random: Callable[[], float]
) -> int | None:
    """Returns the time of the next attempt in milliseconds; None after `ATTEMPTS_MAX` attempts.

    It is never before the receiver's `Retry-After`. `random()` gives a number in [0, 1).
    """
    if attempts >= ATTEMPTS_MAX:
        return None
    wait = max(WAITS_SECONDS[attempts - 1], retry_after_seconds or 0)
    return now_ms + int(wait * 1000 * (1 + JITTER * random()))


def retry_after(text: str | None, now_ms: int) -> int | None:
    """Reads a `Retry-After` header (seconds or a date) as 0 to 86,400 s; None if invalid."""
    if not text:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:_DIGITS_MAX]), RETRY_AFTER_MAX_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = -(-(moment.timestamp() * 1000 - now_ms) // 1000)
    return int(min(max(seconds, 0), RETRY_AFTER_MAX_SECONDS))


log = logging.getLogger(__name__)

#: Interval of the poll for due deliveries: while some are under way, and while none is.
#: `AgendaReader` wakes the dispatcher when some are due.
POLL_SECONDS, POLL_REST_SECONDS = 0.5, 15.0
#: Lifetime of the lease of a first attempt: longer than any pause of a healthy process. When a
#: process dies, another one leases its deliveries after this time. Each further attempt doubles it,
#: so that a process can save the receiver's answer even on a machine that starves all processes.
LEASE_MS = 6_000
LEASE_MOST_MS = 600_000
RENEW_MS = 2_000
#: Deliveries under way at once: a slow receiver must not delay other webhooks.
ACTIVE_PER_WEBHOOK_MAX = 4
ACTIVE_MAX = 64
#: Interval of deleting events older than the outbox keeps them.
TRIM_MS = 3_600_000
#: HTTP status by which a receiver asks for no further deliveries.
GONE = 410

Spawn = Callable[..., object]


def spawn_thread(work: Callable[..., object], *arguments: object) -> object:
    """Runs `work` in a daemon thread; a green thread if the process is monkey-patched."""
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def leased_until(now: int, attempts: int) -> int:
    """Returns when a lease begun now ends, in ms; `attempts` is 1 for a first attempt."""
    return now + min(LEASE_MOST_MS, LEASE_MS << (attempts - 1))


class WebhookDispatcher(RunsTask):
    """Posts due deliveries. Each process runs one; a lease gives each delivery to one at a time.

    `spawn(function, *arguments)` runs a delivery in the background; `jitter()` gives a number in
    [0, 1) for the delay before a retry; `for_chatbots` turns an event's document into the one that
    is posted.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        *,
        spawn: Spawn = spawn_thread,
        jitter: Callable[[], float] = random.random,
        for_chatbots: Callable[[JsonObject], JsonObject] = lambda document: document,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._spawn = spawn
        self._jitter = jitter
        self._for_chatbots = for_chatbots
        self._active: dict[int, LeasedDelivery] = {}
        self._renewed_at = 0
        self._trimmed_at = 0
        #: Deliveries with a lease that ended before their outcome was saved.
        self.lost = 0
        self._task = PeriodicTask(
            "delivering webhooks",
            self.turn,
            interval_seconds=lambda: POLL_SECONDS if self._active else POLL_REST_SECONDS,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(POLL_SECONDS),
        )

    def turn(self) -> None:
        """Starts all deliveries that are due now. Raises StorageUnavailable."""
        now = self._clock()
        self._renew(now)
        with self._database.read() as connection:
            needs_positions = outgoing.needs_positions(connection)
        if needs_positions:
            self._database.write(lambda connection: outgoing.assign_positions(connection, now))
        with self._database.read() as connection:
            waiting = deliveries.waiting_webhooks(connection, now)
        for webhook_id in waiting:
            self._lease(webhook_id, now)
        self._trim(now)

    def _renew(self, now: int) -> None:
        if not self._active or now - self._renewed_at < RENEW_MS:
            return
        leases = [
            (delivery.id, delivery.lease, leased_until(now, delivery.attempts))
            for delivery in list(self._active.values())
        ]
        self._database.write(lambda connection: deliveries.renew(connection, leases))
        self._renewed_at = now

    def _lease(self, webhook_id: int, now: int) -> None:
        counts = Counter(delivery.webhook_id for delivery in list(self._active.values()))
        free = min(ACTIVE_PER_WEBHOOK_MAX - counts[webhook_id], ACTIVE_MAX - len(self._active))
        if free <= 0:
            return
        token = uuid.uuid4().hex
        leased = self._database.write(
            lambda connection: deliveries.lease(
                connection, webhook_id, token, now, partial(leased_until, now), free
            )
        )
        for delivery in leased:
            self._active[delivery.id] = delivery
            self._spawn(self._deliver, delivery)

    def _deliver(self, delivery: LeasedDelivery) -> None:
        try:
            self._post(delivery)
        except StorageUnavailable as error:
            # The lease expires, and the event is delivered again.
            log.warning("the outcome of a delivery was not saved: %s", error)
        except Exception:
            log.exception("a delivery failed")
        finally:
            if self._active.get(delivery.id) is delivery:
                del self._active[delivery.id]
            # The next event of the thread may be due now.
            self.wake()

    def _post(self, delivery: LeasedDelivery) -> None:
        began = self._clock()
        with self._database.read() as connection:
            target = webhooks.target(connection, delivery.webhook_id, began)
        if target is None:
            self._database.write(
                lambda connection: deliveries.fail(connection, delivery, began), is_idempotent=True
            )
            return
        request = signed(self._for_chatbots(delivery.event.document()), target.secrets, began)
        answer = self._poster.post(target.url, request)
        now = self._clock()
        attempt = attempt_of(request, answer, began, now)
        # At worst the log shows the attempt twice; otherwise the chatbot would get the event twice.
        is_saved = self._database.write(
            lambda connection: self._save_outcome(connection, delivery, answer, attempt, now),
            is_idempotent=True,
        )
        self.lost += not is_saved

    def _save_outcome(
        self,
        connection: Connection,
        delivery: LeasedDelivery,
        answer: Answer,
        attempt: Attempt,
        now: int,
    ) -> bool:
        """Returns whether the lease held until now; else nothing but the attempt is saved."""
        deliveries.log_attempt(connection, delivery.webhook_id, delivery.id, attempt)
        if answer.is_good:
            is_saved = deliveries.succeed(connection, delivery, now)
            if is_saved:
                webhooks.save_success(connection, delivery.webhook_id)
            return is_saved
        again_at = next_at(
            delivery.attempts, retry_after(answer.retry_after, now), now, self._jitter
        )
        if answer.status == GONE or again_at is None:
            is_saved = deliveries.fail(connection, delivery, now)
        else:
            is_saved = deliveries.retry_at(connection, delivery, again_at, now)
        if is_saved:
            webhooks.save_failure(connection, delivery.webhook_id, now)
        if is_saved and answer.status == GONE:
            webhooks.disable(connection, delivery.webhook_id, webhooks.GONE, now)
        return is_saved

    def _trim(self, now: int) -> None:
        if now - self._trimmed_at < TRIM_MS:
            return
        if not self._database.write(lambda connection: outgoing.trim(connection, now)):
            self._trimmed_at = now


def attempt_of(request: Request, answer: Answer, began: int, now: int) -> Attempt:
    """Returns the delivery log entry for a request and its answer; times in milliseconds."""
    headers = dict(request.headers)
    return Attempt(began, now - began, headers, answer.status, answer.error, answer.text)
