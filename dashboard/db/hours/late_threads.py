"""How many threads policies would make late, counted by SQL in slices."""

from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    false,
    func,
    select,
    tuple_,
)

from dashboard.db.conditions.columns import COLUMNS, joined
from dashboard.db.conditions.where import where
from dashboard.db.models.threads import threads
from dashboard.turns import turns
from scoring.hours.open_time import latest_since
from scoring.hours.policies import Policies, Policy

#: Threads that one statement counts: others are served between two of them.
SLICE = 2_000
_IS_WAITING = threads.c.waiting_since.is_not(None)
#: The next threads that wait, by the index of those.
_PLACE = tuple_(threads.c.due_version, threads.c.id)
_AFTER = tuple_(bindparam("version", type_=BigInteger), bindparam("id", type_=BigInteger))
_SLICES = (
    select(threads.c.due_version, threads.c.id)
    .where(_IS_WAITING, _PLACE > _AFTER)
    .order_by(threads.c.due_version, threads.c.id)
    .limit(SLICE)
)


class Late(NamedTuple):
    """How many threads wait, are late by what is stored, would be late, and would be late newly."""

    waiting: int
    late_now: int
    late_after: int
    newly_late: int


def count(connection: Connection, policies: Policies, now_ms: int) -> Late:
    """Counts all threads that wait, as policies would have them at an instant."""
    counting = _counting(policies, now_ms)
    total, place = Late(0, 0, 0, 0), (-1, 0)
    while True:
        found = connection.execute(_SLICES, {"version": place[0], "id": place[1]}).all()
        if not found:
            return total
        row = connection.execute(counting, {"ids": [row.id for row in found]}).one()
        total = Late(*(one + (other or 0) for one, other in zip(total, row, strict=True)))
        place = found[-1].due_version, found[-1].id
        turns.give()


def _counting(policies: Policies, now_ms: int) -> Select[*tuple[Any, ...]]:
    attributes = {leaf.attribute for each in policies.policies for leaf in each.when.leaves()}
    late_now = threads.c.due_at.is_not(None) & (threads.c.due_at <= now_ms)
    late_after = _late_after(policies, now_ms)
    return (
        select(
            func.count(),
            *(
                func.sum(case((condition, 1), else_=0))
                for condition in (late_now, late_after, late_after & ~late_now)
            ),
        )
        .select_from(joined(attributes))
        .where(threads.c.id.in_(bindparam("ids", expanding=True)))
    )


def _late_after(policies: Policies, now_ms: int) -> ColumnElement[bool]:
    """Whether a thread that waits would be late by the first policy whose query holds."""
    if not policies:
        return false()
    cases = (
        (where(policy.when, now_ms), _is_late_by(policy, now_ms)) for policy in policies.policies
    )
    return case(*cases, else_=false()).is_(True)


def _is_late_by(policy: Policy, now_ms: int) -> ColumnElement[bool]:
    """Late is who waits since a certain instant or longer: opening time only grows."""

    def waits_too_long(minutes: int | None) -> ColumnElement[bool]:
        since = None if minutes is None else latest_since(policy.calendar, now_ms, minutes)
        return false() if since is None else threads.c.waiting_since <= since

    return case(
        (COLUMNS["answered"], waits_too_long(policy.next_reply)),
        else_=waits_too_long(policy.first_reply),
    ).is_(True)
