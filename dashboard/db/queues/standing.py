"""The state of queues for the people at the desk: numbers, places in line, and explanations."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.threads import thread_acts, threads
from dashboard.db.queues import admins, definitions, entries, history
from dashboard.db.queues.admins import QueueAdmin
from dashboard.db.queues.definitions import Load, Queue
from dashboard.db.queues.entries import Position
from dashboard.event_types import ASSIGNED
from dashboard.validation.strict_json import JsonObject


class Reader(NamedTuple):
    """The admin who reads, with the desks of the threads that the admin sees; None: all."""

    id: int
    role: str
    desks: Desks

    @property
    def is_supervisor(self) -> bool:
        return self.role == "supervisor"

    def sees_truth(self, admin_id: int) -> bool:
        """Whether the reader sees the true presence of an admin, who may hide from colleagues."""
        return self.is_supervisor or self.id == admin_id


class Numbers(NamedTuple):
    """The threads that a queue may hand out now, as far as the reader sees them; its admins who
    accept threads, and those of them with a free place, without colleagues who hide from the
    reader."""

    waiting: int
    accepting: int
    eligible: int


class Standing(NamedTuple):
    """A queue with its numbers; `mine`: the reader is one of its admins."""

    queue: Queue
    numbers: Numbers
    mine: bool


class People:
    """The enabled admins and their loads, read once."""

    def __init__(self, connection: Connection, load: Load):
        self.all = admins.listing(connection)
        self.loads = admins.loads(connection, [admin.id for admin in self.all], load)

    def accepting(self, desks: Desks, reader: Reader | None = None) -> list[QueueAdmin]:
        """Returns the admins of these desks (None: all admins) who accept threads now, as the
        reader may know it; None: somebody outside."""
        return [
            admin
            for admin in self.all
            if (desks is None or bool(desks & admin.desks))
            and (admin.accepts if reader and reader.sees_truth(admin.id) else admin.seems_to_accept)
        ]

    def has_room(self, admin: QueueAdmin) -> bool:
        return self.loads[admin.id] < admin.capacity

    def of(self, admin_id: int) -> QueueAdmin | None:
        return next((admin for admin in self.all if admin.id == admin_id), None)


class Told(NamedTuple):
    """The news for the page of a reader: the numbers of each queue, the reader's own switch and
    places, None without queues, and the number of threads that the reader could take."""

    queues: Mapping[int, Mapping[str, Any]]
    me: Mapping[str, Any] | None
    next: int


class AllQueues:
    """All queues with the people who get their threads, read once for many readers."""

    def __init__(self, connection: Connection, now_ms: int):
        self._now_ms = now_ms
        self._queues = definitions.listing(connection)
        self._load: Load = definitions.state(connection).load
        self._people = People(connection, self._load) if self._queues else None
        self._counts: dict[tuple[int, Desks], int] = {}
        self._next: dict[tuple[tuple[int, ...], Desks], int] = {}

    def seen_by(self, connection: Connection, reader: Reader) -> list[Standing]:
        """Returns the queues that concern the reader, in their order: those of the reader, and
        those with a view that the reader sees. A supervisor gets all."""
        people = self._people
        if people is None:
            return []
        own = people.of(reader.id)
        found = []
        for queue in self._queues:
            mine = own is not None and queue.asks(own.desks)
            is_seen = reader.desks is None or queue.desk is None or queue.desk in reader.desks
            if mine or is_seen or reader.is_supervisor:
                accepting = people.accepting(queue.admins, reader)
                numbers = Numbers(
                    self._waiting(connection, queue, reader.desks),
                    len(accepting),
                    sum(map(people.has_room, accepting)),
                )
                found.append(Standing(queue, numbers, mine))
        return found

    def told_to(self, connection: Connection, reader: Reader) -> "Told":
        """Returns what the reader's page is told of queues."""
        listed = self.seen_by(connection, reader)
        told: dict[int, Mapping[str, Any]] = {
            one.queue.id: {
                "id": one.queue.id,
                "name": one.queue.name,
                "mode": one.queue.mode,
                "mine": one.mine,
                **one.numbers._asdict(),
            }
            for one in listed
        }
        own = self._people.of(reader.id) if self._people else None
        if self._people is None or own is None:
            return Told(told, None, 0)
        me = admins.as_told(own, self._people.loads[own.id], self._load)
        return Told(told, me, self.to_take(connection, reader))

    def to_take(self, connection: Connection, reader: Reader) -> int:
        """Counts the threads that the reader could take: those of all queues that the reader asks
        for threads, each once."""
        own = self._people.of(reader.id) if self._people else None
        asked = [
            queue
            for queue in self._queues
            if own and queue.mode == "pull" and queue.number and queue.asks(own.desks)
        ]
        if len(asked) < 2:
            return sum(self._waiting(connection, queue, reader.desks) for queue in asked)
        key = tuple(queue.id for queue in asked), reader.desks
        if key not in self._next:
            since: dict[int, int] = {}
            for queue in asked:  # Queues of views with the same threads in the same order share it.
                at = queue.waited_since(self._now_ms)
                since[queue.number or 0] = max(at, since.get(queue.number or 0, 0))
            self._next[key] = entries.count_of_some(connection, since, reader.desks)
        return self._next[key]

    def _waiting(self, connection: Connection, queue: Queue, desks: Desks) -> int:
        if queue.number is None:
            return 0
        if (queue.id, desks) not in self._counts:
            since = queue.waited_since(self._now_ms)
            count = entries.count(connection, queue.number, desks, since)
            self._counts[queue.id, desks] = count
        return self._counts[queue.id, desks]


