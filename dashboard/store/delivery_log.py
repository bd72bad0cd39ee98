"""The log of deliveries: what was sent to a webhook, what it answered, and how long it took."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from dashboard.store.fan_out import Placed, delivery
from dashboard.store.models import threads
from dashboard.store.outbox_models import (
    deliveries,
    delivery_attempts,
    outgoing_events,
    webhooks,
)
from dashboard.store.outgoing_document import Outgoing

#: Tests are kept so many; what belongs to an event goes with it.
TESTS_KEPT = 20
#: Replayed at once.
REPLAY_MAX = 10_000


class Attempt(NamedTuple):
    """One request and its answer: a status, or what went wrong before there was one."""

    at: int
    took_ms: int
    request: dict[str, Any]
    status: int | None
    error: str | None
    answer: str


def note(
    connection: Connection, webhook_id: int, delivery_id: int | None, attempt: Attempt
) -> None:
    """Writes an attempt down; one without a delivery was a test."""
    connection.execute(
        insert(delivery_attempts).values(
            webhook_id=webhook_id, delivery_id=delivery_id, **attempt._asdict()
        )
    )
    if delivery_id is None:
        _trim_tests(connection, webhook_id)


def page(
    connection: Connection, webhook_id: int, before: int | None, limit: int
) -> tuple[list[dict[str, Any]], bool]:
    """A webhook's attempts, the newest first, and whether there are older ones."""
    statement = _LOG.where(delivery_attempts.c.webhook_id == webhook_id)
    if before is not None:
        statement = statement.where(delivery_attempts.c.id < before)
    rows = connection.execute(
        statement.order_by(delivery_attempts.c.id.desc()).limit(limit + 1)
    ).all()
    return [_shown(row) for row in rows[:limit]], len(rows) > limit


def replayable(
    connection: Connection,
    webhook_id: int,
    now_ms: int,
    *,
    name: str | None = None,
    from_ms: int = 0,
    to_ms: int = 2**53,
) -> list[dict[str, object]]:
    """Deliveries of the webhook's source's events that it wants: of one, or of a time."""
    types = connection.scalar(select(webhooks.c.events).where(webhooks.c.id == webhook_id))
    source = select(webhooks.c.source_id).where(webhooks.c.id == webhook_id).scalar_subquery()
    statement = select(
        outgoing_events.c.position,
        outgoing_events.c.id,
        outgoing_events.c.source_id,
        outgoing_events.c.thread_id,
        outgoing_events.c.type,
    ).where(outgoing_events.c.source_id == source, outgoing_events.c.position.is_not(None))
    if name is not None:
        statement = statement.where(outgoing_events.c.name == name)
    else:
        statement = statement.where(outgoing_events.c.occurred_at.between(from_ms, to_ms))
    found = connection.execute(statement.order_by(outgoing_events.c.position).limit(REPLAY_MAX))
    events = [Placed(*row) for row in found]
    return [
        delivery(webhook_id, event, now_ms)
        for event in events
        if types is None or event.type in types
    ]


_LOG = (
    select(
        delivery_attempts,
        deliveries.c.state,
        deliveries.c.attempts,
        deliveries.c.next_at,
        outgoing_events.c.name,
        outgoing_events.c.type,
        outgoing_events.c.occurred_at,
        outgoing_events.c.seq,
        threads.c.external_id,
        outgoing_events.c.data,
    )
    .join_from(
        delivery_attempts,
        deliveries,
        deliveries.c.id == delivery_attempts.c.delivery_id,
        isouter=True,
    )
    .join(outgoing_events, outgoing_events.c.id == deliveries.c.event_id, isouter=True)
    .join(threads, threads.c.id == outgoing_events.c.thread_id, isouter=True)
)


def _shown(row: Any) -> dict[str, Any]:
    event = Outgoing(*row[-6:]).document() if row.name is not None else None
    return {
        "id": row.id,
        "at": row.at,
        "took_ms": row.took_ms,
        "request": {"headers": row.request, "body": event},
        "status": row.status,
        "error": row.error,
        "answer": row.answer,
        "delivery": {"state": row.state, "attempts": row.attempts, "next_at": row.next_at}
        if event is not None
        else None,
    }


def _trim_tests(connection: Connection, webhook_id: int) -> None:
    is_test = delivery_attempts.c.delivery_id.is_(None)
    mine = (delivery_attempts.c.webhook_id == webhook_id) & is_test
    newest: Sequence[int] = connection.scalars(
        select(delivery_attempts.c.id)
        .where(mine)
        .order_by(delivery_attempts.c.id.desc())
        .limit(TESTS_KEPT)
    ).all()
    connection.execute(delete(delivery_attempts).where(mine, delivery_attempts.c.id.not_in(newest)))
