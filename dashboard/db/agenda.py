"""Reads from SQL whether there is work, for all background tasks at once."""

from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from dashboard.db.archive import statements
from dashboard.db.driver import Ask, answer, query_of
from dashboard.db.lists import versions
from dashboard.db.models.queues import queue_admins, queue_entries, queue_lists, queues
from dashboard.db.models.threads import threads
from dashboard.db.models.views import query_lists, views
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.outbox.deliveries import has_due
from scoring.views import closed_before

_NOW: BindParameter[int] = bindparam("now", type_=BigInteger)
_CLOSED_BEFORE: BindParameter[int] = bindparam("closed_before", type_=BigInteger)


class Agenda(NamedTuple):
    """`next_change_at`: the time (ms since 1970) at which time changes a thread next; None: never.
    The flags say whether events have no position, deliveries are due, threads are to be archived or
    brought back, threads are unplaced, lists of queries have expired, and queues may have to do
    something. `lists`, `policies`: see
    `Versions`."""

    next_change_at: int | None
    has_events: bool
    has_deliveries: bool
    has_closed: bool
    has_unplaced: bool
    has_expired: bool
    has_hand_outs: bool
    lists: int
    policies: int

    def has_to_reconcile(self, now_ms: int) -> bool:
        """Whether the reconciler has something to do."""
        return self.has_unplaced or self.has_expired

    def has_change(self, now_ms: int) -> bool:
        """Whether time has changed a thread."""
        return self.next_change_at is not None and self.next_change_at <= now_ms


def read(connection: Connection, now_ms: int) -> Agenda:
    """Reads the agenda as of this transaction."""
    current = versions.current(connection)
    parameters = {"now": now_ms, "closed_before": closed_before(current.history_days, now_ms)}
    [row] = answer(connection, Ask(_QUERY, parameters, list))
    next_change_at, *flags = row
    return Agenda(*(next_change_at, *map(bool, flags), current.lists, current.policies))


def _statement() -> Select[tuple[int | None, bool, bool, bool, bool, bool, bool]]:
    next_change_at = (
        select(func.min(threads.c.next_change_at))
        .where(threads.c.next_change_at.is_not(None))
        .scalar_subquery()
    )
    to_archive, to_bring_back = statements(_CLOSED_BEFORE, None)
    return select(
        next_change_at,
        exists().where(outgoing_events.c.position.is_(None)),
        has_due(_NOW),
        to_archive.exists() | to_bring_back.exists(),
        exists().where(threads.c.placed_revision != threads.c.revision),
        exists().where(query_lists.c.kept_until < _NOW),
        _has_hand_outs(),
    )


def _has_hand_outs() -> ColumnElement[bool]:
    """Whether threads stand in queues that hand them out while an admin accepts threads, an admin
    of a queue's thread is offline, or the entries of a list are incomplete."""
    in_queues = queue_entries.c.ready.is_(True) & queue_entries.c.list.in_(
        select(queue_lists.c.number)
        .join(views, views.c.list_id == queue_lists.c.list_id)
        .join(queues, queues.c.view_id == views.c.id)
        .where(queues.c.mode == literal_column("'push'"))
    )
    accepts = queue_admins.c.accepting.is_(True) & (
        queue_admins.c.status == literal_column("'online'")
    )
    is_theirs = (threads.c.assignee_id == queue_admins.c.admin_id) & threads.c.closed.is_(False)
    return or_(
        exists().where(in_queues) & exists().where(accepts),
        exists().where(
            queue_admins.c.offline_since.is_not(None), is_theirs, threads.c.queue_id.is_not(None)
        ),
        exists().where(
            or_(queue_lists.c.filled_to < queue_lists.c.fill_to, queue_lists.c.list_id.is_(None))
        ),
    )


_QUERY = query_of(_statement())
