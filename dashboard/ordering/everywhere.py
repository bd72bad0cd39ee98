"""Placements that say of every list whether it holds a thread."""

from collections.abc import Collection

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.db.placing import placements
from scoring.placing import GONE, Placement
from scoring.views import VIEWS


def every_list_id(connection: Connection) -> list[str]:
    """Every list id: the views, and the lists of queries."""
    return [*VIEWS, *query_lists.current(connection).lists]


def placements_everywhere(
    database: Database, ids: Collection[int], list_ids: Collection[str], now_ms: int
) -> list[Placement]:
    """Placements of these threads that also remove each from all other lists of `list_ids`.

    An id without a thread is removed from all of them for certain: it is never used again.
    """
    with database.read() as connection:
        found = placements.of(connection, ids, now_ms)
    off = dict.fromkeys(list_ids)
    unknown = set(ids) - {placement.thread_id for placement in found}
    return [each._replace(lists={**off, **each.lists}) for each in found] + [
        Placement(id, GONE, off) for id in sorted(unknown)
    ]
