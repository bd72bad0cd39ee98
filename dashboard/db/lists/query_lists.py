"""Lists of queries that Redis keeps, and the index that finds the lists of a thread."""

import hashlib
import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection, Pool, bindparam, select, update

from dashboard.db.accounts import admins
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.driver import insert_on
from dashboard.db.lists import sorts, versions
from dashboard.db.models.queues import queue_lists
from dashboard.db.models.views import query_lists
from scoring.conditions.fields import FIELDS
from scoring.conditions.index import ConditionIndex
from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import Name, QueryError, Word
from scoring.conditions.nodes import Leaf, OneOf
from scoring.conditions.resolve import ME, resolve
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import Subject
from scoring.keys import query_list_id
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import Sort
from scoring.sorts import BUILT_IN, SORTS


class People(NamedTuple):
    """The people in a query: whether it names `me`, and the addresses that it names."""

    me: bool = False
    addresses: tuple[str, ...] = ()


@lru_cache(maxsize=8_192)
def people_in(query: str) -> People:
    """Returns the people that a query names; nobody if the text is no query."""
    try:
        terms = list(parse(query).terms())
    except QueryError:
        return People()
    values = [
        value for term in terms if FIELDS[term.field].kind == "admin" for value in term.values
    ]
    return People(
        any(isinstance(value, Word) and value.text == ME for value in values),
        tuple(sorted({value.text for value in values if isinstance(value, Name)})),
    )


#: The time zone of the days in a query without one.
TIMEZONE = "UTC"


class ListedQuery(NamedTuple):
    """A query with a list in Redis, in one sort, narrowed by a filter. `timezone`: time zone of its
    days; `admin_id` stands for `me`; its threads are at `desks`, None: at any."""

    query: str
    sort: str
    timezone: str
    admin_id: int | None = None
    desks: Desks = None
    filter: str = "all"

    def resolved(self, connection: Connection) -> Resolved:
        """Resolves admins to ids and days to instants. Raises QueryError."""

        def admin_id_of(email: str) -> int | None:
            admin = admins.by_email(connection, email)
            return admin.id if admin else None

        try:
            zone = ZoneInfo(self.timezone)
        except ZoneInfoNotFoundError as error:
            # The machine that wrote the query knew the time zone; this one does not.
            raise QueryError(0) from error
        resolved = resolve(parse(self.query), self.admin_id, admin_id_of, zone)
        condition = _condition(self.filter, self.admin_id)
        return (resolved.narrowed(condition) if condition else resolved).at_desks(self.desks)


def _condition(filter: str, admin_id: int | None) -> OneOf | None:
    """Returns the condition that a filter adds; None: nothing."""
    if filter == "all":
        return None
    return OneOf("assignee_id", frozenset({admin_id if filter == "mine" else None}))


log = logging.getLogger(__name__)

#: Hexadecimal digits of a digest that name a query.
DIGEST_DIGITS = 16

_KEPT_UNTIL = (
    select(query_lists.c.kept_until).where(query_lists.c.id == bindparam("id")).with_for_update()
)


class QueryList(NamedTuple):
    """A list of a query: its resolved query, and the name and rules of its sort."""

    id: str
    resolved: Resolved
    sort: str
    order: ResolvedSort

    def leaves(self) -> Iterator[Leaf]:
        """Yields every leaf of its query and of its sort."""
        return chain(self.resolved.leaves(), self.order.leaves())


def list_of(connection: Connection, listed: ListedQuery, sort: Sort | None = None) -> QueryList:
    """Returns the list of a query in its sort, or in the given version of it. Equal queries share
    one list, until the rules of the sort are changed.

    Raises QueryError, and its subclass UnknownSort.
    """
    sort = sort or sorts.find(connection, listed.sort)
    resolved = listed.resolved(connection)
    return _list(resolved, sort.name, sorts.resolved(connection, sort))


