"""Delivery of admins' messages: to the chatbot, and from there to the customer."""

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypedDict

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from dashboard.db.driver import RowValues, insert_missing
from dashboard.db.models.webhooks import sent_messages

#: Stages of delivery. A message only moves to a greater one, so that late and repeated receipts
#: change nothing; an admin who sends it again sets it back to QUEUED.
QUEUED, BOT_FAILED, BOT_RECEIVED, CUSTOMER_FAILED, CUSTOMER_RECEIVED, READ = range(6)
#: Stages at which a message cannot be sent again.
ARRIVED = frozenset({BOT_RECEIVED, CUSTOMER_RECEIVED, READ})
_STATES = {
    QUEUED: ("queued", "bot"),
    BOT_FAILED: ("failed", "bot"),
    BOT_RECEIVED: ("delivered", "bot"),
    CUSTOMER_FAILED: ("failed", "customer"),
    CUSTOMER_RECEIVED: ("delivered", "customer"),
    READ: ("read", "customer"),
}
_OF_RECEIPT = {"failed": CUSTOMER_FAILED, "delivered": CUSTOMER_RECEIVED, "read": READ}

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
    """A chatbot's receipt of a message: `state` is "delivered", "read" or "failed"."""

    message_id: int
    thread_id: int
    state: str
    at: int


class Delivery(TypedDict):
    """The delivery of a message as the dashboard gets it. A greater `v` (the time of the change) is
    the newer state."""

    state: str
    to: str
    attempts: int
    at: int
    v: int


class DeliveryUpdate(NamedTuple):
    """A message with a changed delivery."""

    message_id: int
    thread_id: int
    delivery: Delivery


def to_json(
    stage: int | None, attempts: int | None, at: int | None, changed_at: int | None
) -> Delivery | None:
    """Returns a message's delivery; None if the message is not sent out."""
    if stage is None or attempts is None or at is None or changed_at is None:
        return None
    state, to = _STATES[stage]
    return {"state": state, "to": to, "attempts": attempts, "at": at, "v": changed_at}


def queue(connection: Connection, message_id: int, thread_id: int, now_ms: int) -> None:
    """Starts the delivery of a message."""
    insert_missing(connection, sent_messages, [_new(message_id, thread_id, now_ms)])


def queue_again(connection: Connection, message_id: int, now_ms: int) -> None:
    """Starts the delivery of a message again, at an admin's request."""
    _change(
        connection,
        sent_messages.c.message_id == message_id,
        {"stage": QUEUED, "attempts": 0, "at": now_ms, "changed_at": now_ms},
    )


def advance(connection: Connection, message_ids: Collection[int], stage: int, now_ms: int) -> None:
    """Moves messages to a stage; messages at a greater one stay there."""
    rows = [
        {"message": id, "new_stage": stage, "new_at": now_ms, "now": now_ms}
        for id in sorted(message_ids)
    ]
    if rows:
        connection.execute(_ADVANCE, rows)


def save_attempts(connection: Connection, message_id: int, attempts: int, now_ms: int) -> None:
    """Saves the number of failed attempts to hand a queued message to the chatbot."""
    where = (sent_messages.c.message_id == message_id) & (sent_messages.c.stage == QUEUED)
    _change(connection, where, {"attempts": attempts, "changed_at": now_ms})


def apply_receipts(connection: Connection, receipts: Iterable[Receipt], now_ms: int) -> None:
    """Applies receipts; a message without a row here (from before this table) gets one."""
    ordered = sorted(receipts)
    if not ordered:
        return
    rows = [_new(receipt.message_id, receipt.thread_id, receipt.at) for receipt in ordered]
    insert_missing(connection, sent_messages, rows)
    advances = [
        {
            "message": receipt.message_id,
            "new_stage": _OF_RECEIPT[receipt.state],
            "new_at": receipt.at,
            "now": now_ms,
        }
        for receipt in ordered
    ]
    connection.execute(_ADVANCE, advances)


def changed_since(
    connection: Connection, thread_ids: Collection[int], since_ms: int
) -> list[DeliveryUpdate]:
    """Returns messages of these threads with a delivery that changed at `since_ms` or later."""
    rows = connection.execute(
        select(sent_messages.c.message_id, sent_messages.c.thread_id, *COLUMNS).where(
            sent_messages.c.thread_id.in_(thread_ids), sent_messages.c.changed_at >= since_ms
        )
    )
    updates = ((id, thread_id, to_json(*rest)) for id, thread_id, *rest in rows)
    return [DeliveryUpdate(id, thread_id, data) for id, thread_id, data in updates if data]


def stage_of(connection: Connection, message_id: int, thread_id: int) -> int | None:
    """Returns the stage of a message of the thread; None if the message is not sent out."""
    return connection.scalar(
        select(sent_messages.c.stage).where(
            sent_messages.c.message_id == message_id, sent_messages.c.thread_id == thread_id
        )
    )


def _new(message_id: int, thread_id: int, now_ms: int) -> RowValues:
    row = {"message_id": message_id, "thread_id": thread_id, "stage": QUEUED, "attempts": 0}
    return row | {"at": now_ms, "changed_at": now_ms}


def _change(connection: Connection, where: ColumnElement[bool], values: RowValues) -> None:
    connection.execute(update(sent_messages).where(where).values(values))
