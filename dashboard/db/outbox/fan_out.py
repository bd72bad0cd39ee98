"""Creates the deliveries of events, in the transaction that assigns their positions."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from dashboard.db.models.webhooks import deliveries, webhooks
from dashboard.db.upsert import insert_missing


class PositionedEvent(NamedTuple):
    """An outgoing event and its position in the outbox."""

    position: int
    id: int
    source_id: int
    thread_id: int
    type: str


def fan_out(connection: Connection, events: Sequence[PositionedEvent], now_ms: int) -> None:
    """Adds a delivery for each event and each enabled webhook of its source that wants its type."""
    wanted = _webhooks(connection, {event.source_id for event in events})
    rows = [
        delivery(webhook_id, event, now_ms)
        for event in events
        for webhook_id, types in wanted.get(event.source_id, ())
        if types is None or event.type in types
    ]
    if rows:
        insert_missing(connection, deliveries, rows)


def delivery(webhook_id: int, event: PositionedEvent, now_ms: int) -> dict[str, Any]:
    """Returns a row of the table `deliveries` that is due at once."""
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
    """Maps source ids to their enabled webhooks: (id, wanted types; None for all)."""
    found: dict[int, list[tuple[int, list[str] | None]]] = {}
    rows = connection.execute(
        select(webhooks.c.source_id, webhooks.c.id, webhooks.c.events)
        .where(webhooks.c.source_id.in_(source_ids), webhooks.c.disabled_at.is_(None))
        .order_by(webhooks.c.id)
    )
    for source_id, id, types in rows:
        found.setdefault(source_id, []).append((id, types))
    return found
