"""News of queues: threads that admins have still to open, threads that went back, and watches."""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, delete, func, insert, select, update

from dashboard.db.models.queues import place_watches, queue_admins, queue_state, queues
from dashboard.db.models.threads import events, thread_acts, threads
from dashboard.event_types import RELEASED
from dashboard.validation.strict_json import JsonObject

#: Values that differ after most changes of queues and of their threads; cheap to read.
_SIGNATURE = select(
    select(func.max(thread_acts.c.id)).scalar_subquery(),
    select(func.max(events.c.id)).scalar_subquery(),
    select(func.max(queues.c.changed_at)).scalar_subquery(),
    select(func.count()).select_from(queues).scalar_subquery(),
    select(queue_state.c.load).scalar_subquery(),
    select(queue_state.c.hand_outs).scalar_subquery(),
    func.count(),
    func.sum(queue_admins.c.capacity),
    func.sum(func.coalesce(queue_admins.c.own_capacity, -1)),
    func.sum(queue_admins.c.presence_version),
    func.sum(case((queue_admins.c.accepting.is_(True), 1), else_=0)),
).select_from(queue_admins)


def signature(connection: Connection) -> tuple[Any, ...]:
    """Returns values that differ after most changes of what queues tell. Time alone changes none
    of them."""
    return tuple(connection.execute(_SIGNATURE).one())


class Pending(NamedTuple):
    """A thread that a queue gave to an admin, to be opened by `until` (ms)."""

    thread_id: int
    admin_id: int
    queue_id: int
    given_at: int
    until: int
    desk: str


_PENDING = select(
    threads.c.id,
    threads.c.assignee_id,
    threads.c.queue_id,
    threads.c.assigned_at,
    threads.c.take_until,
    threads.c.desk,
).where(
    threads.c.queue_id.is_not(None), threads.c.closed.is_(False), threads.c.take_until.is_not(None)
)


def pending(connection: Connection, admin_ids: Collection[int]) -> list[Pending]:
    """Returns the threads that these admins have still to open, the first one first."""
    statement = _PENDING.where(threads.c.assignee_id.in_(admin_ids))
    rows = connection.execute(statement.order_by(threads.c.assigned_at, threads.c.id))
    return [Pending(*row) for row in rows]


class Return(NamedTuple):
    """A thread that went back to its queue by itself; `accepting`: whether its admin accepts
    threads now."""

    act_id: int
    thread_id: int
    admin_id: int
    queue: JsonObject | None
    reason: str
    accepting: bool


def last_act_id(connection: Connection) -> int:
    """Returns the id of the last act on any thread; 0 without any."""
    return connection.scalar(select(func.max(thread_acts.c.id))) or 0


def returns(connection: Connection, after_id: int) -> list[Return]:
    """Returns the threads that went back by an act after this one, by themselves."""
    columns = thread_acts.c.id, thread_acts.c.thread_id, thread_acts.c.data
    statement = select(*columns).where(
        thread_acts.c.id > after_id,
        thread_acts.c.type == RELEASED.name,
        thread_acts.c.admin_id.is_(None),
    )
    rows = [
        row
        for row in connection.execute(statement.order_by(thread_acts.c.id))
        if "returned" in (row.data or {}) and row.data.get("before")
    ]
    ids = {row.data["before"]["id"] for row in rows}
    accept = select(queue_admins.c.admin_id).where(
        queue_admins.c.admin_id.in_(ids), queue_admins.c.accepting.is_(True)
    )
    accepting = set(connection.scalars(accept)) if ids else set()
    return [
        Return(
            row.id,
            row.thread_id,
            row.data["before"]["id"],
            row.data.get("queue"),
            row.data["returned"],
            row.data["before"]["id"] in accepting,
        )
        for row in rows
    ]


def watch_place(connection: Connection, thread_id: int, wants: bool) -> None:
    """Notes whether the thread's chatbot wants to know the customer's place in line."""
    connection.execute(delete(place_watches).where(place_watches.c.thread_id == thread_id))
    if wants:
        connection.execute(insert(place_watches).values(thread_id=thread_id))


class Watch(NamedTuple):
    """A thread with a chatbot that wants to know the place in line; `told` is what it was told
    last, at `told_at` (ms)."""

    thread_id: int
    told: JsonObject | None
    told_at: int | None
    closed: bool


_WATCHES = (
    select(
        place_watches.c.thread_id, place_watches.c.told, place_watches.c.told_at, threads.c.closed
    )
    .join_from(place_watches, threads, threads.c.id == place_watches.c.thread_id)
    .order_by(place_watches.c.thread_id)
)


def watches(connection: Connection, ids: Collection[int] | None = None) -> list[Watch]:
    """Returns the watched threads; `ids`: only these."""
    statement = _WATCHES if ids is None else _WATCHES.where(place_watches.c.thread_id.in_(ids))
    return [Watch(*row) for row in connection.execute(statement)]


def set_told(connection: Connection, thread_id: int, told: JsonObject, now_ms: int) -> None:
    """Notes what a thread's chatbot is told now."""
    of_thread = place_watches.c.thread_id == thread_id
    connection.execute(update(place_watches).where(of_thread).values(told=told, told_at=now_ms))


def end_watches(connection: Connection, ids: Collection[int]) -> None:
    """Ends the watches of threads that are closed."""
    connection.execute(delete(place_watches).where(place_watches.c.thread_id.in_(ids)))
