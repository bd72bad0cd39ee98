"""Edits of messages: which one counts, and what is shown of a message.

A message, its edits and its deletion are stored events, and none of them changes. The message
names the edit that counts as `edit_id`. Every reader of texts joins EDIT and takes BODY and
ATTACHMENTS from here, so that an earlier text is on no screen, in no search and in no answer.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, TypedDict

from sqlalchemy import Connection, Join, bindparam, case, func, select, update

from dashboard.db.models.threads import events, threads
from dashboard.db.threads import events as stored
from dashboard.event_types import DELETED

edit = events.alias("edit")
IS_EDIT = edit.c.id == events.c.edit_id
#: True, false, or null without an edit.
IS_DELETED = edit.c.type == DELETED.name
BODY: Any = case((IS_DELETED, ""), else_=func.coalesce(edit.c.body, events.c.body))
_IS_EDITED = events.c.edit_id.is_not(None)
ATTACHMENTS: Any = case((_IS_EDITED, edit.c.attachments), else_=events.c.attachments)
#: The columns of `to_json`.
COLUMNS = (edit.c.id, edit.c.ranked_at, IS_DELETED)

_NAMED = (
    select(
        events.c.external_id,
        events.c.id,
        threads.c.external_id,
        events.c.role,
        events.c.customer_id,
        events.c.fingerprint,
        edit.c.external_id,
        edit.c.ranked_at,
        IS_DELETED,
    )
    .select_from(events)
    .join(threads, threads.c.id == events.c.thread_id, isouter=True)
    .join(edit, IS_EDIT, isouter=True)
    .where(events.c.id.in_(bindparam("ids", expanding=True)))
)
_POINT = update(events).where(events.c.id == bindparam("message")).values(edit_id=bindparam("by"))


class Rank(NamedTuple):
    """The rank of an edit: of all edits of a message the greatest counts. So a deletion is final,
    and of several edits the latest counts, in whatever order they come."""

    is_deletion: bool
    ranked_at: int
    external_id: str


class Edited(NamedTuple):
    """A stored event that an edit names; `rank` is that of the edit that counts, None without one.

    `thread` is the source's id of its thread; `role` is None for an event that is no message.
    """

    id: int
    thread: str | None
    role: str | None
    customer_id: int | None
    fingerprint: bytes
    rank: Rank | None


class Edit(TypedDict):
    """The edit of a message that counts, as the dashboard gets it; a greater `v` is newer."""

    at: int
    deleted: bool
    v: int


def joined(source: Any) -> Join:
    """Joins events with the edits that count."""
    return source.join(edit, IS_EDIT, isouter=True)


def to_json(id: int | None, at: int, is_deleted: bool) -> Edit | None:
    """Returns the edit of a message; None without one."""
    return None if id is None else {"at": at, "deleted": bool(is_deleted), "v": id}


def named(connection: Connection, source_id: int, names: Collection[str]) -> dict[str, Edited]:
    """Returns the stored events among these ids of a source, by id."""
    ids = [event.id for event in stored.known(connection, source_id, names).values()]
    return {name: _edited(*values) for name, *values in connection.execute(_NAMED, {"ids": ids})}


def point(connection: Connection, edit_ids: Mapping[int, int]) -> None:
    """Sets the edits that count, by the ids of their messages."""
    if edit_ids:
        connection.execute(_POINT, [{"message": id, "by": by} for id, by in edit_ids.items()])


def _edited(
    id: int,
    thread: str | None,
    role: str | None,
    customer_id: int | None,
    fingerprint: bytes,
    name: str | None,
    at: int,
    is_deleted: bool,
) -> Edited:
    rank = None if name is None else Rank(bool(is_deleted), at, name)
    return Edited(id, thread, role, customer_id, bytes(fingerprint), rank)
