"""Placements of threads as SQL sees them, and the revisions that are known to be in Redis."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Result, Select, bindparam, select, update

from dashboard.db.conditions import subjects
from dashboard.db.lists import query_lists
from dashboard.db.lists.membership import moment_of
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.models.threads import threads
from dashboard.db.threads.thread_tags import tags_in
from dashboard.db.threads.threads import VIEWS_OF
from scoring.placing import Placement, Scores
from scoring.sorts import SORTS

_PLACED = select(threads.c.id, threads.c.placed_revision)
_PLACED_BY_ID = _PLACED.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_REVISIONS = select(threads.c.id, threads.c.revision).where(
    threads.c.id.in_(bindparam("ids", expanding=True))
)
_SAVE = (
    update(threads)
    .where(threads.c.id == bindparam("thread"), threads.c.placed_revision < bindparam("placed"))
    .values(placed_revision=bindparam("placed"))
)


def unplaced(connection: Connection, limit: int) -> dict[int, int]:
    """Maps ids of unplaced threads to their last revision that is known to be in Redis."""
    behind = _PLACED.where(threads.c.placed_revision != threads.c.revision)
    rows = connection.execute(behind.order_by(threads.c.id).limit(limit))
    return {row.id: row.placed_revision for row in rows}


def unplaced_among(connection: Connection, ids: Collection[int]) -> set[int]:
    """Returns the ids of threads among these that are not known to be placed."""
    behind = _PLACED_BY_ID.where(threads.c.placed_revision != threads.c.revision)
    return {row.id for row in connection.execute(behind, {"ids": list(ids)})}


def placed_revisions(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Maps thread ids to the last revision known to be in Redis; unknown ids are left out."""
    rows = connection.execute(_PLACED_BY_ID, {"ids": list(ids)})
    return {row.id: row.placed_revision for row in rows}


def revisions(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Maps thread ids to revisions; unknown ids are left out."""
    rows = connection.execute(_REVISIONS, {"ids": list(ids)})
    return {row.id: row.revision for row in rows}


def save_placed(connection: Connection, revisions: Mapping[int, int]) -> None:
    """Writes the last revisions, by thread id, that are known to be in Redis; none decreases."""
    rows = [{"thread": id, "placed": revision} for id, revision in sorted(revisions.items())]
    if rows:
        connection.execute(_SAVE, rows)


_SCORES = tuple(threads.c[f"score_{name}"] for name in SORTS)
_NO_VIEWS = frozenset[str]()


class _Placed(NamedTuple):
    """The columns of a thread that placing it needs, besides its scores."""

    id: int
    revision: int
    archived: bool
    closed: bool
    waiting_since: int | None
    snoozed_until: int | None
    assignee_id: int | None
    mentioned: str | None
    listed_at: int
    next_change_at: int | None

    def known(self) -> tuple[Any, ...]:
        """Returns the values of `_KNOWN`."""
        is_snoozed = self.snoozed_until is not None and not self.closed
        return (
            self.closed,
            is_snoozed,
            self.waiting_since,
            self.assignee_id,
            tags_in(self.mentioned),
        )


#: Attributes that are read anyway: they mostly suffice to tell that no list of a query holds the
#: thread.
_KNOWN = ("closed", "snoozed", "waiting_since", "assignee_id", "mentioned")
_PLACEMENT = select(*(threads.c[name] for name in _Placed._fields), *_SCORES)
_BY_ID = _PLACEMENT.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_ON_LISTS = _PLACEMENT.where(threads.c.archived.is_(False))


def of(connection: Connection, ids: Collection[int], now_ms: int) -> list[Placement]:
    """Returns placements of these threads on the lists that hold them; unknown ids are left out."""
    if not ids:
        return []
    result = connection.execute(_BY_ID, {"ids": list(ids)})
    return _placements(connection, result, now_ms, query_lists.current(connection))


def after(
    connection: Connection, after_id: int, limit: int, now_ms: int, lists: QueryLists
) -> list[Placement]:
    """Returns placements of the next `limit` threads by id that are on any list.

    `lists`: only these lists of queries count.
    """
    return _placements(connection, connection.execute(select_after(after_id, limit)), now_ms, lists)


def select_after(after_id: int, limit: int) -> Select[Any]:
    """Selects the columns to place the next `limit` threads by id that are on any list."""
    return _ON_LISTS.where(threads.c.id > after_id).order_by(threads.c.id).limit(limit)


def _placements(
    connection: Connection, result: Result[Any], now_ms: int, lists: QueryLists
) -> list[Placement]:
    may_match = lists.index.prefilter(_KNOWN)
    read = len(_Placed._fields)
    rows = [(_Placed._make(row[:read]), row[read:]) for row in result.all()]
    ids = [row.id for row, _ in rows if not row.archived and may_match(row.known())]
    by_id = subjects(connection, ids)
    placements = []
    for row, scores in rows:
        places: dict[str, Scores] = dict.fromkeys(_views(row), scores)
        if row.id in by_id:
            at = moment_of(row.listed_at, row.next_change_at, now_ms)
            names = lists.index.names(lists.index.matches(by_id[row.id], at))
            places |= lists.scores(names, by_id[row.id], at, scores)
        placements.append(Placement(row.id, row.revision, places, row.assignee_id, lists.unordered))
    return placements


def _views(row: _Placed) -> frozenset[str]:
    if row.archived:
        return _NO_VIEWS
    if row.closed:
        return VIEWS_OF["history"]
    if row.snoozed_until is not None:
        return VIEWS_OF["snoozed"]
    return VIEWS_OF["quiet" if row.waiting_since is None else "waits"]
