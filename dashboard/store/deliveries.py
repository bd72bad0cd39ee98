"""Deliveries: what is due, who has it in hand, and how it ended.

A thread's events go to a webhook one after the other: only its first pending one can be due. Who
takes it holds a lease; what is written back under a lease that another one took over is refused.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, or_, select, update

from dashboard.store import sent_messages
from dashboard.store.missing import insert_missing
from dashboard.store.outbox_models import deliveries, outgoing_events, webhooks
from dashboard.store.outgoing_document import EVENTS, Outgoing

_EARLIER = deliveries.alias("earlier")
_IS_FIRST = ~exists().where(
    _EARLIER.c.webhook_id == deliveries.c.webhook_id,
    _EARLIER.c.thread_id == deliveries.c.thread_id,
    _EARLIER.c.state == "pending",
    _EARLIER.c.position < deliveries.c.position,
)
_IS_PENDING = deliveries.c.state == "pending"


class Claimed(NamedTuple):
    """A delivery in somebody's hands; `attempts` counts this one."""

    id: int
    webhook_id: int
    thread_id: int
    attempts: int
    lease: str
    message_id: int | None
    event: Outgoing


def waiting_webhooks(connection: Connection, now_ms: int) -> list[int]:
    """The webhooks for which something is due."""
    due = exists().where(deliveries.c.webhook_id == webhooks.c.id, *_due(now_ms))
    return list(connection.scalars(select(webhooks.c.id).where(due).order_by(webhooks.c.id)))


def claim(
    connection: Connection, webhook_id: int, lease: str, now_ms: int, until_ms: int, limit: int
) -> list[Claimed]:
    """Takes up to `limit` due deliveries of a webhook in hand, until a time."""
    ids = connection.scalars(
        select(deliveries.c.id)
        .where(deliveries.c.webhook_id == webhook_id, *_due(now_ms))
        .order_by(deliveries.c.next_at, deliveries.c.position)
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    if not ids:
        return []
    connection.execute(
        update(deliveries)
        .where(deliveries.c.id.in_(ids))
        .values(lease=lease, leased_until=until_ms, attempts=deliveries.c.attempts + 1)
    )
    return _claimed(connection, ids, lease)


def renew(connection: Connection, held: Collection[tuple[int, str]], until_ms: int) -> None:
    """Holds what is in hand for longer."""
    for id, lease in sorted(held):
        connection.execute(
            update(deliveries).where(*_held(id, lease)).values(leased_until=until_ms)
        )


def succeed(connection: Connection, claimed: Claimed, now_ms: int) -> bool:
    """The chatbot has it; whether the lease still held."""
    done = {"state": "done", "lease": None, "leased_until": None}
    if not _write_back(connection, claimed, done):
        return False
    if claimed.message_id is not None:
        stage = sent_messages.BOT_HAS_IT
        sent_messages.advance(connection, [claimed.message_id], stage, now_ms)
    return True


def put_off(connection: Connection, claimed: Claimed, next_at_ms: int, now_ms: int) -> bool:
    """It did not work, and is tried again at a time; whether the lease still held."""
    later = {"next_at": next_at_ms, "lease": None, "leased_until": None}
    if not _write_back(connection, claimed, later):
        return False
    # What waits behind it need not be looked at until then.
    connection.execute(
        update(deliveries)
        .where(
            deliveries.c.webhook_id == claimed.webhook_id,
            deliveries.c.thread_id == claimed.thread_id,
            _IS_PENDING,
            deliveries.c.next_at < next_at_ms,
        )
        .values(next_at=next_at_ms)
    )
    if claimed.message_id is not None:
        sent_messages.tried(connection, claimed.message_id, claimed.attempts, now_ms)
    return True


def fail(connection: Connection, claimed: Claimed, now_ms: int) -> bool:
    """It is given up; whether the lease still held. What waited behind it is due."""
    given_up = {"state": "failed", "lease": None, "leased_until": None}
    if not _write_back(connection, claimed, given_up):
        return False
    _make_due(
        connection,
        deliveries.c.webhook_id == claimed.webhook_id,
        deliveries.c.thread_id == claimed.thread_id,
        now_ms=now_ms,
    )
    if claimed.message_id is not None:
        stage = sent_messages.BOT_FAILED
        sent_messages.advance(connection, [claimed.message_id], stage, now_ms)
    return True


def fail_all(connection: Connection, webhook_id: int, now_ms: int) -> None:
    """Gives up all that waits for a webhook."""
    waiting = (deliveries.c.webhook_id == webhook_id) & _IS_PENDING
    messages = connection.scalars(
        select(outgoing_events.c.message_id)
        .join(deliveries, deliveries.c.event_id == outgoing_events.c.id)
        .where(waiting, outgoing_events.c.message_id.is_not(None))
    ).all()
    connection.execute(
        update(deliveries).where(waiting).values(state="failed", lease=None, leased_until=None)
    )
    sent_messages.advance(connection, messages, sent_messages.BOT_FAILED, now_ms)


def retry_message(connection: Connection, message_id: int, now_ms: int) -> int:
    """Makes a message's deliveries due that wait or were given up; how many."""
    mine = connection.execute(
        select(deliveries.c.id, deliveries.c.webhook_id, deliveries.c.thread_id)
        .join(outgoing_events, outgoing_events.c.id == deliveries.c.event_id)
        .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
        .where(
            outgoing_events.c.message_id == message_id,
            deliveries.c.state != "done",
            webhooks.c.disabled_at.is_(None),
        )
    ).all()
    _begin_again(connection, [row.id for row in mine], now_ms)
    for _, webhook_id, thread_id in mine:
        _make_due(
            connection,
            deliveries.c.webhook_id == webhook_id,
            deliveries.c.thread_id == thread_id,
            now_ms=now_ms,
        )
    return len(mine)


def replay(
    connection: Connection, webhook_id: int, rows: list[dict[str, object]], now_ms: int
) -> int:
    """Delivers events again, also those that never went to this webhook; how many.

    `rows` as `fan_out.delivery` makes them. What is in hand just now is left alone.
    """
    if not rows:
        return 0
    insert_missing(connection, deliveries, rows)
    ids = connection.scalars(
        select(deliveries.c.id).where(
            deliveries.c.webhook_id == webhook_id,
            deliveries.c.event_id.in_([row["event_id"] for row in rows]),
            or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until < now_ms),
        )
    ).all()
    _begin_again(connection, ids, now_ms)
    return len(ids)


