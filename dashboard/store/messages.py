"""Messages as conversations show them: the events that have a role."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, select, tuple_

from dashboard.store import sent_messages
from dashboard.store.models import admins, events
from dashboard.store.outbox_models import sent_messages as sent

Message = dict[str, Any]

_COLUMNS = (
    events.c.id,
    events.c.thread_id,
    events.c.role,
    events.c.author_id,
    admins.c.name,
    events.c.body,
    events.c.attachments,
    events.c.private,
    events.c.ranked_at,
    *sent_messages.COLUMNS,
)
_MESSAGES: Select[Any] = (
    select(*_COLUMNS)
    .join_from(events, admins, admins.c.id == events.c.author_id, isouter=True)
    .join(sent, sent.c.message_id == events.c.id, isouter=True)
    .where(events.c.role.is_not(None))
)


def message(
    id: int,
    thread_id: int,
    role: str | None,
    author: dict[str, Any] | None,
    body: str | None,
    attachments: list[dict[str, Any]],
    private: bool,
    at: int,
    delivery: dict[str, Any] | None = None,
) -> Message:
    """A message as dashboards get it; `delivery` is null for what does not go out."""
    return {
        "id": id,
        "thread_id": thread_id,
        "role": role,
        "author": author,
        "body": body,
        "attachments": attachments,
        "private": private,
        "at": at,
        "delivery": delivery,
    }


def page(
    connection: Connection, thread_id: int, before: int | None, limit: int
) -> tuple[list[Message], bool]:
    """Up to `limit` messages before the one with the id `before` (None: the newest).

    By time, newest last; and whether there are more before them.
    """
    statement = _MESSAGES.where(events.c.thread_id == thread_id)
    if before is not None:
        place = select(events.c.ranked_at).where(
            events.c.id == before, events.c.thread_id == thread_id
        )
        ranked_at = connection.scalar(place)
        if ranked_at is None:
            return [], False
        statement = statement.where(
            tuple_(events.c.ranked_at, events.c.id) < tuple_(ranked_at, before)
        )
    newest = statement.order_by(events.c.ranked_at.desc(), events.c.id.desc()).limit(limit + 1)
    found = [_message(row) for row in connection.execute(newest)]
    return found[:limit][::-1], len(found) > limit


def after(connection: Connection, thread_id: int, message_id: int) -> list[Message]:
    """The messages that were stored after one, in the order in which they were.

    Ids of a thread's events grow in the order of their commits: who writes holds its lock.
    """
    statement = _MESSAGES.where(events.c.thread_id == thread_id, events.c.id > message_id)
    return [_message(row) for row in connection.execute(statement.order_by(events.c.id))]


def one(connection: Connection, id: int) -> Message | None:
    """A message by its id."""
    row = connection.execute(_MESSAGES.where(events.c.id == id)).first()
    return _message(row) if row else None


def _message(row: Sequence[Any]) -> Message:
    id, thread_id, role, author_id, name, body, attachments, private, at, *way = row
    author = {"id": author_id, "name": name} if author_id is not None else None
    delivery = sent_messages.told(*way)
    return message(id, thread_id, role, author, body, attachments or [], private, at, delivery)
