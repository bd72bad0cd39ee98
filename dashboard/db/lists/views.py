"""Saved views: named queries with a sort, of one admin, of a desk or of everybody.

A view is saved, changed and deleted in one transaction with the list that Redis keeps for it. A
list that several views share stays until the last of them is gone. A shared view that names `me`
has another list for each admin who looks: no list is kept for the view.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    union_all,
    update,
)

from dashboard.db import policies
from dashboard.db.accounts import admin_desks as all_desks
from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.accounts.admins import canonical_email
from dashboard.db.driver import insert_on
from dashboard.db.lists import allowances, kept_lists, query_lists, sorts, versions
from dashboard.db.lists.query_lists import ListedQuery, people_in
from dashboard.db.models.accounts import admins
from dashboard.db.models.history import view_history
from dashboard.db.models.views import view_changes, view_orders, views, views_version
from dashboard.db.queues import definitions, entries
from dashboard.errors import Problem
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX
from scoring.keys import sort_of


def ordered(
    connection: Connection, admin_id: int, built_in: Sequence[str], saved: Iterable[str]
) -> list[str]:
    """Returns these ids of views in an admin's order.

    Ids that the order lacks stay at their default place: built-in ones before all others, saved
    ones after them.
    """
    statement = select(view_orders.c.ids).where(view_orders.c.admin_id == admin_id)
    places = {id: place for place, id in enumerate(connection.scalar(statement) or ())}
    first = [id for id in built_in if id not in places]
    last = [id for id in saved if id not in places]
    named = [id for id in (*built_in, *saved) if id in places]
    return [*first, *sorted(named, key=places.__getitem__), *last]


def save(connection: Connection, admin_id: int, ids: Sequence[str]) -> None:
    """Sets an admin's order."""
    statement = insert_on(connection, view_orders).values(admin_id=admin_id, ids=list(ids))
    connection.execute(
        statement.on_conflict_do_update(index_elements=["admin_id"], set_={"ids": list(ids)})
    )


#: The owner of views: an admin, by id, or a desk, by name; None: everybody.
Owner = int | str | None
#: The names of owners in SQL: everybody's, and the prefix of a desk's; an admin's is the id.
_EVERYBODY = "all"
_DESK = "desk:"

_VERSION = select(views_version.c.version)
_SINCE = select(view_changes.c.owner).where(view_changes.c.version > bindparam("since"))


def note(connection: Connection, owner: Owner) -> None:
    """Records that views of the owner change. Call it in the transaction of the change, after
    `begin_change`."""
    name = f"{_DESK}{owner}" if isinstance(owner, str) else str(owner or _EVERYBODY)
    statement = insert_on(connection, view_changes).values(
        owner=name, version=_VERSION.scalar_subquery()
    )
    version = {"version": statement.excluded.version}
    connection.execute(
        statement.on_conflict_do_update(index_elements=[view_changes.c.owner], set_=version)
    )


def since(connection: Connection, version: int | None) -> tuple[int, set[Owner]]:
    """Returns the current version, and the owners of the views that changed since an earlier one.

    None as the earlier version: no owners. Versions grow in the order of commits, since changes
    wait for each other, so no change is missed. A restore may bring a lower version: then the views
    of everybody count as changed.
    """
    today = connection.scalar(_VERSION) or 0
    if version is None or today == version:
        return today, set()
    if today < version:
        return today, {None}
    return today, {_owner(name) for name in connection.scalars(_SINCE, {"since": version})}


def _owner(name: str) -> Owner:
    if name.startswith(_DESK):
        return name.removeprefix(_DESK)
    return None if name == _EVERYBODY else int(name)


NAME_MAX = 80
#: The most views that one admin may own, and the most of desks and everybody together.
OWN_MAX = 200
SHARED_MAX = 1_000
#: The prefix of the owner of a desk's view in APIs; the desk's name follows.
DESK = "desk:"
#: A list stays this long after the last view stopped needing it: it may be on screens.
RELEASED_MS = 60_000


class Draft(NamedTuple):
    """The fields of a view. `owner_id` None: it belongs to a desk or to everybody; `timezone`: time
    zone of its days."""

    name: str
    query: str
    sort: str
    timezone: str
    owner_id: int | None
    desk: str | None = None


