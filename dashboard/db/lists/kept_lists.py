"""Lists of queries that Redis keeps: how long, and whether in order."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists import query_lists as lists_of_queries
from dashboard.db.lists import sorts, versions
from dashboard.db.lists.query_lists import TIMEZONE, ListedQuery, QueryList
from dashboard.db.models.threads import epochs
from dashboard.db.models.views import query_lists
from scoring.sorts import BUILT_IN_SORTS, SORTS
from scoring.views import BUILT_IN_VIEWS, OWN_VIEWS, QUERY_VIEWS, VIEW_QUERIES, VIEWS


def listed(view: str, sort: str | None = None, desks: Desks = None) -> ListedQuery:
    """Returns the query of a built-in view, for threads at these desks (None: at any), in this sort
    or in the sort in which its list is always kept."""
    return ListedQuery(VIEW_QUERIES[view], sort or QUERY_VIEWS[view], TIMEZONE, desks=desks)


def own(admin_id: int, desks: Desks = None) -> Mapping[str, ListedQuery]:
    """Maps views with a separate list for each admin to this admin's queries."""
    return {
        view: ListedQuery(VIEW_QUERIES[view], sort, TIMEZONE, admin_id, desks)
        for view, sort in OWN_VIEWS.items()
    }


def lists(connection: Connection) -> Mapping[str, QueryList]:
    """Maps the views that are lists of queries to their lists in the default sort."""
    return {view: lists_of_queries.list_of(connection, listed(view)) for view in QUERY_VIEWS}


def ids_in(connection: Connection, names: Iterable[str]) -> set[str]:
    """Returns the lists of queries that Redis always keeps for built-in views in these sorts."""
    queries = [query for sort in {*names} for query in listed_in(sort)]
    return {lists_of_queries.list_of(connection, query).id for query in queries}


def keep(connection: Connection) -> None:
    """Adds the missing lists of built-in views, in all sorts."""
    queries = [query for sort in sorts.known(connection) for query in listed_in(sort)]
    lists_of_queries.keep_all(connection, queries)
    versions.grow_lists(connection)


def are_kept(connection: Connection) -> bool:
    """Whether no list of a built-in view is missing."""
    return ids_in(connection, sorts.known(connection)) <= kept_for_good(connection)


def is_kept(view: str, sort: str) -> bool:
    """Whether Redis always keeps the list of a built-in view in a sort as the list of a query.

    Views of VIEWS in sorts of SORTS are kept in another way; only `snoozed` is kept in `soonest`.
    """
    if sort in BUILT_IN_SORTS and sort not in SORTS:
        return QUERY_VIEWS.get(view) == sort
    return view in QUERY_VIEWS or (view in VIEWS and sort not in SORTS)


def listed_in(sort: str) -> list[ListedQuery]:
    """Returns the queries of built-in views with lists that are always kept in this sort."""
    return [listed(view, sort) for view in BUILT_IN_VIEWS if is_kept(view, sort)]


#: Maximum number of lists of saved views, the ones last looked at, that are kept in order while
#: nobody looks. A message moves its thread on each ordered list, but on an unordered one only if
#: the thread enters or leaves it.
ORDERED_MAX = 100

_IS_ALWAYS_KEPT = query_lists.c.kept_until.is_(None)
_IS_ORDERED = query_lists.c.ordered_since.is_not(None)


def keep_longer(
    connection: Connection,
    ids: Collection[str],
    until: int,
    now_ms: int,
    new: Collection[ListedQuery] = (),
) -> None:
    """Keeps the lists that exist among these, all of them in order, at least until `until`, and
    adds those of `new` queries; leaves out queries with a mistake.

    A list that was not in order must be built before it is read: it has no epoch.
    """
    rows = connection.execute(
        select(query_lists)
        .where(query_lists.c.id.in_(ids))
        .order_by(query_lists.c.id)
        # No other transaction may leave them unordered before this one ends.
        .with_for_update()
    ).all()
    shorter = [row.id for row in rows if row.kept_until is not None and row.kept_until < until]
    _update(connection, shorter, kept_until=until)
    _update(connection, [row.id for row in rows if row.looked_until < until], looked_until=until)
    unordered = [row.id for row in rows if row.ordered_since is None]
    if unordered:
        _update(connection, unordered, ordered_since=now_ms)
        connection.execute(delete(epochs).where(epochs.c.list_id.in_(unordered)))
    lists_of_queries.keep_all(connection, new, until)
    if unordered or new:
        versions.grow_lists(connection)


