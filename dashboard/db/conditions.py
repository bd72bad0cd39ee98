"""Conditions in SQL: values of subjects, the WHERE clause, candidates that an index finds, and
proposed values for a query that is being typed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    cast,
    false,
    func,
    not_,
    or_,
    select,
    true,
)
from sqlalchemy.sql.visitors import iterate

from dashboard.db.accounts import admin_desks, sources
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.accounts import admins
from dashboard.db.models.accounts import sources as sources_table
from dashboard.db.models.threads import customers, mentions, threads
from dashboard.db.threads.thread_tags import SETS_AT, in_column, tags_in
from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.nodes import (
    AllNode,
    AnyNode,
    Language,
    Leaf,
    NotNode,
    OneOf,
    Present,
    ResolvedNode,
    Span,
    Tagged,
    Within,
)
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import ATTRIBUTES, TRUTHS, Subject

#: Maps attributes to their values in SQL, unless these are columns of `threads` of the same name.
COMPUTED: Mapping[str, ColumnElement[Any]] = {
    "answered": threads.c.last_admin_at.is_not(None),
    "unanswered": threads.c.last_admin_at.is_(None) & threads.c.first_request_at.is_not(None),
    "snoozed": threads.c.closed.is_(False) & threads.c.snoozed_until.is_not(None),
    "member_status": func.coalesce(customers.c.member_status, -1),
    "source": sources_table.c.name,
    "locale": customers.c.locale,
    "closed_at": case((threads.c.closed, threads.c.closed_at)),
    "snoozed_until": case((threads.c.closed.is_(False), threads.c.snoozed_until)),
}
#: Maps every attribute of Subject to its value, over `joined()`.
COLUMNS: Mapping[str, ColumnElement[Any]] = {
    name: COMPUTED[name] if name in COMPUTED else threads.c[name] for name in Subject._fields
}
#: Maps attributes to the tables that their values are read from.
_TABLES = {
    name: {part.table for part in iterate(value) if isinstance(part, Column)}
    for name, value in COLUMNS.items()
}
#: Positions of the attributes that are true or false.
_TRUTHS_AT = [Subject._fields.index(name) for name in TRUTHS]


def joined(attributes: Collection[str] = Subject._fields) -> FromClause:
    """Joins threads with the tables that these attributes are read from."""
    tables = set().union(*(_TABLES[name] for name in attributes))
    rows: FromClause = threads
    if sources_table in tables:
        rows = rows.join(sources_table, sources_table.c.id == threads.c.source_id)
    if customers in tables:
        rows = rows.join(customers, customers.c.id == threads.c.customer_id, isouter=True)
    return rows


_SUBJECTS = select(
    threads.c.id, *(COLUMNS[name].label(name) for name in Subject._fields)
).select_from(joined())
_BY_ID = _SUBJECTS.where(threads.c.id.in_(bindparam("ids", expanding=True)))


def subjects(connection: Connection, ids: Collection[int]) -> dict[int, Subject]:
    """Maps thread ids to their subjects; unknown ids are left out."""
    if not ids:
        return {}
    rows = connection.execute(_BY_ID, {"ids": list(ids)}).all()
    return {id: subject_of(values) for id, *values in rows}


def subject_of(values: list[Any]) -> Subject:
    """Returns the subject with these values of COLUMNS, as SQL has them."""
    # By position, which is faster: a rebuild reads every thread.
    for at in _TRUTHS_AT:
        # SQLite returns 0 and 1 for computed truth values.
        values[at] = bool(values[at])
    for at in SETS_AT:
        values[at] = tags_in(values[at])
    return Subject._make(values)


Condition = ColumnElement[bool]
#: Milliseconds, or a bind parameter for them.
Now = int | ColumnElement[int]


def where(resolved: Resolved, now_ms: Now) -> Condition:
    """Returns the WHERE clause of a query at an instant, over `threads_of` the same query."""
    return _condition(resolved.root, now_ms)


def threads_of(resolved: Resolved) -> FromClause:
    """Joins threads with the tables that the query reads, and with nothing else."""
    return joined({leaf.attribute for leaf in resolved.leaves()})


def _condition(node: ResolvedNode, now_ms: Now) -> Condition:
    if isinstance(node, NotNode):
        return not_(_condition(node.node, now_ms))
    if isinstance(node, AllNode):
        return and_(true(), *(_condition(child, now_ms) for child in node.nodes))
    if isinstance(node, AnyNode):
        return or_(false(), *(_condition(child, now_ms) for child in node.nodes))
    if isinstance(node, OneOf):
        return _one_of(node)
    if isinstance(node, Language):
        return _language(node)
    if isinstance(node, Tagged):
        return _tagged(node)
    column = COLUMNS[node.attribute]
    if isinstance(node, Within):
        spans = (_within(column, node, span, now_ms) for span in node.spans)
        return and_(column.is_not(None), or_(*spans))
    return column.is_not(None)


def _one_of(leaf: OneOf) -> Condition:
    column = COLUMNS[leaf.attribute]
    if leaf.attribute in TRUTHS:
        return or_(false(), *(column if value else not_(column) for value in leaf.values))
    values = sorted(value for value in leaf.values if value is not None)
    conditions: list[Condition] = [column.in_(values)] if values else []
    if not ATTRIBUTES[leaf.attribute].may_be_missing:
        return or_(false(), *conditions)
    if None in leaf.values:
        return or_(column.is_(None), *conditions)
    return and_(column.is_not(None), *conditions)


def _language(leaf: Language) -> Condition:
    column = COLUMNS[leaf.attribute]
    tag = func.lower(column).concat("-")
    tags = sorted(one for one in leaf.tags if one is not None)
    # One comparison for each length of a tag, however many tags there are.
    conditions: list[Condition] = [
        func.substr(tag, 1, length + 1).in_([f"{one}-" for one in group])
        for length, group in groupby(sorted(tags, key=len), len)
    ]
    if None in leaf.tags:
        return or_(column.is_(None), *conditions)
    return and_(column.is_not(None), or_(*conditions))


def _tagged(leaf: Tagged) -> Condition:
    column = COLUMNS[leaf.attribute]
    tags = sorted(tag for tag in leaf.tags if tag is not None)
    # Tags are of letters, digits and hyphens: LIKE gives none of them a special meaning.
    conditions = [column.contains(in_column([tag])) for tag in tags]
    if None in leaf.tags:
        return or_(column.is_(None), *conditions)
    return and_(column.is_not(None), or_(*conditions))


def _within(column: ColumnElement[Any], leaf: Within, span: Span, now_ms: Now) -> Condition:
    """Whether a time, measured as `leaf` says, lies in a span; indexes need the bare column."""
    low, high = span
    now = now_ms if isinstance(now_ms, int) else cast(now_ms, BigInteger)
    conditions: list[Condition] = []
    if leaf.measure == "since":
        conditions += [] if low is None else [column <= now - low]
        conditions += [] if high is None else [column > now - high]
    else:
        start = now if leaf.measure == "until" else 0
        conditions += [] if low is None else [column >= start + low]
        conditions += [] if high is None else [column < start + high]
    return and_(*conditions)


#: An index is used if it finds at most one in SHARE threads: reading a thread by its id takes about
#: as long as reading ten threads in order.
SHARE = 50

#: Languages of customers are compared one by one, up to this many.
LOCALES_MAX = 500

#: A select of ids that reads no more of its index than a limit requires.
Ids = Select[int]
#: The last statement selects threads, even archived ones; earlier ones, ids of rows it must read.
Statements = tuple[Ids, ...]


class Candidates:
    """Finds the threads of queries by indexes, one query after the other.

    Indexes are used only if each alternative of the query has a condition that an index answers,
    with so few threads that reading them by id costs little compared with reading all threads in
    order. All queries together cost no more than that.
    """

    def __init__(self, threads_in_all: int):
        self._most = threads_in_all // SHARE
        self._left = threads_in_all
        #: Conditions that too many threads meet.
        self._common: set[Leaf] = set()

    def of(self, connection: Connection, resolved: Resolved) -> list[int] | None:
        """Returns ids in order. They include all threads on lists for which the query holds, now or
        later by time alone. None if indexes find too many."""
        if resolved.conjuncts is None:
            return None
        all_ids: set[int] = set()
        for conjunct in resolved.conjuncts:
            ids = self._of_conjunct(connection, conjunct)
            if ids is None:
                return None
            all_ids |= ids
        if len(all_ids) > min(self._most, self._left):
            return None
        self._left -= len(all_ids)
        return sorted(all_ids)

    def _of_conjunct(self, connection: Connection, conjunct: Conjunct) -> set[int] | None:
        leaves = {leaf.attribute: leaf for leaf in _answerable(conjunct)}
        for attribute, statements_of in _INDEXED.items():
            leaf = leaves.get(attribute)
            if leaf is None or leaf in self._common:
                continue
            statements = statements_of(connection, leaf)
            if statements and not any(self._are_many(connection, query) for query in statements):
                return set(connection.scalars(statements[-1]))
            self._common.add(leaf)
        return None

    def _are_many(self, connection: Connection, ids: Ids) -> bool:
        """Whether an index has too many ids; to read them in vain would take ten times as long."""
        return connection.scalar(ids.offset(self._most).limit(1)) is not None


def _answerable(conjunct: Iterable[Literal]) -> Iterable[Leaf]:
    """Yields the leaves that must hold; a truth value that must not hold becomes its opposite."""
    for leaf, is_right in conjunct:
        if is_right:
            yield leaf
        elif isinstance(leaf, OneOf) and leaf.attribute in TRUTHS:
            yield OneOf(leaf.attribute, frozenset({True, False}) - leaf.values)


def _mentioned(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, Tagged) or None in leaf.tags:
        return ()
    is_theirs = mentions.c.admin_id.in_(sorted(int(tag) for tag in leaf.tags if tag is not None))
    return (select(mentions.c.thread_id).where(is_theirs, mentions.c.read_at.is_(None)),)


def _assigned(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, OneOf) or None in leaf.values:
        return ()
    is_theirs = threads.c.assignee_id.in_(sorted(leaf.values))
    return (select(threads.c.id).where(is_theirs, threads.c.archived.is_(False)),)


def _closed_at(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, Within) or leaf.measure != "instant":
        return ()
    at = threads.c.closed_at
    spans = [
        (at >= low if low is not None else at.is_not(None))
        & (at < high if high is not None else at.is_not(None))
        for low, high in leaf.spans
    ]
    return (_live(True).where(or_(false(), *spans)),)


def _spoken(connection: Connection, leaf: Leaf) -> Statements:
    """Looks up locales of customers: no index knows the locales of a language."""
    if not isinstance(leaf, Language) or None in leaf.tags:
        return ()
    locales = connection.scalars(_LOCALES.limit(LOCALES_MAX + 1)).all()
    if len(locales) > LOCALES_MAX:
        return ()
    speak = customers.c.locale.in_([locale for locale in locales if leaf.takes(locale)])
    theirs = select(threads.c.id).join_from(threads, customers)
    # Many customers may have no thread.
    return select(customers.c.id).where(speak), theirs.where(speak)


def _open_or_closed(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, OneOf) or len(leaf.values) != 1:
        return ()
    return (_live(next(iter(leaf.values))),)


def _snoozed(connection: Connection, leaf: Leaf) -> Statements:
    """Selects the open threads, which include all snoozed ones."""
    return (_live(False),) if isinstance(leaf, OneOf) and leaf.values == {True} else ()


def _live(closed: bool) -> Ids:
    is_closed: ColumnElement[bool] = threads.c.closed.is_(closed)
    return select(threads.c.id).where(threads.c.archived.is_(False), is_closed)


def _waiting(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, Present | Within):
        return ()
    # The condition on the version names the index of waiting threads: SQLite would take another
    # one.
    is_waiting = threads.c.waiting_since.is_not(None) & (threads.c.due_version >= 0)
    return (select(threads.c.id).where(is_waiting),)


def _ids_tagged(connection: Connection, leaf: Leaf) -> Statements:
    """Selects all threads that have any tag: there is no index of tags."""
    if not isinstance(leaf, Tagged) or None in leaf.tags:
        return ()
    return (select(threads.c.id).where(threads.c.tags.is_not(None)).order_by(threads.c.id.desc()),)


def _distinct_locales() -> Select[str | None]:
    """Selects each locale once, NULL last; a recursive query asks the index for the next one."""
    locale = customers.c.locale
    first = select(func.min(locale).label("locale")).where(locale.is_not(None))
    locales = first.cte("locales", recursive=True)
    next = select(func.min(locale)).where(locale > locales.c.locale).scalar_subquery()
    return select(locales.union_all(select(next).where(locales.c.locale.is_not(None))).c.locale)


_LOCALES = _distinct_locales()

#: Maps attributes to the statements of their indexes; the one with the fewest threads comes first.
_INDEXED: Mapping[str, Callable[[Connection, Leaf], Statements]] = {
    "mentioned": _mentioned,
    "assignee_id": _assigned,
    "closed_at": _closed_at,
    "locale": _spoken,
    "snoozed": _snoozed,
    "closed": _open_or_closed,
    "waiting_since": _waiting,
    "tags": _ids_tagged,
}

#: Number of newest customers that languages are read from: reading all would take too long.
CUSTOMERS = 5_000
#: Number of newest threads with tags that tags are read from.
THREADS = 5_000


def addresses(connection: Connection) -> list[str]:
    """Returns the e-mail addresses of all admins who may sign in."""
    enabled = select(admins.c.email).where(admins.c.disabled_at.is_(None))
    return list(connection.scalars(enabled.order_by(admins.c.email)))


def languages(connection: Connection, seen: Desks) -> list[str]:
    """Returns the languages of the newest customers with threads at these desks, the most frequent
    first: `vi` before `vi-vn`. None: of all customers."""
    newest = select(customers.c.locale).order_by(customers.c.id.desc()).limit(CUSTOMERS)
    if seen is not None:
        theirs = threads.c.customer_id == customers.c.id
        newest = newest.where(select(threads.c.id).where(theirs, threads.c.desk.in_(seen)).exists())
    counts: Counter[str] = Counter()
    for locale, count in Counter(connection.scalars(newest)).items():
        if locale is not None:
            tag = locale.lower()
            for name in {tag, tag.partition("-")[0]}:
                counts[name] += count
    return sorted(counts, key=lambda name: (-counts[name], name))


def tag_counts(connection: Connection, seen: Desks) -> tuple[Counter[str], int]:
    """Counts the threads of each tag among the newest tagged threads at these desks. None: at any
    desk. Also returns the number of these threads."""
    statement = select(threads.c.tags).where(threads.c.tags.is_not(None))
    if seen is not None:
        statement = statement.where(threads.c.desk.in_(seen))
    newest = connection.scalars(statement.order_by(threads.c.id.desc()).limit(THREADS)).all()
    return Counter(tag for column in newest for tag in tags_in(column)), len(newest)


def tags(connection: Connection, seen: Desks) -> list[str]:
    """Returns the tags of the newest tagged threads at these desks, the most frequent first. None:
    at any desk."""
    counts, _ = tag_counts(connection, seen)
    return sorted(counts, key=lambda name: (-counts[name], name))


#: Maps fields to functions that read their values, for an admin who sees the threads at some desks.
BY_FIELD: Mapping[str, Callable[[Connection, Desks], list[str]]] = {
    "assigned": lambda connection, seen: addresses(connection),
    "mentions": lambda connection, seen: addresses(connection),
    "source": lambda connection, seen: sources.names(connection),
    "desk": lambda connection, seen: admin_desks.names(connection),
    "tag": tags,
    "lang": languages,
}
