"""Decides which admin gets which thread of a queue next; reads only, and changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.queues import admins, definitions, entries, history, standing
from dashboard.db.queues.admins import QueueAdmin
from dashboard.db.queues.definitions import Queue, QueueState
from dashboard.db.queues.entries import Entry
from dashboard.db.queues.history import Released
from dashboard.db.queues.standing import Reader
from dashboard.db.threads import threads

#: Hand-outs that one transaction makes, within about 40 ms; other writes run in between.
AT_ONCE = 20
#: Colleagues that an explanation names; the others are counted.
NAMED = 8


class Match(NamedTuple):
    """A thread, and the admin who gets it from a queue."""

    queue: Queue
    thread_id: int
    admin: QueueAdmin
    #: Why it is this admin; see `Staff.why`.
    why: Mapping[str, Any]


class Staff:
    """The admins who may get threads, with their loads, while threads are handed out to them."""

    def __init__(self, people: Sequence[QueueAdmin], loads: Mapping[int, int], released: Released):
        self.people = {admin.id: admin for admin in people}
        self.loads = dict(loads)
        self._released = released

    @classmethod
    def read(
        cls, connection: Connection, state: QueueState, now_ms: int, *, who_accept: bool = False
    ) -> "Staff":
        """Reads all enabled admins; `who_accept`: only those who accept threads now."""
        people = admins.listing(connection, who_accept=who_accept)
        loads = admins.loads(connection, [admin.id for admin in people], state.load)
        return cls(people, loads, history.released(connection, now_ms))

    def has_room(self, admin: QueueAdmin) -> bool:
        return self.loads[admin.id] < admin.capacity

    def able(self, queue: Queue) -> list[QueueAdmin]:
        """Returns the admins to whom the queue may give threads now, the next one first."""
        some = (
            admin
            for admin in self.people.values()
            if admin.accepts and self.has_room(admin) and queue.asks(admin.desks)
        )
        return sorted(some, key=lambda admin: (admin.hand_out, admin.id))

    def next_for(self, thread_id: int, able: Sequence[QueueAdmin]) -> QueueAdmin | None:
        """Returns the admin who gets the thread: the first who did not release it lately, or the
        first of all."""
        others = (admin for admin in able if not self.has_released(thread_id, admin))
        return next(others, able[0] if able else None)

    def has_released(self, thread_id: int, admin: QueueAdmin) -> bool:
        return (thread_id, admin.id) in self._released

    def must_leave(self, queue: Queue, entry: Entry, admin: QueueAdmin) -> bool:
        """Whether the admin released the thread lately, and a colleague could take it."""
        return self.has_released(entry.thread_id, admin) and any(
            other.id != admin.id
            and sees(other.seen, entry.desk)
            and not self.has_released(entry.thread_id, other)
            for other in self.able(queue)
        )

    def give(self, admin: QueueAdmin, number: int) -> None:
        """Counts a hand-out with this number."""
        self.loads[admin.id] += 1
        self.people[admin.id] = admin._replace(hand_out=number)

    def why(self, queue: Queue, entry: Entry, given: QueueAdmin | None) -> dict[str, Any]:
        """Explains why this admin gets the thread, or why nobody does (None).

        `admins` has the admins of the queue who see the thread, the one who gets it first: `is` is
        `given`, `free`, `released`, `at_capacity`, `not_accepting` or a status; `load` is that
        before the hand-out. `others` counts the ones that are not named.
        """
        of_queue = [admin for admin in self.people.values() if admin.may_have(queue, entry.desk)]
        of_queue.sort(key=lambda one: (one is not given, not one.accepts, one.hand_out, one.id))
        named = [
            {
                "id": admin.id,
                "name": admin.name,
                "is": "given" if admin is given else self._standing(entry.thread_id, admin),
                "shown": admin.shown_status,
                "load": self.loads[admin.id],
                "capacity": admin.capacity,
            }
            for admin in of_queue[:NAMED]
        ]
        return {"admins": named, "others": len(of_queue) - len(named)}

    def _standing(self, thread_id: int, admin: QueueAdmin) -> str:
        if admin.status != "online":
            return admin.status
        if not admin.accepting:
            return "not_accepting"
        if not self.has_room(admin):
            return "at_capacity"
        return "released" if self.has_released(thread_id, admin) else "free"


def pushed(connection: Connection, state: QueueState, staff: Staff, now_ms: int) -> Iterator[Match]:
    """Yields the hand-outs that are due, AT_ONCE at most, and counts each in `staff`."""
    number, taken = state.hand_outs, list[int]()
    for queue in _live(connection, "push"):
        while (able := staff.able(queue)) and len(taken) < AT_ONCE:
            rooms = sum(admin.capacity - staff.loads[admin.id] for admin in able)
            limit = min(rooms, AT_ONCE - len(taken))
            found = _first(connection, queue, _seen_by(able), now_ms, limit, taken)
            for entry in found:
                able = [admin for admin in staff.able(queue) if sees(admin.seen, entry.desk)]
                admin = staff.next_for(entry.thread_id, able)
                if admin is None:
                    continue  # Its admins have got others.
                number += 1
                taken.append(entry.thread_id)
                yield Match(queue, entry.thread_id, admin, staff.why(queue, entry, admin))
                staff.give(admin, number)
            if len(found) < limit:
                break


def pulled(
    connection: Connection,
    staff: Staff,
    admin: QueueAdmin,
    now_ms: int,
    queue_id: int | None = None,
) -> Match | None:
    """Returns the thread that an admin with a free place gets who asks for the next one, None
    without any. `queue_id`: only from this queue."""
    for queue in _live(connection, "pull"):
        if not queue.asks(admin.desks) or queue_id not in (None, queue.id):
            continue
        left = list[int]()
        while found := _first(connection, queue, admin.seen, now_ms, 1, left):
            [entry] = found
            if not staff.must_leave(queue, entry, admin):
                return Match(queue, entry.thread_id, admin, staff.why(queue, entry, admin))
            left.append(entry.thread_id)
    return None


def _live(connection: Connection, mode: str) -> list[Queue]:
    return [
        queue for queue in definitions.listing(connection) if queue.mode == mode and queue.is_filled
    ]


def _first(
    connection: Connection,
    queue: Queue,
    desks: Desks,
    now_ms: int,
    limit: int,
    without: Sequence[int],
) -> list[Entry]:
    assert queue.number is not None, "a live queue has a list"
    since = queue.waited_since(now_ms)
    return entries.first(connection, queue.number, desks, since, limit, without)


def _seen_by(people: Sequence[QueueAdmin]) -> Desks:
    """Returns the desks that at least one of these admins sees; None: all."""
    if any(admin.seen is None for admin in people):
        return None
    return frozenset().union(*(admin.seen or () for admin in people))


def explained(
    connection: Connection, thread_id: int, reader: Reader, now_ms: int
) -> dict[str, Any] | None:
    """Explains, as the reader may see it, why a queue gave the thread to its admin, or why it still
    waits in a queue; None if no queue hands it out."""
    place = standing.place(connection, thread_id)
    last = None if place else standing.last_hand_out(connection, thread_id)
    if place is not None:
        state = definitions.state(connection)
        staff = Staff.read(connection, state, now_ms)
        desk = threads.desks_of(connection, [thread_id]).get(thread_id, "")
        why = staff.why(place.queue, Entry(thread_id, desk, 0), None)
        queue, admin = {"id": place.queue.id, "name": place.queue.name}, None
    elif last is not None:
        why, queue, admin = last["data"]["why"], last["data"]["queue"], last["data"]["assignee"]
    else:
        return None
    people = {one["id"] for one in why["admins"]}
    seen = {admin.id: admin.seen for admin in admins.listing(connection, people)}
    return {
        "queue": queue,
        "admin": admin,
        "at": last and last["at"],
        "pulled": bool(last and last["pulled"]),
        "admins": standing.shown(why["admins"], reader, seen),
        "others": why["others"],
        "position": place and place.position,
        "of": place and place.of,
    }
