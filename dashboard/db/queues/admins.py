"""Admins as queues know them: capacity, load, the switch to accept threads, and presence."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, or_, select, true, update

from dashboard.db.accounts import admin_desks
from dashboard.db.accounts import admins as accounts
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import admin_desks as belonging
from dashboard.db.models.accounts import admins
from dashboard.db.models.queues import queue_admins
from dashboard.db.models.threads import threads
from dashboard.db.queues.definitions import Load, Queue, has_queues, state
from dashboard.db.threads.thread_states import ThreadState

#: The capacity of an admin without a set one, and the largest.
CAPACITY, CAPACITY_MAX = 5, 100
#: Up to so many admins are looked up one by one; of more all rows are read.
FEW = 20


class QueueAdmin(NamedTuple):
    """An enabled admin, as queues know one.

    `desks`: the desks that the admin belongs to, `seen`: those with threads that the admin sees.
    `hand_out`: the number of the last hand-out to the admin, 0 for none, and `given_at` its time.
    """

    id: int
    name: str
    role: str
    capacity_set: int
    own_capacity: int | None
    accepting: bool
    status: str
    shown_status: str
    offline_since: int | None
    hand_out: int
    given_at: int | None
    desks: frozenset[str]
    seen: Desks

    @property
    def capacity(self) -> int:
        """The number of threads up to which queues give the admin more."""
        own = self.own_capacity
        return self.capacity_set if own is None else min(own, self.capacity_set)

    @property
    def accepts(self) -> bool:
        """Whether the admin may be given threads without asking for them."""
        return self.accepting and self.status == "online"

    @property
    def seems_to_accept(self) -> bool:
        """`accepts`, as colleagues and chatbots may know it: an admin who hides looks offline."""
        return self.accepting and self.shown_status == "online"


_CAPACITY = func.coalesce(queue_admins.c.capacity, CAPACITY)
_HAND_OUT = func.coalesce(queue_admins.c.hand_out, 0)
_READ = (
    select(
        admins.c.id,
        admins.c.name,
        admins.c.role,
        _CAPACITY,
        queue_admins.c.own_capacity,
        func.coalesce(queue_admins.c.accepting, False),
        func.coalesce(queue_admins.c.status, "offline"),
        func.coalesce(queue_admins.c.shown_status, "offline"),
        queue_admins.c.offline_since,
        _HAND_OUT,
        queue_admins.c.given_at,
    )
    .join_from(admins, queue_admins, queue_admins.c.admin_id == admins.c.id, isouter=True)
    .where(admins.c.disabled_at.is_(None))
    .order_by(_HAND_OUT, admins.c.id)
)
_ACCEPTS = queue_admins.c.accepting.is_(True) & (queue_admins.c.status == "online")


def listing(connection: Connection, ids: Collection[int] | None = None) -> list[QueueAdmin]:
    """Returns the enabled admins, those first who went longest without a thread. `ids`: only
    these."""
    statement = _READ if ids is None else _READ.where(admins.c.id.in_(ids))
    return _with_desks(connection, connection.execute(statement).all())


def with_room(connection: Connection, load: Load) -> list[tuple[QueueAdmin, int]]:
    """Returns the admins who accept threads now and have a free place, each with the load; those
    first who went longest without a thread."""
    held = (
        select(func.count())
        .where(threads.c.assignee_id == admins.c.id, *_counts(load))
        .scalar_subquery()
    )
    own = func.coalesce(queue_admins.c.own_capacity, CAPACITY_MAX)
    room = case((own < _CAPACITY, own), else_=_CAPACITY)
    statement = _READ.add_columns(held).where(_ACCEPTS, held < room)
    rows = connection.execute(statement).all()
    people = _with_desks(connection, [row[:-1] for row in rows])
    return [(admin, row[-1]) for admin, row in zip(people, rows, strict=True)]


def of_queue(
    connection: Connection, queue: Queue, desk: str, first_id: int, most: int
) -> tuple[list[QueueAdmin], int]:
    """Returns up to `most` admins who may get threads of the queue at a desk, in the order of an
    explanation: `first_id`, those who accept threads as colleagues see it, lower ids; and the
    number of all. The order depends neither on threads at other desks nor on hidden presence."""

    def belongs(*desks: str) -> ColumnElement[bool]:
        rows = select(belonging.c.admin_id).where(belonging.c.desk.in_(desks))
        return admins.c.id.in_(rows)

    statement = _READ.add_columns(func.count().over()).where(
        or_(admins.c.role == accounts.SUPERVISOR, belongs(desk))
    )
    if queue.admins is not None:
        statement = statement.where(belongs(*queue.admins))
    seems_to_accept = queue_admins.c.accepting.is_(True) & (queue_admins.c.shown_status == "online")
    is_first = case((admins.c.id == first_id, 0), (seems_to_accept, 1), else_=2)
    statement = statement.order_by(None).order_by(is_first, admins.c.id)
    rows = connection.execute(statement.limit(most)).all()
    people = _with_desks(connection, [row[:-1] for row in rows])
    return people, rows[0][-1] if rows else 0


def _with_desks(connection: Connection, rows: Sequence[Sequence[Any]]) -> list[QueueAdmin]:
    """Adds the desks to rows of `_READ`."""
    if not rows:
        return []
    ids = {row[0] for row in rows}
    theirs: dict[int, set[str]] = {id: set() for id in ids}
    of_some = belonging.c.admin_id.in_(ids) if len(ids) <= FEW else true()
    columns = belonging.c.admin_id, belonging.c.desk
    for id, desk in connection.execute(select(*columns).where(of_some)):
        if id in theirs:
            theirs[id].add(desk)
    every = frozenset(admin_desks.names(connection))
    people = []
    for row in rows:
        desks = frozenset(theirs[row[0]])
        sees_all = row[2] == accounts.SUPERVISOR or desks >= every
        admin = QueueAdmin._make([*row, desks, None if sees_all else desks])
        people.append(admin._replace(accepting=bool(admin.accepting)))
    return people


def one(connection: Connection, admin_id: int) -> QueueAdmin | None:
    return next(iter(listing(connection, [admin_id])), None)


def capacities(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Returns the capacities that supervisors have set."""
    columns = queue_admins.c.admin_id, queue_admins.c.capacity
    rows = connection.execute(select(*columns).where(queue_admins.c.admin_id.in_(ids)))
    return dict.fromkeys(ids, CAPACITY) | {row.admin_id: row.capacity for row in rows}


