"""States of threads that have ended: written with the change that ends them, removed with their
thread or when they are old."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, select, tuple_, update

from dashboard.db.driver import RowValues, Write, insert_of
from dashboard.db.lists import versions
from dashboard.db.models.history import history_state, thread_history, view_history
from dashboard.db.models.threads import threads
from dashboard.db.outbox.outgoing import timestamp
from dashboard.db.threads.thread_states import ThreadState
from dashboard.validation.field_errors import field_error
from scoring.views import closed_before

#: A state that lasted at most 2^SHORT_BITS milliseconds (17 minutes) has no class.
SHORT_BITS = 20
#: The class of the longest states: 2^42 milliseconds are 139 years.
SPAN_MAX = 22
#: The values that the columns leave out, because most threads have them.
PRIORITY, DESK = "normal", "main"
#: Roles by their first letters.
ROLES = {role[0]: role for role in ("client", "admin", "bot", "system")}

#: The times that are stored as milliseconds until the end of the state.
TIMES = (
    "first_event_at",
    "last_client_at",
    "last_admin_at",
    "waiting_since",
    "due_at",
    "next_change_at",
    "closed_at",
    "snoozed_until",
    "assigned_at",
)
_ADD = insert_of(
    thread_history,
    [column.key for column in thread_history.c],
    {name: ("until", name) for name in ("lasted", *TIMES)}
    | {"first_request_at": ("first_request_at", "first_event_at")},
)


def span_of(lasted: int) -> int | None:
    """Returns the class of a state by its length: n if it lasted at most 2^(SHORT_BITS + n) ms, but
    longer than half of that; None for a short one."""
    bits = (lasted - 1).bit_length() - SHORT_BITS
    return min(bits, SPAN_MAX) if bits > 0 else None


def ended(state: ThreadState, until: int) -> RowValues | None:
    """Returns the row of the state that a change of a thread ends, before the change counts as its
    next revision; None if there was none, or none that lasted a millisecond."""
    computed, facts, columns = state.computed_before, state.stored, state.before
    since = computed.listed_at
    if state.revision == 0 or since >= until:
        return None
    customer, role = state.customer_before, columns.last_role
    return {
        "until": until,
        "thread_id": state.id,
        "lasted": since,
        "span": span_of(until - since),
        "revision": state.revision,
        "closed": facts.closed,
        "archived": computed.archived,
        "has_file": columns.has_file,
        "unanswered": facts.unanswered,
        "first_event_at": facts.first_event_at,
        "first_request_at": facts.first_request_at,
        "last_client_at": facts.last_client_at,
        "last_admin_at": facts.last_admin_at,
        "waiting_since": computed.waiting_since,
        "due_at": facts.due_at,
        "next_change_at": computed.next_change_at,
        "closed_at": facts.closed_at if facts.closed else None,
        "snoozed_until": None if facts.closed else facts.snoozed_until,
        "snoozed_by_id": columns.snoozed_by_id,
        "wake": columns.wake,
        "assignee_id": columns.assignee_id,
        "assigned_at": columns.assigned_at,
        "last_message_id": columns.last_message_id,
        "last_role": role and role[0],
        "priority": None if facts.priority == PRIORITY else facts.priority,
        "member_status": customer.member_status,
        "locale": customer.locale,
        "desk": None if columns.desk == DESK else columns.desk,
        "tags": columns.tags,
        "mentioned": columns.mentioned,
    }


def write_of(rows: Collection[RowValues | None]) -> Write:
    """Returns the write of the rows of ended states."""
    return Write(_ADD, [row for row in rows if row is not None])


def _ended_of() -> Any:
    """Selects the keys of the states of threads that have ended, the last ones first: each began
    when the one before it ended."""
    last = select(threads.c.id.label("id"), threads.c.listed_at.label("until"))
    keys = last.where(threads.c.id.in_(bindparam("ids", expanding=True))).cte(recursive=True)
    key = and_(thread_history.c.thread_id == keys.c.id, thread_history.c.until == keys.c.until)
    before = select(keys.c.id, thread_history.c.until - thread_history.c.lasted)
    return keys.union_all(before.where(key))


#: The keys `until` and `id` of the states of threads `ids` that have ended.
ENDED_OF = _ended_of()
_KEY = tuple_(thread_history.c.until, thread_history.c.thread_id)
_REMOVE = delete(thread_history).where(_KEY.in_(select(ENDED_OF.c.until, ENDED_OF.c.id)))


def remove(connection: Connection, thread_ids: Collection[int]) -> None:
    """Removes the past of threads that are locked and about to be deleted."""
    if thread_ids:
        connection.execute(_REMOVE, {"ids": list(thread_ids)})


def check_moment(connection: Connection, at: int, now: int, field: str) -> int:
    """Returns the time from which the past is known. Raises Invalid, for a field, if `at` is
    earlier or has not come."""
    begin = connection.scalar(select(history_state.c.since)) or 0
    since = max(begin, closed_before(versions.current(connection).history_days, now))
    if at < since:
        rule = f"is before {timestamp(since)}, from which on the past is known"
        raise field_error(f"/{field}", "too_early", rule)
    if at > now:
        raise field_error(f"/{field}", "in_the_future", "is in the future")
    return since


def remove_before(connection: Connection, time_ms: int, limit: int) -> int:
    """Removes up to `limit` states that ended at this time or before; returns their number. The
    past is whole from then on."""
    old = select(thread_history.c.until, thread_history.c.thread_id)
    old = old.where(thread_history.c.until <= time_ms)
    old = old.order_by(thread_history.c.until, thread_history.c.thread_id).limit(limit)
    is_old = _KEY.in_(old)
    if connection.scalar(old.limit(1)) is None:
        return 0
    is_later = history_state.c.since < time_ms
    connection.execute(update(history_state).where(is_later).values(since=time_ms))
    connection.execute(delete(view_history).where(view_history.c.until <= time_ms))
    return connection.execute(delete(thread_history).where(is_old)).rowcount
