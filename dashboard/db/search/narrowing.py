"""The conditions of a search: they narrow the matches of its words, or stand alone."""

import time
from typing import NamedTuple

from sqlalchemy import Connection, Select, func, select

from dashboard.db.conditions import threads_of, where
from dashboard.db.models.threads import threads
from dashboard.turns import turns
from scoring.conditions.resolved import Resolved

#: Ids in one statement, and threads that one statement looks at.
_BATCH, _SLICE = 500, 20_000
#: A search by conditions alone looks for threads for this long.
_SECONDS = 2.0

#: Thread id to (time, message id; 0 for a match that is no message).
Matches = dict[int, tuple[int, int]]


class HoldsAt(NamedTuple):
    """Conditions, and the instant at which they must hold, in milliseconds."""

    resolved: Resolved
    now_ms: int


def narrowed(connection: Connection, condition: HoldsAt, found: Matches) -> Matches:
    """Returns those of the found threads for which a condition holds."""
    kept: Matches = {}
    all = list(found)
    for ids in turns.slices(all, _BATCH):
        holding = connection.execute(_holding(condition).where(threads.c.id.in_(ids)))
        kept |= {row.id: found[row.id] for row in holding}
    return kept


def newest(connection: Connection, condition: HoldsAt, most: int) -> tuple[Matches, bool]:
    """Maps up to `most` threads for which a condition holds to (`recent_at`, 0), and returns
    whether these are all. The newest threads are looked at first."""
    end = time.monotonic() + _SECONDS
    found: Matches = {}
    last_id = connection.scalar(select(func.max(threads.c.id))) or 0
    while last_id > 0 and len(found) <= most and time.monotonic() < end:
        of_slice = (threads.c.id > last_id - _SLICE, threads.c.id <= last_id)
        statement = _holding(condition).where(*of_slice).order_by(threads.c.id.desc())
        rows = connection.execute(statement.limit(most + 1 - len(found)))
        found |= {row.id: (row.recent_at, 0) for row in rows}
        last_id -= _SLICE
        turns.give()
    is_whole = last_id <= 0 and len(found) <= most
    return dict(list(found.items())[:most]), is_whole


def _holding(condition: HoldsAt) -> Select[tuple[int, int]]:
    return (
        select(threads.c.id, threads.c.recent_at)
        .select_from(threads_of(condition.resolved))
        .where(where(condition.resolved, condition.now_ms))
    )
