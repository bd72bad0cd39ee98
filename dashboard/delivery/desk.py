"""What supervisors do with webhooks: make, rotate, test, revoke, and have events sent again."""

import uuid
from collections.abc import Callable, Collection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from dashboard.delivery.courier import attempt_of
from dashboard.delivery.post import Poster
from dashboard.delivery.request import signed
from dashboard.errors import NotFound, Problem
from dashboard.intake.field_errors import one
from dashboard.store import deliveries, delivery_log, outgoing, sources, webhooks
from dashboard.store.database import Database
from dashboard.store.delivery_log import Attempt
from dashboard.store.outgoing_document import TYPES, TYPING, timestamp
from dashboard.store.webhooks import Webhook

URL_MAX = 2_048
#: What a webhook may ask for.
WANTED = (*TYPES, TYPING)
TEST_TYPE = "webhook.test"


class Made(NamedTuple):
    """A new webhook, and its secret, which is shown this once."""

    id: int
    secret: str


class WebhookDesk:
    """All raise NotFound for a webhook that there is not, and StorageUnavailable."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        ring: Callable[[], object] = lambda: None,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._ring = ring

    def create(self, source: str, url: str, events: Collection[str] | None) -> Made:
        """Raises Invalid for an address or a type that cannot be, StartError for a wrong source."""
        check_url(url)
        check_types(events)
        now = self._clock()

        def write(connection: Connection) -> Made:
            source_id = sources.ensure(connection, source, now)
            return Made(*webhooks.create(connection, source_id, url, events, now))

        return self._database.write(write)

    def listing(self) -> list[tuple[Webhook, int]]:
        """All webhooks, with how many events wait for each."""
        with self._database.read() as connection:
            waiting = webhooks.pending(connection)
            return [(each, waiting.get(each.id, 0)) for each in webhooks.listing(connection)]

    def rotate(self, id: int) -> str:
        """A new secret; the one before it signs along for a day."""
        return self._write(id, lambda connection, now: webhooks.rotate(connection, id, now))

    def revoke(self, id: int) -> None:
        self._write(
            id,
            lambda connection, now: webhooks.disable(connection, id, webhooks.REVOKED, now),
        )

    def enable(self, id: int) -> None:
        """One that was switched off because its receiver said that it is gone."""
        self._write(id, lambda connection, now: webhooks.enable(connection, id))

    def log(self, id: int, before: int | None, limit: int) -> tuple[list[dict[str, Any]], bool]:
        """The newest attempts first, and whether there are older ones."""
        with self._database.read() as connection:
            _there(connection, id)
            return delivery_log.page(connection, id, before, limit)

    def test(self, id: int) -> Attempt:
        """Posts a test at once; it is noted in the log, and told to nobody else."""
        began = self._clock()
        with self._database.read() as connection:
            webhook = _there(connection, id)
            target = webhooks.target(connection, id, began)
        if target is None:
            raise _disabled()
        document = {
            "id": f"test_{uuid.uuid4().hex}",
            "type": TEST_TYPE,
            "occurred_at": timestamp(began),
            "data": {"source": webhook.source},
        }
        request = signed(document, target.secrets, began)
        answer = self._poster.post(target.url, request)
        attempt = attempt_of(request, answer, began, self._clock())
        self._database.write(lambda connection: delivery_log.note(connection, id, None, attempt))
        return attempt

    def replay(self, id: int, **which: Any) -> int:
        """Sends events again: `name` of one, or `from_ms` and `to_ms`; how many."""
        self._place()

        def write(connection: Connection, now: int) -> int:
            if webhooks.target(connection, id, now) is None:
                raise _disabled()
            rows = delivery_log.replayable(connection, id, now, **which)
            return deliveries.replay(connection, id, rows, now)

        done = self._write(id, write)
        self._ring()
        return done

    def _place(self) -> None:
        self._database.write(lambda connection: outgoing.place(connection, self._clock()))

    def _write(self, id: int, work: Callable[[Connection, int], Any]) -> Any:
        now = self._clock()

        def write(connection: Connection) -> Any:
            _there(connection, id)
            return work(connection, now)

        return self._database.write(write)


def check_url(url: str) -> None:
    """Raises Invalid for what is no http address, or holds a password."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        good = good and parts.port != 0 and "@" not in parts.netloc and not parts.fragment
    except ValueError:
        good = False
    printable = url.isascii() and url.isprintable() and " " not in url
    if not good or not printable or len(url) > URL_MAX:
        raise one("/url", "unknown_value", "must be an http or https address without a password")


def check_types(events: Collection[str] | None) -> None:
    """Raises Invalid for a type of event that there is not."""
    wrong = [name for name in events or () if name not in WANTED]
    if wrong or (events is not None and not events):
        raise one("/events", "unknown_value", f"must be some of {', '.join(WANTED)}")


def _there(connection: Connection, id: int) -> Webhook:
    found = webhooks.one(connection, id)
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def _disabled() -> Problem:
    return Problem(409, "webhook_disabled", "The webhook is switched off.")
