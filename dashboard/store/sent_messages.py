"""How far messages of admins have come on their way: to the chatbot, and on to the customer."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from dashboard.store.missing import insert_missing
from dashboard.store.outbox_models import sent_messages

#: The stages, as told to dashboards. A message only ever goes on to a greater one, whatever comes
#: late or twice; an admin who tries again begins anew.
QUEUED, BOT_FAILED, BOT_HAS_IT, CUSTOMER_FAILED, CUSTOMER_HAS_IT, READ = range(6)
#: Nothing is left to try.
THERE = frozenset({BOT_HAS_IT, CUSTOMER_HAS_IT, READ})
_TOLD = {
    QUEUED: ("queued", "bot"),
    BOT_FAILED: ("failed", "bot"),
    BOT_HAS_IT: ("delivered", "bot"),
    CUSTOMER_FAILED: ("failed", "customer"),
    CUSTOMER_HAS_IT: ("delivered", "customer"),
    READ: ("read", "customer"),
}
_OF_RECEIPT = {"failed": CUSTOMER_FAILED, "delivered": CUSTOMER_HAS_IT, "read": READ}

COLUMNS = (
    sent_messages.c.stage,
    sent_messages.c.attempts,
    sent_messages.c.at,
    sent_messages.c.changed_at,
)
_ADVANCE = (
    update(sent_messages)
    .where(
        sent_messages.c.message_id == bindparam("message"),
        sent_messages.c.stage < bindparam("new_stage"),
    )
    .values(stage=bindparam("new_stage"), at=bindparam("new_at"), changed_at=bindparam("now"))
)


class Receipt(NamedTuple):
    """What the chatbot says of a message: delivered, read or failed, and when."""

    message_id: int
    thread_id: int
    state: str
    at: int


class News(NamedTuple):
    """A message whose way went on."""

    message_id: int
    thread_id: int
    delivery: dict[str, Any]


def told(
    stage: int | None, attempts: int | None, at: int | None, changed_at: int | None
) -> dict[str, Any] | None:
    """A message's `delivery` as dashboards get it; None for what never goes out.

    One with a smaller `v` is older news.
    """
    if stage is None:
        return None
    state, to = _TOLD[stage]
    return {"state": state, "to": to, "attempts": attempts, "at": at, "v": changed_at}


def queue(connection: Connection, message_id: int, thread_id: int, now_ms: int) -> None:
    """A message begins its way."""
    insert_missing(connection, sent_messages, [_new(message_id, thread_id, now_ms)])


def queue_again(connection: Connection, message_id: int, now_ms: int) -> None:
    """An admin tries once more."""
    _change(
        connection,
        sent_messages.c.message_id == message_id,
        {"stage": QUEUED, "attempts": 0, "at": now_ms, "changed_at": now_ms},
    )


def advance(connection: Connection, message_ids: Collection[int], stage: int, now_ms: int) -> None:
    """Messages have come so far."""
    rows = [
        {"message": id, "new_stage": stage, "new_at": now_ms, "now": now_ms}
        for id in sorted(message_ids)
    ]
    if rows:
        connection.execute(_ADVANCE, rows)


def tried(connection: Connection, message_id: int, attempts: int, now_ms: int) -> None:
    """A queued message could not be handed to the chatbot, so often by now."""
    where = (sent_messages.c.message_id == message_id) & (sent_messages.c.stage == QUEUED)
    _change(connection, where, {"attempts": attempts, "changed_at": now_ms})


def receive(connection: Connection, receipts: Iterable[Receipt], now_ms: int) -> None:
    """Takes what the chatbot says; also of messages that were sent before this was kept."""
    found = sorted(receipts)
    if not found:
        return
    rows = [_new(each.message_id, each.thread_id, each.at) for each in found]
    insert_missing(connection, sent_messages, rows)
    advances = [
        {
            "message": each.message_id,
            "new_stage": _OF_RECEIPT[each.state],
            "new_at": each.at,
            "now": now_ms,
        }
        for each in found
    ]
    connection.execute(_ADVANCE, advances)


def news(connection: Connection, thread_ids: Collection[int], since_ms: int) -> list[News]:
    """What changed in these threads since a time."""
    found = connection.execute(
        select(sent_messages.c.message_id, sent_messages.c.thread_id, *COLUMNS).where(
            sent_messages.c.thread_id.in_(thread_ids), sent_messages.c.changed_at >= since_ms
        )
    )
    return [News(id, thread_id, told(*rest) or {}) for id, thread_id, *rest in found]


def stage_of(connection: Connection, message_id: int, thread_id: int) -> int | None:
    """How far a thread's message has come; None where it does not go out."""
    return connection.scalar(
        select(sent_messages.c.stage).where(
            sent_messages.c.message_id == message_id, sent_messages.c.thread_id == thread_id
        )
    )


def _new(message_id: int, thread_id: int, now_ms: int) -> dict[str, Any]:
    made = {"message_id": message_id, "thread_id": thread_id, "stage": QUEUED, "attempts": 0}
    return made | {"at": now_ms, "changed_at": now_ms}


def _change(connection: Connection, where: ColumnElement[bool], values: dict[str, Any]) -> None:
    connection.execute(update(sent_messages).where(where).values(values))
