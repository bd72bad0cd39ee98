"""Facts: what happened in threads, computed from their events and acts.

The facts of a thread follow from what is stored of it alone, so they can be computed again at any
time; only the ones that differ are written.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, and_, bindparam, delete, or_, select, tuple_

from dashboard.db import conditions
from dashboard.db.driver import RowValues, insert_on
from dashboard.db.history.past import was
from dashboard.db.models.accounts import sources
from dashboard.db.models.history import thread_history
from dashboard.db.models.reports import report_facts, report_threads
from dashboard.db.models.threads import customers, events, suggestions, thread_acts, threads
from dashboard.db.policies import PastPolicies
from dashboard.db.threads.events import FOLDED, thread_event
from dashboard.event_types import ASSIGNED, RELEASED
from scoring.calendar import opening_time_between
from scoring.conditions.subject import Subject
from scoring.course import Turn, TurnKind, course
from scoring.facts import ThreadEvent

#: The kinds of facts by number. `met` and `missed` are promises of policies, `given` and `returned`
#: acts of queues, the last three the outcomes of suggestions.
KINDS = {
    "began": 1,
    "closed": 2,
    "reopened": 3,
    "first_reply": 4,
    "next_reply": 5,
    "message": 6,
    "waiting": 7,
    "waited": 8,
    "met": 9,
    "missed": 10,
    "given": 11,
    "returned": 12,
    "used": 13,
    "edited": 14,
    "ignored": 15,
}
#: The kinds that are work of an admin on a thread.
WORK = ("first_reply", "next_reply", "message", "closed")
_WORK_NUMBERS = frozenset(KINDS[kind] for kind in WORK)
_OUTCOMES = [KINDS[outcome] for outcome in ("used", "edited", "ignored")]
_TIMED: tuple[TurnKind, ...] = ("closed", "first_reply", "next_reply")

#: Durations (ms) that people know: the bounds of histograms.
SHOWN_BOUNDS = tuple(
    1_000 * seconds
    for seconds in (
        *(10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200),
        *(86_400, 172_800, 259_200, 604_800, 1_209_600, 2_592_000),
    )
)
#: Bounds that divide durations into small buckets, 16 from one duration to its double: a percentile
#: is found by counting buckets, and reading only the durations of one. Stored numbers depend on
#: them.
BOUNDS = tuple(sorted({*SHOWN_BOUNDS, *(round(1_000 * 2 ** (at / 16)) for at in range(416))}))


class Fact(NamedTuple):
    """A row of `report_facts`, without the thread; its first three columns are the key."""

    kind: int
    at: int
    id: int
    value: int | None
    opening: int | None
    bucket: int | None
    opening_bucket: int | None
    admin_id: int | None
    before: int | None
    own_before: int | None
    queue_id: int | None
    source_id: int
    desk: str
    tier: int
    language: str | None
    tags: str | None


_FACT_COLUMNS = [report_facts.c[name] for name in Fact._fields]
_KEY = tuple_(report_facts.c.kind, report_facts.c.at, report_facts.c.id)
_IDS: Any = bindparam("ids", expanding=True)
_DESCRIBED = (
    select(
        threads.c.id,
        threads.c.revision,
        threads.c.source_id,
        threads.c.desk,
        threads.c.tags,
        threads.c.waiting_since,
        threads.c.due_at,
        customers.c.member_status,
        customers.c.locale,
        sources.c.handoff_only,
    )
    .join_from(threads, sources, sources.c.id == threads.c.source_id)
    .join(customers, customers.c.id == threads.c.customer_id, isouter=True)
    .where(threads.c.id.in_(_IDS), threads.c.revision > 0)
)
_THREADS = _DESCRIBED.join(
    report_threads, report_threads.c.thread_id == threads.c.id, isouter=True
).where(report_threads.c.revision.is_distinct_from(threads.c.revision))
_EVENTS = FOLDED.add_columns(events.c.author_id, events.c.received_at)
_ACTS = select(
    thread_acts.c.thread_id,
    thread_acts.c.id,
    thread_acts.c.at,
    thread_acts.c.type,
    thread_acts.c.data,
).where(thread_acts.c.thread_id.in_(_IDS), thread_acts.c.type.in_((ASSIGNED.name, RELEASED.name)))
_DECIDED = select(
    suggestions.c.thread_id,
    suggestions.c.event_id,
    suggestions.c.outcome,
    suggestions.c.decided_at,
    suggestions.c.decided_by_id,
).where(suggestions.c.thread_id.in_(_IDS), suggestions.c.outcome.is_not(None))
_STORED = select(report_facts.c.thread_id, *_FACT_COLUMNS).where(report_facts.c.thread_id.in_(_IDS))


class Differences(NamedTuple):
    """The facts to be written: keys of old ones, new rows, and the revisions that they are of."""

    old: list[tuple[int, int, int]]
    new: list[RowValues]
    revisions: list[RowValues]


def differences(
    connection: Connection, ids: Collection[int], past: PastPolicies, now_ms: int
) -> Differences:
    """Computes the facts of the threads among these that have another revision than their facts."""
    found = Differences([], [], [])
    rows = connection.execute(_THREADS, {"ids": list(ids)}).all()
    if not rows:
        return found
    changed = [row.id for row in rows]
    stored = _by_thread(connection, _STORED, changed)
    reader = _Reader(connection, changed, past, stored)
    for row in rows:
        facts = {fact[:3]: fact for fact in _with_before(reader.facts(row, now_ms))}
        before = {fact[:3]: fact for fact in (Fact(*values) for values in stored[row.id])}
        found.old.extend(key for key in before if key not in facts)
        found.new.extend(
            {"thread_id": row.id, **fact._asdict()}
            for key, fact in facts.items()
            if before.get(key) != fact
        )
        found.revisions.append({"thread_id": row.id, "revision": row.revision})
    return found


def write(connection: Connection, found: Differences) -> int:
    """Writes the facts of threads that are still there; returns the number of these threads."""
    ids = [row["thread_id"] for row in found.revisions]
    there = set(connection.scalars(select(threads.c.id).where(threads.c.id.in_(ids))))
    if found.old:
        connection.execute(delete(report_facts).where(_KEY.in_(found.old)))
    _put(connection, report_facts, [row for row in found.new if row["thread_id"] in there])
    revisions = [row for row in found.revisions if row["thread_id"] in there]
    _put(connection, report_threads, revisions)
    return len(there)


def add_outcomes(connection: Connection, thread_id: int, suggestion_ids: Collection[int]) -> None:
    """Counts the outcomes of suggestions of a thread in their transaction: a thread is counted
    again only when its revision has changed, and a dismissal changes none."""
    if not suggestion_ids:
        return
    of_these = suggestions.c.event_id.in_(suggestion_ids)
    decided = connection.execute(_DECIDED.where(of_these), {"ids": [thread_id]}).all()
    for row in connection.execute(_DESCRIBED, {"ids": [thread_id]}):
        facts = [_of_outcome(row, *values) for _, *values in decided]
        new: list[RowValues] = [{"thread_id": thread_id, **fact._asdict()} for fact in facts]
        _put(connection, report_facts, new)


def remove_outcomes(connection: Connection, thread_ids: Select[tuple[int]]) -> None:
    """Removes the facts of suggestions of the selected threads, which are deleted."""
    its = report_facts.c
    connection.execute(
        delete(report_facts).where(its.thread_id.in_(thread_ids), its.kind.in_(_OUTCOMES))
    )


def _of_outcome(row: Any, id: int, outcome: str, at: int, admin_id: int | None) -> Fact:
    return _fact(row, KINDS[outcome], at, id, admin_id=admin_id)


def _put(connection: Connection, table: Table, rows: list[RowValues]) -> None:
    """Inserts rows; those that exist get the new values."""
    if rows:
        keys: Any = [column.name for column in table.primary_key]
        statement = insert_on(connection, table)
        values = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values), rows)


def _with_before(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yields the facts of a thread, those of work with the times of the work before."""
    last: dict[int | None, int] = {}
    before: int | None = None
    for fact in sorted(facts, key=lambda fact: (fact.at, fact.kind, fact.id)):
        if fact.kind in _WORK_NUMBERS:
            yield fact._replace(before=before, own_before=last.get(fact.admin_id))
            last[fact.admin_id] = before = fact.at
        else:
            yield fact


