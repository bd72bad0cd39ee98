"""Threads as they are written: locked, changed, and saved with their scores."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Update, bindparam, delete, insert, or_, select, update

from dashboard.db.accounts import sources
from dashboard.db.hours import current as policies
from dashboard.db.hours.due_times import DueTimes
from dashboard.db.lists import query_lists, versions
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.lists.standing import Moves, moment_of, moves
from dashboard.db.models.threads import threads
from dashboard.db.threads.customers import NO_CUSTOMER, RankedValues, read_ranked_values
from dashboard.db.threads.thread_state import ThreadState
from dashboard.db.upsert import insert_missing
from scoring.archive import is_archived
from scoring.facts import Facts
from scoring.placing import Placement
from scoring.sorts import SORTS, scores
from scoring.views import views_of

#: In the order of `Facts`; its last field, the member status, is stored with the customer.
_FACTS = Facts._fields[:-1]
_OTHER_COLUMNS = (
    "customer_id",
    "assignee_id",
    "assigned_at",
    "last_message_id",
    "preview_role",
    "preview_body",
    "preview_at",
    "preview_event_id",
    "last_role",
    "stamps",
    "snoozed_at",
    "snoozed_by_id",
    "wake",
    "woken_at",
    "woken_reason",
    "due_version",
    "due_told_for",
    "tags",
    "desk",
    "mentioned",
)
_SCORES = tuple(f"score_{name}" for name in SORTS)
_COMPUTED = ("recent_at", "waiting_since", "archived", "listed_at", "next_change_at", *_SCORES)
_WRITTEN = (*_FACTS, *_OTHER_COLUMNS, *_COMPUTED)
#: Columns that no dashboard sees: what they say of lists is compared with the lists themselves.
_UNSEEN = frozenset({"listed_at", "next_change_at", "due_version"})

_SELECT = (
    select(
        threads.c.id,
        threads.c.source_id,
        threads.c.external_id,
        threads.c.revision,
        *(threads.c[name] for name in _WRITTEN),
    )
    .order_by(threads.c.id)
    .with_for_update()
)
_BY_ID = _SELECT.where(threads.c.id.in_(bindparam("ids", expanding=True)))
_NAMED = (threads.c.source_id == bindparam("source")) & threads.c.external_id.in_(
    bindparam("names", expanding=True)
)
_OF_CUSTOMERS = threads.c.customer_id.in_(bindparam("customers", expanding=True))
_BY_NAME = _SELECT.where(_NAMED)
_BY_NAME_OR_CUSTOMER = _SELECT.where(or_(_NAMED, _OF_CUSTOMERS))
_BOUND = {name: f"new_{name}" for name in ("revision", *_WRITTEN)}


def locked(
    connection: Connection,
    source_id: int,
    names: Collection[str],
    customer_ids: Collection[int],
    now_ms: int,
) -> list[ThreadState]:
    """Threads by their source's ids, added if unknown, and all threads of these customers.

    They are locked in the order of ids. A new thread has revision 0. Call `read_customers` before
    saving: the caller may be changing the customers.
    """
    found = _named(connection, source_id, names, customer_ids)
    missing = sorted(set(names) - {state.external_id for state in found})
    if missing:
        desk = sources.desk_of(connection, source_id)
        new = [new_row(source_id, name, desk, now_ms) for name in missing]
        insert_missing(connection, threads, new)
        found += _named(connection, source_id, missing, ())
    return found


def add(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Adds threads by rows of `new_row`, in their order; their ids."""
    inserted = insert(threads).returning(threads.c.id, sort_by_parameter_order=True)
    return list(connection.scalars(inserted, list(rows))) if rows else []


def remove_unused(connection: Connection, ids: Collection[int]) -> None:
    """Removes those of the threads that got no event."""
    unused = threads.c.id.in_(ids) & (threads.c.revision == 0)
    connection.execute(delete(threads).where(unused))


def locked_by_id(connection: Connection, ids: Collection[int]) -> list[ThreadState]:
    """Threads by row id, locked in the order of ids, with their customers' member status.

    Unknown ids are left out.
    """
    found = _read(connection, _BY_ID, {"ids": list(ids)})
    # Read while the lock is held: whoever changes a customer waits for it and comes later.
    read_customers(connection, found, {})
    return found


class ChangedCustomer(NamedTuple):
    """What a transaction made of a customer."""

    before: RankedValues
    after: RankedValues


def read_customers(
    connection: Connection,
    states: Collection[ThreadState],
    changed: Mapping[int, ChangedCustomer],
) -> None:
    """Sets the customer of each thread; `changed` are those that this transaction has written."""
    ids = {
        id for state in states for id in (state.before["customer_id"], state.columns["customer_id"])
    }
    known = read_ranked_values(connection, ids - changed.keys() - {None})
    before = known | {id: each.before for id, each in changed.items()}
    after = known | {id: each.after for id, each in changed.items()}
    for state in states:
        state.customer_before = before.get(state.before["customer_id"], NO_CUSTOMER)
        state.customer = after.get(state.columns["customer_id"], NO_CUSTOMER)
        state.facts = state.facts._replace(member_status=state.customer.member_status)