def _counts(load: Load) -> list[ColumnElement[bool]]:
    """Selects the threads of admins that count against a capacity."""
    held: list[ColumnElement[bool]] = [
        threads.c.assignee_id.is_not(None),
        threads.c.closed.is_(False),
        threads.c.snoozed_until.is_(None),
    ]
    return held if load == "open" else [*held, threads.c.waiting_since.is_not(None)]


def loads(
    connection: Connection, admin_ids: Collection[int], load: Load, desks: Desks = None
) -> dict[int, int]:
    """Counts the threads of each admin that count against the capacity. `desks`: only those at
    these desks."""
    statement = select(threads.c.assignee_id, func.count()).where(*_counts(load))
    if len(admin_ids) <= FEW:
        statement = statement.where(threads.c.assignee_id.in_(admin_ids))
    if desks is not None:
        statement = statement.where(threads.c.desk.in_(desks))
    rows = connection.execute(statement.group_by(threads.c.assignee_id)).all()
    ids = frozenset(admin_ids)
    return dict.fromkeys(ids, 0) | {row[0]: row[1] for row in rows if row[0] in ids}


def put(connection: Connection, admin_id: int, **values: object) -> None:
    """Sets columns of an admin's row, which is added if there is none. The caller holds the lock of
    `definitions.lock`."""
    row = {"admin_id": admin_id, "capacity": CAPACITY} | values
    statement = insert_on(connection, queue_admins).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["admin_id"], set_=values))


