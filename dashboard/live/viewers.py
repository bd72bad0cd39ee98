"""Who is in a thread, and who writes there: told to those in it, or with its row on screen."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from dashboard.attendance.attendance import Attendance
from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode
from dashboard.live.screens import Screens
from presence.room_watchers import MOST_ROOMS, RoomWatchers
from presence.rooms import Place, Room

#: Ids of admins -> what they are called.
NamesOf = Callable[[Collection[int]], dict[int, str]]
#: (socket, customer) -> whether the socket's admin is a contact of the customer.
IsContact = Callable[[str, str], bool]


@dataclass
class _Stand:
    """What a socket does in a thread that it has open."""

    place: Place
    mode: str = "viewing"
    cursor: dict[str, Any] | None = None


class Viewers:
    """The threads that this worker's sockets have open or on screen. Raises RedisError."""

    def __init__(self, attendance: Attendance, screens: Screens, names_of: NamesOf, outlet: Outlet):
        self._rooms = attendance.threads
        self._screens = screens
        self._names_of = names_of
        self._outlet = outlet
        self._stands: dict[str, dict[int, _Stand]] = {}
        self._watched: dict[str, set[str]] = {}
        self._names: dict[int, str] = {}
        self._beating: set[str] = set()
        #: Rooms of which a socket was told that somebody writes there.
        self._told_typing: dict[str, set[str]] = defaultdict(set)
        self._is_contact: IsContact = lambda sid, person: False
        self.readers = RoomWatchers(
            self._rooms, self._publish, self._publish_cursor, on_lost=self._beat_all
        )
        self.writers = RoomWatchers(attendance.writers, self._publish_typing)

    def ask(self, is_contact: IsContact) -> None:
        """Says who may know of customers who show themselves to their contacts alone."""
        self._is_contact = is_contact

    def join(self, sid: str, place: Place, shown: bool) -> list[dict[str, Any]]:
        """The socket opened a thread; who is in it. `shown`: others may know."""
        stand = _Stand(place)
        self._stands.setdefault(sid, {})[int(place.room)] = stand
        # Whatever fails here is followed at the next flush.
        self._screens.changed.add(sid)
        if shown:
            self._put(stand)
        room = self.readers.watch(sid, [place.room])[place.room]
        self._publish_typing(sid, self.writers.watch(sid, [place.room]))
        self._watched.setdefault(sid, set()).add(place.room)
        for one in room.members:
            if one.cursor is not None:
                self._publish_cursor(sid, room.name, one.person, one.cursor)
        return self._described(room)["viewers"]

    def is_in(self, sid: str, thread_id: int) -> bool:
        return thread_id in self._stands.get(sid, {})

    def change(
        self, sid: str, thread_id: int, mode: str, cursor: dict[str, Any] | None, shown: bool
    ) -> None:
        """What the socket does there is something else now."""
        stand = self._stands[sid][thread_id]
        stand.mode, stand.cursor = mode, cursor or stand.cursor
        if shown:
            self._put(stand, cursor)

    def leave(self, sid: str, thread_id: int) -> None:
        """The socket closed the thread."""
        stand = self._stands.get(sid, {}).pop(thread_id, None)
        self._screens.changed.add(sid)
        if stand is not None:
            self._rooms.leave(stand.place)

    def drop(self, sid: str, grace_ms: int) -> None:
        """The socket is gone; with a grace, unless it comes back."""
        stands = self._stands.pop(sid, {})
        self._watched.pop(sid, None)
        self._beating.discard(sid)
        self._told_typing.pop(sid, None)
        self.readers.forget(sid)
        self.writers.forget(sid)
        for stand in stands.values():
            self._rooms.leave(stand.place, grace_ms)

    def show(self, sids: Iterable[str]) -> None:
        """Others may know where these sockets are."""
        for sid in sids:
            for stand in list(self._stands.get(sid, {}).values()):
                self._put(stand, stand.cursor)

    def hide(self, sids: Iterable[str]) -> None:
        """As if these sockets had left."""
        for sid in sids:
            for stand in list(self._stands.get(sid, {}).values()):
                self._rooms.leave(stand.place)

    def beat(self, sid: str) -> None:
        """The socket is alive, and so are its places: told at the next `flush_beats`."""
        if self._stands.get(sid):
            self._beating.add(sid)

    def flush_beats(self, is_shown: Callable[[str], bool]) -> None:
        """Keeps the places of sockets that live; those that were lost are taken anew."""
        beating, self._beating = self._beating, set()
        stands = {
            stand.place: stand
            for sid in beating
            if is_shown(sid)
            for stand in self._stands.get(sid, {}).values()
        }
        try:
            lost = self._rooms.beat(list(stands))
        except Exception:
            self._beating |= beating
            raise
        for place in lost:
            self._put(stands[place], stands[place].cursor)

    def flush(self) -> None:
        """Follows what came on screen, and publishes what changed."""
        while self._screens.changed:
            sid = self._screens.changed.pop()
            try:
                self._follow(sid)
            except Exception:
                self._screens.changed.add(sid)
                raise
        self.readers.flush_once()
        self.writers.flush_once()

    def _follow(self, sid: str) -> None:
        wanted = [str(id) for id in self._stands.get(sid, {})]
        wanted += [str(id) for id in reversed(self._screens.of(sid))]
        new = set(wanted[:MOST_ROOMS])
        held = self._watched.get(sid, set())
        add, gone = sorted(new - held), held - new
        self._told_typing[sid] -= gone
        rooms = self.readers.follow(sid, add, gone)
        writers = self.writers.follow(sid, add, gone)
        if new:
            self._watched[sid] = new
        else:
            self._watched.pop(sid, None)
            self._told_typing.pop(sid, None)
        self._publish(sid, {name: room for name, room in rooms.items() if room.members})
        self._publish_typing(sid, writers)

    def _put(self, stand: _Stand, cursor: dict[str, Any] | None = None) -> None:
        self._rooms.put(stand.place, stand.mode, cursor=cursor)

    def _beat_all(self) -> None:
        self._beating |= self._stands.keys()

    def _publish(self, sid: Any, rooms: dict[str, Room]) -> None:
        for room in rooms.values():
            self._outlet.send(sid, "thread:viewers", Fragment(encode(self._described(room))))

    def _publish_cursor(self, sid: Any, room: str, person: str, cursor: Any) -> None:
        """To those in the thread: a row has no place for it."""
        stand = self._stands.get(sid, {}).get(int(room))
        if stand is None or stand.place.person == person:
            return
        data = {"thread_id": int(room), "admin_id": int(person), "cursor": cursor}
        self._outlet.send(sid, "thread:cursor", Fragment(encode(data)))

    def _publish_typing(self, sid: Any, rooms: dict[str, Room]) -> None:
        for room in rooms.values():
            told = self._told_typing[sid]
            customers = self._typing(sid, room)
            # Who may not know of somebody does not learn that something was said, either.
            if customers or room.name in told:
                data = {"thread_id": int(room.name), "customers": customers}
                self._outlet.send(sid, "thread:typing", Fragment(encode(data)))
            (told.add if customers else told.discard)(room.name)

    def _typing(self, sid: str, room: Room) -> list[str]:
        """The customers who write there, as far as this socket may know."""
        return [
            one.person
            for one in room.members
            if one.mode == "typing"
            and (one.cursor == "everyone" or self._is_contact(sid, one.person))
        ]

    def _described(self, room: Room) -> dict[str, Any]:
        unknown = {int(one.person) for one in room.members} - self._names.keys()
        if unknown:
            self._names |= self._names_of(unknown)
        viewers = [
            {
                "id": int(one.person),
                "name": self._names.get(int(one.person), ""),
                "mode": one.mode,
                "since": one.since,
            }
            for one in room.members
        ]
        return {
            "thread_id": int(room.name),
            "version": room.version,
            "count": room.count,
            "viewers": viewers,
        }
