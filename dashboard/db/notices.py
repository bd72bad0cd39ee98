"""Notices for admins: a customer wrote, a thread was handed over, a note mentions the admin. All of
it follows from threads, acts and mentions; nothing else is stored."""

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Join,
    Select,
    and_,
    bindparam,
    or_,
    select,
    true,
)

from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.threads import customers, events, mentions, thread_acts, threads
from dashboard.db.threads import edits
from dashboard.event_types import ASSIGNED

Kind = Literal["message", "assigned", "mention"]

#: Characters of a message's text in a notice.
TEXT_CHARACTERS = 140
#: A message that arrives more than this after it was written gives no notice.
LATE_MS = 24 * 3_600_000


_CUSTOMER_ID = sources.c.name + "/" + customers.c.external_id
_SOMEBODYS = select(threads.c.id, threads.c.assignee_id, threads.c.mentioned).where(
    threads.c.id.in_(bindparam("ids", expanding=True)),
    or_(threads.c.assignee_id.is_not(None), threads.c.mentioned.is_not(None)),
)


class Notice(NamedTuple):
    """A notice for one admin. `id` is that of the message or act, `at` in ms.

    `by` is the colleague who acted, `text` the beginning of the message; `desk` is the thread's
    desk now.
    """

    admin_id: int
    kind: Kind
    id: int
    thread_id: int
    at: int
    customer_id: str | None
    customer_name: str | None
    by_id: int | None
    by_name: str | None
    text: str
    desk: str

    def to_json(self) -> dict[str, object]:
        """Returns the notice as the dashboard gets it."""
        return {
            "kind": self.kind,
            "id": self.id,
            "thread_id": self.thread_id,
            "at": self.at,
            "customer": _person(self.customer_id, self.customer_name),
            "by": _person(self.by_id, self.by_name),
            "text": self.text,
        }


def _person(id: int | str | None, name: str | None) -> dict[str, object] | None:
    return None if id is None else {"id": id, "name": name}


def news(
    connection: Connection,
    admin_ids: Collection[int],
    since_ms: int,
    thread_ids: Collection[int] | None = None,
) -> list[Notice]:
    """Returns notices for these admins since `since_ms`, in these threads or in all, by time.

    There is none for an admin's own acts, answered messages or read mentions, nor for a message
    that came before the thread was the admin's, or while it is snoozed with `wake` set to `never`.
    """
    if thread_ids is not None:
        thread_ids = _concerning(connection, admin_ids, thread_ids)
    if not admin_ids or (thread_ids is not None and not thread_ids):
        return []
    of_threads = true() if thread_ids is None else threads.c.id.in_(thread_ids)
    theirs = threads.c.assignee_id.in_(admin_ids) & of_threads
    notices = [
        *_read(connection, "message", _messages(theirs, since_ms)),
        *_read(connection, "assigned", _assigned(theirs, since_ms)),
        *_read(connection, "mention", _mentions(admin_ids, of_threads, since_ms)),
    ]
    return sorted(notices, key=lambda notice: (notice.at, notice.kind, notice.id))


def _concerning(
    connection: Connection, admin_ids: Collection[int], thread_ids: Collection[int]
) -> list[int]:
    """Returns the threads that are assigned to an admin or have unread mentions: few of many."""
    if not admin_ids or not thread_ids:
        return []
    rows = connection.execute(_SOMEBODYS, {"ids": list(thread_ids)})
    theirs = frozenset(admin_ids)
    return [id for id, holder, mentioned in rows if holder in theirs or mentioned is not None]


def _messages(theirs: ColumnElement[bool], since_ms: int) -> Select[Any]:
    is_awake = or_(threads.c.snoozed_until.is_(None), threads.c.wake != "never")
    return _told(
        edits.joined(threads.join(events, events.c.thread_id == threads.c.id)),
        threads.c.assignee_id,
        (events.c.id, events.c.received_at, events.c.author_id),
        edits.BODY,
    ).where(
        edits.IS_DELETED.is_not(True),
        theirs,
        is_awake,
        threads.c.unanswered > 0,
        events.c.role == "client",
        events.c.ranked_at >= since_ms - LATE_MS,
        events.c.received_at >= since_ms,
        events.c.received_at >= threads.c.assigned_at,
    )


def _assigned(theirs: ColumnElement[bool], since_ms: int) -> Select[Any]:
    by_another = or_(
        thread_acts.c.admin_id.is_(None), thread_acts.c.admin_id != threads.c.assignee_id
    )
    # An assignment that is in effect; an undone one gives back the time of the one before.
    in_effect = and_(
        thread_acts.c.thread_id == threads.c.id, thread_acts.c.at == threads.c.assigned_at
    )
    return _told(
        threads.join(thread_acts, in_effect),
        threads.c.assignee_id,
        (thread_acts.c.id, thread_acts.c.at, thread_acts.c.admin_id),
        threads.c.preview_body,
    ).where(
        theirs,
        # Queues tell it themselves.
        threads.c.queue_id.is_(None),
        threads.c.assigned_at >= since_ms,
        thread_acts.c.type == ASSIGNED.name,
        by_another,
    )


def _mentions(
    admin_ids: Collection[int], of_threads: ColumnElement[bool], since_ms: int
) -> Select[Any]:
    in_threads = mentions.join(threads, threads.c.id == mentions.c.thread_id)
    return _told(
        in_threads.join(events, events.c.id == mentions.c.event_id),
        mentions.c.admin_id,
        (mentions.c.event_id, mentions.c.at, events.c.author_id),
        events.c.body,
    ).where(
        mentions.c.admin_id.in_(admin_ids),
        of_threads,
        mentions.c.read_at.is_(None),
        mentions.c.at >= since_ms,
    )


def _told(
    join: Join, admin_id: Column[Any], what: tuple[Column[Any], ...], text: Column[Any]
) -> Select[Any]:
    """Selects the fields of a notice, without its kind; `what` is its id, time and author."""
    id, at, by_id = what
    return (
        select(
            admin_id,
            id,
            threads.c.id,
            at,
            _CUSTOMER_ID,
            customers.c.name,
            by_id,
            admins.c.name,
            text,
            threads.c.desk,
        )
        .select_from(join)
        .join(sources, sources.c.id == threads.c.source_id)
        .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
        .join(admins, admins.c.id == by_id, isouter=True)
    )


def _read(connection: Connection, kind: Kind, statement: Select[Any]) -> Iterator[Notice]:
    for admin_id, *fields, body, desk in connection.execute(statement):
        text = " ".join((body or "").split())[:TEXT_CHARACTERS]
        yield Notice._make((admin_id, kind, *fields, text, desk))
