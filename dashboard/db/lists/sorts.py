"""The built-in sorts, and the sorts that supervisors save."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, Pool, and_, delete, insert, or_, select, update

from dashboard.db.accounts.admins import by_email
from dashboard.db.models.history import history_state
from dashboard.db.models.views import query_lists, sorts, sorts_version
from scoring.conditions.language.query import QueryError
from scoring.sorting.resolved import ResolvedSort, RuleError, resolve_sort
from scoring.sorting.rules import Rule, Sort, UnknownSort
from scoring.sorts import BUILT_IN, BUILT_IN_SORTS

#: Maximum number of sorts that may be saved.
SORTS_MAX = 100
#: An id that no admin has.
_NOBODY = -1

_TOKEN = select(sorts_version.c.token)
_COLUMNS = tuple(
    sorts.c[name] for name in ("id", "name", "title", "rules", "timezone", "changed_at")
)
_IS_CURRENT = sorts.c.replaced_at.is_(None)


class _Known(NamedTuple):
    token: str
    sorts: Mapping[str, Sort]


_current: WeakKeyDictionary[Pool, _Known] = WeakKeyDictionary()


def known(connection: Connection) -> Mapping[str, Sort]:
    """Returns all sorts by name as of this transaction: built-in ones first, then saved ones."""
    token = connection.scalar(_TOKEN) or ""
    entry = _current.get(connection.engine.pool)
    if entry is None or entry.token != token:
        rows = connection.execute(select(*_COLUMNS).where(_IS_CURRENT).order_by(sorts.c.name))
        saved = {row.name: _sort(*row) for row in rows}
        entry = _current[connection.engine.pool] = _Known(token, {**BUILT_IN_SORTS, **saved})
    return entry.sorts


def find(connection: Connection, name: str) -> Sort:
    """Returns the sort of this name. Raises UnknownSort."""
    sort = BUILT_IN_SORTS.get(name) or known(connection).get(name)
    if sort is None:
        raise UnknownSort
    return sort


def as_it_was(connection: Connection, name: str, at: int) -> Sort:
    """Returns the sort of this name as it was at a moment. Raises UnknownSort."""
    if name in BUILT_IN_SORTS:
        return BUILT_IN_SORTS[name]
    later = sorts.c.replaced_at
    is_then = and_(sorts.c.changed_at <= at, or_(later.is_(None), later > at))
    statement = select(*_COLUMNS).where(sorts.c.name == name, is_then)
    row = connection.execute(statement.order_by(sorts.c.changed_at.desc())).first()
    if row is None:
        raise UnknownSort
    return _sort(*row)


def versions(connection: Connection) -> dict[int, Sort]:
    """Maps the ids of all stored versions of saved sorts to the sorts."""
    return {row[0]: _sort(*row) for row in connection.execute(select(*_COLUMNS))}


def resolved(connection: Connection, sort: Sort) -> ResolvedSort:
    """Resolves a sort; an address that no admin has any more matches nobody.

    Raises QueryError if a rule cannot be read any more.
    """
    if sort.name in BUILT_IN:
        return BUILT_IN[sort.name]
    try:
        return resolve_sort(sort, _admin_id_of(connection, _NOBODY), ZoneInfo(sort.timezone))
    except RuleError as error:
        raise error.error from error
    except ZoneInfoNotFoundError as error:
        # The machine that wrote the sort knew the time zone; this one does not.
        raise QueryError(0) from error


class Orders:
    """Resolves versions of sorts that order lists of queries; each is resolved once."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._versions: Mapping[int, Sort] | None = None
        self._orders: dict[int, ResolvedSort] = {}

    def of(self, name: str, sort_id: int | None) -> ResolvedSort:
        """Returns this version of a sort, None: a built-in one. Raises QueryError."""
        if sort_id is None:
            return BUILT_IN[name]
        if sort_id not in self._orders:
            version = self.version(sort_id)
            if version is None:
                raise UnknownSort
            self._orders[sort_id] = resolved(self._connection, version)
        return self._orders[sort_id]

    def version(self, sort_id: int) -> Sort | None:
        """Returns this version of a saved sort; None if it was removed just now."""
        if self._versions is None:
            self._versions = versions(self._connection)
        return self._versions.get(sort_id)


