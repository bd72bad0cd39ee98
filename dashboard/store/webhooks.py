"""Webhooks: where a source's events are posted to, and the secrets that sign them."""

import base64
import secrets
from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update

from dashboard.store import deliveries
from dashboard.store.models import admins, sources, threads
from dashboard.store.outbox_models import deliveries as delivery_table
from dashboard.store.outbox_models import webhooks
from dashboard.store.outgoing_document import TYPING

#: After a rotation the secret before signs along for so long.
OLD_SECRET_MS = 24 * 3600 * 1000
_SECRET_BYTES = 32
GONE, REVOKED = "gone", "revoked"


class Webhook(NamedTuple):
    """A webhook as it is listed: all but its secrets."""

    id: int
    source: str
    url: str
    events: tuple[str, ...] | None
    created_at: int
    failing_since: int | None
    disabled_at: int | None
    disabled_why: str | None


class Writing(NamedTuple):
    """Who writes where, and the webhooks that want to know: by their ids."""

    thread: str
    name: str
    targets: dict[int, "Target"]


class Target(NamedTuple):
    """What a delivery has to know of its webhook; the newest secret first."""

    url: str
    secrets: tuple[str, ...]


_IS_THERE = webhooks.c.disabled_why.is_distinct_from(REVOKED)
_LISTED: Select[Any] = select(
    webhooks.c.id,
    sources.c.name,
    webhooks.c.url,
    webhooks.c.events,
    webhooks.c.created_at,
    webhooks.c.failing_since,
    webhooks.c.disabled_at,
    webhooks.c.disabled_why,
).join_from(webhooks, sources, sources.c.id == webhooks.c.source_id)


def create(
    connection: Connection,
    source_id: int,
    url: str,
    events: Collection[str] | None,
    now_ms: int,
) -> tuple[int, str]:
    """A new webhook: its id and its secret, which is shown this once."""
    secret = _new_secret()
    made = connection.execute(
        insert(webhooks).values(
            source_id=source_id,
            url=url,
            events=sorted(events) if events is not None else None,
            secret=secret,
            created_at=now_ms,
        )
    ).inserted_primary_key
    assert made is not None
    return made[0], secret


def listing(connection: Connection) -> list[Webhook]:
    """All webhooks but the revoked ones, the oldest first."""
    found = connection.execute(_LISTED.where(_IS_THERE).order_by(webhooks.c.id))
    return [_webhook(*row) for row in found]


def one(connection: Connection, id: int) -> Webhook | None:
    """A webhook that is not revoked."""
    row = connection.execute(_LISTED.where(webhooks.c.id == id, _IS_THERE)).first()
    return _webhook(*row) if row else None


def pending(connection: Connection) -> dict[int, int]:
    """How many events wait for each webhook, where any do."""
    found = connection.execute(
        select(delivery_table.c.webhook_id, func.count())
        .where(delivery_table.c.state == "pending")
        .group_by(delivery_table.c.webhook_id)
    )
    return {row[0]: row[1] for row in found}


def rotate(connection: Connection, id: int, now_ms: int) -> str:
    """A new secret; the one before it signs along for a day."""
    secret = _new_secret()
    before = select(webhooks.c.secret).where(webhooks.c.id == id).scalar_subquery()
    values = {
        "old_secret": before,
        "old_secret_until": now_ms + OLD_SECRET_MS,
        "secret": secret,
    }
    connection.execute(update(webhooks).where(webhooks.c.id == id).values(values))
    return secret


def disable(connection: Connection, id: int, why: str, now_ms: int) -> None:
    """Nothing is posted there any more; what waited has failed."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, _IS_THERE)
        .values(disabled_at=now_ms, disabled_why=why, failing_since=None)
    )
    deliveries.fail_all(connection, id, now_ms)


def enable(connection: Connection, id: int) -> None:
    """Events go there again, from now on."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.disabled_why == GONE)
        .values(disabled_at=None, disabled_why=None)
    )


def target(connection: Connection, id: int, now_ms: int) -> Target | None:
    """Where to post and how to sign; None for one that is disabled."""
    row = connection.execute(
        select(
            webhooks.c.url, webhooks.c.secret, webhooks.c.old_secret, webhooks.c.old_secret_until
        ).where(webhooks.c.id == id, webhooks.c.disabled_at.is_(None))
    ).first()
    if row is None:
        return None
    url, secret, old_secret, until = row
    is_old_alive = old_secret is not None and now_ms < until
    return Target(url, (secret, old_secret) if is_old_alive else (secret,))


def typing_targets(connection: Connection, thread_id: int, admin_id: int, now_ms: int) -> Writing:
    """What there is to tell of an admin who writes, and where to."""
    wanted = connection.execute(
        select(threads.c.external_id, admins.c.name, webhooks.c.id, webhooks.c.events)
        .join_from(threads, webhooks, webhooks.c.source_id == threads.c.source_id)
        .join(admins, admins.c.id == admin_id)
        .where(
            threads.c.id == thread_id,
            webhooks.c.disabled_at.is_(None),
            webhooks.c.failing_since.is_(None),
        )
    ).all()
    ids = [row.id for row in wanted if row.events is None or TYPING in row.events]
    targets = {id: found for id in ids if (found := target(connection, id, now_ms))}
    thread, name = wanted[0][:2] if wanted else ("", "")
    return Writing(thread, name, targets)


def note_failure(connection: Connection, id: int, now_ms: int) -> None:
    """Deliveries fail, since now if not for longer."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.failing_since.is_(None))
        .values(failing_since=now_ms)
    )


def note_success(connection: Connection, id: int) -> None:
    """A delivery went well."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.failing_since.is_not(None))
        .values(failing_since=None)
    )


def failing(connection: Connection) -> dict[str, int]:
    """The sources whose deliveries fail, and since when; a disabled webhook counts."""
    since = func.coalesce(webhooks.c.failing_since, webhooks.c.disabled_at)
    found = connection.execute(
        select(sources.c.name, func.min(since))
        .join_from(webhooks, sources, sources.c.id == webhooks.c.source_id)
        .where(since.is_not(None), _IS_THERE)
        .group_by(sources.c.name)
        .order_by(sources.c.name)
    )
    return {row[0]: row[1] for row in found}


def _webhook(id: int, source: str, url: str, events: list[str] | None, *rest: Any) -> Webhook:
    return Webhook(id, source, url, tuple(events) if events is not None else None, *rest)


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
