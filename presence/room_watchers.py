"""Watchers of this worker and their rooms; kept current by announcements."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from presence.errors import TooMany
from presence.rooms import Room, Rooms
from presence.states import parsed

#: Rooms that one watcher may watch.
MAX_ROOMS = 500
#: A room with more people than this is published less often.
LARGE_ROOM = 100
#: Flushes between two messages about a large room.
LARGE_ROOM_FLUSHES = 50

#: (watcher, rooms with changed members).
PublishRooms = Callable[[Hashable, dict[str, Room]], None]
#: (watcher, room, person, cursor).
PublishCursor = Callable[[Hashable, str, str, Any], None]


class RoomWatchers:
    """Publishes changes of rooms to their watchers; a `Source` for a Feed.

    `flush_once` reads the rooms that changed, in one round trip, and publishes each to its
    watchers; of cursors it publishes the last position of each person. With a flush each 100 ms
    that is at most ten a second.
    """

    def __init__(
        self,
        rooms: Rooms,
        publish: PublishRooms,
        publish_cursor: PublishCursor = lambda *_: None,
        on_lost: Callable[[], None] = lambda: None,
    ):
        self._rooms = rooms
        self._publish = publish
        self._publish_cursor = publish_cursor
        self._on_lost = on_lost
        self._watching: dict[str, set[Hashable]] = defaultdict(set)
        self._watched: dict[Hashable, set[str]] = defaultdict(set)
        self._last_sent: dict[str, Room] = {}
        self._changed: set[str] = set()
        self._cursors: dict[tuple[str, str], Any] = {}
        self._flushes = 0

    def watch(
        self, watcher: Hashable, add: Sequence[str] = (), drop: Iterable[str] = ()
    ) -> dict[str, Room]:
        """Watches the rooms `add` and no longer `drop`; returns those added as they are now.

        Raises TooMany, and changes nothing, above MAX_ROOMS.
        """
        self._enlist(watcher, add, set(drop))
        return self._read(add)

    def follow(
        self, watcher: Hashable, add: Sequence[str] = (), drop: Iterable[str] = ()
    ) -> dict[str, Room]:
        """Like `watch`, but returns rooms that are watched already as they were last published.

        Later changes reach all watchers at the next flush. So a hundred sockets that show the same
        rows cost one reading.
        """
        self._enlist(watcher, add, set(drop))
        self._read([name for name in add if name not in self._last_sent])
        return {name: self._last_sent[name] for name in add if name in self._last_sent}

    def with_mode(self, mode: str) -> dict[Hashable, dict[str, Room]]:
        """Maps watchers to their rooms in which somebody has this mode, as last published."""
        found: dict[Hashable, dict[str, Room]] = defaultdict(dict)
        for name, room in self._last_sent.items():
            if any(one.mode == mode for one in room.members):
                for watcher in self._watching.get(name, ()):
                    found[watcher][name] = room
        return found

    def published(self, watcher: Hashable) -> dict[str, Room]:
        """Returns the rooms of a watcher, as they were last published."""
        names = self._watched.get(watcher, set()) & self._last_sent.keys()
        return {name: self._last_sent[name] for name in names}

    def forget(self, watcher: Hashable) -> None:
        """Removes a watcher that has disconnected."""
        self._drop(watcher, self._watched.pop(watcher, set()))

    def flush_once(self) -> int:
        """Publishes changes; returns to how many watchers."""
        self._flushes += 1
        cursors, self._cursors = self._cursors, {}
        for (where, person), cursor in cursors.items():
            for watcher in list(self._watching.get(where, ())):
                self._publish_cursor(watcher, where, person, cursor)
        postponed = set() if self._flushes % LARGE_ROOM_FLUSHES == 0 else self._large_rooms()
        changed = self._changed - postponed
        self._changed -= changed
        try:
            found = self._rooms.look_up(changed) if changed else {}
        except Exception:
            self._changed |= changed
            raise
        changes: dict[Hashable, dict[str, Room]] = defaultdict(dict)
        for name, room in found.items():
            if self._update(room):
                for watcher in self._watching.get(name, ()):
                    changes[watcher][name] = room
        for watcher, rooms in changes.items():
            self._publish(watcher, rooms)
        return len(changes)

    def channels(self) -> Mapping[str, int]:
        space = self._rooms.space
        return {space.rooms_channel(shard): shard for shard in range(space.shards)}

    def log(self, shard: int) -> Sequence[str]:
        return [self._rooms.space.rooms(shard).meta]

    def recovery_grace_ms(self) -> int:
        return self._rooms.timing.recovery_grace_ms

    def apply(self, event: Mapping[str, Any]) -> None:
        """Takes one announcement; those about rooms without a watcher here are dropped."""
        room = event["r"]
        if not self._watching.get(room):
            return
        if event["t"] == "cursor":
            self._cursors[room, event["u"]] = parsed(event["x"])
        else:
            self._changed.add(room)

    def reread(self, shard: int) -> None:
        space = self._rooms.space
        watched = {room for room in self._watching if space.shard_of(room) == shard}
        for room in watched & self._last_sent.keys():
            self._last_sent[room] = replace(self._last_sent[room], n=-1)
        self._changed |= watched

    def lost(self, shard: int) -> None:
        self._on_lost()

    def _enlist(self, watcher: Hashable, add: Sequence[str], dropped: set[str]) -> None:
        watched = self._watched.get(watcher, set())
        if len(watched) + len(add) > MAX_ROOMS and len((watched - dropped).union(add)) > MAX_ROOMS:
            raise TooMany(f"at most {MAX_ROOMS} rooms are watched at a time")
        watched -= dropped
        self._drop(watcher, dropped)
        if add:
            self._watched[watcher].update(add)
        for name in add:
            self._watching[name].add(watcher)

    def _read(self, names: Sequence[str]) -> dict[str, Room]:
        found = self._rooms.look_up(names) if names else {}
        for name, room in found.items():
            if not self._newer(room):
                continue
            # Earlier watchers have not been sent this yet: the next flush does it.
            if name in self._last_sent and self._last_sent[name].members != room.members:
                self._changed.add(name)
            else:
                self._last_sent[name] = room
        return found

    def _large_rooms(self) -> set[str]:
        return {
            room
            for room in self._changed
            if room in self._last_sent and self._last_sent[room].count > LARGE_ROOM
        }

    def _newer(self, room: Room) -> bool:
        last = self._last_sent.get(room.name)
        return last is None or last.epoch != room.epoch or last.n <= room.n

    def _update(self, room: Room) -> bool:
        """Keeps a reading if it is newer; returns whether watchers see a difference."""
        if room.name not in self._watching or not self._newer(room):
            return False
        last = self._last_sent.get(room.name)
        self._last_sent[room.name] = room
        return last is None or _visible(last) != _visible(room)

    def _drop(self, watcher: Hashable, rooms: Iterable[str]) -> None:
        for room in rooms:
            watchers = self._watching.get(room)
            if watchers is None:
                continue
            watchers.discard(watcher)
            if not watchers:
                del self._watching[room]
                self._last_sent.pop(room, None)


def _visible(room: Room) -> list[tuple[str, str, int]]:
    return [(one.person, one.mode, one.since) for one in room.members]
