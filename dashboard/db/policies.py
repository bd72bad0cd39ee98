"""Saved policies, in their order, and the due times that they give threads."""

import logging
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Pool,
    Select,
    bindparam,
    case,
    delete,
    false,
    func,
    insert,
    select,
    tuple_,
    update,
)

from dashboard.db import calendars
from dashboard.db.accounts import admins, sources
from dashboard.db.calendars import SavedCalendar
from dashboard.db.conditions import COLUMNS, joined, where
from dashboard.db.lists import versions
from dashboard.db.lists.query_lists import people_in
from dashboard.db.models.reports import policy_history
from dashboard.db.models.threads import threads
from dashboard.db.models.views import policies
from dashboard.db.threads.thread_states import ThreadState
from dashboard.turns import turns
from scoring.calendar import Calendar, CalendarError, latest_since
from scoring.conditions.language.query import QueryError
from scoring.conditions.resolve import AdminIdOf
from scoring.conditions.subject import Subject
from scoring.policies import Policies, Policy, Promise, resolve_query

#: Maximum number of policies that may be saved.
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


_POLICY_COLUMNS = tuple(policies.c[name] for name in SavedPolicy._fields)
_SET_PLACE = (
    update(policies)
    .where(policies.c.id == bindparam("policy"))
    .values(place=bindparam("new_place"))
)


def listing(connection: Connection) -> list[SavedPolicy]:
    """Returns all policies in their order."""
    rows = connection.execute(select(*_POLICY_COLUMNS).order_by(policies.c.place, policies.c.id))
    return [SavedPolicy(*row) for row in rows]


def find(connection: Connection, id: int) -> SavedPolicy | None:
    row = connection.execute(select(*_POLICY_COLUMNS).where(policies.c.id == id)).first()
    return None if row is None else SavedPolicy(*row)


def create(connection: Connection, draft: PolicyDraft, admin_id: int, now_ms: int) -> SavedPolicy:
    """Saves a policy after all others. Raises IntegrityError if the name is taken."""
    last = connection.scalar(select(func.max(policies.c.place)))
    values = draft._asdict() | {"place": 0 if last is None else last + 1}
    values |= {"changed_by": admin_id, "changed_at": now_ms}
    result = connection.execute(insert(policies).values(values).returning(*_POLICY_COLUMNS))
    return SavedPolicy(*result.one())


def change(
    connection: Connection, before: SavedPolicy, draft: PolicyDraft, admin_id: int, now_ms: int
) -> SavedPolicy:
    """Changes a policy, which keeps its place. Raises IntegrityError if the name is taken."""
    # Two changes within a millisecond get different times, so readers see that their copy is old.
    at = max(now_ms, before.changed_at + 1)
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": at}
    statement = update(policies).where(policies.c.id == before.id).values(values)
    return SavedPolicy(*connection.execute(statement.returning(*_POLICY_COLUMNS)).one())


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

    def id_of(email: str) -> int | None:
        admin = admins.by_email(connection, email)
        return admin.id if admin else None

    return id_of


log = logging.getLogger(__name__)


#: The id of a calendar and the time of its last change.
_Made = tuple[int, int]


class KnownPolicies(NamedTuple):
    """All policies as of a version; version 0: there never was one. `calendars`: the calendars that
    they use."""

    version: int
    policies: Policies
    calendars: Mapping[_Made, Calendar]


_current: WeakKeyDictionary[Pool, KnownPolicies] = WeakKeyDictionary()
_loading = threading.Lock()
_NONE = KnownPolicies(0, Policies(), {})


def current(connection: Connection) -> KnownPolicies:
    """Returns the policies as of this transaction."""
    return of_version(connection, versions.current(connection).policies)


def of_version(connection: Connection, version: int) -> KnownPolicies:
    """Returns the policies as of this transaction; the caller has read their version."""
    if version == 0:
        return _NONE
    entry = _current.get(connection.engine.pool)
    if entry is None or entry.version != version:
        by_key: dict[_Made, Calendar] = {}
        read = list(_read(connection, entry or _NONE, by_key))
        entry = KnownPolicies(version, Policies(read), by_key)
        with _loading:
            _current[connection.engine.pool] = entry
    return entry


def _read(
    connection: Connection, previous: KnownPolicies, by_key: dict[_Made, Calendar]
) -> Iterable[Policy]:
    """Reads the policies of all rows. Known calendars are not resolved again: with a thousand dates
    that takes some milliseconds, and an event waits for it."""
    saved, made = listing(connection), calendars.listing(connection)
    return _resolved(connection, saved, made, previous.calendars, by_key)


