"""Which threads a query may hold for, by an index, where only few have what it asks."""

from collections.abc import Callable, Iterable, Mapping

from sqlalchemy import ColumnElement, Connection, Select, false, func, or_, select

from dashboard.db.models.mentions import mentions
from dashboard.db.models.threads import customers, threads
from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.leaves import Language, Leaf, OneOf, Present, Tagged, Within
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import TRUTHS

#: An index serves where it names at most one of so many threads: reading one by its id takes about
#: as long as ten of them in order.
SHARE = 50

#: Languages of customers are compared one by one.
LOCALES_MAX = 500

#: With a limit no more of an index is read than that.
Ids = Select[int]
#: The last one gives threads, which may be archived; the others, ids of what it looks at.
Statements = tuple[Ids, ...]


class Candidates:
    """Asks indexes for the threads of one query after the other.

    They serve where each alternative of the query contains a question that one of them answers, and
    where so few threads are found that reading them by their ids costs little beside reading all
    threads in order; of all queries together no more than that costs.
    """

    def __init__(self, threads_in_all: int):
        self._most = threads_in_all // SHARE
        self._left = threads_in_all
        #: Questions of which the answer is too long.
        self._common: set[Leaf] = set()

    def of(self, connection: Connection, resolved: Resolved) -> list[int] | None:
        """Ids in order, among them those of all threads on lists for which the query holds, now or
        by time alone; None where no index gives so few."""
        if resolved.conjuncts is None:
            return None
        found: set[int] = set()
        for conjunct in resolved.conjuncts:
            ids = self._of_conjunct(connection, conjunct)
            if ids is None:
                return None
            found |= ids
        if len(found) > min(self._most, self._left):
            return None
        self._left -= len(found)
        return sorted(found)

    def _of_conjunct(self, connection: Connection, conjunct: Conjunct) -> set[int] | None:
        asked = {leaf.attribute: leaf for leaf in _answerable(conjunct)}
        for attribute, statements_of in _INDEXED.items():
            leaf = asked.get(attribute)
            if leaf is None or leaf in self._common:
                continue
            statements = statements_of(connection, leaf)
            if statements and not any(self._are_many(connection, each) for each in statements):
                return set(connection.scalars(statements[-1]))
            self._common.add(leaf)
        return None

    def _are_many(self, connection: Connection, ids: Ids) -> bool:
        """To read as many ids for nothing would take ten times as long."""
        return connection.scalar(ids.offset(self._most).limit(1)) is not None


def _answerable(conjunct: Iterable[Literal]) -> Iterable[Leaf]:
    """What must hold; of what is true or false also what must not."""
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
    """By the locales that customers have: which of them are of a language no index says."""
    if not isinstance(leaf, Language) or None in leaf.tags:
        return ()
    known = connection.scalars(_LOCALES.limit(LOCALES_MAX + 1)).all()
    if len(known) > LOCALES_MAX:
        return ()
    speak = customers.c.locale.in_([locale for locale in known if leaf.takes(locale)])
    theirs = select(threads.c.id).join_from(threads, customers)
    # Many customers may have no thread.
    return select(customers.c.id).where(speak), theirs.where(speak)


def _open_or_closed(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, OneOf) or len(leaf.values) != 1:
        return ()
    return (_live(next(iter(leaf.values))),)


def _snoozed(connection: Connection, leaf: Leaf) -> Statements:
    """They are open."""
    return (_live(False),) if isinstance(leaf, OneOf) and leaf.values == {True} else ()


def _live(closed: bool) -> Ids:
    is_closed: ColumnElement[bool] = threads.c.closed.is_(closed)
    return select(threads.c.id).where(threads.c.archived.is_(False), is_closed)


def _waiting(connection: Connection, leaf: Leaf) -> Statements:
    if not isinstance(leaf, Present | Within):
        return ()
    # The version is that of the index of threads that wait: SQLite would take another one.
    is_waiting = threads.c.waiting_since.is_not(None) & (threads.c.due_version >= 0)
    return (select(threads.c.id).where(is_waiting),)


def _tagged(connection: Connection, leaf: Leaf) -> Statements:
    """All that have any tag: there is no index of tags."""
    if not isinstance(leaf, Tagged) or None in leaf.tags:
        return ()
    return (select(threads.c.id).where(threads.c.tags.is_not(None)).order_by(threads.c.id.desc()),)


def _distinct_locales() -> Select[str | None]:
    """Each once, and NULL at the end; the index is asked for the next one, again and again."""
    locale = customers.c.locale
    first = select(func.min(locale).label("locale")).where(locale.is_not(None))
    found = first.cte("locales", recursive=True)
    next = select(func.min(locale)).where(locale > found.c.locale).scalar_subquery()
    return select(found.union_all(select(next).where(found.c.locale.is_not(None))).c.locale)


_LOCALES = _distinct_locales()

#: Attribute to what an index answers of it; what usually fewer threads have comes first.
_INDEXED: Mapping[str, Callable[[Connection, Leaf], Statements]] = {
    "mentioned": _mentioned,
    "assignee_id": _assigned,
    "closed_at": _closed_at,
    "locale": _spoken,
    "snoozed": _snoozed,
    "closed": _open_or_closed,
    "waiting_since": _waiting,
    "tags": _tagged,
}
