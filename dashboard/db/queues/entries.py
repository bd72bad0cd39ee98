"""The threads that queues may hand out, in the order of their lists.

An entry is written in the transaction that changes its thread, from the same moves on lists: so a
queue's order in SQL is that of the list in Redis, and needs no repair.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, delete, func, insert, or_, select, update

from dashboard.db.driver import RowStatement, RowValues, Write, insert_on
from dashboard.db.id_ranges import within
from dashboard.db.lists import query_lists, versions
from dashboard.db.lists.entries import bring_forward, changes_ahead, live_between, lock_threads
from dashboard.db.lists.membership import Moves, is_on, score_of, source_of
from dashboard.db.lists.query_lists import QueryList, QueryLists
from dashboard.db.models.queues import queue_entries, queue_lists, queues
from dashboard.db.models.threads import threads
from dashboard.db.models.views import views
from dashboard.db.threads.thread_states import ThreadColumns, ThreadState
from scoring.conditions.subject import Subject
from scoring.facts import Facts

#: Entries that one statement removes: other writes run in between.
REMOVED_AT_ONCE = 1_000

_COLUMNS = ("list", "thread_id", "desk", "score", "since", "ready")
_NAMES = ", ".join(_COLUMNS)
_ON_CONFLICT = (
    " ON CONFLICT (list, thread_id) DO UPDATE"
    " SET desk = excluded.desk, score = excluded.score, ready = excluded.ready"
)
_GIVEN = (
    'json_to_recordset(%s) AS given ("list" bigint, "thread_id" bigint, "desk" text,'
    ' "score" bigint, "since" bigint, "ready" boolean)'
)
#: Adds entries; one that exists keeps its `since`.
_PUT = RowStatement(
    f"INSERT INTO queue_entries ({_NAMES})"
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)}){_ON_CONFLICT}",
    f"INSERT INTO queue_entries ({_NAMES})"
    f" SELECT {', '.join(f'given.{name}' for name in _COLUMNS)} FROM {_GIVEN}{_ON_CONFLICT}",
)
_REMOVE = RowStatement(
    "DELETE FROM queue_entries WHERE list = :list AND thread_id = :thread_id",
    f"DELETE FROM queue_entries USING {_GIVEN}"
    " WHERE queue_entries.list = given.list AND queue_entries.thread_id = given.thread_id",
)


class EntryChanges:
    """Collects the changes of entries that a write of threads makes."""

    def __init__(self, lists: QueryLists):
        self._lists = lists
        self._put: list[RowValues] = []
        self._removed: list[RowValues] = []

    def add(
        self,
        state: ThreadState,
        moves: Moves,
        subject: Subject | None,
        at: int,
        scores: tuple[int, ...],
        changed: RowValues,
    ) -> bool:
        """Adds the changes of a thread; returns whether a queue may hand it out from now on, or its
        admin may get another one. `changed`: its changed columns."""
        frees = is_freed(state)
        mask = self._lists.queue_mask
        was_on = moves.held & mask if not state.stored.closed else 0
        is_on = moves.holds & mask if not state.facts.closed else 0
        if not was_on | is_on:
            return frees
        was_ready = is_ready(state.stored, state.before)
        ready = is_ready(state.facts, state.columns)
        names, numbers = self._lists.index.names, self._lists.queue_numbers
        for name in names(was_on & ~is_on):
            self._removed.append({"list": numbers[name], "thread_id": state.id})
        is_moved = state.columns.desk != state.before.desk
        is_new = ready != was_ready or (ready and is_moved)
        put = {*names(is_on if is_new else is_on & ~was_on)}
        if ready and not is_new:
            put |= self._resorted(names(is_on & was_on), changed)
        if put and subject is not None:
            placed = self._lists.scores(put, subject, at, scores)
            entry = {"thread_id": state.id, "desk": state.columns.desk, "since": at, "ready": ready}
            self._put += [
                {"list": numbers[name], "score": score, **entry}
                for name, (score,) in placed.items()
            ]
        return frees or (ready and bool(is_on) and (is_new or bool(is_on & ~was_on)))

    def _resorted(self, names: Iterable[str], changed: RowValues) -> set[str]:
        """Returns the lists among these on which the thread may have another score now."""
        columns = self._lists.score_columns
        return {name for name in names if columns[name] is None or columns[name] in changed}

    def writes(self) -> list[Write]:
        """Returns the writes of the changes."""
        return [Write(_REMOVE, self._removed), Write(_PUT, self._put)]


def is_ready(facts: Facts, columns: ThreadColumns) -> bool:
    """Whether an open thread may be handed out."""
    return columns.assignee_id is None and facts.snoozed_until is None and not facts.closed


def is_freed(state: ThreadState) -> bool:
    """Whether a write of a thread may give its former admin a free place."""
    admin_id = state.before.assignee_id
    if admin_id is None:
        return False
    facts, stored = state.facts, state.stored
    return (
        state.columns.assignee_id != admin_id
        or (facts.closed and not stored.closed)
        or (facts.snoozed_until is not None and stored.snoozed_until is None)
        or (facts.waiting_since is None and stored.waiting_since is not None)
    )


def synchronize(connection: Connection) -> None:
    """Has writes of threads keep the entries of the lists that queues have now, and of no others.

    Call it in each transaction that changes queues, or the lists of views. New lists are filled
    afterwards, by `fill`.
    """
    wanted = select(views.c.list_id).join(queues, queues.c.view_id == views.c.id)
    list_ids = {id for id in connection.scalars(wanted) if id is not None}
    kept = {id for id in connection.scalars(select(queue_lists.c.list_id)) if id is not None}
    if list_ids == kept:
        return
    if kept - list_ids:
        gone = queue_lists.c.list_id.in_(kept - list_ids)
        connection.execute(update(queue_lists).where(gone).values(list_id=None))
    versions.grow_lists(connection)
    for list_id in sorted(list_ids - kept):
        last_id = connection.scalar(select(func.max(threads.c.id))) or 0
        connection.execute(insert(queue_lists).values(list_id=list_id, fill_to=last_id))


class Unfilled(NamedTuple):
    """A list with threads that have no entries yet: those above the id `filled_to`."""

    number: int
    list_id: str
    fill_to: int
    filled_to: int


_UNFILLED = select(*(queue_lists.c[name] for name in Unfilled._fields)).where(
    queue_lists.c.filled_to < queue_lists.c.fill_to, queue_lists.c.list_id.is_not(None)
)


def unfilled(connection: Connection) -> Unfilled | None:
    """Returns a list that is not filled, or None."""
    kept = query_lists.current(connection).lists
    rows = connection.execute(_UNFILLED.order_by(queue_lists.c.number)).all()
    return next((Unfilled(*row) for row in rows if row.list_id in kept), None)


def fill(connection: Connection, unfilled: Unfilled, last_id: int, now_ms: int) -> None:
    """Adds the entries of the threads after `filled_to`, up to `last_id`, as of `now_ms`.

    They count as being on the list since they were opened.
    """
    some = live_between(unfilled.filled_to, last_id)
    # Writes lock their threads first. The other way round, they and this one would wait for each
    # other.
    lock_threads(connection, some)
    # A write of a thread that has read the older lists would not see these entries.
    versions.wait_for_writers(connection)
    fill_to = unfilled.fill_to
    if unfilled.filled_to == 0:
        # The list may have been lost for a while: then some workers do not keep it yet, and threads
        # of that time have no entries.
        versions.grow_lists(connection)
        fill_to = max(fill_to, connection.scalar(select(func.max(threads.c.id))) or 0)
    query_list = query_lists.current(connection).lists.get(unfilled.list_id)
    if query_list is not None:
        bring_forward(connection, changes_ahead(connection, [query_list], now_ms, some))
        _add(connection, query_list, unfilled, last_id, now_ms)
    connection.execute(
        update(queue_lists)
        .where(queue_lists.c.number == unfilled.number)
        .values(filled_to=min(last_id, fill_to), fill_to=fill_to)
    )


def _add(
    connection: Connection, query_list: QueryList, unfilled: Unfilled, last_id: int, now_ms: int
) -> None:
    ready = and_(threads.c.assignee_id.is_(None), threads.c.snoozed_until.is_(None))
    rows = (
        select(
            bindparam("number", unfilled.number, literal_execute=True),
            threads.c.id,
            threads.c.desk,
            score_of(query_list, now_ms),
            _opened(now_ms),
            case((ready, True), else_=False),
        )
        .select_from(source_of(query_list))
        .where(
            within(threads.c.id, unfilled.filled_to, last_id),
            threads.c.closed.is_(False),
            is_on(query_list, now_ms, by_id=True),
        )
    )
    statement = insert_on(connection, queue_entries).from_select(list(_COLUMNS), rows)
    connection.execute(statement.on_conflict_do_nothing())


def _opened(now_ms: int) -> Any:
    """Returns the time since which threads without entries count as being on a list."""
    return func.coalesce(threads.c.reopened_at, threads.c.first_event_at, now_ms)


def has_lost(connection: Connection) -> bool:
    """Whether a list has entries although its query is wrong by now: nothing keeps them."""
    return _lost(connection) is not None


def forget_lost(connection: Connection) -> bool:
    """Removes some entries of such a list, which is filled again once its query is right; False
    without one."""
    number = _lost(connection)
    if number is None:
        return False
    if not _remove_some(connection, number):
        fill_to = case((queue_lists.c.fill_to > 0, queue_lists.c.fill_to), else_=1)
        values = {"filled_to": 0, "fill_to": fill_to}
        connection.execute(update(queue_lists).where(queue_lists.c.number == number).values(values))
        versions.grow_lists(connection)
    return True


def _lost(connection: Connection) -> int | None:
    kept = query_lists.current(connection).lists
    filled = select(queue_lists.c.number, queue_lists.c.list_id).where(
        queue_lists.c.list_id.is_not(None),
        or_(queue_lists.c.filled_to > 0, queue_lists.c.fill_to == 0),
    )
    rows = connection.execute(filled.order_by(queue_lists.c.number)).all()
    return next((number for number, list_id in rows if list_id not in kept), None)


_UNUSED = select(queue_lists.c.number).where(queue_lists.c.list_id.is_(None)).limit(1)


def has_unused(connection: Connection) -> bool:
    """Whether there is a list that no queue has any more."""
    return connection.scalar(_UNUSED) is not None


def remove_unused(connection: Connection) -> bool:
    """Removes some entries of a list that no queue has any more, and the list with its last one;
    False without such a list."""
    number = connection.scalar(_UNUSED)
    if number is None:
        return False
    if not _remove_some(connection, number):
        connection.execute(delete(queue_lists).where(queue_lists.c.number == number))
    return True


def _remove_some(connection: Connection, number: int) -> bool:
    """Removes some entries of a list; False without any."""
    of_list = select(queue_entries.c.thread_id).where(queue_entries.c.list == number)
    ids = connection.scalars(of_list.limit(REMOVED_AT_ONCE)).all()
    remove(connection, number, ids)
    return bool(ids)


def remove(connection: Connection, number: int, thread_ids: Iterable[int]) -> None:
    """Removes the entries of these threads from a list."""
    _REMOVE.write(connection, [{"list": number, "thread_id": id} for id in thread_ids])


class Entry(NamedTuple):
    """A thread that may be handed out; on the list without a break since `since`."""

    thread_id: int
    desk: str
    score: int
    since: int


_READY = and_(queue_entries.c.ready.is_(True), queue_entries.c.list == bindparam("number"))


def first(
    connection: Connection,
    number: int,
    desks: frozenset[str] | None,
    since: int | None,
    limit: int,
    without: Collection[int] = (),
) -> list[Entry]:
    """Returns the first threads at these desks (None: at any) that may be handed out, and that are
    on the list at least since a time (None: since any time)."""
    columns = (queue_entries.c[name] for name in Entry._fields)
    statement = select(*columns).where(_READY)
    if since is not None:
        statement = statement.where(queue_entries.c.since <= since)
    if desks is not None:
        statement = statement.where(queue_entries.c.desk.in_(desks))
    if without:
        statement = statement.where(queue_entries.c.thread_id.not_in(without))
    statement = statement.order_by(queue_entries.c.score, queue_entries.c.thread_id).limit(limit)
    return [Entry(*row) for row in connection.execute(statement, {"number": number})]


def count(connection: Connection, number: int, desks: frozenset[str] | None, since: int) -> int:
    """Counts the threads that `first` would return without a limit."""
    statement = select(func.count()).where(_READY, queue_entries.c.since <= since)
    if desks is not None:
        statement = statement.where(queue_entries.c.desk.in_(desks))
    return connection.scalar(statement, {"number": number}) or 0


def count_of_some(
    connection: Connection, since: Mapping[int, int], desks: frozenset[str] | None
) -> int:
    """Counts the threads of several lists, each once. `since` maps the numbers of the lists to the
    time since which a thread must be on each."""
    of_lists = or_(
        *(
            and_(queue_entries.c.list == number, queue_entries.c.since <= at)
            for number, at in since.items()
        )
    )
    statement = select(func.count(queue_entries.c.thread_id.distinct()))
    statement = statement.where(queue_entries.c.ready.is_(True), of_lists)
    if desks is not None:
        statement = statement.where(queue_entries.c.desk.in_(desks))
    return connection.scalar(statement) or 0


def count_on_list(connection: Connection, query_list: QueryList, now_ms: int, delay_ms: int) -> int:
    """Counts the threads on a list that a queue could hand out now, without its entries."""
    statement = select(func.count()).select_from(source_of(query_list))
    ready = and_(
        threads.c.closed.is_(False),
        threads.c.assignee_id.is_(None),
        threads.c.snoozed_until.is_(None),
        _opened(now_ms) <= now_ms - delay_ms,
    )
    return connection.scalar(statement.where(ready, is_on(query_list, now_ms))) or 0


class Position(NamedTuple):
    """The number of threads that wait in a queue: up to this one, and of all."""

    position: int
    of: int


def position(
    connection: Connection, number: int, thread_id: int, desks: frozenset[str] | None = None
) -> Position | None:
    """Returns the position of a thread among those at these desks (None: at any) that may be handed
    out; None: it is not one."""
    own = select(queue_entries.c.score).where(_READY, queue_entries.c.thread_id == thread_id)
    score = connection.scalar(own, {"number": number})
    if score is None:
        return None
    before = case(
        (
            (queue_entries.c.score < score)
            | ((queue_entries.c.score == score) & (queue_entries.c.thread_id <= thread_id)),
            1,
        )
    )
    counts = select(func.count(before), func.count()).where(_READY)
    if desks is not None:
        counts = counts.where(queue_entries.c.desk.in_(desks))
    return Position(*connection.execute(counts, {"number": number}).one())


def order(connection: Connection, number: int) -> list[int]:
    """Returns all threads that may be handed out, in the order of the list."""
    statement = select(queue_entries.c.thread_id).where(_READY)
    statement = statement.order_by(queue_entries.c.score, queue_entries.c.thread_id)
    return list(connection.scalars(statement, {"number": number}))


def next_ready_at(connection: Connection, number: int, delay_ms: int, now_ms: int) -> int | None:
    """Returns the time at which the next thread has been on the list for long enough."""
    statement = select(func.min(queue_entries.c.since))
    statement = statement.where(_READY, queue_entries.c.since > now_ms - delay_ms)
    since = connection.scalar(statement, {"number": number})
    return None if since is None else since + delay_ms
