"""Which threads a query may hold for, by an index, where only few have what it asks."""

from collections.abc import Callable, Iterable, Mapping

from sqlalchemy import ColumnElement, Connection, Select, false, or_, select

from dashboard.db.conditions.columns import TRUTHS
from dashboard.db.models.mentions import mentions
from dashboard.db.models.threads import threads
from scoring.conditions.conjuncts import Conjunct, Literal
from scoring.conditions.leaves import Leaf, OneOf, Present, Tagged, Within
from scoring.conditions.resolved import Resolved

#: An index serves where it names at most one of so many threads: reading one by its id takes about
#: as long as ten of them in order.
SHARE = 50

#: Ids of threads, which may be archived. With a limit no more of the index is read than that.
Ids = Select[int]


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
        for attribute, statement_of in _INDEXED.items():
            leaf = asked.get(attribute)
            statement = None if leaf is None or leaf in self._common else statement_of(leaf)
            if leaf is None or statement is None:
                continue
            # Asked first: to read as many ids for nothing takes ten times as long.
            if connection.scalar(statement.offset(self._most).limit(1)) is None:
                return set(connection.scalars(statement))
            self._common.add(leaf)
        return None


def _answerable(conjunct: Iterable[Literal]) -> Iterable[Leaf]:
    """What must hold; of what is true or false also what must not."""
    for leaf, is_right in conjunct:
        if is_right:
            yield leaf
        elif isinstance(leaf, OneOf) and leaf.attribute in TRUTHS:
            yield OneOf(leaf.attribute, frozenset({True, False}) - leaf.values)


def _mentioned(leaf: Leaf) -> Ids | None:
    if not isinstance(leaf, Tagged) or None in leaf.tags:
        return None
    is_theirs = mentions.c.admin_id.in_(sorted(int(tag) for tag in leaf.tags if tag is not None))
    return select(mentions.c.thread_id).where(is_theirs, mentions.c.read_at.is_(None))


def _assigned(leaf: Leaf) -> Ids | None:
    if not isinstance(leaf, OneOf) or None in leaf.values:
        return None
    is_theirs = threads.c.assignee_id.in_(sorted(leaf.values))
    return select(threads.c.id).where(is_theirs, threads.c.archived.is_(False))


def _closed_at(leaf: Leaf) -> Ids | None:
    if not isinstance(leaf, Within) or leaf.measure != "instant":
        return None
    at = threads.c.closed_at
    spans = [
        (at >= low if low is not None else at.is_not(None))
        & (at < high if high is not None else at.is_not(None))
        for low, high in leaf.spans
    ]
    return _live(True).where(or_(false(), *spans))


def _open_or_closed(leaf: Leaf) -> Ids | None:
    if not isinstance(leaf, OneOf) or len(leaf.values) != 1:
        return None
    return _live(next(iter(leaf.values)))


def _snoozed(leaf: Leaf) -> Ids | None:
    """They are open."""
    return _live(False) if isinstance(leaf, OneOf) and leaf.values == {True} else None


def _live(closed: bool) -> Ids:
    is_closed: ColumnElement[bool] = threads.c.closed.is_(closed)
    return select(threads.c.id).where(threads.c.archived.is_(False), is_closed)


def _waiting(leaf: Leaf) -> Ids | None:
    if not isinstance(leaf, Present | Within):
        return None
    # The version is that of the index of threads that wait: SQLite would take another one.
    is_waiting = threads.c.waiting_since.is_not(None) & (threads.c.due_version >= 0)
    return select(threads.c.id).where(is_waiting)


def _tagged(leaf: Leaf) -> Ids | None:
    """All that have any tag: there is no index of tags."""
    if not isinstance(leaf, Tagged) or None in leaf.tags:
        return None
    return select(threads.c.id).where(threads.c.tags.is_not(None)).order_by(threads.c.id.desc())


#: Attribute to what an index answers of it; what usually fewer threads have comes first.
_INDEXED: Mapping[str, Callable[[Leaf], Ids | None]] = {
    "mentioned": _mentioned,
    "assignee_id": _assigned,
    "closed_at": _closed_at,
    "snoozed": _snoozed,
    "closed": _open_or_closed,
    "waiting_since": _waiting,
    "tags": _tagged,
}
