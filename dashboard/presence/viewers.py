"""Viewers of threads and typing in them, published to sockets that show the thread or its row."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from dashboard.errors import StorageUnavailable
from dashboard.live.visible_rows import VisibleRows
from dashboard.presence.service import PresenceService
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.strict_json import JsonObject
from presence.rooms import Membership, Room
from presence.watchers import MAX_ROOMS, RoomWatchers

#: Ids of admins -> their names.
NamesOf = Callable[[Collection[int]], dict[int, str]]
#: Names are cached for this long: a changed name is shown this much later at most. While SQL is
#: away the old names are shown.
NAMES_SECONDS = 10.0
#: (socket, customer) -> whether the socket's admin is a contact of the customer.
IsContact = Callable[[str, str], bool]
#: Whether others may see the threads in which a socket is.
IsShown = Callable[[str], bool]


@dataclass
class _OpenThread:
    """A thread that a socket has open, with its mode and cursor there."""

    membership: Membership
    mode: str = "viewing"
    cursor: JsonObject | None = None


class Viewers:
    """The threads that this worker's sockets have open or show as rows. Raises RedisError."""

    def __init__(
        self,
        presence_service: PresenceService,
        visible_rows: VisibleRows,
        names_of: NamesOf,
        emitter: Emitter,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._rooms = presence_service.threads
        self._visible_rows = visible_rows
        self._names_of = names_of
        self._emitter = emitter
        self._monotonic = monotonic
        self._open: dict[str, dict[int, _OpenThread]] = {}
        self._watched: dict[str, set[str]] = {}
        #: The names that were read last, and the admins with a name that is not too old.
        self._names: dict[int, str] = {}
        self._named: set[int] = set()
        self._names_until = float("-inf")
        self._beating: set[str] = set()
        #: Socket to the rooms in which it was last told that a customer types.
        self._typing_sent: dict[str, set[str]] = defaultdict(set)
        self._is_contact: IsContact = lambda sid, person: False
        self.readers = RoomWatchers(
            self._rooms, self._publish, self._publish_cursor, on_lost=self._beat_all
        )
        self.writers = RoomWatchers(presence_service.writers, self._publish_typing)

    def set_contact_check(self, is_contact: IsContact) -> None:
        """Sets the check for customers who are shown to their contacts only."""
        self._is_contact = is_contact

    def join(self, sid: str, membership: Membership, shown: bool) -> list[dict[str, object]]:
        """Opens a thread for a socket; returns its viewers. `shown`: others may see the socket."""
        opened_thread = _OpenThread(membership)
        self._open.setdefault(sid, {})[int(membership.room)] = opened_thread
        # If a call below fails, the next flush watches the thread.
        self._visible_rows.changed.add(sid)
        if shown:
            self._put(opened_thread)
        room = self.readers.watch(sid, [membership.room])[membership.room]
        self._publish_typing(sid, self.writers.watch(sid, [membership.room]))
        self._watched.setdefault(sid, set()).add(membership.room)
        for member in room.members:
            if member.cursor is not None:
                self._publish_cursor(sid, room.name, member.person, member.cursor)
        return self._viewers(room)

    def is_in(self, sid: str, thread_id: int) -> bool:
        return thread_id in self._open.get(sid, {})

    def change(
        self, sid: str, thread_id: int, mode: str, cursor: JsonObject | None, shown: bool
    ) -> None:
        """Sets the socket's mode and cursor in a thread, if it still has it open."""
        opened_thread = self._open.get(sid, {}).get(thread_id)
        if opened_thread is None:
            return
        opened_thread.mode, opened_thread.cursor = mode, cursor or opened_thread.cursor
        if shown:
            self._put(opened_thread, cursor)

    def leave(self, sid: str, thread_id: int) -> None:
        """Closes the thread for the socket."""
        opened_thread = self._open.get(sid, {}).pop(thread_id, None)
        self._visible_rows.changed.add(sid)
        if opened_thread is not None:
            self._rooms.leave(opened_thread.membership)

    def drop(self, sid: str, grace_ms: int) -> None:
        """Drops the socket; with a grace, it may come back."""
        opened = self._open.pop(sid, {})
        self._beating.discard(sid)
        self._stop_watching(sid)
        for opened_thread in opened.values():
            self._rooms.leave(opened_thread.membership, grace_ms)

    def repeat_typing(self) -> None:
        """Sends typing again: browsers end it by themselves if nothing comes any more."""
        for sid, rooms in self.readers.with_mode("typing").items():
            self._publish(sid, rooms)
        for sid, rooms in self.writers.with_mode("typing").items():
            self._publish_typing(sid, rooms)

    def refresh_typing(self, sid: str) -> None:
        """Publishes typing to a socket that may see more or fewer customers than before."""
        self._publish_typing(sid, self.writers.published(sid))

    def show(self, sids: Iterable[str], is_shown: IsShown) -> None:
        """Adds sockets of admins who became visible to their open threads."""
        for sid in sids:
            for opened_thread in list(self._open.get(sid, {}).values()):
                self._put_again(sid, opened_thread, is_shown)

    def hide_typing(self, sids: Iterable[str], shown: bool) -> None:
        """Shows sockets as editing after their admin stopped showing typing."""
        for sid in sids:
            for thread_id, opened_thread in list(self._open.get(sid, {}).items()):
                if opened_thread.mode == "typing":
                    self.change(sid, thread_id, "editing", None, shown)

    def hide(self, sids: Iterable[str]) -> None:
        """Removes sockets of admins who became hidden from their open threads."""
        for sid in sids:
            for opened_thread in list(self._open.get(sid, {}).values()):
                self._rooms.leave(opened_thread.membership)

    def beat(self, sid: str) -> None:
        """Counts as a heartbeat for the socket's open threads; sent at the next `flush_beats`."""
        if self._open.get(sid):
            self._beating.add(sid)

    def flush_beats(self, is_shown: IsShown) -> None:
        """Sends the heartbeats of open threads; memberships that Redis lost are put again."""
        beating, self._beating = self._beating, set()
        opened = {
            opened_thread.membership: (sid, opened_thread)
            for sid in beating
            if is_shown(sid)
            for opened_thread in self._open.get(sid, {}).values()
        }
        try:
            lost = self._rooms.beat(list(opened))
        except Exception:
            self._beating |= beating
            raise
        for membership in lost:
            self._put_again(*opened[membership], is_shown)

    def flush(self) -> None:
        """Watches the threads that came on screen, and publishes changes."""
        while self._visible_rows.changed:
            sid = self._visible_rows.changed.pop()
            try:
                self._follow(sid)
            except Exception:
                self._visible_rows.changed.add(sid)
                raise
        self.readers.flush_once()
        self.writers.flush_once()

    def _follow(self, sid: str) -> None:
        new = set(self._threads_of(sid)[:MAX_ROOMS])
        held = self._watched.get(sid, set())
        add, dropped = sorted(new - held), held - new
        self._typing_sent[sid] -= dropped
        try:
            rooms = self.readers.follow(sid, add, dropped)
            writers = self.writers.follow(sid, add, dropped)
        except Exception:
            # They are not noted as watched, so nothing else would drop them.
            self.readers.watch(sid, drop=add)
            self.writers.watch(sid, drop=add)
            raise
        # The socket may have disconnected during the reading.
        if not self._threads_of(sid):
            self._stop_watching(sid)
            return
        self._watched[sid] = new
        self._publish(sid, {name: room for name, room in rooms.items() if room.members})
        self._publish_typing(sid, writers)

    def _threads_of(self, sid: str) -> list[str]:
        """Returns the threads that the socket has open, then those of its rows, newest first."""
        rows = reversed(self._visible_rows.of(sid))
        return [str(id) for id in (*self._open.get(sid, ()), *rows)]

    def _stop_watching(self, sid: str) -> None:
        self._watched.pop(sid, None)
        self._typing_sent.pop(sid, None)
        self.readers.forget(sid)
        self.writers.forget(sid)

    def _put_again(self, sid: str, opened_thread: _OpenThread, is_shown: IsShown) -> None:
        """Puts the socket into a thread, unless it has left it or was hidden meanwhile."""
        threads = self._open.get(sid, {})
        if threads.get(int(opened_thread.membership.room)) is opened_thread and is_shown(sid):
            self._put(opened_thread, opened_thread.cursor)

    def _put(self, opened_thread: _OpenThread, cursor: JsonObject | None = None) -> None:
        self._rooms.put(opened_thread.membership, opened_thread.mode, cursor=cursor)

    def _beat_all(self) -> None:
        self._beating |= self._open.keys()

    def _publish(self, sid: Any, rooms: dict[str, Room]) -> None:
        for room in rooms.values():
            self._emitter.send(sid, "thread:viewers", EncodedJson(encode(self._to_json(room))))

    def _publish_cursor(self, sid: Any, room: str, person: str, cursor: Any) -> None:
        """Publishes a cursor to sockets that have the thread open; a row does not show cursors."""
        opened_thread = self._open.get(sid, {}).get(int(room))
        if opened_thread is None or opened_thread.membership.person == person:
            return
        data = {"thread_id": int(room), "admin_id": int(person), "cursor": cursor}
        self._emitter.send(sid, "thread:cursor", EncodedJson(encode(data)))

    def _publish_typing(self, sid: Any, rooms: dict[str, Room]) -> None:
        sent = self._typing_sent[sid]
        for room in rooms.values():
            if not room.members and room.name not in sent:
                continue
            customers = self._typing(sid, room)
            # A socket that may not see the typing customer is sent nothing at all.
            if customers or room.name in sent:
                data = {"thread_id": int(room.name), "customers": customers}
                self._emitter.send(sid, "thread:typing", EncodedJson(encode(data)))
            (sent.add if customers else sent.discard)(room.name)

    def _typing(self, sid: str, room: Room) -> list[str]:
        """Returns the customers typing in the room that this socket may see."""
        return [
            member.person
            for member in room.members
            if member.mode == "typing"
            and (member.cursor == "everyone" or self._is_contact(sid, member.person))
        ]

    def _to_json(self, room: Room) -> dict[str, object]:
        return {
            "thread_id": int(room.name),
            "version": room.version,
            "count": room.count,
            "viewers": self._viewers(room),
        }

    def _viewers(self, room: Room) -> list[dict[str, object]]:
        self._read_names({int(member.person) for member in room.members})
        return [
            {
                "id": int(member.person),
                "name": self._names.get(int(member.person), ""),
                "mode": member.mode,
                "since": member.since,
            }
            for member in room.members
        ]

    def _read_names(self, ids: Collection[int]) -> None:
        if self._monotonic() >= self._names_until:
            self._named, self._names_until = set(), self._monotonic() + NAMES_SECONDS
        unknown = {*ids} - self._named
        if not unknown:
            return
        try:
            names = self._names_of(unknown)
        except StorageUnavailable:
            # The viewers are shown with the names that were read last.
            return
        self._names |= dict.fromkeys(unknown, "") | names
        self._named |= unknown
