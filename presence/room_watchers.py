"""Which rooms are shown to whom: the registry of one worker, told by announcements."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from presence.errors import TooMany
from presence.rooms import Room, Rooms
from presence.states import parsed

#: Rooms that one watcher may watch.
MOST_ROOMS = 500
#: A room with more people than this is told of less often.
CROWD = 100
#: Flushes between two messages about a crowd.
CROWD_FLUSHES = 50

#: (watcher, rooms whose members changed).
PublishRooms = Callable[[Hashable, dict[str, Room]], None]
#: (watcher, room, person, cursor).
PublishCursor = Callable[[Hashable, str, str, Any], None]


class RoomWatchers:
    """Keeps what sockets show of rooms equal to what is so; a `Source` for a Feed.

    `flush_once` reads the rooms that changed, in one round trip, and publishes each to whoever
    watches it; of cursors it publishes the last position of each person. At a flush each 100 ms
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
        self._told: dict[str, Room] = {}
        self._changed: set[str] = set()
        self._cursors: dict[tuple[str, str], Any] = {}
        self._flushes = 0

    def watch(
        self, watcher: Hashable, add: Sequence[str] = (), drop: Iterable[str] = ()
    ) -> dict[str, Room]:
        """Watches some rooms and no longer others; returns those added as they are now."""
        self._enlist(watcher, add, set(drop))
        return self._read(add)

    def follow(
        self, watcher: Hashable, add: Sequence[str] = (), drop: Iterable[str] = ()
    ) -> dict[str, Room]:
        """Like `watch`, but returns of rooms that others watch what those were told.

        What has changed since is on its way to all of them. So a hundred screens on which the
        same rows come up cost one reading.
        """
        self._enlist(watcher, add, set(drop))
        self._read([name for name in add if name not in self._told])
        return {name: self._told[name] for name in add if name in self._told}

    def forget(self, watcher: Hashable) -> None:
        """The watcher is gone."""
        for room in list(self._watched.get(watcher, ())):
            self._drop(watcher, room)
        self._watched.pop(watcher, None)

    def flush_once(self) -> int:
        """Publishes what changed; returns how many watchers were told."""
        self._flushes += 1
        cursors, self._cursors = self._cursors, {}
        for (where, person), cursor in cursors.items():
            for watcher in list(self._watching.get(where, ())):
                self._publish_cursor(watcher, where, person, cursor)
        crowded = set() if self._flushes % CROWD_FLUSHES == 0 else self._crowded()
        changed = self._changed - crowded
        self._changed -= changed
        try:
            found = self._rooms.look(changed) if changed else {}
        except Exception:
            self._changed |= changed
            raise
        told: dict[Hashable, dict[str, Room]] = defaultdict(dict)
        for name, room in found.items():
            if self._believe(room):
                for watcher in self._watching.get(name, ()):
                    told[watcher][name] = room
        for watcher, rooms in told.items():
            self._publish(watcher, rooms)
        return len(told)

    def channels(self) -> Mapping[str, int]:
        space = self._rooms.space
        return {space.rooms_channel(shard): shard for shard in range(space.shards)}

    def log(self, shard: int) -> Sequence[str]:
        return self._rooms.space.rooms(shard)[2:]

    def calm_ms(self) -> int:
        return self._rooms.timing.calm_ms

    def apply(self, event: Mapping[str, Any]) -> None:
        """An announcement; those about rooms that nobody here watches are dropped."""
        room = event["r"]
        if not self._watching.get(room):
            return
        if event["t"] == "cursor":
            self._cursors[room, event["u"]] = parsed(event["x"])
        else:
            self._changed.add(room)

    def reread(self, shard: int) -> None:
        space = self._rooms.space
        self._changed |= {room for room in self._watching if space.shard_of(room) == shard}

    def lost(self, shard: int) -> None:
        self._on_lost()

    def _enlist(self, watcher: Hashable, add: Sequence[str], gone: set[str]) -> None:
        watched = self._watched.get(watcher, set())
        new = sum(name not in watched or name in gone for name in set(add))
        if len(watched) - len(watched & gone) + new > MOST_ROOMS:
            raise TooMany(f"at most {MOST_ROOMS} rooms are watched at a time")
        for name in gone:
            self._drop(watcher, name)
        if add:
            self._watched[watcher].update(add)
        for name in add:
            self._watching[name].add(watcher)

    def _read(self, names: Sequence[str]) -> dict[str, Room]:
        found = self._rooms.look(names) if names else {}
        for name, room in found.items():
            if not self._newer(room):
                continue
            # Whoever watched before has yet to hear of it.
            if name in self._told and self._told[name].members != room.members:
                self._changed.add(name)
            else:
                self._told[name] = room
        return found

    def _crowded(self) -> set[str]:
        return {
            room for room in self._changed if room in self._told and self._told[room].count > CROWD
        }

    def _newer(self, room: Room) -> bool:
        told = self._told.get(room.name)
        return told is None or told.epoch != room.epoch or told.n <= room.n

    def _believe(self, room: Room) -> bool:
        """Takes a reading if it is newer; whether it shows others than were told."""
        if room.name not in self._watching or not self._newer(room):
            return False
        told = self._told.get(room.name)
        self._told[room.name] = room
        return told is None or _shown(told) != _shown(room)

    def _drop(self, watcher: Hashable, room: str) -> None:
        self._watched.get(watcher, set()).discard(room)
        self._watching.get(room, set()).discard(watcher)
        if not self._watching.get(room):
            self._watching.pop(room, None)
            self._told.pop(room, None)


def _shown(room: Room) -> list[tuple[str, str, int]]:
    return [(one.person, one.mode, one.since) for one in room.members]