def checked(connection: Connection, sort: Sort) -> ResolvedSort:
    """Resolves a sort that is being written. Raises RuleError, also for unknown addresses."""
    return resolve_sort(sort, _admin_id_of(connection, None), ZoneInfo(sort.timezone))


def create(connection: Connection, sort: Sort, admin_id: int, now_ms: int) -> Sort:
    """Saves a new sort, while views are locked. No other sort has its name."""
    _renew_token(connection)
    return _insert(connection, sort, admin_id, now_ms)


def change(connection: Connection, before: Sort, sort: Sort, admin_id: int, now_ms: int) -> Sort:
    """Replaces the sort of the same name, while views are locked.

    Lists of queries in this sort stay as they are; lists of views must be kept again.
    """
    _renew_token(connection)
    # Two changes within a millisecond get different times, so readers see that their copy is old.
    at = max(now_ms, (before.changed_at or 0) + 1)
    if (sort.rules, sort.timezone) == (before.rules, before.timezone):
        # The row stays, because lists are ordered by it; the past gets a copy.
        statement = update(sorts).where(sorts.c.id == before.id)
        statement = statement.values(title=sort.title, changed_by=admin_id, changed_at=at)
        changed = _sort(*connection.execute(statement.returning(*_COLUMNS)).one())
        _insert(connection, before, None, before.changed_at or 0, replaced_at=at)
        return changed
    _replace(connection, before, at)
    return _insert(connection, sort, admin_id, at)


def remove(connection: Connection, sort: Sort, now_ms: int) -> None:
    """Deletes a saved sort that no view has, while views are locked."""
    _renew_token(connection)
    _replace(connection, sort, max(now_ms, (sort.changed_at or 0) + 1))


def remove_unused(connection: Connection) -> None:
    """Deletes versions that no list is ordered by any more, when the past does not need them."""
    in_use = select(query_lists.c.sort_id).where(query_lists.c.sort_id == sorts.c.id)
    whole_since = select(history_state.c.since).scalar_subquery()
    connection.execute(delete(sorts).where(sorts.c.replaced_at <= whole_since, ~in_use.exists()))


def rules_json(rules: Sequence[Rule]) -> list[dict[str, str]]:
    """Returns the rules as they are stored and sent."""
    return [
        {"when": rule.when, "by": rule.by, "order": rule.order}
        | ({} if rule.split is None else {"split": rule.split})
        for rule in rules
    ]


def _insert(
    connection: Connection,
    sort: Sort,
    admin_id: int | None,
    at_ms: int,
    replaced_at: int | None = None,
) -> Sort:
    statement = insert(sorts).values(
        name=sort.name,
        title=sort.title,
        rules=rules_json(sort.rules),
        timezone=sort.timezone,
        changed_by=admin_id,
        changed_at=at_ms,
        replaced_at=replaced_at,
    )
    return _sort(*connection.execute(statement.returning(*_COLUMNS)).one())


def _replace(connection: Connection, sort: Sort, now_ms: int) -> None:
    connection.execute(update(sorts).where(sorts.c.id == sort.id).values(replaced_at=now_ms))


def _renew_token(connection: Connection) -> None:
    connection.execute(update(sorts_version).values(token=secrets.token_hex(16)))


def _sort(id: int, name: str, title: str, rules: Any, timezone: str, changed_at: int) -> Sort:
    return Sort(name, tuple(Rule(**rule) for rule in rules), title, timezone, id, changed_at)


def _admin_id_of(connection: Connection, nobody: int | None) -> Callable[[str], int | None]:
    def admin_id_of(email: str) -> int | None:
        admin = by_email(connection, email)
        return admin.id if admin else nobody

    return admin_id_of
