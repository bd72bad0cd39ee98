"""Values that each write of a thread reads: versions of the lists of queries and of the policies,
and how long lists hold closed threads."""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, func, select, update

from dashboard.db.driver import Ask, Query, Row, answer
from dashboard.db.models.views import query_lists_version
from scoring.views import HISTORY_DAYS

_COLUMNS = [query_lists_version.c[name] for name in ("version", "policies", "history_days")]
_TEXT = "SELECT version, policies, history_days FROM query_lists_version"
_CURRENT = Query(_COLUMNS, _TEXT)
#: PostgreSQL's advisory lock that writes of threads share; the number is arbitrary. It is fair: the
#: row's lock alone is granted to one write after the other, and a change of the versions, or a
#: hand-out of a queue, would wait until no write is under way at all.
_WRITERS = 5_017_443_201
#: A change of the versions waits until each write that has read the old ones is committed. The
#: row's lock makes the write see a version that was committed while it waited.
_LOCKED = Query(
    _COLUMNS,
    _TEXT,
    f"{_TEXT} WHERE (SELECT pg_advisory_xact_lock_shared({_WRITERS})) IS NOT NULL FOR SHARE",
)
#: A random step, so that a number from a transaction that was rolled back is never used again.
_STEP = bindparam("step", callable_=lambda: 1 + secrets.randbelow(2**20), type_=BigInteger)
_GROW_LISTS = update(query_lists_version).values(version=query_lists_version.c.version + _STEP)
_GROW_POLICIES = update(query_lists_version).values(policies=query_lists_version.c.policies + _STEP)


class Versions(NamedTuple):
    """Versions that grow with each change, 0 before the first one; and the days of history."""

    lists: int
    policies: int
    history_days: int


def current(connection: Connection, *, for_writing: bool = False) -> Versions:
    """Returns the versions as of this transaction; `for_writing`: they stay so until its end."""
    return answer(connection, Ask(_LOCKED if for_writing else _CURRENT, {}, _versions))


def ask_for_writing() -> Ask[Versions]:
    """Returns the query of the versions, which stay so until the end of the transaction."""
    return Ask(_LOCKED, {}, _versions)


def wait_for_writers(connection: Connection) -> None:
    """Waits for the transactions that have read `for_writing`; later ones wait for this one. A
    transaction that has read `for_writing` itself may not call it."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_WRITERS)))
    connection.execute(select(query_lists_version.c.version).with_for_update())


def _versions(rows: Sequence[Row]) -> Versions:
    return Versions(*rows[0]) if rows else Versions(0, 0, HISTORY_DAYS)


def grow_lists(connection: Connection) -> None:
    """Marks the lists of queries as changed; the next such transaction waits for this one."""
    wait_for_writers(connection)
    connection.execute(_GROW_LISTS)


def grow_policies(connection: Connection) -> None:
    """Marks calendars and policies as changed, in the same way."""
    wait_for_writers(connection)
    connection.execute(_GROW_POLICIES)


def set_history_days(connection: Connection, days: int) -> None:
    """Sets for how many days all lists hold closed threads from now on."""
    wait_for_writers(connection)
    connection.execute(update(query_lists_version).values(history_days=days))
