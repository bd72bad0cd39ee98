"""States of threads that have ended: written with the change that ends them, removed with their
thread or when they are old."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, delete, func, select, tuple_, update

from dashboard.db.driver import FEW, RowStatement, RowValues, Write, recordset
from dashboard.db.lists import versions
from dashboard.db.models.accounts import admins, sources
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


def _ago(column: str) -> str:
    return f"{{until}} - {column}"


#: Maps columns to expressions over the row of `threads` and the values that {until} and others
#: stand for; without one, the column of the same name.
_VALUES = {
    "until": "{until}",
    "thread_id": "threads.id",
    "lasted": _ago("listed_at"),
    "span": "{span}",
    **{name: _ago(threads.c[name].name) for name in TIMES},
    "first_request_at": "first_call_at - first_event_at",
    "closed_at": f"CASE WHEN closed THEN {_ago('closed_at')} END",
    "snoozed_until": f"CASE WHEN NOT closed THEN {_ago('snoozed_until')} END",
    "last_role": "substr(last_role, 1, 1)",
    "priority": f"nullif(priority, '{PRIORITY}')",
    "desk": f"nullif(desk, '{DESK}')",
    "member_status": "{member_status}",
    "locale": "{locale}",
}
#: The values that rows of the write have.
_GIVEN = [
    threads.c.id,
    *(thread_history.c[name] for name in ("until", "span", "member_status", "locale")),
]


def _add(source: str, given: Callable[[str], str]) -> str:
    """Returns the statement that adds the states that `threads` has: none for a new thread, and
    none that did not last a millisecond."""
    columns = thread_history.c.keys()
    values = ", ".join(_VALUES.get(name, name) for name in columns)
    text = (
        f"INSERT INTO thread_history ({', '.join(columns)}) SELECT {values} FROM {source}"
        " WHERE threads.id = {id} AND revision > 0 AND listed_at < {until}"
    )
    return text.format(**{column.key: given(column.key) for column in _GIVEN})


_ADD = RowStatement(
    _add("threads", ":{}".format),
    _add(f"threads, {recordset(_GIVEN)}", "given.{}".format) + FEW,
)


def span_of(lasted: int) -> int | None:
    """Returns the class of a state by its length: n if it lasted at most 2^(SHORT_BITS + n) ms, but
    longer than half of that; None for a short one."""
    bits = (lasted - 1).bit_length() - SHORT_BITS
    return min(bits, SPAN_MAX) if bits > 0 else None


def ended(state: ThreadState, until: int) -> RowValues:
    """Returns the end of the state that SQL has of a thread, for `write_of`."""
    customer = state.customer_before
    return {
        "id": state.id,
        "until": until,
        "span": span_of(until - state.computed_before.listed_at),
        "member_status": customer.member_status,
        "locale": customer.locale,
    }


def write_of(ends: Sequence[RowValues]) -> Write:
    """Returns the write that keeps the states that end, to be done before their threads change."""
    return Write(_ADD, ends)


def _ended_of(thread_ids: Any) -> Any:
    """Selects the keys of the states of threads that have ended, the last ones first: each began
    when the one before it ended."""
    last = select(threads.c.id.label("id"), threads.c.listed_at.label("until"))
    keys = last.where(threads.c.id.in_(thread_ids)).cte(recursive=True)
    key = and_(thread_history.c.thread_id == keys.c.id, thread_history.c.until == keys.c.until)
    before = select(keys.c.id, thread_history.c.until - thread_history.c.lasted)
    return keys.union_all(before.where(key))


#: The keys `until` and `id` of the states of threads `ids` that have ended.
ENDED_OF = _ended_of(bindparam("ids", expanding=True))
_KEY = tuple_(thread_history.c.until, thread_history.c.thread_id)


def remove(connection: Connection, thread_ids: Select[tuple[int]]) -> None:
    """Removes the past of the selected threads, which are locked and about to be deleted."""
    ended = _ended_of(thread_ids)
    connection.execute(delete(thread_history).where(_KEY.in_(select(ended.c.until, ended.c.id))))


#: The beginning of an installation: nothing that it stores is older than its accounts and sources.
_INSTALLED = select(func.min(admins.c.created_at)).union_all(select(func.min(sources.c.created_at)))


def known_since(connection: Connection, now: int) -> int:
    """Returns the time from which the past is known."""
    begin = connection.scalar(select(history_state.c.since))
    begin = begin or min(filter(None, connection.scalars(_INSTALLED)), default=0)
    return max(begin, closed_before(versions.current(connection).history_days, now))


def check_moment(connection: Connection, at: int, now: int, field: str) -> int:
    """Returns the time from which the past is known. Raises Invalid, for a field, if `at` is
    earlier or has not come."""
    since = known_since(connection, now)
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
