"""The definitions of queues, in their order."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.queues import queue_lists, queue_state, queues
from dashboard.db.models.views import views

#: Maximum number of queues.
QUEUES_MAX = 100
#: A queue gives its threads to admins (`push`), or admins ask for them (`pull`).
Mode = Literal["push", "pull"]
#: Which threads return from an admin who is offline: those that wait for an answer, all, or none.
Which = Literal["waiting", "all", "none"]
#: Which threads of an admin count against the capacity: those that wait, or all open ones.
Load = Literal["waiting", "open"]


class QueueDraft(NamedTuple):
    """The fields of a queue. `admins` are the desks of its admins, None: all; times in seconds."""

    view_id: int
    mode: Mode
    admins: Desks
    take_within: int
    delay: int
    offline_after: int
    which: Which


class Queue(NamedTuple):
    """A queue with the name and desk of its view. `number` is that of the list's entries, and
    `is_filled` says whether these are complete: before that nothing is handed out."""

    id: int
    view_id: int
    mode: Mode
    admins: Desks
    take_within: int
    delay: int
    offline_after: int
    which: Which
    given: int
    changed_at: int
    name: str
    desk: str | None
    number: int | None
    is_filled: bool

    @property
    def take_within_ms(self) -> int:
        return self.take_within * 1_000

    @property
    def offline_after_ms(self) -> int:
        return self.offline_after * 1_000

    def waited_since(self, now_ms: int) -> int:
        """Returns the time by which a thread must have come to be handed out now."""
        return now_ms - self.delay * 1_000

    def asks(self, desks: frozenset[str]) -> bool:
        """Whether an admin who belongs to these desks is one of the queue's admins."""
        return self.admins is None or bool(self.admins & desks)


_OWN = tuple(queues.c[name] for name in Queue._fields[:10])
_READ = (
    select(
        *_OWN,
        views.c.name,
        views.c.desk,
        queue_lists.c.number,
        func.coalesce(queue_lists.c.filled_to >= queue_lists.c.fill_to, False),
    )
    .join_from(queues, views, views.c.id == queues.c.view_id)
    .join(queue_lists, queue_lists.c.list_id == views.c.list_id, isouter=True)
    .order_by(queues.c.place, queues.c.id)
)
_SET_PLACE = (
    update(queues).where(queues.c.id == bindparam("queue")).values(place=bindparam("new_place"))
)


class QueueState(NamedTuple):
    """The number of hand-outs so far, and the threads that count against a capacity."""

    hand_outs: int
    load: Load


_STATE = select(queue_state.c.hand_outs, queue_state.c.load)
_LOCK = _STATE.with_for_update()


def lock(connection: Connection) -> QueueState:
    """Returns the state; until the transaction ends nobody hands out a thread, and nobody changes a
    queue or what queues know of admins. Take this lock before those of threads."""
    return QueueState(*connection.execute(_LOCK).one())


def state(connection: Connection) -> QueueState:
    """Returns the state as of this transaction."""
    return QueueState(*connection.execute(_STATE).one())


def set_hand_outs(connection: Connection, number: int) -> None:
    connection.execute(update(queue_state).values(hand_outs=number))


def set_load(connection: Connection, load: Load) -> None:
    """Sets which threads count; the caller holds the lock."""
    connection.execute(update(queue_state).values(load=load))


def listing(connection: Connection) -> list[Queue]:
    """Returns all queues in their order."""
    rows = connection.execute(_READ)
    return [Queue._make([*row[:-1], bool(row[-1])]) for row in rows]


def has_queues(connection: Connection) -> bool:
    return connection.scalar(select(queues.c.id).limit(1)) is not None


def find(connection: Connection, id: int) -> Queue | None:
    return next((queue for queue in listing(connection) if queue.id == id), None)


def of_view(connection: Connection, view_id: int) -> int | None:
    """Returns the id of the queue that hands out the threads of a view, or None."""
    return connection.scalar(select(queues.c.id).where(queues.c.view_id == view_id))


def create(connection: Connection, draft: QueueDraft, admin_id: int, now_ms: int) -> int:
    """Saves a queue after all others and returns its id; the caller synchronizes the entries.
    Raises IntegrityError if the view is a queue already."""
    last = connection.scalar(select(func.max(queues.c.place)))
    values = draft._asdict() | {"place": 0 if last is None else last + 1}
    values |= {"changed_by": admin_id, "changed_at": now_ms}
    return connection.execute(insert(queues).values(values).returning(queues.c.id)).scalar_one()


def change(
    connection: Connection, before: Queue, draft: QueueDraft, admin_id: int, now_ms: int
) -> None:
    """Changes a queue, which keeps its place. Raises IntegrityError as `create`."""
    # Two changes within a millisecond get different times, so readers see that their copy is old.
    at = max(now_ms, before.changed_at + 1)
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": at}
    connection.execute(update(queues).where(queues.c.id == before.id).values(values))


def remove(connection: Connection, id: int) -> None:
    """Deletes a queue; its threads stay with the admins who have them."""
    connection.execute(delete(queues).where(queues.c.id == id))


def put_in_order(connection: Connection, ids: Sequence[int]) -> None:
    """Sets the order of queues; `ids` are all of them, in their new order."""
    rows = [{"queue": id, "new_place": place} for place, id in enumerate(ids)]
    if rows:
        connection.execute(_SET_PLACE, rows)
