"""The delivery log: each request to a webhook, its answer, and the time it took."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import deliveries, delivery_attempts, outgoing_events, webhooks
from dashboard.db.outbox.fan_out import PositionedEvent, delivery
from dashboard.db.outbox.outgoing_document import EVENTS, Outgoing

#: Attempts of test events kept for each webhook; other attempts are deleted with their event.
TESTS_KEPT = 20
#: Events of one replay, at most.
REPLAY_MAX = 10_000


class Attempt(NamedTuple):
    """A request at `at` (milliseconds) and its `status`, or the `error` code without an answer."""

    at: int
    took_ms: int
    request: dict[str, Any]
    status: int | None
    error: str | None
    answer: str


def add(connection: Connection, webhook_id: int, delivery_id: int | None, attempt: Attempt) -> None:
    """Adds an attempt; `delivery_id` None stands for a test event.

    Adds nothing for a delivery that was deleted meanwhile, with the person's data that it held.
    """
    if delivery_id is not None and not _is_kept(connection, delivery_id):
        return
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
    """Returns up to `limit` attempts with ids below `before`, newest first; whether more exist."""
    statement = _LOG.where(delivery_attempts.c.webhook_id == webhook_id)
    if before is not None:
        statement = statement.where(delivery_attempts.c.id < before)
    rows = connection.execute(
        statement.order_by(delivery_attempts.c.id.desc()).limit(limit + 1)
    ).all()
    return [_to_json(row) for row in rows[:limit]], len(rows) > limit


def replayable(
    connection: Connection,
    webhook_id: int,
    now_ms: int,
    *,
    name: str | None = None,
    from_ms: int = 0,
    to_ms: int = 2**53,
) -> list[dict[str, object]]:
    """Returns rows for `deliveries.replay`: events of the webhook's source and types.

    Either the event called `name`, or those that occurred from `from_ms` to `to_ms`.
    """
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
    events = [PositionedEvent(*row) for row in found]
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
        *EVENTS.selected_columns,
    )
    .outerjoin_from(
        delivery_attempts, deliveries, deliveries.c.id == delivery_attempts.c.delivery_id
    )
    .outerjoin(outgoing_events, outgoing_events.c.id == deliveries.c.event_id)
    .outerjoin(threads, threads.c.id == outgoing_events.c.thread_id)
)


def _to_json(row: Any) -> dict[str, Any]:
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


def _is_kept(connection: Connection, delivery_id: int) -> bool:
    kept = select(deliveries.c.id).where(deliveries.c.id == delivery_id).with_for_update(read=True)
    return connection.scalar(kept) is not None


def _trim_tests(connection: Connection, webhook_id: int) -> None:
    is_test = delivery_attempts.c.delivery_id.is_(None)
    tests = (delivery_attempts.c.webhook_id == webhook_id) & is_test
    newest: Sequence[int] = connection.scalars(
        select(delivery_attempts.c.id)
        .where(tests)
        .order_by(delivery_attempts.c.id.desc())
        .limit(TESTS_KEPT)
    ).all()
    connection.execute(
        delete(delivery_attempts).where(tests, delivery_attempts.c.id.not_in(newest))
    )
