"""Threads as rows of the dashboard's lists."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import regex
from sqlalchemy import ColumnElement, Connection, FromClause, Select, bindparam, case, select

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.accounts.admins import AdminName
from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.queues import queues
from dashboard.db.models.threads import customers, events, threads
from dashboard.db.models.views import views
from dashboard.db.threads.thread_tags import tags_in
from dashboard.turns import turns


class RowCustomer(TypedDict):
    """The customer of a row; `id` is SOURCE/ID."""

    id: str
    name: str | None
    avatar_url: str | None
    member_status: int
    locale: str | None


class ThreadRow(TypedDict):
    """A thread as the dashboard shows it: `Row` of the API describes it. `queue` is the queue that
    gave it to its assignee."""

    id: int
    rev: int
    thread: str
    source: str
    customer: RowCustomer | None
    preview: dict[str, object] | None
    open: bool
    priority: int
    recent_at: int
    waiting_since: int | None
    answered: bool
    unanswered: int
    last_message_id: int | None
    last: dict[str, object] | None
    assignee: AdminName | None
    queue: int | None
    due_at: int | None
    tags: list[str]
    desk: str
    snooze: dict[str, object] | None
    woken: dict[str, object] | None


class SharedRow(NamedTuple):
    """A row for many readers, and the desks of those who may see its queue; None: all readers."""

    row: ThreadRow
    queue_desks: Desks

    def shows_queue(self, desks: Desks) -> bool:
        """Whether an admin of these desks (None: all desks) gets the queue."""
        return desks is None or self.queue_desks is None or bool(desks & self.queue_desks)

    def shown_to(self, desks: Desks) -> ThreadRow:
        """Returns the row for an admin of these desks."""
        return self.row if self.shows_queue(desks) else {**self.row, "queue": None}


_snoozers = admins.alias("snoozers")
_writers = admins.alias("writers")
#: The author of the newest message, if it is an admin.
ANSWERED_BY: ColumnElement[int | None] = case(
    (
        threads.c.last_role == "admin",
        select(events.c.author_id)
        .where(
            events.c.thread_id == threads.c.id,
            # All of them, unless the thread is read as it was.
            events.c.id <= threads.c.last_message_id,
            events.c.role == "admin",
            events.c.private.is_(False),
        )
        .order_by(events.c.ranked_at.desc(), events.c.id.desc())
        .limit(1)
        .scalar_subquery(),
    )
)
_COLUMNS = (
    threads.c.id,
    threads.c.revision,
    threads.c.external_id,
    sources.c.name,
    customers.c.external_id,
    customers.c.name,
    customers.c.avatar_url,
    customers.c.member_status,
    customers.c.locale,
    threads.c.preview_role,
    threads.c.preview_body,
    threads.c.preview_at,
    threads.c.closed,
    threads.c.priority,
    threads.c.recent_at,
    threads.c.waiting_since,
    threads.c.last_admin_at,
    threads.c.unanswered,
    threads.c.last_message_id,
    threads.c.last_role,
    _writers.c.id,
    _writers.c.name,
    threads.c.due_at,
    threads.c.assignee_id,
    admins.c.name,
    threads.c.snoozed_until,
    threads.c.wake,
    threads.c.woken_at,
    threads.c.woken_reason,
    threads.c.snoozed_by_id,
    _snoozers.c.name,
    queues.c.id,
    queues.c.admins,
    views.c.desk,
    threads.c.tags,
    threads.c.desk,
)


def select_rows(source: FromClause, was: Callable[[Any], Any] = lambda now: now) -> Select[Any]:
    """Selects the values of `row_json` for the threads of `source`. `was` replaces columns of
    threads by others, for threads as they were."""
    joined = (
        source.join(sources, sources.c.id == threads.c.source_id)
        .join(customers, customers.c.id == was(threads.c.customer_id), isouter=True)
        .join(admins, admins.c.id == was(threads.c.assignee_id), isouter=True)
        .join(queues, queues.c.id == threads.c.queue_id, isouter=True)
        .join(views, views.c.id == queues.c.view_id, isouter=True)
        .join(_snoozers, _snoozers.c.id == was(threads.c.snoozed_by_id), isouter=True)
        .join(_writers, _writers.c.id == was(ANSWERED_BY), isouter=True)
    )
    return select(*map(was, _COLUMNS)).select_from(joined)


#: Ids are filled up to a multiple of this with the last one. So there are few different statements,
#: and PostgreSQL keeps their plans, each of which takes it 2 ms.
_IDS_STEP = 8
_ROWS = select_rows(threads).where(threads.c.id.in_(bindparam("ids", expanding=True)))


def rows(connection: Connection, ids: Collection[int], desks: Desks = None) -> dict[int, ThreadRow]:
    """Maps thread ids to the rows that the dashboard shows; unknown ids, and threads at none of
    these desks, are left out. None: all desks."""
    found = shared_rows(connection, ids).items()
    return {id: one.shown_to(desks) for id, one in found if sees(desks, one.row["desk"])}


def shared_rows(connection: Connection, ids: Collection[int]) -> dict[int, SharedRow]:
    """Maps thread ids to rows for readers of any desks; unknown ids are left out."""
    if not ids:
        return {}
    asked = list(ids)
    asked += asked[-1:] * (-len(asked) % _IDS_STEP)
    result = connection.execute(_ROWS, {"ids": asked})
    return {row[0]: _shared_row(row) for row in turns.each(result)}


def _shared_row(row: Sequence[Any]) -> SharedRow:
    """Returns the row; its queue is for its admins, and for those who see its view."""
    *_, queue_id, queue_admins, view_desk, _, _ = row
    is_for_all = queue_id is None or queue_admins is None or view_desk is None
    return SharedRow(row_json(row), None if is_for_all else queue_admins | {view_desk})


def row_json(row: Sequence[Any]) -> ThreadRow:
    """Returns the row of the dashboard for the values of `select_rows`."""
    (id, revision, name, source, *person), rest = row[:9], row[9:]
    (role, body, at, closed, priority, recent_at, waiting_since, answered, *rest) = rest
    unanswered, last_message_id, last_role, *writer, due_at = rest[:6]
    assignee_id, assignee, until, wake, woken_at, reason, *rest = rest[6:]
    *snoozer, queue_id, _, _, tags, desk = rest
    by = _admin_json(*snoozer)
    return {
        "id": id,
        "rev": revision,
        "thread": name,
        "source": source,
        "customer": _customer_json(source, *person),
        "preview": preview_json(role, body, at) if role is not None else None,
        "open": not closed,
        "priority": priority,
        "recent_at": recent_at,
        "waiting_since": waiting_since,
        "answered": answered is not None,
        "unanswered": unanswered,
        "last_message_id": last_message_id,
        "last": {"role": last_role, "by": _admin_json(*writer)} if last_role is not None else None,
        "assignee": _admin_json(assignee_id, assignee),
        "queue": queue_id if assignee_id is not None else None,
        "due_at": due_at,
        "tags": sorted(tags_in(tags)),
        "desk": desk,
        # The snooze of a closed thread may come back with the open thread.
        "snooze": None if until is None or closed else {"until": until, "wake": wake, "by": by},
        "woken": None if woken_at is None else {"at": woken_at, "reason": reason, "by": by},
    }


def _admin_json(id: int | None, name: str) -> AdminName | None:
    return None if id is None else {"id": id, "name": name}


def _customer_json(
    source: str,
    name_there: str | None,
    name: str | None,
    avatar_url: str | None,
    member_status: int,
    locale: str | None,
) -> RowCustomer | None:
    if name_there is None:
        return None
    return {
        "id": f"{source}/{name_there}",
        "name": name,
        "avatar_url": avatar_url,
        "member_status": member_status,
        "locale": locale,
    }


PREVIEW_MAX = 140
_GRAPHEME = regex.compile(r"\X")


def preview_json(role: str, body: str | None, at: int) -> dict[str, object]:
    """Returns the preview of a message; a body of None is that of a deleted message."""
    preview: dict[str, object] = {"role": role, "body": body or "", "at": at}
    return preview if body is not None else preview | {"deleted": True}


def preview_of(body: str | None, attachments: Iterable[Mapping[str, Any]]) -> str:
    """Returns the text that a row shows of a message: its beginning, or the name of its file."""
    return cut(body or next((entry["name"] for entry in attachments if entry["name"]), ""))


def cut(text: str, most: int = PREVIEW_MAX) -> str:
    """Returns the beginning of a text, at most `most` code points, cut between grapheme clusters.

    A single cluster that is longer than `most` is cut.
    """
    if len(text) <= most:
        return text
    end = 0
    # One code point more than the limit shows whether the last cluster ends there.
    for character in _GRAPHEME.finditer(text, 0, most + 1):
        if character.end() > most:
            break
        end = character.end()
    return text[: end or most]
