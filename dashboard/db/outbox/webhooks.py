"""Webhooks: the addresses that a source's events are posted to, and the secrets that sign them."""

import base64
import secrets
from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update

from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import deliveries as delivery_table
from dashboard.db.models.webhooks import webhooks
from dashboard.db.outbox import deliveries
from dashboard.event_types import TYPING

#: The previous secret signs every request, too, for this long after a rotation.
OLD_SECRET_MS = 24 * 3600 * 1000
_SECRET_BYTES = 32
#: Reasons of a disabled webhook: its receiver answered 410 Gone, or a supervisor revoked it.
GONE, REVOKED = "gone", "revoked"


class Webhook(NamedTuple):
    """A webhook without its secrets; `events` None stands for all types, times in milliseconds."""

    id: int
    source: str
    url: str
    events: tuple[str, ...] | None
    created_at: int
    failing_since: int | None
    disabled_at: int | None
    disabled_why: str | None


class TypingTargets(NamedTuple):
    """The names of a thread and an admin, and the webhooks (by id) that want typing notices."""

    thread: str
    name: str
    targets: dict[int, "Target"]


class Target(NamedTuple):
    """The address to post to, and the secrets to sign with, the newest first."""

    url: str
    secrets: tuple[str, ...]


_IS_NOT_REVOKED = webhooks.c.disabled_why.is_distinct_from(REVOKED)
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
    connection: Connection, source_id: int, url: str, events: Collection[str] | None, now_ms: int
) -> tuple[int, str]:
    """Adds a webhook; returns its id and its secret."""
    secret = _new_secret()
    key = connection.execute(
        insert(webhooks).values(
            source_id=source_id,
            url=url,
            events=sorted(events) if events is not None else None,
            secret=secret,
            created_at=now_ms,
        )
    ).inserted_primary_key
    assert key is not None
    return key[0], secret


def listing(connection: Connection) -> list[Webhook]:
    """Returns all webhooks that are not revoked, the oldest first."""
    rows = connection.execute(_LISTED.where(_IS_NOT_REVOKED).order_by(webhooks.c.id))
    return [_webhook(*row) for row in rows]


def one(connection: Connection, id: int) -> Webhook | None:
    """Returns the webhook with this id; None for an unknown or revoked one."""
    row = connection.execute(_LISTED.where(webhooks.c.id == id, _IS_NOT_REVOKED)).first()
    return _webhook(*row) if row else None


def pending_counts(connection: Connection) -> dict[int, int]:
    """Maps webhook ids to the number of pending deliveries; webhooks without any are left out."""
    rows = connection.execute(
        select(delivery_table.c.webhook_id, func.count())
        .where(delivery_table.c.state == "pending")
        .group_by(delivery_table.c.webhook_id)
    )
    return {row[0]: row[1] for row in rows}


def rotate(connection: Connection, id: int, now_ms: int) -> str:
    """Sets and returns a new secret; the previous one stays valid for `OLD_SECRET_MS`."""
    secret = _new_secret()
    previous = select(webhooks.c.secret).where(webhooks.c.id == id).scalar_subquery()
    values = {"old_secret": previous, "old_secret_until": now_ms + OLD_SECRET_MS, "secret": secret}
    connection.execute(update(webhooks).where(webhooks.c.id == id).values(values))
    return secret


def disable(connection: Connection, id: int, why: str, now_ms: int) -> None:
    """Ends posting to a webhook; its pending deliveries fail. `why` is GONE or REVOKED."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, _IS_NOT_REVOKED)
        .values(disabled_at=now_ms, disabled_why=why, failing_since=None)
    )
    deliveries.fail_all(connection, id, now_ms)


def enable(connection: Connection, id: int) -> None:
    """Posts events from now on to a webhook that was disabled as GONE."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.disabled_why == GONE)
        .values(disabled_at=None, disabled_why=None)
    )


def target(connection: Connection, id: int, now_ms: int) -> Target | None:
    """Returns address and secrets of a webhook; None for a disabled one."""
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


def typing_targets(
    connection: Connection, thread_id: int, admin_id: int, now_ms: int
) -> TypingTargets:
    """Returns names of thread and admin, and the webhooks that want typing notices.

    Webhooks with failing deliveries are left out.
    """
    rows = connection.execute(
        select(threads.c.external_id, admins.c.name, webhooks.c.id, webhooks.c.events)
        .join_from(threads, webhooks, webhooks.c.source_id == threads.c.source_id)
        .join(admins, admins.c.id == admin_id)
        .where(
            threads.c.id == thread_id,
            webhooks.c.disabled_at.is_(None),
            webhooks.c.failing_since.is_(None),
        )
    ).all()
    ids = [row.id for row in rows if row.events is None or TYPING.name in row.events]
    targets = {id: receiver for id in ids if (receiver := target(connection, id, now_ms))}
    thread, name = rows[0][:2] if rows else ("", "")
    return TypingTargets(thread, name, targets)


def save_failure(connection: Connection, id: int, now_ms: int) -> None:
    """Saves that deliveries fail since `now_ms`, unless they failed already."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.failing_since.is_(None))
        .values(failing_since=now_ms)
    )


def save_success(connection: Connection, id: int) -> None:
    """Saves that a delivery succeeded: the webhook is not failing."""
    connection.execute(
        update(webhooks)
        .where(webhooks.c.id == id, webhooks.c.failing_since.is_not(None))
        .values(failing_since=None)
    )


def failing(connection: Connection) -> dict[str, int]:
    """Maps source names to the time from which deliveries fail; a disabled webhook counts."""
    since = func.coalesce(webhooks.c.failing_since, webhooks.c.disabled_at)
    rows = connection.execute(
        select(sources.c.name, func.min(since))
        .join_from(webhooks, sources, sources.c.id == webhooks.c.source_id)
        .where(since.is_not(None), _IS_NOT_REVOKED)
        .group_by(sources.c.name)
        .order_by(sources.c.name)
    )
    return {row[0]: row[1] for row in rows}


def _webhook(id: int, source: str, url: str, events: list[str] | None, *rest: Any) -> Webhook:
    return Webhook(id, source, url, tuple(events) if events is not None else None, *rest)


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
