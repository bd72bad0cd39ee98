"""Threads as they are written: locked, folded on, and saved with all that follows from them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, Update, bindparam, or_, select, update

from dashboard.store.customers import member_statuses
from dashboard.store.missing import insert_missing
from dashboard.store.models import threads
from scoring.facts import Facts, ThreadEvent
from scoring.pages import tags
from scoring.ranking import Placement
from scoring.sorts import SORTS, scores

#: In the order in which `Facts` has them; only the customer's status is kept elsewhere.
_FACTS = Facts._fields[:-1]
_KEPT = (
    "customer_id",
    "assignee_id",
    "assigned_at",
    "preview_role",
    "preview_body",
    "preview_at",
    "preview_event_id",
    "stamps",
)
_SCORES = tuple(f"score_{name}" for name in SORTS)
_COMPUTED = ("closed", "recent_at", "waiting_since", *_SCORES)
_WRITTEN = (*_FACTS, *_KEPT, *_COMPUTED)

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


@dataclass(slots=True)
class ThreadState:
    """A locked thread: change `facts` and `kept`, then `save`.

    `facts.member_status` is the customer's. `events` are the new ones, to be folded. `stored` and
    `before` are the facts and all columns as they are in SQL.
    """

    id: int
    source_id: int
    external_id: str
    revision: int
    facts: Facts
    stored: Facts
    kept: dict[str, Any]
    before: dict[str, Any]
    #: The customer's name, picture or tongue changed, or something was said that no column of
    #: the thread tells: it is written all the same.
    row_changed: bool = False
    events: list[ThreadEvent] = field(default_factory=list)


def locked(
    connection: Connection,
    source_id: int,
    names: Collection[str],
    customer_ids: Collection[int],
    now_ms: int,
) -> list[ThreadState]:
    """Threads by their source's ids, made where new, and all threads of these customers.

    Locked in id order. A new thread has revision 0. Set `facts.member_status` before saving: it
    is not read here, for customers may be changing along.
    """
    found = _named(connection, source_id, names, customer_ids)
    missing = sorted(set(names) - {state.external_id for state in found})
    if missing:
        insert_missing(connection, threads, [_new(source_id, name, now_ms) for name in missing])
        found += _named(connection, source_id, missing, ())
    return found


def locked_by_id(connection: Connection, ids: Collection[int]) -> list[ThreadState]:
    """Threads by our own ids, locked in their order, with their customers' member status.

    Unknown ids are left out.
    """
    found = _read(connection, _BY_ID, {"ids": list(ids)})
    # Read when the lock is held: who changes a customer then waits for it, and comes after.
    statuses = member_statuses(connection, {state.kept["customer_id"] for state in found} - {None})
    for state in found:
        status = statuses.get(state.kept["customer_id"], -1)
        state.facts = state.facts._replace(member_status=status)
    return found


def save(connection: Connection, states: Iterable[ThreadState]) -> list[Placement]:
    """Writes the threads that changed, each with its next revision; where they now belong."""
    placements: list[Placement] = []
    rows: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for state in states:
        after, before = _after(state), state.before
        changed = tuple(name for name in _WRITTEN if after[name] != before[name])
        if not changed and not state.row_changed:
            continue
        state.revision += 1
        row = {"thread": state.id, "new_revision": state.revision}
        for name in changed:
            row[_BOUND[name]] = after[name]
        rows.setdefault(changed, []).append(row)
        placements.append(_placement(state, after))
    for changed, alike in rows.items():
        connection.execute(_saving(changed), alike)
    return placements


@lru_cache(maxsize=256)
def _saving(changed: tuple[str, ...]) -> Update:
    """Writes these columns alone: one that stays as it is costs its index, or a look at whom it
    refers to, all the same."""
    return (
        update(threads)
        .where(threads.c.id == bindparam("thread"))
        .values({name: bindparam(_BOUND[name]) for name in ("revision", *changed)})
    )


def _after(state: ThreadState) -> dict[str, Any]:
    facts = state.facts
    after: dict[str, Any] = dict(zip(_FACTS, facts, strict=False))
    after.update(state.kept)
    after["closed"] = facts.closed
    after["recent_at"] = facts.recent_at
    after["waiting_since"] = facts.waiting_since
    after.update(zip(_SCORES, scores(facts), strict=True))
    return after


def _placement(state: ThreadState, after: dict[str, Any]) -> Placement:
    enter = tags(state.facts, state.kept["assignee_id"])
    return Placement(
        thread_id=state.id,
        revision=state.revision,
        leave=_tags_before(state) - enter,
        enter=enter,
        scores=tuple(after[name] for name in _SCORES),
    )


def _tags_before(state: ThreadState) -> frozenset[str]:
    if state.revision == 1:
        return frozenset()
    return tags(state.stored, state.before["assignee_id"])


def _named(
    connection: Connection, source_id: int, names: Collection[str], customer_ids: Collection[int]
) -> list[ThreadState]:
    given: dict[str, Any] = {"source": source_id, "names": list(names)}
    if not customer_ids:
        return _read(connection, _BY_NAME, given) if names else []
    given["customers"] = list(customer_ids)
    return _read(connection, _BY_NAME_OR_CUSTOMER, given)


def _read(
    connection: Connection, statement: Select[Any], given: dict[str, Any]
) -> list[ThreadState]:
    return [_state(row) for row in connection.execute(statement, given)]


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
        kept={name: before[name] for name in _KEPT},
        before=before,
    )


def _new(source_id: int, name: str, now_ms: int) -> dict[str, Any]:
    """A thread of which nothing is known yet; it is saved again before anybody sees it."""
    empty = {"source_id": source_id, "external_id": name, "created_at": now_ms, "revision": 0}
    return empty | {"closed": False, "recent_at": 0} | dict.fromkeys(_SCORES, 0)