def _begin_again(connection: Connection, ids: Iterable[int], now_ms: int) -> None:
    connection.execute(
        update(deliveries)
        .where(deliveries.c.id.in_(list(ids)))
        .values(state="pending", attempts=0, next_at=now_ms)
    )


def _make_due(connection: Connection, *which: ColumnElement[bool], now_ms: int) -> None:
    connection.execute(
        update(deliveries)
        .where(*which, _IS_PENDING, deliveries.c.next_at > now_ms)
        .values(next_at=now_ms)
    )


def _due(now_ms: int) -> tuple[ColumnElement[bool], ...]:
    is_free = or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until < now_ms)
    return _IS_PENDING, deliveries.c.next_at <= now_ms, is_free, _IS_FIRST


def _held(id: int, lease: str) -> tuple[ColumnElement[bool], ...]:
    return deliveries.c.id == id, deliveries.c.lease == lease, _IS_PENDING


def _write_back(connection: Connection, claimed: Claimed, values: Mapping[str, object]) -> bool:
    written = update(deliveries).where(*_held(claimed.id, claimed.lease)).values(values)
    return connection.execute(written).rowcount == 1


def _claimed(connection: Connection, ids: Collection[int], lease: str) -> list[Claimed]:
    found = connection.execute(
        EVENTS.add_columns(
            deliveries.c.id,
            deliveries.c.webhook_id,
            deliveries.c.thread_id,
            deliveries.c.attempts,
            outgoing_events.c.message_id,
        )
        .join(deliveries, deliveries.c.event_id == outgoing_events.c.id)
        .where(deliveries.c.id.in_(ids))
        .order_by(deliveries.c.position)
    )
    return [_claim_of(tuple(row), lease) for row in found]


def _claim_of(row: tuple[Any, ...], lease: str) -> Claimed:
    *event, id, webhook_id, thread_id, attempts, message_id = row
    return Claimed(id, webhook_id, thread_id, attempts, lease, message_id, Outgoing(*event))
