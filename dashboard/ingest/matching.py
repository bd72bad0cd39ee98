"""Decides which admin gets which thread of a queue next; reads only, and changes nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.lists import query_lists
from dashboard.db.queues import admins, definitions, entries, history, standing
from dashboard.db.queues.admins import QueueAdmin
from dashboard.db.queues.definitions import Load, Queue, QueueState
from dashboard.db.queues.entries import Entry
from dashboard.db.queues.history import Released
from dashboard.db.queues.standing import Reader
from dashboard.db.threads import threads
from dashboard.validation.strict_json import JsonObject

#: Hand-outs that one transaction makes, within about 40 ms; other writes run in between.
AT_ONCE = 20
#: Colleagues that an explanation names; the others are counted.
NAMED = 8


class Match(NamedTuple):
    """A thread, and the admin who gets it from a queue; None: nobody."""

    queue: Queue
    entry: Entry
    admin: QueueAdmin | None
    #: The admins who released threads lately.
    released: Released

    @property
    def thread_id(self) -> int:
        return self.entry.thread_id


class Staff:
    """The admins who accept threads and have a free place, while threads are handed out to them.

    `loads` are those before the next hand-out.
    """

    def __init__(self, people: Iterable[tuple[QueueAdmin, int]], released: Released):
        self._people: dict[int, QueueAdmin] = {}
        self.loads: dict[int, int] = {}
        for admin, load in people:
            self._people[admin.id], self.loads[admin.id] = admin, load
        self.released = released

    @classmethod
    def read(cls, connection: Connection, state: QueueState, now_ms: int) -> "Staff":
        people = admins.with_room(connection, state.load)
        return cls(people, history.released(connection, now_ms) if people else frozenset())

    def able(self, queue: Queue) -> list[QueueAdmin]:
        """Returns the admins who may get threads of the queue now, the next one first."""
        some = (
            admin
            for admin in self._people.values()
            if self.loads[admin.id] < admin.capacity and queue.asks(admin.desks)
        )
        return sorted(some, key=lambda admin: (admin.hand_out, admin.id))

    def next_for(self, thread_id: int, able: Sequence[QueueAdmin]) -> QueueAdmin | None:
        """Returns the admin who gets the thread: the first who did not release it lately, or the
        first of all."""
        others = (admin for admin in able if not self.has_released(thread_id, admin))
        return next(others, able[0] if able else None)

    def has_released(self, thread_id: int, admin: QueueAdmin) -> bool:
        return (thread_id, admin.id) in self.released

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
        self._people[admin.id] = admin._replace(hand_out=number)


def why(
    connection: Connection,
    match: Match,
    load: Load,
    given_before: Mapping[int, int] = MappingProxyType({}),
) -> JsonObject:
    """Explains why this admin gets the thread, or why nobody does.

    `admins` has the admins of the queue who see the thread, the one who gets it first: `is` is
    `given`, `free`, `released`, `at_capacity`, `not_accepting` or a status; `load` is that before
    the hand-out. `others` counts the ones that are not named. `given_before`: hand-outs to each
    admin that are not in SQL yet.
    """
    given = match.admin
    people, count = admins.of_queue(
        connection, match.queue, match.entry.desk, given.id if given else 0, NAMED
    )
    held = admins.loads(connection, [admin.id for admin in people], load)
    held = {id: count + given_before.get(id, 0) for id, count in held.items()}
    named = [
        {
            "id": admin.id,
            "name": admin.name,
            "is": "given" if given and admin.id == given.id else _standing(match, admin, held),
            "shown": admin.shown_status,
            "load": held[admin.id],
            "capacity": admin.capacity,
        }
        for admin in people
    ]
    return {"admins": named, "others": count - len(named)}


def _standing(match: Match, admin: QueueAdmin, loads: Mapping[int, int]) -> str:
    # First: presence is known only of admins with a row in `queue_admins`.
    if not admin.accepting:
        return "not_accepting"
    if admin.status != "online":
        return admin.status
    if loads[admin.id] >= admin.capacity:
        return "at_capacity"
    return "released" if (match.entry.thread_id, admin.id) in match.released else "free"


def pushed(connection: Connection, state: QueueState, staff: Staff, now_ms: int) -> Iterator[Match]:
    """Yields the hand-outs that are due, AT_ONCE at most, and counts each in `staff`."""
    number, taken = state.hand_outs, list[int]()
    if not staff.loads:
        return
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
                yield Match(queue, entry, admin, staff.released)
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
                return Match(queue, entry, admin, staff.released)
            left.append(entry.thread_id)
    return None


def _live(connection: Connection, mode: str) -> list[Queue]:
    """Returns the queues with complete entries that follow their threads, in their order."""
    kept = query_lists.current(connection).kept_queue_numbers
    return [
        queue
        for queue in definitions.listing(connection)
        if queue.mode == mode and queue.is_filled and queue.number in kept
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
    since = queue.waited_since(now_ms) if queue.delay else None
    return entries.first(connection, queue.number, desks, since, limit, without)


def _seen_by(people: Sequence[QueueAdmin]) -> Desks:
    """Returns the desks that at least one of these admins sees; None: all."""
    if any(admin.seen is None for admin in people):
        return None
    return frozenset().union(*(admin.seen or () for admin in people))


def explained(
    connection: Connection, thread_id: int, reader: Reader, now_ms: int
) -> JsonObject | None:
    """Explains, as the reader may see it, why a queue gave the thread to its admin, or why it still
    waits in a queue; None if no queue hands it out."""
    place = standing.place(connection, thread_id, reader.desks)
    last = None if place else standing.last_hand_out(connection, thread_id)
    if place is not None:
        state = definitions.state(connection)
        desk = threads.desks_of(connection, [thread_id]).get(thread_id, "")
        released = history.released(connection, now_ms)
        match = Match(place.queue, Entry(thread_id, desk, 0, 0), None, released)
        reasons = why(connection, match, state.load)
        queue, admin = {"id": place.queue.id, "name": place.queue.name}, None
    elif last is not None:
        reasons, queue, admin = last["data"]["why"], last["data"]["queue"], last["data"]["assignee"]
    else:
        return None
    people = {one["id"] for one in reasons["admins"]}
    seen = {admin.id: admin.seen for admin in admins.listing(connection, people)}
    return {
        "queue": queue,
        "admin": admin,
        "at": last and last["at"],
        "pulled": bool(last and last["pulled"]),
        "admins": standing.shown(reasons["admins"], reader, seen),
        "others": reasons["others"],
        "position": place and place.position,
        "of": place and place.of,
    }