class View(NamedTuple):
    """A saved view. `list_id`: the list that Redis always keeps for it, if it has only one list."""

    id: int
    name: str
    query: str
    sort: str
    timezone: str
    owner_id: int | None
    changed_at: int
    list_id: str | None
    desk: str | None = None

    @property
    def public_id(self) -> str:
        """The id in APIs: `v17`."""
        return f"v{self.id}"

    @property
    def shared_with(self) -> str | None:
        """The audience in APIs: `all` or `desk:NAME`; None: its owner alone."""
        if self.owner_id is not None:
            return None
        return "all" if self.desk is None else f"{DESK}{self.desk}"

    @property
    def told(self) -> Owner:
        """The owner to notify of a change."""
        return self.desk if self.owner_id is None else self.owner_id

    def listed(self, admin_id: int | None) -> ListedQuery:
        """Returns its list for an admin who looks; a view without `me` has one list for all."""
        return _listed(self.query, self.sort, self.timezone, self.owner_id or admin_id)

    def is_seen_by(self, admin_id: int, desks: Desks) -> bool:
        """Whether an admin who sees these desks sees the view."""
        if self.owner_id is not None:
            return self.owner_id == admin_id
        return self.desk is None or sees(desks, self.desk)


#: The fields of a view of which the past is kept.
_KEPT = ("name", "query", "sort", "timezone", "owner_id", "desk")
_PUBLIC_ID = re.compile(r"v([1-9][0-9]{0,15})")
_COLUMNS = tuple(views.c[name] for name in View._fields)
_READ = select(*_COLUMNS)
#: Views of disabled accounts have no lists.
_MAY_HAVE_LISTS = views.c.owner_id.is_(None) | views.c.owner_id.in_(
    select(admins.c.id).where(admins.c.disabled_at.is_(None))
)
_SET_LIST = update(views).where(views.c.id == bindparam("view")).values(list_id=bindparam("list"))
_GROW = update(views_version).values(version=views_version.c.version + 1)


def number_of(public_id: str) -> int | None:
    """Returns the number of a saved view by its public id; None for any other text."""
    match = _PUBLIC_ID.fullmatch(public_id)
    return int(match[1]) if match and int(match[1]) <= INTEGER_MAX else None


def begin_change(connection: Connection) -> None:
    """Raises the version; no other transaction changes views before the end of this one.

    Call it once in a transaction, before an admin is locked, then `note` for each owner, and
    announce the change once after the commit.
    """
    connection.execute(_GROW)


def visible_to(connection: Connection, admin_id: int, desks: Desks) -> list[View]:
    """Returns the admin's own views, the views of the admin's desks and everybody's, in the admin's
    order; new ones at the end."""
    rows = connection.execute(_READ.where(_seen([admin_id], desks)).order_by(views.c.id))
    saved = {view.public_id: view for view in (View(*row) for row in rows)}
    return [saved[id] for id in ordered(connection, admin_id, (), saved)]


def of_several(connection: Connection, admin_ids: Collection[int]) -> list[View]:
    """Returns everybody's views, the views of all desks and of these admins, by id."""
    rows = connection.execute(_READ.where(_seen(admin_ids, None)).order_by(views.c.id))
    return [View(*row) for row in rows]


def find(connection: Connection, view_id: int, admin_id: int | None, desks: Desks) -> View | None:
    """Returns a view if this admin, who sees these desks, may see it; else None.

    Without an admin, and with an empty set of desks: a view of everybody.
    """
    seen = _seen([] if admin_id is None else [admin_id], desks)
    row = connection.execute(_READ.where(views.c.id == view_id, seen)).first()
    return None if row is None else View(*row)


def as_it_was(
    connection: Connection, view_id: int, admin_id: int, desks: Desks, at: int
) -> View | None:
    """Returns a view as it was at a moment, without its list, if this admin, who sees these desks,
    could see it; else None."""
    now = select(views.c.changed_at, *(views.c[name] for name in _KEPT))
    was = select(view_history.c.since, *(view_history.c[name] for name in _KEPT))
    is_then = and_(view_history.c.since <= at, view_history.c.until > at)
    both = union_all(
        now.where(views.c.id == view_id, views.c.changed_at <= at),
        was.where(view_history.c.view_id == view_id, is_then),
    )
    row = connection.execute(both).first()
    if row is None:
        return None
    since, name, query, sort, timezone, owner_id, desk = row
    view = View(view_id, name, query, sort, timezone, owner_id, since, None, desk)
    return view if view.is_seen_by(admin_id, desks) else None


def _keep_past(connection: Connection, view: View, until: int) -> None:
    """Keeps a view as it has been up to now."""
    values = {name: getattr(view, name) for name in _KEPT}
    values |= {"view_id": view.id, "since": view.changed_at, "until": until}
    connection.execute(insert(view_history).values(values))


def create(connection: Connection, draft: Draft, admin_id: int, now_ms: int) -> View:
    """Saves a new view. Raises QueryError, UnknownSort, and Invalid for too many views."""
    begin_change(connection)
    _check_room(connection, draft.owner_id)
    values = _kept(connection, draft, admin_id, None)
    values |= {"created_by": admin_id, "created_at": now_ms, "changed_at": now_ms}
    view = View(*connection.execute(insert(views).values(values).returning(*_COLUMNS)).one())
    note(connection, view.told)
    return view


