"""What happened lately to what is an admin's: a customer wrote, a thread was handed over, a note
mentions the admin. All of it follows from threads, acts and mentions; nothing is stored besides."""

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, or_, select, true

from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.mentions import mentions
from dashboard.db.models.threads import customers, events, thread_acts, threads

Kind = Literal["message", "assigned", "mention"]

#: Characters of a text that are told.
TEXT_CHARACTERS = 140
#: A message that is delivered later than this after it was written is not found without its thread.
LATE_MS = 24 * 3_600_000


_CUSTOMER_ID = sources.c.name + "/" + customers.c.external_id


class Notice(NamedTuple):
    """Something of which one admin is told. `id` is that of the message or act, `at` in ms.

    `by` is the colleague who did it, `text` what the message begins with; `desk` is where the
    thread is now.
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

    def to_json(self) -> dict[str, Any]:
        """As dashboards get it."""
        return {
            "kind": self.kind,
            "id": self.id,
            "thread_id": self.thread_id,
            "at": self.at,
            "customer": _person(self.customer_id, self.customer_name),
            "by": _person(self.by_id, self.by_name),
            "text": self.text,
        }


def _person(id: int | str | None, name: str | None) -> dict[str, Any] | None:
    return None if id is None else {"id": id, "name": name}


def news(
    connection: Connection,
    admin_ids: Collection[int],
    since_ms: int,
    thread_ids: Collection[int] | None = None,
) -> list[Notice]:
    """What happened since then that is told to these admins, in these threads or in all, by time.

    Nobody is told what they did themselves, have answered or have read; nor of a message in a
    thread that they had not yet, or have snoozed whatever the customer writes.
    """
    if thread_ids is not None:
        thread_ids = _concerning(connection, admin_ids, thread_ids)
    if not admin_ids or (thread_ids is not None and not thread_ids):
        return []
    of_threads = true() if thread_ids is None else threads.c.id.in_(thread_ids)
    theirs = threads.c.assignee_id.in_(admin_ids) & of_threads
    found = [
        *_read(connection, "message", _messages(theirs, since_ms)),
        *_read(connection, "assigned", _assigned(theirs, since_ms)),
        *_read(connection, "mention", _mentions(admin_ids, of_threads, since_ms)),
    ]
    return sorted(found, key=lambda notice: (notice.at, notice.kind, notice.id))


def _concerning(
    connection: Connection, admin_ids: Collection[int], thread_ids: Collection[int]
) -> list[int]:
    """Those of the threads that are an admin's, or in which somebody is mentioned: few of many."""
    if not admin_ids or not thread_ids:
        return []
    is_theirs = threads.c.assignee_id.in_(admin_ids) | threads.c.mentioned.is_not(None)
    found = select(threads.c.id).where(threads.c.id.in_(thread_ids), is_theirs)
    return [*connection.scalars(found)]


def _messages(theirs: ColumnElement[bool], since_ms: int) -> Select[Any]:
    is_awake = or_(threads.c.snoozed_until.is_(None), threads.c.wake != "never")
    return (
        select(
            threads.c.assignee_id,
            events.c.id,
            threads.c.id,
            events.c.received_at,
            _CUSTOMER_ID,
            customers.c.name,
            events.c.author_id,
            admins.c.name,
            events.c.body,
            threads.c.desk,
        )
        .select_from(threads)
        .join(events, events.c.thread_id == threads.c.id)
        .join(sources, sources.c.id == threads.c.source_id)
        .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
        .join(admins, admins.c.id == events.c.author_id, isouter=True)
        .where(
            theirs,
            is_awake,
            threads.c.unanswered > 0,
            events.c.role == "client",
            events.c.ranked_at >= since_ms - LATE_MS,
            events.c.received_at >= since_ms,
            events.c.received_at >= threads.c.assigned_at,
        )
    )


def _assigned(theirs: ColumnElement[bool], since_ms: int) -> Select[Any]:
    by_another = or_(
        thread_acts.c.admin_id.is_(None), thread_acts.c.admin_id != threads.c.assignee_id
    )
    # An assignment that is in effect; one that was undone gives back the time from before.
    in_effect = and_(
        thread_acts.c.thread_id == threads.c.id, thread_acts.c.at == threads.c.assigned_at
    )
    return (
        select(
            threads.c.assignee_id,
            thread_acts.c.id,
            threads.c.id,
            thread_acts.c.at,
            _CUSTOMER_ID,
            customers.c.name,
            thread_acts.c.admin_id,
            admins.c.name,
            threads.c.preview_body,
            threads.c.desk,
        )
        .select_from(threads)
        .join(thread_acts, in_effect)
        .join(sources, sources.c.id == threads.c.source_id)
        .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
        .join(admins, admins.c.id == thread_acts.c.admin_id, isouter=True)
        .where(
            theirs,
            threads.c.assigned_at >= since_ms,
            thread_acts.c.type == "thread.assigned",
            by_another,
        )
    )


def _mentions(
    admin_ids: Collection[int], of_threads: ColumnElement[bool], since_ms: int
) -> Select[Any]:
    return (
        select(
            mentions.c.admin_id,
            mentions.c.event_id,
            threads.c.id,
            mentions.c.at,
            _CUSTOMER_ID,
            customers.c.name,
            events.c.author_id,
            admins.c.name,
            events.c.body,
            threads.c.desk,
        )
        .select_from(mentions)
        .join(threads, threads.c.id == mentions.c.thread_id)
        .join(events, events.c.id == mentions.c.event_id)
        .join(sources, sources.c.id == threads.c.source_id)
        .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
        .join(admins, admins.c.id == events.c.author_id, isouter=True)
        .where(
            mentions.c.admin_id.in_(admin_ids),
            of_threads,
            mentions.c.read_at.is_(None),
            mentions.c.at >= since_ms,
        )
    )


def _read(connection: Connection, kind: Kind, statement: Select[Any]) -> Iterator[Notice]:
    for admin_id, *known, body, desk in connection.execute(statement):
        text = " ".join((body or "").split())[:TEXT_CHARACTERS]
        yield Notice._make((admin_id, kind, *known, text, desk))