def _list(resolved: Resolved, sort: str, order: ResolvedSort) -> QueryList:
    key = resolved.key if sort in SORTS else f"{resolved.key}\n{order.key}"
    digest = hashlib.sha256(key.encode()).hexdigest()[:DIGEST_DIGITS]
    return QueryList(query_list_id(digest, sort), resolved, sort, order)


class Row(NamedTuple):
    """A row of a list in SQL; `sort_id` is the id of a version of a saved sort."""

    id: str
    query: str
    sort: str
    timezone: str
    admin_id: int | None
    desks: Desks
    filter: str
    sort_id: int | None

    @property
    def listed(self) -> ListedQuery:
        return ListedQuery(*self[1:-1])


#: The key of a resolved list: its row, and the admins (None: nobody) with the addresses that its
#: query and its sort name.
Made = tuple[Row, tuple[int | None, ...]]


class QueryLists:
    """All lists of queries as of a version."""

    def __init__(
        self,
        version: int,
        lists: Iterable[QueryList],
        by_key: Mapping[Made, QueryList | None] | None = None,
        ordered_since: Mapping[str, int | None] = MappingProxyType({}),
        queue_numbers: Mapping[str, int] = MappingProxyType({}),
    ):
        """`by_key`: the lists, None for a row with a wrong query. `ordered_since`: see the table; a
        list that is not named is in order. `queue_numbers`: those of the lists of queues."""
        self.version = version
        self.by_key = by_key or {}
        self.ordered_since = ordered_since
        self.queue_numbers = queue_numbers
        self.lists: Mapping[str, QueryList] = {query_list.id: query_list for query_list in lists}
        #: Maps list ids to the positions of their sorts: in SORTS, or after these in `_saved`.
        self._places: dict[str, int] = {}
        self._saved: list[ResolvedSort] = []
        self._add_places()

    def __bool__(self) -> bool:
        return bool(self.lists)

    def some(self, names: Collection[str]) -> "QueryLists":
        """Returns only these lists."""
        lists = (self.lists[name] for name in names if name in self.lists)
        return QueryLists(self.version, lists, ordered_since=self.ordered_since)

    def changed(
        self,
        version: int,
        ordered_since: Mapping[str, int | None],
        queue_numbers: Mapping[str, int],
    ) -> "QueryLists":
        """Returns the same lists, with another choice of ordered lists and of lists of queues."""
        lists = copy(self)
        lists.version, lists.ordered_since = version, ordered_since
        lists.queue_numbers = queue_numbers
        for name in ("unordered", "unordered_mask", "queue_mask", "kept_queue_numbers"):
            lists.__dict__.pop(name, None)
        return lists

    def scores(
        self, names: Iterable[str], subject: Subject, now_ms: int, built_in: Sequence[int]
    ) -> dict[str, tuple[int]]:
        """Maps these lists, by id, to the score of a thread at an instant, in their one sort.

        `built_in` are its scores in SORTS.
        """
        places = {name: self._places[name] for name in names}
        if not self._saved:
            return {name: (built_in[place],) for name, place in places.items()}
        first = len(SORTS)
        scores = {
            place: (
                built_in[place]
                if place < first
                else self._saved[place - first].score(subject, now_ms),
            )
            for place in {*places.values()}
        }
        return {name: scores[place] for name, place in places.items()}

    def next_change(self, mask: int, subject: Subject, now_ms: int) -> int | None:
        """Returns the next instant after `now_ms` at which time alone puts the thread on other
        lists, or moves it on lists of the mask, which hold it now; None: never."""
        instants = [self.index.next_change(subject, now_ms)]
        instants += [
            sort.next_change(subject, now_ms) for sort, sorted in self._saved_sorts if sorted & mask
        ]
        return min((at for at in instants if at is not None), default=None)

    def resorted(self, mask: int, before: tuple[Subject, int], now: tuple[Subject, int]) -> int:
        """Returns those lists of the mask to which a saved sort gives another score now than
        before; each moment is a subject and an instant."""
        changed = 0
        for sort, sorted in self._saved_sorts:
            if sorted & mask and sort.score(*before) != sort.score(*now):
                changed |= sorted & mask
        return changed

    @cached_property
    def _saved_sorts(self) -> Sequence[tuple[ResolvedSort, int]]:
        """The sorts with scores that are not stored, each with the mask of its lists."""
        places = self._places.items()
        return [
            (sort, self.index.mask({id for id, place in places if place == at}))
            for at, sort in enumerate(self._saved, len(SORTS))
        ]

    def _add_places(self) -> None:
        places = {BUILT_IN[name].key: at for at, name in enumerate(SORTS)}
        for query_list in self.lists.values():
            place = places.setdefault(query_list.order.key, len(places))
            if place == len(SORTS) + len(self._saved):
                self._saved.append(query_list.order)
            self._places[query_list.id] = place

    @cached_property
    def asks_sources(self) -> bool:
        """Whether one of the lists asks for the name of a thread's source."""
        leaves = (leaf for query_list in self.lists.values() for leaf in query_list.leaves())
        return any(leaf.attribute == "source" for leaf in leaves)

    @cached_property
    def unordered(self) -> frozenset[str]:
        """The lists that Redis keeps without their order."""
        return frozenset(id for id in self.lists if self.ordered_since.get(id, 0) is None)

    @cached_property
    def unordered_mask(self) -> int:
        """The unordered lists as a mask of the index."""
        return self.index.mask(self.unordered)

    @cached_property
    def score_columns(self) -> Mapping[str, str | None]:
        """Maps lists to the columns of their scores in `threads`; None: a saved sort has none."""
        return {
            id: f"score_{query_list.sort}" if query_list.sort in SORTS else None
            for id, query_list in self.lists.items()
        }

    @cached_property
    def queue_mask(self) -> int:
        """The lists of queues as a mask of the index."""
        return self.index.mask(self.queue_numbers.keys() & self.lists.keys())

    @cached_property
    def kept_queue_numbers(self) -> frozenset[int]:
        """The numbers of the lists of queues, without those of queries that are wrong by now."""
        return frozenset(number for id, number in self.queue_numbers.items() if id in self.lists)

    @cached_property
    def index(self) -> ConditionIndex:
        return ConditionIndex({id: query_list.resolved for id, query_list in self.lists.items()})


