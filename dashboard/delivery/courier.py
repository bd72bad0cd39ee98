"""The courier of a process: takes due deliveries in hand, posts them, and notes what came of it."""

import logging
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable

from sqlalchemy import Connection

from dashboard.delivery import schedule
from dashboard.delivery.post import Answer, Poster
from dashboard.delivery.request import Request, signed
from dashboard.errors import StorageUnavailable
from dashboard.store import deliveries, delivery_log, outgoing, webhooks
from dashboard.store.database import Database
from dashboard.store.deliveries import Claimed
from dashboard.store.delivery_log import Attempt

log = logging.getLogger(__name__)

#: Without a ring the outbox is looked at so often; other workers' rings are not heard.
LOOK_SECONDS = 0.5
#: Longer than a process is silent that is well; a dead one's deliveries are taken over then.
LEASE_MS = 6_000
RENEW_MS = 2_000
#: In hand at once: a slow receiver holds up nobody else.
IN_HAND_PER_WEBHOOK = 4
IN_HAND_MAX = 64
TRIM_MS = 3_600_000
GONE = 410

Spawn = Callable[..., object]


def spawn_thread(work: Callable[..., object], *given: object) -> object:
    """Runs beside; a green thread where the process is patched."""
    thread = threading.Thread(target=work, args=given, daemon=True)
    thread.start()
    return thread


class Courier:
    """Several couriers share the work; each delivery is in one's hands at a time.

    `spawn(function, *arguments)` runs it beside.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        *,
        spawn: Spawn = spawn_thread,
        jitter: Callable[[], float] = random.random,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._spawn = spawn
        self._jitter = jitter
        self._in_hand: dict[int, Claimed] = {}
        self._renewed_at = 0
        self._trimmed_at = 0
        self._bell = threading.Event()
        self._stopped = False

    def ring(self) -> None:
        """Something was done that goes out."""
        self._bell.set()

    def run(self) -> None:
        """Delivers until `stop`; never raises."""
        while not self._stopped:
            self._bell.wait(LOOK_SECONDS)
            self._bell.clear()
            try:
                self.turn()
            except StorageUnavailable as error:
                log.warning("the outbox cannot be read: %s", error)
                time.sleep(LOOK_SECONDS)
            except Exception:
                log.exception("a turn of the courier failed")
                time.sleep(LOOK_SECONDS)

    def stop(self) -> None:
        self._stopped = True
        self._bell.set()

    def turn(self) -> None:
        """Does what is due now. Raises StorageUnavailable."""
        now = self._clock()
        self._renew(now)
        with self._database.read() as connection:
            has_unplaced = outgoing.has_unplaced(connection)
        if has_unplaced:
            self._database.write(lambda connection: outgoing.place(connection, now))
        with self._database.read() as connection:
            waiting = deliveries.waiting_webhooks(connection, now)
        for webhook_id in waiting:
            self._take(webhook_id, now)
        self._trim(now)

    def _renew(self, now: int) -> None:
        if not self._in_hand or now - self._renewed_at < RENEW_MS:
            return
        held = [(each.id, each.lease) for each in list(self._in_hand.values())]
        self._database.write(lambda connection: deliveries.renew(connection, held, now + LEASE_MS))
        self._renewed_at = now

    def _take(self, webhook_id: int, now: int) -> None:
        counts = Counter(each.webhook_id for each in list(self._in_hand.values()))
        free = min(IN_HAND_PER_WEBHOOK - counts[webhook_id], IN_HAND_MAX - len(self._in_hand))
        if free <= 0:
            return
        lease, until = uuid.uuid4().hex, now + LEASE_MS
        claimed = self._database.write(
            lambda connection: deliveries.claim(connection, webhook_id, lease, now, until, free)
        )
        for each in claimed:
            self._in_hand[each.id] = each
            self._spawn(self._deliver, each)

    def _deliver(self, claimed: Claimed) -> None:
        try:
            self._post(claimed)
        except StorageUnavailable as error:
            # The lease runs out, and it is delivered again.
            log.warning("what came of a delivery cannot be noted: %s", error)
        except Exception:
            log.exception("a delivery failed")
        finally:
            if self._in_hand.get(claimed.id) is claimed:
                del self._in_hand[claimed.id]
            # What waits behind it may be due.
            self.ring()

    def _post(self, claimed: Claimed) -> None:
        began = self._clock()
        with self._database.read() as connection:
            target = webhooks.target(connection, claimed.webhook_id, began)
        if target is None:
            self._database.write(lambda connection: deliveries.fail(connection, claimed, began))
            return
        request = signed(claimed.event.document(), target.secrets, began)
        answer = self._poster.post(target.url, request)
        now = self._clock()
        attempt = attempt_of(request, answer, began, now)
        self._database.write(
            lambda connection: self._note(connection, claimed, answer, attempt, now)
        )

    def _note(
        self, connection: Connection, claimed: Claimed, answer: Answer, attempt: Attempt, now: int
    ) -> None:
        delivery_log.note(connection, claimed.webhook_id, claimed.id, attempt)
        if answer.is_good:
            if deliveries.succeed(connection, claimed, now):
                webhooks.note_success(connection, claimed.webhook_id)
            return
        next_at = schedule.next_at(
            claimed.attempts, schedule.retry_after(answer.retry_after, now), now, self._jitter
        )
        if answer.status == GONE or next_at is None:
            held = deliveries.fail(connection, claimed, now)
        else:
            held = deliveries.put_off(connection, claimed, next_at, now)
        if held:
            webhooks.note_failure(connection, claimed.webhook_id, now)
        if held and answer.status == GONE:
            webhooks.disable(connection, claimed.webhook_id, webhooks.GONE, now)

    def _trim(self, now: int) -> None:
        if now - self._trimmed_at < TRIM_MS:
            return
        if not self._database.write(lambda connection: outgoing.trim(connection, now)):
            self._trimmed_at = now


def attempt_of(request: Request, answer: Answer, began: int, now: int) -> Attempt:
    """The line of the log about a request and its answer."""
    headers = dict(request.headers)
    return Attempt(began, now - began, headers, answer.status, answer.error, answer.text)
