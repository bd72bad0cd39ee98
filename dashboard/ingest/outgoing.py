"""Writes an admin's act to the outbox and to the acts, in the transaction of the act."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.outbox import deliveries, outgoing, sent_messages
from dashboard.db.threads import conversations, messages, threads
from dashboard.db.threads.events import stamped
from dashboard.db.threads.thread_states import ThreadState
from dashboard.event_types import ASSIGNED, DESK_CHANGED, MESSAGE_CREATED, RELEASED, OutgoingType


class Admin(NamedTuple):
    """The admin who acts, on threads at `desks`; None: on all threads."""

    id: int
    name: str
    role: str = "admin"
    desks: Desks = None


class Given(NamedTuple):
    """The admin who gets a thread from a queue."""

    id: int
    name: str


#: The new assignee of a thread: the admin who acts, a stored one, or one that a queue asks.
Assignee = Admin | admins.Admin | Given
NO_QUEUE: Mapping[str, Any] = MappingProxyType({})


class CustomerPresence(NamedTuple):
    """Members of `message.created`, from which a chatbot can choose between mail and push.

    `last_seen` in milliseconds. Both are None while they are not known.
    """

    customer_online: bool | None = None
    last_seen: int | None = None


NOT_KNOWN = CustomerPresence()
#: Reads the presence of a thread's customer. Waits for Redis: not called in a transaction.
ReadCustomer = Callable[[int], CustomerPresence]


def send_out(
    connection: Connection,
    state: ThreadState,
    message: messages.Message,
    customer: CustomerPresence,
    now: int,
) -> messages.Message:
    """Starts the delivery of a message; returns the message with its `delivery`."""
    id = message["id"]
    data = {**message, **customer._asdict()}
    outgoing.add(connection, state.source_id, state.id, MESSAGE_CREATED.name, now, data, id)
    sent_messages.queue(connection, id, state.id, now)
    return message | {"delivery": sent_messages.to_json(sent_messages.QUEUED, 0, now, now)}


def send_again(
    connection: Connection,
    state: ThreadState,
    message_id: int,
    stage: int,
    customer: CustomerPresence,
    now: int,
) -> messages.Message:
    """Sends a message again: retries its deliveries, or writes a new event for the chatbot."""
    sent_messages.queue_again(connection, message_id, now)
    message = messages.one(connection, message_id)
    assert message is not None
    if stage != sent_messages.CUSTOMER_FAILED:
        is_pending = deliveries.retry_message(connection, message_id, now) > 0
        if is_pending or stage == sent_messages.QUEUED:
            return message
    data = {**message, "delivery": None, **customer._asdict()}
    outgoing.add(connection, state.source_id, state.id, MESSAGE_CREATED.name, now, data, message_id)
    return message


def add_event(
    connection: Connection,
    admin: Admin | None,
    state: ThreadState,
    type: OutgoingType,
    now: int,
    data: Mapping[str, Any],
    **extra: Any,
) -> int:
    """Writes the event of an admin's act, with `data` and the admin as `by`, and the act.

    Without an admin, time or the customer has caused the act. `extra` is stored only with the act:
    `event_id`, and the values before. Returns the act's id.
    """
    by = admin and {"id": admin.id, "name": admin.name}
    payload = {"thread_id": state.id, "by": by, **data}
    outgoing.add(connection, state.source_id, state.id, type.name, now, payload)
    event_id = extra.pop("event_id", None)
    admin_id = admin and admin.id
    return conversations.add_act(
        connection, state.id, now, type.name, admin_id, event_id, {**data, **extra}
    )


def set_assignee(
    connection: Connection,
    admin: Admin | None,
    state: ThreadState,
    to: Assignee | None,
    assigned_at: int | None,
    now: int,
    of_queue: Mapping[str, Any] = NO_QUEUE,
    **extra: Any,
) -> int:
    """Sets the assignee and the time of the assignment, and writes the event; the caller saves.

    `of_queue`: members of the event's data about a queue. `extra` as for `add_event`. Returns the
    act's id.
    """
    state.columns.assignee_id = to and to.id
    state.columns.assigned_at = assigned_at
    data = {"assignee": to and {"id": to.id, "name": to.name}, **of_queue}
    type = ASSIGNED if to else RELEASED
    return add_event(connection, admin, state, type, now, data, **extra)


def set_desk(
    connection: Connection, admin: Admin, state: ThreadState, desk: str, now: int, **extra: Any
) -> int:
    """Sets the desk, later than any handoff so far, and writes the event; the caller saves the
    thread.

    `extra` as for `add_event`. Returns the act's id.
    """
    state.columns.stamps = stamped(state.columns.stamps, {"desk": (now, f"/{admin.id}")})
    state.columns.desk = desk
    return add_event(connection, admin, state, DESK_CHANGED, now, {"desk": desk}, **extra)


def is_changed(connection: Connection, state: ThreadState) -> bool:
    """Whether the stored thread differs from `state` in being closed, or in its priority."""
    before = state.facts.closed, state.facts.priority
    return threads.closed_and_priority(connection, state.id) != before