def standings(connection: Connection, reader: Reader, now_ms: int) -> list[Standing]:
    """Returns the queues that concern the reader, as `AllQueues.seen_by`."""
    return AllQueues(connection, now_ms).seen_by(connection, reader)


class Place(NamedTuple):
    """A thread's place among those that wait in a queue, from 1 on, and the seconds until it is
    expected to be handed out, None if that is unknown."""

    queue: Queue
    position: int
    of: int
    expected_seconds: int | None

    def to_json(self) -> JsonObject:
        """Returns the place as chatbots get it."""
        queue = {"id": self.queue.id, "name": self.queue.name}
        return {
            "queue": queue,
            "position": self.position,
            "of": self.of,
            "expected_seconds": self.expected_seconds,
        }


#: What chatbots get of a thread that waits in no queue.
NO_PLACE = dict.fromkeys(("queue", "position", "of", "expected_seconds"))


def place(connection: Connection, thread_id: int, desks: Desks = None) -> Place | None:
    """Returns the place of a thread in the first queue in which it waits, or None, as `places`."""
    return places(connection, [thread_id], desks).get(thread_id)


def places(
    connection: Connection, thread_ids: Collection[int], desks: Desks = None
) -> dict[int, Place]:
    """Maps threads to their places in the first queue in which each waits, among its threads at
    these desks (None: at any).

    Expected is, for each thread up to this one, the median time between two of the last fifty
    hand-outs. It is unknown with fewer than ten hand-outs, and while none of the queue's admins
    seems to accept threads: one who hides is not known to be here.
    """
    found: dict[int, Place] = {}
    queues = [one for one in definitions.listing(connection) if one.number and one.is_filled]
    between = history.seconds_between(connection, [queue.id for queue in queues])
    people = People(connection, definitions.state(connection).load) if queues else None
    for queue in queues:
        seconds = between.get(queue.id) if people and people.accepting(queue.admins) else None
        left = [id for id in thread_ids if id not in found]
        for id, at in _positions(connection, queue, left, desks).items():
            expected = None if seconds is None else math.ceil(seconds * at.position)
            found[id] = Place(queue, *at, expected)
    return found


#: With more threads, the whole order of a queue is read once.
_ONE_BY_ONE = 20


def _positions(
    connection: Connection, queue: Queue, thread_ids: Collection[int], desks: Desks
) -> dict[int, Position]:
    assert queue.number is not None
    if len(thread_ids) > _ONE_BY_ONE and desks is None:
        order = entries.order(connection, queue.number)
        wanted = frozenset(thread_ids)
        return {
            id: Position(place, len(order)) for place, id in enumerate(order, 1) if id in wanted
        }
    each = {id: entries.position(connection, queue.number, id, desks) for id in thread_ids}
    return {id: position for id, position in each.items() if position is not None}


_LAST = (
    select(thread_acts.c.at, thread_acts.c.admin_id, thread_acts.c.data, threads.c.assignee_id)
    .join_from(thread_acts, threads, threads.c.id == thread_acts.c.thread_id)
    .where(thread_acts.c.type == ASSIGNED.name)
    .order_by(thread_acts.c.id.desc())
    .limit(1)
)


def last_hand_out(connection: Connection, thread_id: int) -> Mapping[str, Any] | None:
    """Returns the act by which a queue gave the thread to its present assignee: `at`, `pulled` and
    its `data`; None if the thread has none, or not from a queue."""
    row = connection.execute(_LAST.where(thread_acts.c.thread_id == thread_id)).first()
    if row is None or "queue" not in (row.data or {}):
        return None
    if row.data["assignee"]["id"] != row.assignee_id:
        return None
    return {"at": row.at, "pulled": row.admin_id is not None, "data": row.data}


#: The state that others see of an admin who hides, and the states that do not depend on presence.
_ABSENT = "offline"
_OPEN = ("given", "not_accepting")


def shown(
    named: Sequence[Mapping[str, Any]], reader: Reader, desks: Mapping[int, Desks]
) -> list[JsonObject]:
    """Returns the admins of an explanation as the reader may see them.

    Loads count threads at all desks of an admin: they are null unless the reader sees all of
    these. An admin who accepts threads and hides from colleagues looks absent to them, except the
    one who got the thread. `desks`: those that each admin sees.
    """
    return [_shown(one, reader, desks.get(one["id"], frozenset())) for one in named]


def _shown(one: Mapping[str, Any], reader: Reader, desks: Desks) -> JsonObject:
    state = one["is"]
    if not reader.sees_truth(one["id"]) and state not in _OPEN and one["shown"] == _ABSENT:
        state = _ABSENT
    sees_load = reader.desks is None or (desks is not None and desks <= reader.desks)
    load, capacity = (one["load"], one["capacity"]) if sees_load else (None, None)
    return {"id": one["id"], "name": one["name"], "is": state, "load": load, "capacity": capacity}
