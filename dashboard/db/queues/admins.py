"""What queues know of admins: capacity, load, whether they accept threads, and their presence."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, select, update

from dashboard.db.accounts import admin_desks
from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import admins
from dashboard.db.models.queues import queue_admins
from dashboard.db.models.threads import threads
from dashboard.db.queues.definitions import Load, Queue, state

#: The capacity of an admin for whom nobody has set one, and the largest.
CAPACITY, CAPACITY_MAX = 5, 100


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

    def may_have(self, queue: Queue, desk: str) -> bool:
        """Whether the queue may give the admin threads at a desk."""
        return queue.asks(self.desks) and sees(self.seen, desk)


_READ = (
    select(
        admins.c.id,
        admins.c.name,
        admins.c.role,
        func.coalesce(queue_admins.c.capacity, CAPACITY),
        queue_admins.c.own_capacity,
        func.coalesce(queue_admins.c.accepting, False),
        func.coalesce(queue_admins.c.status, "offline"),
        func.coalesce(queue_admins.c.shown_status, "offline"),
        queue_admins.c.offline_since,
        func.coalesce(queue_admins.c.hand_out, 0),
        queue_admins.c.given_at,
    )
    .join_from(admins, queue_admins, queue_admins.c.admin_id == admins.c.id, isouter=True)
    .where(admins.c.disabled_at.is_(None))
    .order_by(func.coalesce(queue_admins.c.hand_out, 0), admins.c.id)
)
_ACCEPTS = queue_admins.c.accepting.is_(True) & (queue_admins.c.status == "online")


def listing(
    connection: Connection, ids: Collection[int] | None = None, *, who_accept: bool = False
) -> list[QueueAdmin]:
    """Returns the enabled admins, those first who went longest without a thread. `ids`: only these;
    `who_accept`: only those who accept threads now."""
    statement = _READ if ids is None else _READ.where(admins.c.id.in_(ids))
    rows = connection.execute(statement.where(_ACCEPTS) if who_accept else statement).all()
    theirs = admin_desks.of(connection, [row.id for row in rows])
    seen = admin_desks.seen_by(connection, {row.id: row.role for row in rows}, theirs)
    return [
        QueueAdmin(*row, theirs[row.id], seen[row.id])._replace(accepting=bool(row[5]))
        for row in rows
    ]


def one(connection: Connection, admin_id: int) -> QueueAdmin | None:
    return next(iter(listing(connection, [admin_id])), None)


def capacities(connection: Connection, ids: Collection[int]) -> dict[int, int]:
    """Returns the capacities that supervisors have set."""
    columns = queue_admins.c.admin_id, queue_admins.c.capacity
    rows = connection.execute(select(*columns).where(queue_admins.c.admin_id.in_(ids)))
    return dict.fromkeys(ids, CAPACITY) | {row.admin_id: row.capacity for row in rows}


_IS_HELD = (
    threads.c.assignee_id.is_not(None),
    threads.c.closed.is_(False),
    threads.c.snoozed_until.is_(None),
)


def loads(
    connection: Connection, admin_ids: Collection[int], load: Load, desks: Desks = None
) -> dict[int, int]:
    """Counts the threads of each admin that count against the capacity. `desks`: only those at
    these desks."""
    statement = select(threads.c.assignee_id, func.count()).where(
        *_IS_HELD, threads.c.assignee_id.in_(admin_ids)
    )
    if load == "waiting":
        statement = statement.where(threads.c.waiting_since.is_not(None))
    if desks is not None:
        statement = statement.where(threads.c.desk.in_(desks))
    rows = connection.execute(statement.group_by(threads.c.assignee_id)).all()
    return dict.fromkeys(admin_ids, 0) | {row[0]: row[1] for row in rows}


def put(connection: Connection, admin_id: int, **values: object) -> None:
    """Sets columns of an admin's row, which is added if there is none. The caller holds the lock of
    `definitions.lock`."""
    row = {"admin_id": admin_id, "capacity": CAPACITY} | values
    statement = insert_on(connection, queue_admins).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["admin_id"], set_=values))


class Presence(NamedTuple):
    """The true status of an admin and the one that colleagues see, as of a version."""

    status: str
    shown_status: str
    version: int


def differing(
    connection: Connection, statuses: Mapping[int, Presence]
) -> list[tuple[int, Presence]]:
    """Returns the statuses that are newer than the stored ones, and differ from them."""
    columns = (queue_admins.c[name] for name in ("status", "shown_status", "presence_version"))
    known = select(queue_admins.c.admin_id, *columns).where(queue_admins.c.admin_id.in_(statuses))
    return [
        (row.admin_id, new)
        for row in connection.execute(known)
        if (new := statuses[row.admin_id]).version > row.presence_version
        and (new.status, new.shown_status) != (row.status, row.shown_status)
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
    """Returns the admins whose presence matters to queues."""
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


def as_told(admin: QueueAdmin, load: int) -> dict[str, int]:
    """Returns the switch and the places of an admin with so many threads, as the dashboard gets
    them."""
    return {
        "accepting": admin.accepting,
        "capacity": admin.capacity,
        "capacity_max": admin.capacity_set,
        "load": load,
    }


def accepting(connection: Connection, admin_id: int) -> dict[str, int]:
    """Returns `as_told` of an enabled admin."""
    admin = one(connection, admin_id)
    assert admin is not None, "the caller is enabled"
    return as_told(admin, loads(connection, [admin.id], state(connection).load)[admin.id])