def lock(connection: Connection, view_id: int, admin_id: int, desks: Desks) -> View | None:
    """Returns a view as `find`; no other transaction changes a view before the end of this one."""
    begin_change(connection)
    return find(connection, view_id, admin_id, desks)


def change(connection: Connection, view: View, draft: Draft, admin_id: int, now_ms: int) -> View:
    """Changes a view that is locked. Raises QueryError, UnknownSort, Invalid for too many, and
    Problem (409, `in_use`) for a queue that would have other threads for each admin."""
    if draft.owner_id is not None or people_in(draft.query).me:
        _check_no_queue(connection, view)
    if draft.owner_id != view.owner_id:
        _check_room(connection, draft.owner_id)
    values = _kept(connection, draft, admin_id, view.id)
    # Two changes within a millisecond get different times, so readers see that their copy is old.
    changed_at = values["changed_at"] = max(now_ms, view.changed_at + 1)
    _keep_past(connection, view, changed_at)
    statement = update(views).where(views.c.id == view.id).values(values).returning(*_COLUMNS)
    changed = View(*connection.execute(statement).one())
    note(connection, view.told)
    note(connection, changed.told)
    entries.synchronize(connection)
    _release_unused(connection, [view.list_id], now_ms)
    return changed


def remove(connection: Connection, view: View, now_ms: int) -> None:
    """Deletes a view that is locked. Raises Problem (409, `in_use`) for a view that is a queue."""
    _check_no_queue(connection, view)
    _keep_past(connection, view, max(now_ms, view.changed_at + 1))
    connection.execute(delete(views).where(views.c.id == view.id))
    note(connection, view.told)
    _release_unused(connection, [view.list_id], now_ms)


def release_of(connection: Connection, admin_id: int, now_ms: int) -> None:
    """Releases the lists of an admin's own views: the account is disabled. Call it after
    `begin_change`."""
    note(connection, admin_id)
    of_admin = views.c.owner_id == admin_id
    list_ids = connection.scalars(select(views.c.list_id).where(of_admin)).all()
    connection.execute(update(views).where(of_admin).values(list_id=None))
    _release_unused(connection, list_ids, now_ms)


def keep_of(connection: Connection, admin_id: int) -> None:
    """Keeps the lists of an admin's own views again: the account is enabled. Call it after
    `begin_change`."""
    note(connection, admin_id)
    own = _READ.where(views.c.owner_id == admin_id)
    _keep_again(connection, [View(*row) for row in connection.execute(own)])


def uses_sort(connection: Connection, sort: str) -> bool:
    """Whether a view has this sort; after `begin_change` no other view gets it meanwhile."""
    return connection.scalar(select(views.c.id).where(views.c.sort == sort).limit(1)) is not None


def keep_anew(connection: Connection, sort: str, now_ms: int) -> set[str]:
    """Keeps the lists of all views in a sort that is new or has new rules, under their new ids.

    Call it after `begin_change`. A view with a query that is wrong by now loses its list. Returns
    the ids of the lists of saved views.
    """
    before = kept_lists.kept_for_good(connection, sort)
    in_sort = _READ.where(views.c.sort == sort, views.c.list_id.is_not(None))
    saved = [View(*row) for row in connection.execute(in_sort)]
    list_ids = _keep_again(connection, saved, kept_lists.listed_in(sort))
    entries.synchronize(connection)
    _release_unused(connection, before, now_ms)
    return list_ids


def lock_for_addresses(connection: Connection) -> None:
    """Locks what `follow_addresses` may change. Call it before an admin with an address that is to
    change is locked: other transactions lock in this order."""
    connection.execute(_VERSION.with_for_update())
    definitions.lock(connection)
    versions.wait_for_writers(connection)


def follow_addresses(connection: Connection, emails: Iterable[str], now_ms: int) -> None:
    """Has the lists of views and sorts, and policies, follow addresses that other admins, or none,
    have now. Workers resolve an address only once, so all must do it anew at the same moment.

    A view with a query that is wrong by now stays as it is, without threads.
    """
    addresses = {canonical_email(email) for email in emails}
    sort_names = _sorts_that_name(connection, addresses)
    outdated = query_lists.outdated(connection, addresses)
    # Also those without a list: a view may have lost it while nobody had the address.
    named = [
        view
        for view in map(View._make, connection.execute(_READ.where(_MAY_HAVE_LISTS)))
        if view.list_id in outdated or _names(view, addresses)
    ]
    if outdated or sort_names or named:
        begin_change(connection)
        owners: set[Owner] = {None} if sort_names else {view.told for view in named}
        for owner in owners:
            note(connection, owner)
        kept_lists.remove(connection, outdated)
        built_in = [query for sort in sort_names for query in kept_lists.listed_in(sort)]
        _keep_again(connection, named, built_in, leaves_wrong=True)
        entries.synchronize(connection)
        _release_unused(connection, [view.list_id for view in named], now_ms)
    policies.follow_addresses(connection, addresses, now_ms)


