"""Saved policies, in their order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from dashboard.db.accounts import admins
from dashboard.db.hours.calendars import SavedCalendar
from dashboard.db.models.hours import policies
from scoring.conditions.resolve import AdminIdOf
from scoring.hours.calendar import Calendar
from scoring.hours.policies import Policy, resolve_query

#: Policies that may be saved.
POLICIES_MAX = 100


class PolicyDraft(NamedTuple):
    """What makes a policy; the targets are minutes of opening time, None: nothing is promised."""

    name: str
    query: str
    calendar_id: int
    first_reply: int | None
    next_reply: int | None


class SavedPolicy(NamedTuple):
    """A policy as it was written."""

    id: int
    name: str
    query: str
    calendar_id: int
    first_reply: int | None
    next_reply: int | None
    changed_at: int

    def policy(self, written: SavedCalendar, calendar: Calendar, admin_id_of: AdminIdOf) -> Policy:
        """What it promises; `calendar` is when the written one is open. Raises QueryError."""
        return Policy(
            self.name,
            resolve_query(self.query, calendar.timezone, admin_id_of),
            calendar,
            self.first_reply,
            self.next_reply,
            self.id,
            written.name,
        )


_COLUMNS = tuple(policies.c[name] for name in SavedPolicy._fields)
_SET_PLACE = (
    update(policies)
    .where(policies.c.id == bindparam("policy"))
    .values(place=bindparam("new_place"))
)


def listing(connection: Connection) -> list[SavedPolicy]:
    """All policies in their order."""
    found = connection.execute(select(*_COLUMNS).order_by(policies.c.place, policies.c.id))
    return [SavedPolicy(*row) for row in found]


def find(connection: Connection, id: int) -> SavedPolicy | None:
    row = connection.execute(select(*_COLUMNS).where(policies.c.id == id)).first()
    return None if row is None else SavedPolicy(*row)


def create(connection: Connection, draft: PolicyDraft, admin_id: int, now_ms: int) -> SavedPolicy:
    """Saves it behind all others. Raises IntegrityError where the name is taken."""
    last = connection.scalar(select(func.max(policies.c.place)))
    values = draft._asdict() | {"place": 0 if last is None else last + 1}
    values |= {"changed_by": admin_id, "changed_at": now_ms}
    made = connection.execute(insert(policies).values(values).returning(*_COLUMNS))
    return SavedPolicy(*made.one())


def change(
    connection: Connection, before: SavedPolicy, draft: PolicyDraft, admin_id: int, now_ms: int
) -> SavedPolicy:
    """It keeps its place. Raises IntegrityError where the name is taken."""
    # Two changes within a millisecond have two times: by it programs know what they have read.
    at = max(now_ms, before.changed_at + 1)
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": at}
    statement = update(policies).where(policies.c.id == before.id).values(values)
    return SavedPolicy(*connection.execute(statement.returning(*_COLUMNS)).one())


def remove(connection: Connection, id: int) -> bool:
    """False for an unknown id."""
    return connection.execute(delete(policies).where(policies.c.id == id)).rowcount > 0


def put_in_order(connection: Connection, ids: Sequence[int]) -> None:
    """`ids` are all policies, in their new order."""
    rows = [{"policy": id, "new_place": place} for place, id in enumerate(ids)]
    if rows:
        connection.execute(_SET_PLACE, rows)


def admin_id_of(connection: Connection) -> Callable[[str], int | None]:
    """Gives the id of an address, None where no admin has it."""

    def found(email: str) -> int | None:
        admin = admins.by_email(connection, email)
        return admin.id if admin else None

    return found