def _update(connection: Connection, ids: Sequence[str], **values: int) -> None:
    if ids:
        connection.execute(update(query_lists).where(query_lists.c.id.in_(ids)).values(values))


def unneeded_in_order(
    connection: Connection, needed: Collection[str], now_ms: int
) -> Sequence[str]:
    """Returns the ordered lists of saved views beyond the ORDERED_MAX last looked at, except lists
    on screens and lists that were never built; `needed` are always kept in order."""
    rows = connection.execute(
        select(query_lists.c.id, query_lists.c.looked_until, epochs.c.epoch)
        .join_from(query_lists, epochs, epochs.c.list_id == query_lists.c.id, isouter=True)
        .where(_IS_ALWAYS_KEPT, _IS_ORDERED, query_lists.c.id.not_in(needed))
        .order_by(query_lists.c.looked_until.desc(), query_lists.c.id)
        .offset(ORDERED_MAX)
    )
    return [id for id, until, epoch in rows if until < now_ms and epoch is not None]


def leave_unordered(connection: Connection, ids: Collection[str], now_ms: int) -> None:
    """Keeps only the members of these lists from now on, not their order, unless somebody looks at
    one by now."""
    is_unneeded = _IS_ALWAYS_KEPT & _IS_ORDERED & (query_lists.c.looked_until < now_ms)
    changed = connection.execute(
        update(query_lists).where(query_lists.c.id.in_(ids), is_unneeded).values(ordered_since=None)
    )
    if changed.rowcount:
        versions.grow_lists(connection)


def ordered_since(connection: Connection, ids: Collection[str]) -> Mapping[str, int | None]:
    """Maps the lists that exist among these to the times from which each is kept in order; None: it
    is not. The times do not change before the transaction ends."""
    statement = select(query_lists.c.id, query_lists.c.ordered_since)
    statement = statement.where(query_lists.c.id.in_(ids)).with_for_update(read=True)
    return {row.id: row.ordered_since for row in connection.execute(statement)}


def kept_for_good(connection: Connection, sort: str | None = None) -> set[str]:
    """Returns the lists that are always kept, in a sort or in any."""
    statement = select(query_lists.c.id).where(_IS_ALWAYS_KEPT)
    if sort is not None:
        statement = statement.where(query_lists.c.sort == sort)
    return set(connection.scalars(statement))


def temporary(connection: Connection) -> set[str]:
    """Returns the lists that are kept for a while only."""
    return set(
        connection.scalars(select(query_lists.c.id).where(query_lists.c.kept_until.is_not(None)))
    )


def count_temporary(connection: Connection) -> int:
    """Counts the lists that are kept for a while only."""
    temporary = query_lists.c.kept_until.is_not(None)
    return connection.scalar(select(func.count()).where(temporary)) or 0


def release(connection: Connection, ids: Collection[str], kept_until: int) -> None:
    """Keeps lists that no saved view has any more only until `kept_until`."""
    connection.execute(
        update(query_lists).where(query_lists.c.id.in_(ids)).values(kept_until=kept_until)
    )


def has_expired(connection: Connection, now_ms: int) -> bool:
    """Whether there are lists that nobody needs any more."""
    statement = select(query_lists.c.id).where(query_lists.c.kept_until < now_ms).limit(1)
    return connection.scalar(statement) is not None


def remove_expired(connection: Connection, now_ms: int) -> list[str]:
    """Removes the lists that nobody needs any more; returns their ids."""
    # The DELETE checks the time itself: a list that is kept again meanwhile stays.
    return _remove(connection, query_lists.c.kept_until < now_ms)


def remove(connection: Connection, ids: Collection[str]) -> None:
    """Removes lists of which nobody knows the threads any more."""
    _remove(connection, query_lists.c.id.in_(ids))


def _remove(connection: Connection, condition: ColumnElement[bool]) -> list[str]:
    statement = delete(query_lists).where(condition)
    gone = list(connection.scalars(statement.returning(query_lists.c.id)))
    if gone:
        connection.execute(delete(epochs).where(epochs.c.list_id.in_(gone)))
        sorts.remove_unused(connection)
        versions.grow_lists(connection)
    return gone