def _names(view: View, addresses: set[str]) -> bool:
    """Whether a view that may have a list names one of these addresses."""
    people = people_in(view.query)
    has_list = view.owner_id is not None or not people.me
    return has_list and not addresses.isdisjoint(people.addresses)


def _sorts_that_name(connection: Connection, addresses: set[str]) -> list[str]:
    """Returns the names of the saved sorts with rules that name one of these addresses."""
    return [
        sort.name
        for sort in sorts.known(connection).values()
        if any(not addresses.isdisjoint(people_in(rule.when).addresses) for rule in sort.rules)
    ]


def release_sort(connection: Connection, sort: str, now_ms: int) -> None:
    """Releases the lists of built-in views in a sort that no saved view has."""
    list_ids = kept_lists.kept_for_good(connection, sort)
    kept_lists.release(connection, list_ids, now_ms + RELEASED_MS)


def _keep_again(
    connection: Connection,
    saved_views: Iterable[View],
    also: Iterable[ListedQuery] = (),
    *,
    leaves_wrong: bool = False,
) -> set[str]:
    """Keeps the lists of these views under their current ids, and returns those. A view with a
    wrong query loses its list, unless it `leaves_wrong`. `also`: other queries to be kept."""
    views_again = [*saved_views]
    queries = [*(view.listed(None) for view in views_again), *also]
    list_ids = query_lists.keep_all(connection, queries)[: len(views_again)]
    rows = [
        {"view": view.id, "list": list_id}
        for view, list_id in zip(views_again, list_ids, strict=True)
        if list_id is not None or not leaves_wrong
    ]
    if rows:
        connection.execute(_SET_LIST, rows)
    versions.grow_lists(connection)
    return {list_id for list_id in list_ids if list_id is not None}


def _seen(admin_ids: Collection[int], desks: Desks) -> ColumnElement[bool]:
    """Selects the saved views visible to these admins, who see these desks."""
    shared: ColumnElement[bool] = views.c.owner_id.is_(None)
    if desks is not None:
        shared &= or_(views.c.desk.is_(None), views.c.desk.in_(desks))
    return or_(shared, views.c.owner_id.in_(admin_ids))


def _check_no_queue(connection: Connection, view: View) -> None:
    if definitions.of_view(connection, view.id) is not None:
        raise Problem(
            409, "in_use", f"“{view.name}” hands out its threads: delete the queue first."
        )


def _check_room(connection: Connection, owner_id: int | None) -> None:
    of_owner = views.c.owner_id.is_(None) if owner_id is None else views.c.owner_id == owner_id
    most = SHARED_MAX if owner_id is None else OWN_MAX
    if (connection.scalar(select(func.count()).where(of_owner)) or 0) >= most:
        raise field_error("/owner", "too_many_views", f"has {most} views, the limit")


def _kept(
    connection: Connection, draft: Draft, admin_id: int, view_id: int | None
) -> dict[str, object]:
    """Returns the columns of a view and keeps its list from now on. `view_id`: the changed view.

    Raises QueryError, UnknownSort, and Invalid if it costs too much.
    """
    sorts.find(connection, draft.sort)
    if draft.desk is not None and all_desks.unknown(connection, {draft.desk}):
        raise field_error("/owner", "unknown_value", "names a desk that does not exist")
    listed = _listed(draft.query, draft.sort, draft.timezone, draft.owner_id)
    # A query with `me` is another one for each admin; it must be right for this one, too.
    me = listed.admin_id or (admin_id if people_in(draft.query).me else None)
    new = query_lists.list_of(connection, listed._replace(admin_id=me))
    allowances.check_view(connection, new, draft.owner_id, view_id)
    return draft._asdict() | {"list_id": _list_id(connection, listed, draft.owner_id)}


def _list_id(connection: Connection, listed: ListedQuery, owner_id: int | None) -> str | None:
    """Returns the list kept for a view; None if each admin has another. Raises QueryError."""
    if owner_id is None and people_in(listed.query).me:
        return None
    return query_lists.keep(connection, listed)[0]


def _listed(query: str, sort: str, timezone: str, admin_id: int | None) -> ListedQuery:
    return ListedQuery(query, sort, timezone, admin_id if people_in(query).me else None)


def _release_unused(connection: Connection, ids: Iterable[str | None], now_ms: int) -> None:
    """Releases the lists among these that no view needs any more."""
    released = {id for id in ids if id is not None}
    still = select(views.c.list_id).where(views.c.list_id.in_(released))
    built_in = kept_lists.ids_in(connection, map(sort_of, released))
    unused = released - set(connection.scalars(still)) - built_in
    if unused:
        kept_lists.release(connection, unused, now_ms + RELEASED_MS)
