"""Parts of conversations: messages, and the acts between them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select

from dashboard.db.driver import RowValues
from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import events, thread_acts
from dashboard.db.threads import messages
from dashboard.event_types import ACT_MEMBERS, RELEASED
from dashboard.validation.strict_json import JsonObject

#: Maximum number of acts in one part of a conversation, the newest ones.
PART_MAX = 200
#: The members of an act's data that the dashboard gets.
_SHOWN = ("cause", "note", *ACT_MEMBERS)

_ACTS: Select[Any] = select(
    thread_acts.c.id,
    thread_acts.c.thread_id,
    thread_acts.c.at,
    thread_acts.c.type,
    thread_acts.c.admin_id,
    admins.c.name,
    thread_acts.c.event_id,
    thread_acts.c.data,
).join_from(thread_acts, admins, admins.c.id == thread_acts.c.admin_id, isouter=True)


class Act(NamedTuple):
    """One act; `at` in milliseconds. `admin_id` is None for the chatbot, the customer and time.

    `data` may hold `priority`, `assignee` or `desk` with `before`, tags that were `added` and
    `removed`, `cause` of an automatic act (`message` and `handoff` reopen a thread), the `note`
    with a release, the fields of a snooze, a wake or a late thread, the `marks` of an earlier
    snooze, and `undoes`, the id of an earlier act.
    """

    id: int
    thread_id: int
    at: int
    type: str
    admin_id: int | None
    admin_name: str | None
    event_id: int | None
    data: Mapping[str, Any]

    def to_json(self) -> JsonObject:
        """Returns `{"id", "type", "at", "by": {"id", "name"} | null, …}` for the dashboard."""
        by = None if self.admin_id is None else {"id": self.admin_id, "name": self.admin_name}
        shown = {name: self.data[name] for name in _SHOWN if name in self.data}
        before = self.data.get("before") if self.type == RELEASED.name else None
        if before:
            shown["previous"] = {"id": before["id"], "name": before["name"]}
        return {"id": self.id, "type": self.type, "at": self.at, "by": by, **shown}


def add_act(
    connection: Connection,
    thread_id: int,
    at: int,
    type: str,
    admin_id: int | None = None,
    event_id: int | None = None,
    data: Mapping[str, Any] | None = None,
) -> int:
    """Stores an act and returns its id. The caller holds the lock of the thread."""
    result = connection.execute(
        insert(thread_acts).values(
            thread_id=thread_id,
            at=at,
            type=type,
            admin_id=admin_id,
            event_id=event_id,
            data=data or None,
        )
    )
    assert result.inserted_primary_key is not None
    return result.inserted_primary_key[0]


def add_many(connection: Connection, rows: Sequence[RowValues]) -> None:
    """Stores acts, given as rows of the table."""
    if rows:
        connection.execute(insert(thread_acts), list(rows))


def last_act_id(connection: Connection, thread_id: int) -> int:
    """Returns the id of the act that was stored last; 0 without any."""
    statement = select(func.max(thread_acts.c.id)).where(thread_acts.c.thread_id == thread_id)
    return connection.scalar(statement) or 0


def acts_after(connection: Connection, thread_id: int, known_id: int) -> list[Act]:
    """Returns the acts that were stored after this one, in that order.

    Within a thread ids grow in the order of commits, because a writer holds the thread's lock.
    """
    statement = _ACTS.where(thread_acts.c.thread_id == thread_id, thread_acts.c.id > known_id)
    return _read(connection, statement.order_by(thread_acts.c.id))


def between(
    connection: Connection, thread_id: int, since_ms: int | None, until_ms: int | None
) -> list[Act]:
    """Returns the acts from a time on and before another one, by time; None: without that limit."""
    statement = _ACTS.where(thread_acts.c.thread_id == thread_id)
    if since_ms is not None:
        statement = statement.where(thread_acts.c.at >= since_ms)
    if until_ms is not None:
        statement = statement.where(thread_acts.c.at < until_ms)
    newest = statement.order_by(thread_acts.c.at.desc(), thread_acts.c.id.desc()).limit(PART_MAX)
    return _read(connection, newest)[::-1]


def stored_between(
    connection: Connection, thread_id: int, after_ms: int, until_ms: int | None
) -> list[tuple[int, Act]]:
    """Returns the acts that were stored after a time and by another one, None: up to now, each with
    that time, by id. An act by an event has the time of the event, which may have come late."""
    stored_at = func.coalesce(events.c.received_at, thread_acts.c.at).label("stored_at")
    statement = _ACTS.add_columns(stored_at).join(
        events, events.c.id == thread_acts.c.event_id, isouter=True
    )
    statement = statement.where(thread_acts.c.thread_id == thread_id, stored_at > after_ms)
    if until_ms is not None:
        statement = statement.where(stored_at <= until_ms)
    rows = connection.execute(statement.order_by(thread_acts.c.id))
    return [(at, _act(act)) for *act, at in rows]


def one_act(connection: Connection, id: int) -> Act | None:
    """Returns the act with this id, or None."""
    return next(iter(_read(connection, _ACTS.where(thread_acts.c.id == id))), None)


def _read(connection: Connection, statement: Select[Any]) -> list[Act]:
    return [_act(row) for row in connection.execute(statement)]


def _act(row: Sequence[Any]) -> Act:
    return Act._make((*row[:-1], row[-1] or {}))


class Part(NamedTuple):
    """Messages and acts by time, newest last; `more`, `later`: messages exist before or after them.

    The acts are between or beside these messages: successive parts hold all acts, also those before
    the thread's first message and after its last one. `newest_act_id` is the act that was stored
    last in the whole thread.
    """

    messages: list[messages.Message]
    acts: list[JsonObject]
    more: bool
    later: bool
    newest_act_id: int

    def to_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("messages", "acts", "more", "later")}


def part(
    connection: Connection, thread_id: int, where: str | None, message_id: int, limit: int
) -> Part:
    """Returns up to `limit` messages "before", "after" or "around" a message, with their acts;
    None: the newest ones."""
    # Read first: an act that is stored meanwhile is sent twice rather than left out.
    newest_act_id = last_act_id(connection, thread_id)
    page = messages.at(connection, thread_id, where, message_id, limit)
    if not page.messages and (where is not None):
        return Part([], [], page.more, page.later, newest_act_id)
    since = page.messages[0]["at"] if page.more else None
    until = page.messages[-1]["at"] if page.later else None
    if where in ("before", "after"):
        at = messages.time_of(connection, thread_id, message_id)
        since, until = (since, at) if where == "before" else (at, until)
    acts = [act.to_json() for act in between(connection, thread_id, since, until)]
    return Part(page.messages, acts, page.more, page.later, newest_act_id)
