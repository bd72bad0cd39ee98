"""Messages of conversations: the events that have a role."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

from sqlalchemy import ColumnElement, Connection, Select, select, tuple_

from dashboard.db.accounts.admins import AdminName
from dashboard.db.mentions import by_note
from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import events
from dashboard.db.models.webhooks import sent_messages as sent
from dashboard.db.outbox import sent_messages
from dashboard.db.outbox.sent_messages import Delivery
from dashboard.db.threads import edits
from dashboard.db.threads.edits import Edit
from dashboard.event_types import EDITS
from dashboard.turns import turns


class Attachment(TypedDict):
    """A file of a message, as it is stored and shown."""

    url: str
    type: str | None
    name: str | None


class Message(TypedDict):
    """A message as the dashboard gets it; `delivery` is null if it is not sent out."""

    id: int
    thread_id: int
    role: str | None
    author: AdminName | None
    body: str | None
    attachments: list[Attachment]
    private: bool
    at: int
    delivery: Delivery | None
    edit: NotRequired[Edit]
    mentions: NotRequired[list[AdminName]]


_COLUMNS = (
    events.c.id,
    events.c.thread_id,
    events.c.role,
    events.c.author_id,
    admins.c.name,
    edits.BODY,
    edits.ATTACHMENTS,
    events.c.private,
    events.c.ranked_at,
    *sent_messages.COLUMNS,
    *edits.COLUMNS,
)
_ORDER = tuple_(events.c.ranked_at, events.c.id)
_MESSAGES: Select[Any] = (
    select(*_COLUMNS)
    .join_from(events, admins, admins.c.id == events.c.author_id, isouter=True)
    .join(sent, sent.c.message_id == events.c.id, isouter=True)
    .join(edits.edit, edits.IS_EDIT, isouter=True)
    .where(events.c.role.is_not(None))
)


class MessageRange(NamedTuple):
    """Messages by time, newest last; `more`, `later`: messages exist before or after them."""

    messages: list[Message]
    more: bool
    later: bool


def at(
    connection: Connection, thread_id: int, where: str | None, message_id: int, limit: int
) -> MessageRange:
    """Returns up to `limit` messages "before", "after" or "around" one; None: the newest ones.

    Empty if the message is not in the thread.
    """
    if where is None:
        return MessageRange(*_older(connection, thread_id, None, limit), later=False)
    key = _sort_key(connection, thread_id, message_id)
    if key is None:
        return MessageRange([], False, False)
    if where == "before":
        return MessageRange(*_older(connection, thread_id, key, limit), later=True)
    if where == "after":
        newer, later = _newer(connection, thread_id, key, limit)
        return MessageRange(newer, True, later)
    older, more = _older(connection, thread_id, key, limit // 2)
    itself = several(connection, [message_id]).values()
    newer, later = _newer(connection, thread_id, key, limit - len(older) - len(itself))
    return MessageRange([*older, *itself, *newer], more, later)


def public(
    connection: Connection, thread_id: int, before_id: int | None, limit: int
) -> tuple[list[Message], bool] | None:
    """Returns up to `limit` messages, notes left out, before a message or the newest ones, and
    whether there are earlier ones; None if the message is not in the thread."""
    key = None if before_id is None else _sort_key(connection, thread_id, before_id)
    if before_id is not None and key is None:
        return None
    return _older(connection, thread_id, key, limit, events.c.private.is_(False))


def external_ids(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    """Maps the messages among these that a chatbot posted to the ids that it gave them."""
    posted = events.c.id.in_(ids), events.c.author_id.is_(None)
    rows = connection.execute(select(events.c.id, events.c.external_id).where(*posted))
    return {row.id: row.external_id for row in rows}


def time_of(connection: Connection, thread_id: int, message_id: int) -> int | None:
    """Returns the time of a message, in milliseconds; None if it is not in the thread."""
    key = _sort_key(connection, thread_id, message_id)
    return None if key is None else key[0]


def after(connection: Connection, thread_id: int, message_id: int) -> list[Message]:
    """Returns the messages of a thread that were stored after a message, in that order.

    Within a thread ids grow in the order of commits, because a writer holds the thread's lock.
    """
    statement = _MESSAGES.where(events.c.thread_id == thread_id, events.c.id > message_id)
    rows = connection.execute(statement.order_by(events.c.id))
    return _messages(connection, rows)


def changed_after(connection: Connection, thread_id: int, event_id: int) -> list[Message]:
    """Returns the messages of a thread that were stored or edited after an event, in the order of
    `changed_by`."""
    rows = connection.execute(
        select(events.c.id, events.c.role, events.c.source_id, events.c.data)
        .where(events.c.thread_id == thread_id, events.c.id > event_id)
        .where(events.c.role.is_not(None) | events.c.type.in_(EDITS))
    ).all()
    ids = [row.id for row in rows if row.role is not None]
    # An edit by a deleted person has no data any more.
    edits_of = {row.data["message"]: row.source_id for row in rows if row.role is None and row.data}
    if edits_of:
        [source_id] = {*edits_of.values()}
        ids += [message.id for message in edits.named(connection, source_id, edits_of).values()]
    changed = sorted(several(connection, ids).values(), key=changed_by)
    return [message for message in changed if changed_by(message) > event_id]


def changed_by(message: Message) -> int:
    """Returns the id of the event that changed a message last: its own, or that of its edit."""
    return max(message["id"], message["edit"]["v"] if "edit" in message else 0)


def one(connection: Connection, id: int) -> Message | None:
    """Returns the message with this id, or None."""
    return several(connection, [id]).get(id)


def several(connection: Connection, ids: Collection[int]) -> dict[int, Message]:
    """Maps ids to messages; unknown ids are left out."""
    if not ids:
        return {}
    rows = connection.execute(_MESSAGES.where(events.c.id.in_(ids)))
    return {message["id"]: message for message in _messages(connection, rows)}


def _sort_key(connection: Connection, thread_id: int, message_id: int) -> tuple[int, int] | None:
    """Returns the (ranked_at, id) that orders a message in the thread's conversation; or None."""
    statement = select(events.c.ranked_at).where(
        events.c.id == message_id, events.c.thread_id == thread_id
    )
    ranked_at = connection.scalar(statement)
    return None if ranked_at is None else (ranked_at, message_id)


