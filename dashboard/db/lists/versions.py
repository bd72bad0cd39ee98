"""What each write of a thread asks: versions of the lists of queries and of the policies, and how
long lists hold closed threads."""

import secrets
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, select, update

from dashboard.db.models.query_lists import query_lists_version
from scoring.archive import HISTORY_DAYS

_VERSIONS = select(
    query_lists_version.c.version,
    query_lists_version.c.policies,
    query_lists_version.c.history_days,
)
#: Who changes them waits until each write that does not know it is committed.
_LOCKED = _VERSIONS.with_for_update(read=True)
#: By a random step: no transaction gives a number again that was rolled back after it was read.
_STEP = bindparam("step", callable_=lambda: 1 + secrets.randbelow(2**20), type_=BigInteger)
_GROW_LISTS = update(query_lists_version).values(version=query_lists_version.c.version + _STEP)
_GROW_POLICIES = update(query_lists_version).values(policies=query_lists_version.c.policies + _STEP)


class Versions(NamedTuple):
    """The first two grow with each change; 0 where nothing was ever changed."""

    lists: int
    policies: int
    history_days: int


def current(connection: Connection, *, for_writing: bool = False) -> Versions:
    """The versions as of this transaction; `for_writing`: they stay so until its end."""
    found = connection.execute(_LOCKED if for_writing else _VERSIONS).first()
    return Versions(0, 0, HISTORY_DAYS) if found is None else Versions(*found)


def grow_lists(connection: Connection) -> None:
    """The lists of queries are others after this transaction; it ends before the next such one."""
    connection.execute(_GROW_LISTS)


def grow_policies(connection: Connection) -> None:
    """The same of calendars and policies."""
    connection.execute(_GROW_POLICIES)


def set_history_days(connection: Connection, days: int) -> None:
    """For how many days all lists hold closed threads from now on."""
    connection.execute(update(query_lists_version).values(history_days=days))
