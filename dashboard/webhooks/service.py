"""What supervisors do with webhooks: create, rotate, test, revoke, and replay events."""

import uuid
from collections.abc import Callable, Collection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.outbox import deliveries, delivery_log, outgoing, webhooks
from dashboard.db.outbox.delivery_log import Attempt
from dashboard.db.outbox.outgoing_document import TYPES, TYPING, timestamp
from dashboard.db.outbox.webhooks import Webhook
from dashboard.errors import NotFound, Problem
from dashboard.validation.field_errors import field_error
from dashboard.webhooks.dispatcher import attempt_of
from dashboard.webhooks.http_client import Poster
from dashboard.webhooks.signing import signed

URL_MAX = 2_048
#: Types of events that a webhook may subscribe to.
EVENT_TYPES = (*TYPES, TYPING)
TEST_TYPE = "webhook.test"


class CreatedWebhook(NamedTuple):
    """The id of a new webhook, and its secret, which cannot be read again."""

    id: int
    secret: str


class WebhookService:
    """All methods raise NotFound for an unknown webhook, and StorageUnavailable."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        wake: Callable[[], object] = lambda: None,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._wake = wake

    def create(self, source: str, url: str, events: Collection[str] | None) -> CreatedWebhook:
        """Creates a webhook; `events` None subscribes to all types.

        Raises Invalid for a wrong address or type, StartError for a wrong name of a source.
        """
        check_url(url)
        check_types(events)
        now = self._clock()

        def write(connection: Connection) -> CreatedWebhook:
            source_id = sources.ensure(connection, source, now)
            return CreatedWebhook(*webhooks.create(connection, source_id, url, events, now))

        return self._database.write(write)

    def listing(self) -> list[tuple[Webhook, int]]:
        """All webhooks, each with the number of its pending deliveries."""
        with self._database.read() as connection:
            pending = webhooks.pending_counts(connection)
            return [(each, pending.get(each.id, 0)) for each in webhooks.listing(connection)]

    def rotate(self, id: int) -> str:
        """Gives a new secret; for a day the previous one signs every request, too."""
        return self._write(id, lambda connection, now: webhooks.rotate(connection, id, now))

    def revoke(self, id: int) -> None:
        """Deletes a webhook; its pending deliveries fail, its log is no longer shown."""
        self._write(
            id,
            lambda connection, now: webhooks.disable(connection, id, webhooks.REVOKED, now),
        )

    def enable(self, id: int) -> None:
        """Enables a webhook that was disabled because its receiver answered 410 Gone."""
        self._write(id, lambda connection, now: webhooks.enable(connection, id))

    def log(self, id: int, before: int | None, limit: int) -> tuple[list[dict[str, Any]], bool]:
        """Up to `limit` attempts with ids below `before`, newest first; whether there are more."""
        with self._database.read() as connection:
            _webhook(connection, id)
            return delivery_log.page(connection, id, before, limit)

    def test(self, id: int) -> Attempt:
        """Posts a test event at once; only the delivery log shows it.

        Raises Problem (409, `webhook_disabled`).
        """
        began = self._clock()
        with self._database.read() as connection:
            webhook = _webhook(connection, id)
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
        self._database.write(lambda connection: delivery_log.add(connection, id, None, attempt))
        return attempt

    def replay(self, id: int, **selection: Any) -> int:
        """Delivers events again: the one called `name`, or those from `from_ms` to `to_ms`.

        Returns their number. Raises Problem (409, `webhook_disabled`).
        """
        self._assign_positions()

        def write(connection: Connection, now: int) -> int:
            if webhooks.target(connection, id, now) is None:
                raise _disabled()
            rows = delivery_log.replayable(connection, id, now, **selection)
            return deliveries.replay(connection, id, rows, now)

        count = self._write(id, write)
        self._wake()
        return count

    def _assign_positions(self) -> None:
        self._database.write(
            lambda connection: outgoing.assign_positions(connection, self._clock())
        )

    def _write(self, id: int, work: Callable[[Connection, int], Any]) -> Any:
        now = self._clock()

        def write(connection: Connection) -> Any:
            _webhook(connection, id)
            return work(connection, now)

        return self._database.write(write)


def check_url(url: str) -> None:
    """Raises Invalid for what is no http or https address, or contains a password."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_good = is_good and parts.port != 0 and "@" not in parts.netloc and not parts.fragment
    except ValueError:
        is_good = False
    is_printable = url.isascii() and url.isprintable() and " " not in url
    if not is_good or not is_printable or len(url) > URL_MAX:
        raise field_error(
            "/url", "unknown_value", "must be an http or https address without a password"
        )


def check_types(events: Collection[str] | None) -> None:
    """Raises Invalid for an unknown type of event, and for an empty list."""
    wrong = [name for name in events or () if name not in EVENT_TYPES]
    if wrong or (events is not None and not events):
        raise field_error("/events", "unknown_value", f"must be some of {', '.join(EVENT_TYPES)}")


def _webhook(connection: Connection, id: int) -> Webhook:
    found = webhooks.one(connection, id)
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def _disabled() -> Problem:
    return Problem(409, "webhook_disabled", "The webhook is switched off.")