def _older(
    connection: Connection,
    thread_id: int,
    key: tuple[int, int] | None,
    limit: int,
    *conditions: ColumnElement[bool],
) -> tuple[list[Message], bool]:
    statement = _MESSAGES.where(events.c.thread_id == thread_id, *conditions)
    if key is not None:
        statement = statement.where(tuple_(*key) > _ORDER)
    newest = statement.order_by(events.c.ranked_at.desc(), events.c.id.desc()).limit(limit + 1)
    rows = connection.execute(newest).all()
    return _messages(connection, rows[:limit][::-1]), len(rows) > limit


def _newer(
    connection: Connection, thread_id: int, key: tuple[int, int], limit: int
) -> tuple[list[Message], bool]:
    statement = _MESSAGES.where(events.c.thread_id == thread_id, tuple_(*key) < _ORDER)
    oldest = statement.order_by(events.c.ranked_at, events.c.id).limit(limit + 1)
    rows = connection.execute(oldest).all()
    return _messages(connection, rows[:limit]), len(rows) > limit


def attach_mentions(connection: Connection, messages: Sequence[Message]) -> None:
    """Adds the mentions to the notes that mention somebody."""
    mentions = by_note(connection, [message["id"] for message in messages if message["private"]])
    for message in messages:
        if message["id"] in mentions:
            message["mentions"] = mentions[message["id"]]


def _messages(connection: Connection, rows: Iterable[Sequence[Any]]) -> list[Message]:
    messages = [_message(row) for row in turns.each(rows)]
    attach_mentions(connection, messages)
    return messages


def _message(row: Sequence[Any]) -> Message:
    id, thread_id, role, author_id, name, body, attachments, private, at, *rest = row
    message: Message = {
        "id": id,
        "thread_id": thread_id,
        "role": role,
        "author": {"id": author_id, "name": name} if author_id is not None else None,
        "body": body,
        "attachments": attachments or [],
        "private": private,
        "at": at,
        "delivery": sent_messages.to_json(*rest[:4]),
    }
    edit = edits.to_json(*rest[4:])
    return message if edit is None else {**message, "edit": edit}