def bucket_of(duration: int | None) -> int | None:
    """Returns the place of a duration among BOUNDS."""
    return None if duration is None else bisect_right(BOUNDS, duration)


def _by_thread(
    connection: Connection, statement: Any, ids: Collection[int]
) -> Mapping[int, list[Sequence[Any]]]:
    """Maps threads to the rows of a statement, without their first column."""
    found: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for thread_id, *values in connection.execute(statement, {"ids": list(ids)}):
        found[thread_id].append(values)
    return found


#: Replies and closes: a wait begins after them.
_ENDING = frozenset({"message", "first_reply", "next_reply", "waited", "closed"})


class _Wait(NamedTuple):
    """A wait that has ended: since when, and by which event, a reply or a close; `after`: the time
    of the reply or close before that."""

    since: int
    kind: int
    at: int
    event_id: int
    after: int

    @property
    def key(self) -> tuple[int, int, int]:
        """The key of the fact of its end."""
        return self.kind, self.at, self.event_id

    @property
    def is_reply(self) -> bool:
        return self.kind != KINDS["waited"]


class _Reader:
    """Reads what is stored of threads, for all of them at once, and computes their facts."""

    def __init__(
        self,
        connection: Connection,
        ids: Collection[int],
        past: PastPolicies,
        stored: Mapping[int, list[Sequence[Any]]],
    ):
        self._connection = connection
        self._past = past
        self._events = _by_thread(connection, _EVENTS, ids)
        self._acts = _by_thread(connection, _ACTS, ids)
        self._subjects = conditions.subjects(connection, ids)
        self._stored = stored
        # Read after the stored facts: an outcome that is counted meanwhile is not removed.
        self._decided = _by_thread(connection, _DECIDED, ids)

    def facts(self, row: Any, now_ms: int) -> Iterator[Fact]:
        """Yields the facts of one thread."""
        said, authors, received = list[ThreadEvent](), dict[int, int | None](), dict[int, int]()
        for *values, author_id, received_at in self._events[row.id]:
            event = thread_event(*values)
            said.append(event)
            authors[event.id], received[event.id] = author_id, received_at
        turns = course(said, handoff_only=row.handoff_only)
        for turn in turns:
            yield self._of_turn(row, turn, authors[turn.event_id])
        yield from self._of_acts(row)
        yield from (_of_outcome(row, *values) for values in self._decided[row.id])
        yield from self._of_promises(row, turns, received, now_ms)

    def _of_turn(self, row: Any, turn: Turn, author_id: int | None) -> Fact:
        value = opening = None
        if turn.kind in _TIMED and turn.since is not None:
            value = turn.at - turn.since
            opening = self._opening(row.id, turn)
        is_theirs = turn.kind in ("closed", "first_reply", "next_reply", "message")
        admin_id = author_id if is_theirs else None
        return _fact(row, KINDS[turn.kind], turn.at, turn.event_id, value, opening, admin_id)

    def _opening(self, thread_id: int, turn: Turn) -> int | None:
        """Returns the opening time of a duration, by the policy of its end that would apply to the
        thread, as it is now, if it waited; None without one."""
        assert turn.since is not None
        subject = _waiting(self._subjects[thread_id], turn)
        policy = self._past.at(self._connection, turn.at).first(subject, turn.at)
        if policy is None:
            return None
        return opening_time_between(policy.calendar, turn.since, turn.at)

    def _of_acts(self, row: Any) -> Iterator[Fact]:
        for id, at, type, data in self._acts[row.id]:
            queue = (data or {}).get("queue")
            if queue is None:
                continue
            if type == ASSIGNED.name:
                since = data.get("since")
                value = None if since is None else max(0, at - since)
                admin_id = data["assignee"]["id"]
                yield _fact(row, KINDS["given"], at, id, value, None, admin_id, queue["id"])
            elif "returned" in data:
                before = data.get("before") or {}
                yield _fact(
                    row, KINDS["returned"], at, id, None, None, before.get("id"), queue["id"]
                )

    def _of_promises(
        self, row: Any, turns: Sequence[Turn], received: Mapping[int, int], now_ms: int
    ) -> Iterator[Fact]:
        """Yields the promises that were met, and those that were missed: each wait has the due time
        that it had at its end, as it was shown. It is looked up once: the past is not kept for
        ever."""
        stored = [Fact(*values) for values in self._stored[row.id]]
        ends = {fact[:3] for fact in stored}
        waits = list(_waits(turns))
        new = [wait for wait in waits if wait.key not in ends]
        dues = self._dues(row.id, new, received)
        for wait in waits:
            due_at = dues.get(wait)
            if wait not in dues:
                yield from (_of(row, fact) for fact in stored if _is_promise_of(fact, wait))
            elif due_at is not None and due_at < wait.at:
                yield _fact(row, KINDS["missed"], due_at, row.id, due_at - wait.since)
            elif due_at is not None and wait.is_reply:
                yield _fact(row, KINDS["met"], wait.at, wait.event_id, due_at - wait.since)
        if row.waiting_since is not None and row.due_at is not None and row.due_at < now_ms:
            yield _fact(row, KINDS["missed"], row.due_at, row.id, row.due_at - row.waiting_since)

    def _dues(
        self, thread_id: int, waits: Sequence[_Wait], received: Mapping[int, int]
    ) -> dict[_Wait, int | None]:
        """Maps waits to the due times of the last states of the past with this wait that began
        before its end was received; waits without such a state are left out."""
        found: dict[_Wait, int | None] = {}
        if not waits:
            return found
        first = min(wait.since for wait in waits)
        states = self._connection.execute(_WAITING, {"thread": thread_id, "since": first}).all()
        for wait in waits:
            for began, since, due_at in states:
                if since == wait.since and began < received[wait.event_id]:
                    found[wait] = due_at
                    break
        return found