def _resolved(
    connection: Connection,
    all_saved: Iterable[SavedPolicy],
    made: Iterable[SavedCalendar],
    known: Mapping[_Made, Calendar],
    by_key: dict[_Made, Calendar],
) -> Iterable[Policy]:
    """Yields the policies that can be resolved; their calendars are added to `by_key`."""
    by_id = {calendar.id: calendar for calendar in made}
    admin_id = admin_id_of(connection)
    for saved in all_saved:
        calendar = by_id[saved.calendar_id]
        key = calendar.id, calendar.changed_at
        try:
            if key not in by_key:
                by_key[key] = known.get(key) or calendar.calendar()
            yield saved.policy(calendar, by_key[key], admin_id)
        except (QueryError, CalendarError) as error:
            # An address or a time zone is no longer known. Events must be stored all the same.
            log.warning("the policy “%s” applies to no thread: %s", saved.name, error)


_IS_WAITING = threads.c.waiting_since.is_not(None)
_IS_BEHIND = _IS_WAITING & (threads.c.due_version < bindparam("version"))
_WAITING = select(func.count()).select_from(threads).where(_IS_WAITING)
_BEHIND = (
    select(threads.c.id)
    .where(_IS_BEHIND)
    .order_by(threads.c.due_version, threads.c.id)
    .limit(bindparam("most"))
)
_COUNT_BEHIND = select(func.count()).select_from(threads).where(_IS_BEHIND)


def keep(connection: Connection, now_ms: int) -> None:
    """Keeps the policies and calendars of a changed version, for the times from now on: never from
    before an earlier version, even if clocks differ."""
    version = versions.current(connection).policies
    policies = [dict(zip(SavedPolicy._fields, row, strict=True)) for row in listing(connection)]
    made = [calendar._asdict() for calendar in calendars.listing(connection)]
    last = connection.scalar(select(func.max(policy_history.c.since))) or 0
    since = max(now_ms, last)
    row = {"version": version, "since": since, "policies": policies, "calendars": made}
    connection.execute(insert(policy_history).values(row))


def follow_addresses(connection: Connection, addresses: Collection[str], now_ms: int) -> None:
    """Marks policies as changed if one names one of these addresses, which other admins have."""
    named = (people_in(policy.query).addresses for policy in listing(connection))
    if any(not {*some}.isdisjoint(addresses) for some in named):
        versions.grow_policies(connection)
        keep(connection, now_ms)


class PastPolicies:
    """The policies of any time, as they were then; each version is read once.

    Before the first version that is known, that one counts.
    """

    def __init__(self) -> None:
        self._known: dict[int, Policies] = {}
        self._since: list[tuple[int, int]] = []

    def refresh(self, connection: Connection) -> None:
        """Reads which versions there are."""
        statement = select(policy_history.c.since, policy_history.c.version)
        self._since = [(since, version) for since, version in connection.execute(statement)]
        self._since.sort()

    def at(self, connection: Connection, at_ms: int) -> Policies:
        """Returns the policies at a time, of the versions that were there at `refresh`."""
        if not self._since:
            return _NONE.policies
        place = bisect_right(self._since, at_ms, key=lambda pair: pair[0])
        version = self._since[max(place - 1, 0)][1]
        if version not in self._known:
            self._known[version] = _policies_of(connection, version)
        return self._known[version]


def _policies_of(connection: Connection, version: int) -> Policies:
    is_it = policy_history.c.version == version
    row = connection.execute(select(policy_history).where(is_it)).one()
    saved = [SavedPolicy(**policy) for policy in row.policies]
    made = [SavedCalendar(**calendar) for calendar in row.calendars]
    return Policies(list(_resolved(connection, saved, made, {}, {})))


class DueTimes:
    """The due times of locked threads, by the policies of a transaction.

    `sources` has the names of their sources by id, if policies ask for them.
    """

    def __init__(self, latest: KnownPolicies, sources: Mapping[int, str]):
        self._version = latest.version
        self._policies = latest.policies
        self._sources = sources

    @classmethod
    def of(cls, connection: Connection, states: Collection[ThreadState]) -> "DueTimes":
        """Reads the current policies, which nobody changes until the transaction ends."""
        version = versions.current(connection, for_writing=True).policies
        latest = of_version(connection, version)
        ids = {state.source_id for state in states} if latest.policies.asks_source else set()
        return cls(latest, sources.names_of(connection, ids) if ids else {})

    def are_of_today(self, state: ThreadState) -> bool:
        """Whether the stored due time of a thread was computed with these policies."""
        return state.columns.due_version == self._version

    def promise(self, state: ThreadState, at_ms: int) -> Promise | None:
        """Returns the due time of a thread by the policy that applies at an instant."""
        if state.facts.waiting_since is None or not self._policies:
            return None
        return self._policies.promise(self._subject(state), at_ms)

    def set(self, state: ThreadState, now_ms: int) -> int | None:
        """Sets the due time of a thread.

        Returns the next instant at which time alone changes which policy applies; None: never.
        """
        if self._version == 0:
            return None
        at = state.moment(now_ms)
        promise = self.promise(state, at)
        state.facts = state.facts._replace(due_at=None if promise is None else promise.due_at)
        if state.facts.waiting_since is None:
            return None
        state.columns.due_version = self._version
        if self._policies.is_timeless:
            return None
        return self._policies.next_change(self._subject(state), at)

    def _subject(self, state: ThreadState) -> Subject:
        return state.subject(self._sources.get(state.source_id, ""))


