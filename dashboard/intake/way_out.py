"""What an admin did, put on its way to the chatbot, in the transaction that does it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.store import deliveries, messages, outgoing, sent_messages, threads
from dashboard.store.thread_states import ThreadState


class Admin(NamedTuple):
    """Who acts."""

    id: int
    name: str
    role: str = "admin"


def send_out(
    connection: Connection, state: ThreadState, message: messages.Message, now: int
) -> messages.Message:
    """Puts a message on its way to the customer; the message with its delivery."""
    id = message["id"]
    outgoing.add(connection, state.source_id, state.id, "message.created", now, message, id)
    sent_messages.queue(connection, id, state.id, now)
    return message | {"delivery": sent_messages.told(sent_messages.QUEUED, 0, now, now)}


def send_again(
    connection: Connection, state: ThreadState, message_id: int, stage: int, now: int
) -> messages.Message:
    """What the chatbot never got goes to it again; what it could not hand on is told it anew."""
    sent_messages.queue_again(connection, message_id, now)
    message = messages.one(connection, message_id)
    assert message is not None
    if stage != sent_messages.CUSTOMER_FAILED:
        is_under_way = deliveries.retry_message(connection, message_id, now) > 0
        if is_under_way or stage == sent_messages.QUEUED:
            return message
    told = message | {"delivery": None}
    outgoing.add(connection, state.source_id, state.id, "message.created", now, told, message_id)
    return message


def tell(
    connection: Connection,
    admin: Admin,
    state: ThreadState,
    type: str,
    now: int,
    data: Mapping[str, Any],
) -> None:
    """Lets the chatbot know what was done, and by whom."""
    by = {"id": admin.id, "name": admin.name}
    outgoing.add(
        connection, state.source_id, state.id, type, now, {"thread_id": state.id, "by": by, **data}
    )


def changed(connection: Connection, state: ThreadState) -> bool:
    """Whether the thread is open or urgent in another way than before."""
    before = state.facts.closed, state.facts.priority
    return threads.closed_and_priority(connection, state.id) != before