def _is_promise_of(fact: Fact, wait: _Wait) -> bool:
    """Whether a stored promise is one of this wait. Later events and settings may move the
    beginning of a wait, but not its due time."""
    if fact.kind == KINDS["met"]:
        return (fact.at, fact.id) == (wait.at, wait.event_id)
    if fact.kind != KINDS["missed"] or fact.value is None or fact.at >= wait.at:
        return False
    return fact.at - fact.value == wait.since or wait.after <= fact.at


def _waits(turns: Iterable[Turn]) -> Iterator[_Wait]:
    after = last = 0
    for turn in turns:
        if turn.kind in _ENDING and turn.at > last:
            after, last = last, turn.at
        if turn.since is not None and turn.kind in ("first_reply", "next_reply", "waited"):
            yield _Wait(turn.since, KINDS[turn.kind], turn.at, turn.event_id, after)


def _waiting_states() -> Any:
    """Selects the states of a thread in which its customer waited, the last one first: when each
    began, since when the customer waited, and the due time."""
    ended = thread_history
    last = select(threads.c.listed_at.label("until")).where(threads.c.id == bindparam("thread"))
    keys = last.cte(recursive=True)
    key = and_(ended.c.thread_id == bindparam("thread"), ended.c.until == keys.c.until)
    before = select(ended.c.until - ended.c.lasted).where(key, ended.c.until > bindparam("since"))
    keys = keys.union_all(before)
    key = and_(ended.c.thread_id == bindparam("thread"), ended.c.until == keys.c.until)
    states = select(was("listed_at"), was("waiting_since"), was("due_at")).join_from(
        keys, ended, key
    )
    return states.where(ended.c.waiting_since.is_not(None)).order_by(ended.c.until.desc())