def save(connection: Connection, states: Collection[ThreadState], now_ms: int) -> list[Placement]:
    """Writes the threads that changed, each with its next revision; returns their placements.

    One has changed, too, where time alone has changed the lists of queries that hold it.
    """
    known = versions.current(connection, for_writing=True)
    lists = query_lists.of_version(connection, known.lists)
    hours = policies.of_version(connection, known.policies)
    asks_source = lists.asks_sources or hours.policies.asks_source
    ids = {state.source_id for state in states} if asks_source else set()
    names = sources.names_of(connection, ids) if ids else {}
    due_times = DueTimes(hours, names)
    placements: list[Placement] = []
    rows: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for state in states:
        of_policies = due_times.set(state, now_ms)
        after, before = _after(state, known.history_days, now_ms), state.before
        moved = _on_queries(lists, state, after, names, now_ms)
        if lists or hours.policies:
            after["listed_at"] = state.moment(now_ms)
        after["next_change_at"] = _next_change(
            state.facts, after, moved.next_change_at, of_policies
        )
        changed = tuple(name for name in _WRITTEN if after[name] != before[name])
        if moved.is_moved or state.row_changed or not _UNSEEN.issuperset(changed):
            state.revision += 1
            placements.append(_placement(state, after, moved, lists.unordered))
        elif changed in ((), ("listed_at",)):
            continue
        row = {"thread": state.id, "new_revision": state.revision}
        for name in changed:
            row[_BOUND[name]] = after[name]
        rows.setdefault(changed, []).append(row)
    for changed, alike in rows.items():
        connection.execute(_saving(changed), alike)
    return placements


@lru_cache(maxsize=256)
def _saving(changed: tuple[str, ...]) -> Update:
    """Writes these columns only: writing an unchanged one would cost its index or foreign key."""
    return (
        update(threads)
        .where(threads.c.id == bindparam("thread"))
        .values({name: bindparam(_BOUND[name]) for name in ("revision", *changed)})
    )


def _after(state: ThreadState, history_days: int, now_ms: int) -> dict[str, Any]:
    facts = state.facts
    after: dict[str, Any] = dict(zip(_FACTS, facts, strict=False))
    after.update(state.columns)
    after["recent_at"] = facts.recent_at
    after["waiting_since"] = facts.waiting_since
    is_mentioned = state.columns["mentioned"] is not None
    after["archived"] = is_archived(facts, is_mentioned, history_days, now_ms)
    after["listed_at"] = state.before["listed_at"]
    after["next_change_at"] = state.before["next_change_at"]
    after.update(zip(_SCORES, scores(facts), strict=True))
    return after


def _placement(
    state: ThreadState, after: dict[str, Any], moved: Moves, unordered: Collection[str]
) -> Placement:
    enter = frozenset(() if after["archived"] else views_of(state.facts))
    return Placement(
        thread_id=state.id,
        revision=state.revision,
        leave=_views_before(state) - enter,
        enter=enter,
        scores=tuple(after[name] for name in _SCORES),
        queries=moved.places,
        assignee_id=state.columns["assignee_id"],
        unordered=unordered,
        stays=moved.stays,
    )


def _on_queries(
    lists: QueryLists,
    state: ThreadState,
    after: Mapping[str, Any],
    source_names: Mapping[int, str],
    now_ms: int,
) -> Moves:
    """The moves of a thread on lists of queries."""
    if not lists:
        return Moves({})
    source, before = source_names.get(state.source_id, ""), None
    if state.revision > 0 and not state.before["archived"]:
        columns = state.before
        was = moment_of(columns["listed_at"], columns["next_change_at"], now_ms)
        before = state.subject_before(source), was
    built_in = [after[name] for name in _SCORES]
    subject = None if after["archived"] else state.subject(source)
    return moves(lists, before, subject, state.moment(now_ms), built_in)


def _next_change(facts: Facts, after: Mapping[str, Any], *of_others: int | None) -> int | None:
    """When time next changes anything of a thread: the lists that hold it, the policy that counts,
    that it is snoozed, or that it is late, until its chatbot was told so for this wait. None:
    never."""
    moments = [at for at in of_others if at is not None]
    if facts.snoozed_until is not None and not facts.closed:
        moments.append(facts.snoozed_until)
    if facts.due_at is not None and after["due_told_for"] != facts.waiting_since:
        moments.append(facts.due_at)
    return min(moments, default=None)


def _views_before(state: ThreadState) -> frozenset[str]:
    if state.revision == 1 or state.before["archived"]:
        return frozenset()
    return frozenset(views_of(state.stored))


def _named(
    connection: Connection, source_id: int, names: Collection[str], customer_ids: Collection[int]
) -> list[ThreadState]:
    parameters: dict[str, Any] = {"source": source_id, "names": list(names)}
    if not customer_ids:
        return _read(connection, _BY_NAME, parameters) if names else []
    parameters["customers"] = list(customer_ids)
    return _read(connection, _BY_NAME_OR_CUSTOMER, parameters)


def _read(
    connection: Connection, statement: Select[Any], parameters: dict[str, Any]
) -> list[ThreadState]:
    return [_state(row) for row in connection.execute(statement, parameters)]


def _state(row: Sequence[Any]) -> ThreadState:
    id, source_id, external_id, revision, *values = row
    before = dict(zip(_WRITTEN, values, strict=True))
    facts = Facts(*values[: len(_FACTS)])
    return ThreadState(
        id,
        source_id,
        external_id,
        revision,
        facts=facts,
        stored=facts,
        columns={name: before[name] for name in _OTHER_COLUMNS},
        before=before,
    )


def new_row(source_id: int, name: str, desk: str, now_ms: int) -> dict[str, Any]:
    """The row of a thread without events; it is saved again in the same transaction."""
    empty = {"source_id": source_id, "external_id": name, "created_at": now_ms, "revision": 0}
    return empty | {"desk": desk, "closed": False, "recent_at": 0} | dict.fromkeys(_SCORES, 0)
