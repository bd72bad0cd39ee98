"""Hands events to the webhooks of their source, in the transaction that gives them positions."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from dashboard.store.missing import insert_missing
from dashboard.store.outbox_models import deliveries, webhooks


class Placed(NamedTuple):
    """An event with its position."""

    position: int
    id: int
    source_id: int
    thread_id: int
    type: str


def fan_out(connection: Connection, placed: Sequence[Placed], now_ms: int) -> None:
    """A delivery for each event and each of its source's webhooks that wants its type."""
    wanted = _webhooks(connection, {event.source_id for event in placed})
    rows = [
        delivery(webhook_id, event, now_ms)
        for event in placed
        for webhook_id, types in wanted.get(event.source_id, ())
        if types is None or event.type in types
    ]
    if rows:
        insert_missing(connection, deliveries, rows)


def delivery(webhook_id: int, event: Placed, now_ms: int) -> dict[str, Any]:
    """A row of `deliveries` that is due at once."""
    return {
        "webhook_id": webhook_id,
        "event_id": event.id,
        "thread_id": event.thread_id,
        "position": event.position,
        "state": "pending",
        "attempts": 0,
        "next_at": now_ms,
    }


def _webhooks(
    connection: Connection, source_ids: Collection[int]
) -> dict[int, list[tuple[int, list[str] | None]]]:
    found: dict[int, list[tuple[int, list[str] | None]]] = {}
    rows = connection.execute(
        select(webhooks.c.source_id, webhooks.c.id, webhooks.c.events)
        .where(webhooks.c.source_id.in_(source_ids), webhooks.c.disabled_at.is_(None))
        .order_by(webhooks.c.id)
    )
    for source_id, id, types in rows:
        found.setdefault(source_id, []).append((id, types))
    return found
