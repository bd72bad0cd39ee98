"""Saved policies, in their order."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select, update

from dashboard.db.accounts import admins
from dashboard.db.hours import calendars
from dashboard.db.hours.calendars import SavedCalendar
from dashboard.db.lists import versions
from dashboard.db.models.views import policies
from scoring.conditions.language.errors import QueryError
from scoring.conditions.resolve import AdminIdOf
from scoring.hours.calendar import Calendar, CalendarError
from scoring.hours.policies import Policies, Policy, resolve_query

#: Policies that may be saved.
POLICIES_MAX = 100


class PolicyDraft(NamedTuple):
    """The fields of a policy; targets are minutes of opening time, None: nothing is promised."""

    name: str
    query: str
    calendar_id: int
    first_reply: int | None
    next_reply: int | None


class SavedPolicy(NamedTuple):
    """A policy as it was saved."""

    id: int
    name: str
    query: str
    calendar_id: int
    first_reply: int | None
    next_reply: int | None
    changed_at: int

    def policy(self, written: SavedCalendar, calendar: Calendar, admin_id_of: AdminIdOf) -> Policy:
        """Resolves the policy; `calendar` is the written one, resolved. Raises QueryError."""
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
    """Saves a policy behind all others. Raises IntegrityError if the name is taken."""
    last = connection.scalar(select(func.max(policies.c.place)))
    values = draft._asdict() | {"place": 0 if last is None else last + 1}
    values |= {"changed_by": admin_id, "changed_at": now_ms}
    made = connection.execute(insert(policies).values(values).returning(*_COLUMNS))
    return SavedPolicy(*made.one())


def change(
    connection: Connection, before: SavedPolicy, draft: PolicyDraft, admin_id: int, now_ms: int
) -> SavedPolicy:
    """Changes a policy, which keeps its place. Raises IntegrityError if the name is taken."""
    # Two changes within a millisecond get two times, by which readers know that theirs is old.
    at = max(now_ms, before.changed_at + 1)
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": at}
    statement = update(policies).where(policies.c.id == before.id).values(values)
    return SavedPolicy(*connection.execute(statement.returning(*_COLUMNS)).one())


def remove(connection: Connection, id: int) -> bool:
    """Deletes a policy; False for an unknown id."""
    return connection.execute(delete(policies).where(policies.c.id == id)).rowcount > 0


def put_in_order(connection: Connection, ids: Sequence[int]) -> None:
    """Sets the order of policies; `ids` are all of them, in their new order."""
    rows = [{"policy": id, "new_place": place} for place, id in enumerate(ids)]
    if rows:
        connection.execute(_SET_PLACE, rows)


def admin_id_of(connection: Connection) -> Callable[[str], int | None]:
    """Returns a function from an e-mail address to the admin's id, None if no admin has it."""

    def found(email: str) -> int | None:
        admin = admins.by_email(connection, email)
        return admin.id if admin else None

    return found


log = logging.getLogger(__name__)


#: The id of a calendar and the time of its last change.
_Made = tuple[int, int]


class KnownPolicies(NamedTuple):
    """All policies as of a version; version 0: there never was one. `calendars`: the calendars that
    they use."""

    version: int
    policies: Policies
    calendars: Mapping[_Made, Calendar]


_current: WeakKeyDictionary[Engine, KnownPolicies] = WeakKeyDictionary()
_loading = threading.Lock()
_NONE = KnownPolicies(0, Policies(), {})


def current(connection: Connection) -> KnownPolicies:
    """Returns the policies as of this transaction."""
    return of_version(connection, versions.current(connection).policies)


def of_version(connection: Connection, version: int) -> KnownPolicies:
    """Returns the policies as of this transaction; the caller has read their version."""
    if version == 0:
        return _NONE
    known = _current.get(connection.engine)
    if known is None or known.version != version:
        made: dict[_Made, Calendar] = {}
        read = list(_read(connection, known or _NONE, made))
        known = KnownPolicies(version, Policies(read), made)
        with _loading:
            _current[connection.engine] = known
    return known


def _read(
    connection: Connection, known: KnownPolicies, made: dict[_Made, Calendar]
) -> Iterable[Policy]:
    """Reads the policies of all rows. Known calendars are not resolved again: with a thousand dates
    that takes some milliseconds, and an event waits for it."""
    by_id = {calendar.id: calendar for calendar in calendars.listing(connection)}
    admin_id = admin_id_of(connection)
    for saved in listing(connection):
        written = by_id[saved.calendar_id]
        key = written.id, written.changed_at
        try:
            if key not in made:
                made[key] = known.calendars.get(key) or written.calendar()
            yield saved.policy(written, made[key], admin_id)
        except (QueryError, CalendarError) as error:
            # No admin has the address that it names any more. Events must be stored all the same.
            log.warning("the policy “%s” counts for no thread: %s", saved.name, error)
