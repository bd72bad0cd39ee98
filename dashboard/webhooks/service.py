"""Creates, rotates, tests and revokes webhooks for supervisors, and replays events."""

import logging
import re
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import sources
from dashboard.db.audit import Action, Actor, Target, add
from dashboard.db.database import Database
from dashboard.db.outbox import deliveries, outgoing, webhooks
from dashboard.db.outbox.deliveries import Attempt
from dashboard.db.outbox.outgoing import timestamp
from dashboard.db.outbox.webhooks import Webhook
from dashboard.errors import Invalid, NotFound, Problem, StorageUnavailable
from dashboard.event_types import TYPING, WEBHOOK_TEST, WEBHOOK_TYPES
from dashboard.validation.field_errors import field_error
from dashboard.validation.strict_json import JsonObject
from dashboard.webhooks.addresses import host_fault
from dashboard.webhooks.dispatcher import Spawn, attempt_of, spawn_thread
from dashboard.webhooks.http_client import Poster, signed

log = logging.getLogger(__name__)

#: How long a customer's page shows the notice; it is posted again while the admin types.
SHOWN_MS = 6_000
#: Shortest interval between two notices about one admin in one thread.
REPEAT_SECONDS = 2.0
#: Limit for a request; a later notice would be of no use.
TIMEOUT_SECONDS = 4.0