def at(connection: Connection, at_ms: int) -> Policies:
    """Returns the policies at a time, as they were then."""
    past = PastPolicies()
    past.refresh(connection)
    return past.at(connection, at_ms)


def explained(policies_then: Policies, subject: Subject, now_ms: int) -> dict[str, object] | None:
    """Explains why a thread is due at its time; None if it has no target.

    Also None while the thread does not follow changed policies yet: the policy that set its time
    may be gone.
    """
    promise = policies_then.promise(subject, now_ms)
    if promise is None or promise.due_at != subject.due_at:
        return None
    return {
        "due_at": promise.due_at,
        "policy": promise.policy.name,
        "calendar": promise.policy.calendar_name,
        "timezone": promise.policy.calendar.timezone,
        "target": promise.target,
        "minutes": promise.minutes,
        "since": subject.waiting_since,
    }


def behind(connection: Connection, version: int, most: int) -> list[int]:
    """Returns the ids of waiting threads with due times of policies before this version, the oldest
    first."""
    return list(connection.scalars(_BEHIND, {"version": version, "most": most}))


def progress(connection: Connection) -> dict[str, int] | None:
    """Returns the numbers of waiting threads, and of recomputed ones; None: all are recomputed."""
    version = versions.current(connection).policies
    count_behind = connection.scalar(_COUNT_BEHIND, {"version": version}) or 0
    if count_behind == 0:
        return None
    of = connection.scalar(_WAITING) or 0
    return {"done": max(of - count_behind, 0), "of": max(of, count_behind)}


#: Threads that one statement counts: other requests are served between two of them.
SLICE = 2_000
#: The next waiting threads, in the order of their index.
_PLACE = tuple_(threads.c.due_version, threads.c.id)
_AFTER = tuple_(bindparam("version", type_=BigInteger), bindparam("id", type_=BigInteger))
_SLICES = (
    select(threads.c.due_version, threads.c.id)
    .where(_IS_WAITING, _PLACE > _AFTER)
    .order_by(threads.c.due_version, threads.c.id)
    .limit(SLICE)
)


class Late(NamedTuple):
    """Counts of threads: waiting; late as stored; late by the new policies; newly late by them."""

    waiting: int
    late_now: int
    late_after: int
    newly_late: int


def count(connection: Connection, policies: Policies, now_ms: int) -> Late:
    """Counts all waiting threads, as these policies would judge them at an instant."""
    counting = _counting(policies, now_ms)
    total, place = Late(0, 0, 0, 0), (-1, 0)
    while True:
        rows = connection.execute(_SLICES, {"version": place[0], "id": place[1]}).all()
        if not rows:
            return total
        row = connection.execute(counting, {"ids": [row.id for row in rows]}).one()
        total = Late(*(one + (other or 0) for one, other in zip(total, row, strict=True)))
        place = rows[-1].due_version, rows[-1].id
        turns.give()


def _counting(policies: Policies, now_ms: int) -> Select[*tuple[Any, ...]]:
    attributes = {leaf.attribute for policy in policies.policies for leaf in policy.when.leaves()}
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
    """Whether a waiting thread would be late by the first policy that applies to it."""
    if not policies:
        return false()
    cases = (
        (where(policy.when, now_ms), _is_late_by(policy, now_ms)) for policy in policies.policies
    )
    return case(*cases, else_=false()).is_(True)


def _is_late_by(policy: Policy, now_ms: int) -> ColumnElement[bool]:
    """Whether a thread has waited since `latest_since` or before: opening time only grows."""

    def waits_too_long(minutes: int | None) -> ColumnElement[bool]:
        since = None if minutes is None else latest_since(policy.calendar, now_ms, minutes)
        return false() if since is None else threads.c.waiting_since <= since

    return case(
        (COLUMNS["answered"], waits_too_long(policy.next_reply)),
        else_=waits_too_long(policy.first_reply),
    ).is_(True)