_current: WeakKeyDictionary[Pool, QueryLists] = WeakKeyDictionary()
_loading = threading.Lock()


def current(connection: Connection, *, for_writing: bool = False) -> QueryLists:
    """Returns the lists as of this transaction; `for_writing`: none is added before its end."""
    return of_version(connection, versions.current(connection, for_writing=for_writing).lists)


def of_version(connection: Connection, version: int) -> QueryLists:
    """Returns the lists as of this transaction; the caller has read their version."""
    lists = _current.get(connection.engine.pool)
    if lists is None or lists.version != version:
        lists = _read(connection, version, lists or QueryLists(0, ()))
        with _loading:
            _current[connection.engine.pool] = lists
    return lists


def keep(
    connection: Connection, listed: ListedQuery, kept_until: int | None = None
) -> tuple[str, bool]:
    """Adds the list of a query if it does not exist, or keeps it longer; None: always.

    Returns the list id, and whether the list is new and must be built. Raises QueryError.
    """
    id = list_of(connection, listed).id
    is_new = _keep(connection, id, listed, kept_until)
    if is_new:
        versions.grow_lists(connection)
    return id, is_new


def keep_all(
    connection: Connection, queries: Iterable[ListedQuery], kept_until: int | None = None
) -> list[str | None]:
    """Keeps the lists of several queries; returns their ids, None for a query with a mistake.

    The caller calls `versions.grow_lists` after its other work: from then on events wait, and so do
    other transactions with a row of these.
    """
    ids: list[str | None] = []
    by_id: dict[str, ListedQuery] = {}
    for listed in queries:
        try:
            id = list_of(connection, listed).id
        except QueryError:
            ids.append(None)
        else:
            ids.append(id)
            by_id[id] = listed
    for id in sorted(by_id):
        _keep(connection, id, by_id[id], kept_until)
    return ids