class TypingNotifier:
    """Tells webhooks of typing: stores nothing, never retries; each gets one request at a time."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        poster: Poster,
        *,
        spawn: Spawn = spawn_thread,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._poster = poster
        self._spawn = spawn
        self._monotonic = monotonic
        self._sent_at: dict[tuple[int, int], float] = {}
        self._busy: set[int] = set()

    def notify(self, thread_id: int, admin_id: int) -> None:
        """Posts that the admin is writing a reply in the thread; not called for a private note."""
        now = self._monotonic()
        self._sent_at = {key: at for key, at in self._sent_at.items() if now - at < REPEAT_SECONDS}
        if (thread_id, admin_id) in self._sent_at:
            return
        self._sent_at[thread_id, admin_id] = now
        self._spawn(self._post, thread_id, admin_id)

    def _post(self, thread_id: int, admin_id: int) -> None:
        now = self._clock()
        try:
            with self._database.read() as connection:
                notice = webhooks.typing_targets(connection, thread_id, admin_id, now)
        except StorageUnavailable as error:
            log.warning("a typing notice is not sent: %s", error)
            return
        for id, target in notice.targets.items():
            if id in self._busy:
                continue
            self._busy.add(id)
            data = {"thread_id": thread_id, "by": {"id": admin_id, "name": notice.name}}
            document = {
                "id": f"typ_{uuid.uuid4().hex}",
                "type": TYPING.name,
                "occurred_at": timestamp(now),
                "thread": notice.thread,
                "data": data | {"until": timestamp(now + SHOWN_MS)},
            }
            try:
                self._poster.post(target.url, signed(document, target.secrets, now))
            finally:
                self._busy.discard(id)


URL_MAX = 2_048
_PORT, _PORT_MAX = re.compile(r"[0-9]{1,5}"), 65_535


class CreatedWebhook(NamedTuple):
    """The id of a new webhook, and its secret, which cannot be read again."""

    id: int
    secret: str


class WebhookService:
    """Manages webhooks. Methods raise NotFound for an unknown webhook, and StorageUnavailable."""

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

    def create(
        self, actor: Actor, source: str, url: str, events: Collection[str] | None
    ) -> CreatedWebhook:
        """Creates a webhook; `events` None subscribes to all types.

        Raises Invalid for a wrong address or type, StartError for a wrong source name.
        """
        check_url(url)
        check_types(events)
        now = self._clock()

        def write(connection: Connection) -> CreatedWebhook:
            source_id = sources.ensure(connection, source, now)
            webhook = CreatedWebhook(*webhooks.create(connection, source_id, url, events, now))
            details = {"source": source, "events": "all" if events is None else sorted(events)}
            target = Target(webhook.id, origin_of(url))
            add(connection, now, actor, audit.WEBHOOK_CREATED, target, details)
            return webhook

        return self._database.write(write)

    def listing(self) -> list[tuple[Webhook, int]]:
        """Returns all webhooks, each with the number of its pending deliveries."""
        with self._database.read() as connection:
            pending = webhooks.pending_counts(connection)
            return [(row, pending.get(row.id, 0)) for row in webhooks.listing(connection)]

    def rotate(self, actor: Actor, id: int) -> str:
        """Returns a new secret; for a day the previous one signs every request, too."""

        def write(connection: Connection, now: int, webhook: Webhook) -> str:
            _audit(connection, now, actor, audit.WEBHOOK_ROTATED, webhook)
            return webhooks.rotate(connection, id, now)

        return self._write(id, write)

    def revoke(self, actor: Actor, id: int) -> None:
        """Deletes a webhook; its pending deliveries fail, its log is no longer shown."""

        def write(connection: Connection, now: int, webhook: Webhook) -> None:
            webhooks.disable(connection, id, webhooks.REVOKED, now)
            _audit(connection, now, actor, audit.WEBHOOK_REVOKED, webhook)

        self._write(id, write)

    def enable(self, actor: Actor, id: int) -> None:
        """Enables a webhook that was disabled because its receiver answered 410 Gone."""

        def write(connection: Connection, now: int, webhook: Webhook) -> None:
            if webhook.disabled_why == webhooks.GONE:
                webhooks.enable(connection, id)
                _audit(connection, now, actor, audit.WEBHOOK_ENABLED, webhook)

        self._write(id, write)

    def log(self, id: int, before: int | None, limit: int) -> tuple[list[JsonObject], bool]:
        """Returns up to `limit` attempts below id `before`, newest first; and if there are more."""
        with self._database.read() as connection:
            _webhook(connection, id)
            return deliveries.page(connection, id, before, limit)

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
            "type": WEBHOOK_TEST.name,
            "occurred_at": timestamp(began),
            "data": {"source": webhook.source},
        }
        request = signed(document, target.secrets, began)
        answer = self._poster.post(target.url, request)
        attempt = attempt_of(request, answer, began, self._clock())
        self._database.write(
            lambda connection: deliveries.log_attempt(connection, id, None, attempt)
        )
        return attempt

    def replay(self, actor: Actor, id: int, **selection: Any) -> int:
        """Delivers events again: the one called `name`, or those from `from_ms` to `to_ms`.

        Returns their number. Raises Problem (409, `webhook_disabled`).
        """
        self._assign_positions()

        names = {"name": "event", "from_ms": "since", "to_ms": "until"}
        criteria = {names[name]: value for name, value in selection.items()}

        def write(
            connection: Connection, now: int, webhook: Webhook, after: int
        ) -> tuple[int, int | None]:
            if webhooks.target(connection, id, now) is None:
                raise _disabled()
            rows, more = deliveries.replayable(connection, id, now, after=after, **selection)
            count = deliveries.replay(connection, id, rows, now)
            if count:
                details = criteria | {"events": count}
                _audit(connection, now, actor, audit.WEBHOOK_REPLAYED, webhook, details)
            return count, more

        total, after = 0, 0
        while after is not None:
            count, after = self._write(id, partial(write, after=after))
            total += count
            self._wake()
        return total

    def _assign_positions(self) -> None:
        self._database.write(
            lambda connection: outgoing.assign_positions(connection, self._clock()),
            is_idempotent=True,
        )

    def _write(self, id: int, work: Callable[[Connection, int, Webhook], Any]) -> Any:
        now = self._clock()

        def write(connection: Connection) -> Any:
            return work(connection, now, _webhook(connection, id))

        return self._database.write(write)


def origin_of(url: str) -> str:
    """Returns scheme and host of an address for the audit log. The rest may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def check_url(url: str) -> None:
    """Raises Invalid with the reason, unless this is an http or https address of a valid host."""
    if not url.isprintable() or " " in url or len(url) > URL_MAX:
        raise _wrong_url(f"has blanks, controls or more than {URL_MAX} characters")
    scheme, _, rest = url.partition("://")
    netloc = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if scheme.lower() not in ("http", "https") or not netloc or "#" in url:
        raise _wrong_url("must begin with http:// or https:// and a host, and have no fragment")
    if "@" in netloc:
        raise _wrong_url("must not contain a user name or a password")
    host, colon, port = netloc.partition("]:") if netloc[0] == "[" else netloc.partition(":")
    host += "]" if colon == "]:" else ""
    if colon and not (_PORT.fullmatch(port) and 0 < int(port) <= _PORT_MAX):
        detail = f"has the port “{port}”: use 1 to {_PORT_MAX}"
        raise field_error("/url", "invalid_host", detail)
    fault = host_fault(host)
    if fault is not None:
        raise field_error("/url", "invalid_host", fault)
    if not url.isascii():
        raise _wrong_url("holds characters that must be percent-encoded")


def _wrong_url(detail: str) -> Invalid:
    return field_error("/url", "unknown_value", detail)


def check_types(events: Collection[str] | None) -> None:
    """Raises Invalid for an unknown type of event, and for an empty list."""
    wrong = [name for name in events or () if name not in WEBHOOK_TYPES]
    if wrong or (events is not None and not events):
        raise field_error("/events", "unknown_value", f"must be some of {', '.join(WEBHOOK_TYPES)}")


def _webhook(connection: Connection, id: int) -> Webhook:
    webhook = webhooks.one(connection, id)
    if webhook is None:
        raise NotFound("There is no such webhook.")
    return webhook


def _audit(
    connection: Connection,
    now: int,
    actor: Actor,
    action: Action,
    webhook: Webhook,
    details: Mapping[str, Any] | None = None,
) -> None:
    target = Target(webhook.id, origin_of(webhook.url))
    add(connection, now, actor, action, target, {"source": webhook.source, **(details or {})})


def _disabled() -> Problem:
    return Problem(409, "webhook_disabled", "The webhook is switched off.")
