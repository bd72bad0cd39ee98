"""Threads that are being written: locks them, and writes what has changed of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import takewhile
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Select, and_, bindparam, delete, insert, or_, select

from dashboard.db import driver
from dashboard.db.accounts import sources
from dashboard.db.driver import (
    Ask,
    RowStatement,
    RowValues,
    Write,
    answer,
    answers,
    by_name,
    insert_missing,
    update_of,
)
from dashboard.db.lists import versions
from dashboard.db.lists.versions import Versions
from dashboard.db.models.threads import threads
from dashboard.db.threads.customers import NO_CUSTOMER, RankedValues, read_ranked_values
from dashboard.db.threads.thread_tags import SETS_AT, tags_in
from scoring.conditions.subject import Subject, said_by_columns
from scoring.facts import Facts, ThreadEvent
from scoring.sorts import SORTS

#: Whether the customer's next message ends a snooze, too.
Wake = Literal["reply", "never"]
#: The end of a snooze: at its moment, by the customer's next message, or by an admin.
Reason = Literal["time", "reply", "admin"]


@dataclass(slots=True)
class ThreadColumns:
    """The columns of a thread that hold no facts and are not computed from others.

    Times in milliseconds. `stamps`: see `events.wins`; `tags` and `mentioned` are texts of
    `thread_tags.in_column`. The table `threads` explains the columns.
    """

    customer_id: int | None
    assignee_id: int | None
    assigned_at: int | None
    last_message_id: int | None
    preview_role: str | None
    preview_body: str | None
    preview_at: int | None
    preview_event_id: int | None
    last_role: str | None
    stamps: Mapping[str, Any]
    snoozed_at: int | None
    snoozed_by_id: int | None
    wake: Wake | None
    woken_at: int | None
    woken_reason: Reason | None
    due_version: int
    due_told_for: int | None
    tags: str | None
    desk: str
    mentioned: str | None
    has_file: bool
    queue_id: int | None
    take_until: int | None


class Computed(NamedTuple):
    """Columns of a thread that are computed when it is saved; the scores follow them."""

    recent_at: int
    waiting_since: int | None
    archived: bool
    listed_at: int
    next_change_at: int | None


@dataclass(slots=True)
class ThreadState:
    """A locked thread: change `facts` and `columns`, then `save`.

    `facts.member_status` is the customer's, as in `customer`. `events` are the new ones, to be
    folded. `stored`, `before` and `computed_before` are facts and columns as they are in SQL, and
    `values` has all of these in the order of writing; `customer_before` has the values before this
    transaction.
    """

    id: int
    source_id: int
    external_id: str
    revision: int
    facts: Facts
    stored: Facts
    columns: ThreadColumns
    before: ThreadColumns
    computed_before: Computed
    values: Sequence[Any]
    customer: RankedValues = NO_CUSTOMER
    customer_before: RankedValues = NO_CUSTOMER
    #: The thread's row or conversation changed, although perhaps no column did: the thread gets a
    #: new revision.
    row_changed: bool = False
    events: list[ThreadEvent] = field(default_factory=list)

    def is_due(self, now_ms: int) -> bool:
        """Whether time has changed anything about the thread."""
        next_change_at = self.computed_before.next_change_at
        return next_change_at is not None and next_change_at <= now_ms

    def moment(self, now_ms: int) -> int:
        """Returns the moment of the write: never before the last one, even if clocks differ."""
        return max(now_ms, self.computed_before.listed_at)

    def act_at(self, now_ms: int) -> int:
        """Returns the time of an admin's act that is stored now: later than all stored events of
        the thread. The clock was read before the thread was locked, and clocks differ by some
        milliseconds; an act with an earlier time would settle less than its author had seen."""
        facts, stamps = self.facts, self.columns.stamps
        moments = (
            facts.last_client_at,
            facts.last_admin_at,
            facts.handoff_at,
            facts.closed_at,
            facts.reopened_at,
            *(at for at, _ in stamps.values()),
        )
        return max([now_ms, *(at + 1 for at in moments if at is not None)])

    def subject(self, source: str) -> Subject:
        """Returns the subject of its conditions; `source` is the name of its source."""
        return _subject(source, self.facts, self.columns, self.customer)

    def subject_before(self, source: str) -> Subject:
        """Returns the subject as it was before this transaction."""
        return _subject(source, self.stored, self.before, self.customer_before)


def _subject(source: str, facts: Facts, columns: ThreadColumns, customer: RankedValues) -> Subject:
    if facts.member_status != customer.member_status:
        facts = facts._replace(member_status=customer.member_status)
    others = [*said_by_columns(columns), customer.locale, source]
    for at in SETS_AT:
        others[at] = tags_in(others[at])
    return facts.subject(*others)


#: In the order of `Facts`; its last field, the member status, is stored with the customer.
_FACTS = Facts._fields[:-1]
_OTHERS = tuple(column.name for column in fields(ThreadColumns))
_others_of = attrgetter(*_OTHERS)
_SCORES = tuple(f"score_{name}" for name in SORTS)
_WRITTEN = (*_FACTS, *_OTHERS, *Computed._fields, *_SCORES)

_READ = ("id", "source_id", "external_id", "revision", *_WRITTEN)
_BY_NAME = by_name(threads, _READ, locked=True)
_SELECT = select(*(threads.c[name] for name in _READ)).order_by(threads.c.id).with_for_update()
_BY_ID = _SELECT.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_BY_ID_AT_ONCE = _BY_ID.with_for_update(nowait=True)
_BY_ID_FREE = _BY_ID.with_for_update(skip_locked=True)
_BY_NAME_OR_CUSTOMER = _SELECT.where(
    or_(
        and_(
            threads.c.source_id == bindparam("source"),
            threads.c.external_id.in_(bindparam("names", expanding=True)),
        ),
        threads.c.customer_id.in_(bindparam("customers", expanding=True)),
    )
)


class Locked(NamedTuple):
    """Locked threads, and values read after the lock: the versions that saving needs, and whether
    only handoffs request a person in the threads of their source."""

    states: list[ThreadState]
    versions: Versions
    handoff_only: bool


def locked(
    connection: Connection,
    source_id: int,
    names: Collection[str],
    customer_ids: Collection[int],
    now_ms: int,
) -> Locked:
    """Locks threads by their source's ids, added if unknown, and all threads of these customers.

    They are locked in the order of ids. A new thread has revision 0. Call `read_customers` before
    saving: the caller may be changing the customers.
    """
    after_locking = versions.ask_for_writing(), sources.ask_handoff_only(source_id)
    if customer_ids:
        parameters = {"source": source_id, "names": [*names], "customers": [*customer_ids]}
        states = _states(connection.execute(_BY_NAME_OR_CUSTOMER, parameters))
        result = Locked(states, *answers(connection, after_locking))
    else:
        ask = _ask_named(source_id, names)
        result = Locked(*answers(connection, [ask, *after_locking]))
    missing = sorted(set(names) - {state.external_id for state in result.states})
    if missing:
        desk = sources.desk_of(connection, source_id)
        new = [new_row(source_id, name, desk, now_ms) for name in missing]
        insert_missing(connection, threads, new)
        new_states = answer(connection, _ask_named(source_id, missing))
        result.states.extend(new_states)
    return result


def add(connection: Connection, rows: Sequence[RowValues]) -> list[int]:
    """Adds threads by rows of `new_row`, in their order; returns their ids."""
    statement = insert(threads).returning(threads.c.id, sort_by_parameter_order=True)
    return list(connection.scalars(statement, list(rows))) if rows else []


def remove_unused(connection: Connection, ids: Collection[int]) -> None:
    """Removes the threads among these that got no event."""
    condition = threads.c.id.in_(ids) & (threads.c.revision == 0)
    connection.execute(delete(threads).where(condition))


def locked_by_id(connection: Connection, ids: Collection[int]) -> list[ThreadState]:
    """Locks threads by row id, in the order of ids, and reads their customers' member status.

    Unknown ids are left out.
    """
    return _locked(connection, _BY_ID, ids)


def locked_at_once(connection: Connection, ids: Sequence[int]) -> list[ThreadState]:
    """Does the same without waiting, for the first of these threads up to one that another
    transaction holds; returns them in the order of `ids`.

    Raises DBAPIError if the very first one is held; `Database.write` then tries the whole again.
    """
    states = {state.id: state for state in _locked(connection, _BY_ID_FREE, ids)}
    free = [states[id] for id in takewhile(states.__contains__, ids)]
    return free or _locked(connection, _BY_ID_AT_ONCE, ids[:1])


def _locked(
    connection: Connection, statement: Select[Any], ids: Collection[int]
) -> list[ThreadState]:
    states = _states(connection.execute(statement, {"ids": list(ids)}))
    # Read while the lock is held: a transaction that changes a customer waits for it.
    read_customers(connection, states, {})
    return states


class ChangedCustomer(NamedTuple):
    """The ranked values of a customer before and after a transaction."""

    before: RankedValues
    after: RankedValues


def read_customers(
    connection: Connection, states: Collection[ThreadState], changed: Mapping[int, ChangedCustomer]
) -> None:
    """Sets the customer of each thread; `changed`: customers that this transaction has written."""
    ids = {id for state in states for id in (state.before.customer_id, state.columns.customer_id)}
    unchanged = [id for id in ids if id is not None and id not in changed]
    values = read_ranked_values(connection, unchanged)
    before = values | {id: customer.before for id, customer in changed.items()}
    after = values | {id: customer.after for id, customer in changed.items()}
    for state in states:
        state.customer_before = before.get(state.before.customer_id or 0, NO_CUSTOMER)
        state.customer = after.get(state.columns.customer_id or 0, NO_CUSTOMER)
        if state.facts.member_status != state.customer.member_status:
            state.facts = state.facts._replace(member_status=state.customer.member_status)


def writes(changes: Iterable[tuple[ThreadState, RowValues]]) -> list[Write]:
    """Returns the writes of the changed columns of threads, and of their revisions."""
    rows: dict[tuple[str, ...], list[RowValues]] = {}
    for state, changed in changes:
        row = {"id": state.id, "revision": state.revision, **changed}
        rows.setdefault(tuple(changed), []).append(row)
    return [Write(_saving(names), some) for names, some in rows.items()]


def changed(state: ThreadState, computed: Computed, scores: Sequence[int]) -> RowValues:
    """Returns the columns with another value than in SQL, in the order of writing; `scores` are the
    scores in SORTS."""
    after = (*state.facts[:-1], *_others_of(state.columns), *computed, *scores)
    columns = zip(_WRITTEN, state.values, after, strict=True)
    return {name: value for name, before, value in columns if value != before}


@lru_cache(maxsize=256)
def _saving(changed: tuple[str, ...]) -> RowStatement:
    """Returns an update of only these columns: others would cost their indexes or foreign keys."""
    return update_of(threads, ("revision", *changed))


def _ask_named(source_id: int, names: Collection[str]) -> Ask[list[ThreadState]]:
    parameters = {"source": source_id, "names": driver.dumps([*names])}
    return Ask(_BY_NAME, parameters, _states)


def _states(rows: Iterable[Sequence[Any]]) -> list[ThreadState]:
    return [_state(row) for row in rows]


def _state(row: Sequence[Any]) -> ThreadState:
    id, source_id, external_id, revision, *values = row
    others = values[len(_FACTS) : len(_FACTS) + len(_OTHERS)]
    computed = values[len(_FACTS) + len(_OTHERS) : len(_WRITTEN) - len(_SCORES)]
    facts = Facts(*values[: len(_FACTS)])
    return ThreadState(
        id,
        source_id,
        external_id,
        revision,
        facts=facts,
        stored=facts,
        columns=ThreadColumns(*others),
        before=ThreadColumns(*others),
        computed_before=Computed(*computed),
        values=values,
    )


def new_row(source_id: int, name: str, desk: str, now_ms: int) -> dict[str, object]:
    """Returns the row of a thread without events; it is saved again in the same transaction."""
    empty = {"source_id": source_id, "external_id": name, "created_at": now_ms, "revision": 0}
    return empty | {"desk": desk, "closed": False, "recent_at": 0} | dict.fromkeys(_SCORES, 0)