def _keep(connection: Connection, id: str, listed: ListedQuery, kept_until: int | None) -> bool:
    held = connection.execute(_KEPT_UNTIL, {"id": id}).first()
    while held is None:
        sort_id = sorts.find(connection, listed.sort).id
        row = listed._asdict() | {"id": id, "sort_id": sort_id, "kept_until": kept_until}
        insert = insert_on(connection, query_lists).on_conflict_do_nothing()
        if connection.scalar(insert.returning(query_lists.c.id), row) is not None:
            return True
        # Another transaction has added it meanwhile. If it was removed again, the loop goes on.
        held = connection.execute(_KEPT_UNTIL, {"id": id}).first()
    longer = held.kept_until is not None and (kept_until is None or kept_until > held.kept_until)
    if longer:
        connection.execute(
            update(query_lists).where(query_lists.c.id == id).values(kept_until=kept_until)
        )
    return False


def _read(connection: Connection, version: int, old: QueryLists) -> QueryLists:
    """Reads the lists of all rows. Known lists are not resolved again: resolving a thousand queries
    takes half a second, and an event waits for it."""
    columns = (query_lists.c[name] for name in (*Row._fields, "ordered_since"))
    orders, rows, named = sorts.Orders(connection), list[Row](), list[tuple[str, ...]]()
    ordered_since: dict[str, int | None] = {}
    for *values, since in connection.execute(select(*columns).order_by(query_lists.c.id)):
        rows.append(row := Row(*values))
        named.append(_addresses(row, orders))
        ordered_since[row.id] = since
    ids = admins.ids_of(connection, {*chain.from_iterable(named)})
    by_key: dict[Made, QueryList | None] = {}
    for row, addresses in zip(rows, named, strict=True):
        key = row, tuple(map(ids.get, addresses))
        by_key[key] = old.by_key[key] if key in old.by_key else _made_of(connection, row, orders)
    numbers = select(queue_lists.c.list_id, queue_lists.c.number)
    numbers = numbers.where(queue_lists.c.list_id.is_not(None))
    queue_numbers = {row.list_id: row.number for row in connection.execute(numbers)}
    if by_key.keys() == old.by_key.keys():
        return old.changed(version, ordered_since, queue_numbers)
    lists = (query_list for query_list in by_key.values() if query_list is not None)
    return QueryLists(version, lists, by_key, ordered_since, queue_numbers)


def _made_of(connection: Connection, row: Row, orders: sorts.Orders) -> QueryList | None:
    """Resolves the list of a row; None if its query is wrong by now."""
    listed = row.listed
    try:
        order = orders.of(row.sort, row.sort_id)
        return _list(listed.resolved(connection), listed.sort, order)
    except QueryError as error:
        # An address or a time zone is no longer known. Events must be stored all the same.
        log.warning("the list of the query “%s” cannot be kept: %s", listed.query, error)
        return None


def _addresses(row: Row, orders: sorts.Orders) -> tuple[str, ...]:
    """Returns the addresses that the query and the sort of a row name."""
    addresses = people_in(row.query).addresses
    sort = None if row.sort_id is None else orders.version(row.sort_id)
    for rule in sort.rules if sort else ():
        addresses += people_in(rule.when).addresses
    return addresses


def outdated(connection: Connection, addresses: Collection[str]) -> set[str]:
    """Returns the lists that name one of these addresses, which other admins have now, and that
    would have another id by now, or none."""
    orders = sorts.Orders(connection)
    columns = (query_lists.c[name] for name in Row._fields)
    rows = [Row(*values) for values in connection.execute(select(*columns))]
    rows = [row for row in rows if not {*_addresses(row, orders)}.isdisjoint(addresses)]
    made = [(row.id, _made_of(connection, row, orders)) for row in rows]
    return {id for id, query_list in made if query_list is None or query_list.id != id}