_WAITING = _waiting_states()


def _waiting(subject: Subject, turn: Turn) -> Subject:
    """Returns a thread as it is now, but open and waiting for this answer."""
    answered = subject.answered if turn.kind == "closed" else turn.kind == "next_reply"
    return subject._replace(
        closed=False, closed_at=None, answered=answered, waiting_since=turn.since
    )


def _of(row: Any, fact: Fact) -> Fact:
    """Returns a stored fact, of the thread as it is now."""
    return _fact(row, *fact[:5], fact.admin_id, fact.queue_id)


def _fact(
    row: Any,
    kind: int,
    at: int,
    id: int,
    value: int | None = None,
    opening: int | None = None,
    admin_id: int | None = None,
    queue_id: int | None = None,
) -> Fact:
    tier = -1 if row.member_status is None else row.member_status
    return Fact(
        kind,
        at,
        id,
        value,
        opening,
        bucket_of(value),
        bucket_of(opening),
        admin_id,
        None,
        None,
        queue_id,
        row.source_id,
        row.desk,
        tier,
        row.locale and row.locale.partition("-")[0].lower(),
        row.tags,
    )


def missed_at_other_times(connection: Connection) -> list[int]:
    """Returns the threads that wait and count as missed at another time than their due time of now:
    policies have changed since."""
    missed = report_facts.c
    is_its_wait = and_(
        missed.thread_id == threads.c.id,
        missed.kind == KINDS["missed"],
        missed.at - missed.value == threads.c.waiting_since,
    )
    differs = or_(threads.c.due_at.is_(None), threads.c.due_at != missed.at)
    waiting = select(threads.c.id).join(report_facts, is_its_wait)
    return list(connection.scalars(waiting.where(threads.c.waiting_since.is_not(None), differs)))