def note_given(connection: Connection, admin_id: int, number: int, now_ms: int) -> None:
    """Notes a hand-out to an admin: its number, and its time. The caller holds the lock."""
    values = {"hand_out": number, "given_at": now_ms}
    statement = update(queue_admins).where(queue_admins.c.admin_id == admin_id).values(values)
    if connection.execute(statement).rowcount == 0:
        put(connection, admin_id, **values)


class Presence(NamedTuple):
    """The true status of an admin and the one that colleagues see, as of a version."""

    status: str
    shown_status: str
    version: int


def differing(
    connection: Connection, statuses: Mapping[int, Presence]
) -> list[tuple[int, Presence]]:
    """Returns the statuses that are newer than the stored ones, and differ from them: also that of
    an admin who is offline since an unknown time."""
    names = "status", "shown_status", "presence_version", "offline_since"
    columns = (queue_admins.c[name] for name in names)
    known = select(queue_admins.c.admin_id, *columns).where(queue_admins.c.admin_id.in_(statuses))
    return [
        (row.admin_id, new)
        for row in connection.execute(known)
        if (new := statuses[row.admin_id]).version > row.presence_version
        and (
            (new.status, new.shown_status) != (row.status, row.shown_status)
            or (new.status == "offline" and row.offline_since is None)
        )
    ]


def set_statuses(
    connection: Connection, statuses: Iterable[tuple[int, Presence]], now_ms: int
) -> None:
    """Stores the statuses of admins who have a row. An admin who goes offline has been so since
    now."""
    for id, (status, shown, version) in statuses:
        values: dict[str, object] = {"status": status, "shown_status": shown}
        is_gone = status == "offline"
        since = func.coalesce(queue_admins.c.offline_since, now_ms) if is_gone else None
        values |= {"presence_version": version, "offline_since": since}
        of_admin = queue_admins.c.admin_id == id
        connection.execute(update(queue_admins).where(of_admin).values(values))


def known_ids(connection: Connection) -> list[int]:
    """Returns the admins with a row here: queues look at their presence."""
    return list(connection.scalars(select(queue_admins.c.admin_id)))


class Held(NamedTuple):
    """A thread that a queue gave to an admin who is offline since `offline_since`."""

    thread_id: int
    admin_id: int
    queue_id: int
    is_waiting: bool
    offline_since: int


def held_offline(connection: Connection) -> list[Held]:
    """Returns the open threads that queues gave to admins who are offline now."""
    statement = (
        select(
            threads.c.id,
            threads.c.assignee_id,
            threads.c.queue_id,
            threads.c.waiting_since.is_not(None),
            queue_admins.c.offline_since,
        )
        .join_from(queue_admins, threads, threads.c.assignee_id == queue_admins.c.admin_id)
        .where(
            queue_admins.c.offline_since.is_not(None),
            threads.c.queue_id.is_not(None),
            threads.c.closed.is_(False),
        )
        .order_by(queue_admins.c.offline_since, threads.c.id)
    )
    return [Held(*row) for row in connection.execute(statement)]


def as_told(admin: QueueAdmin, load: int, counts: Load) -> dict[str, int | str]:
    """Returns the switch and the places of an admin with so many threads, as the dashboard gets
    them, and which threads count."""
    return {
        "accepting": admin.accepting,
        "capacity": admin.capacity,
        "capacity_max": admin.capacity_set,
        "load": load,
        "counts": counts,
    }


def accepting(connection: Connection, admin_id: int) -> dict[str, int | str]:
    """Returns `as_told` of an enabled admin."""
    admin = one(connection, admin_id)
    assert admin is not None, "the caller is enabled"
    counts = state(connection).load
    return as_told(admin, loads(connection, [admin.id], counts)[admin.id], counts)


def is_over_capacity(connection: Connection, admin_id: int, thread: ThreadState) -> bool:
    """Whether an admin who gets this thread would have more than the capacity; False while there
    are no queues."""
    if not has_queues(connection):
        return False
    load = state(connection).load
    facts = thread.facts
    counts = not facts.closed and facts.snoozed_until is None
    if not counts or (load == "waiting" and facts.waiting_since is None):
        return False
    admin = one(connection, admin_id)
    return admin is not None and loads(connection, [admin_id], load)[admin_id] >= admin.capacity
