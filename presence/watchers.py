"""Watchers of this worker, their people and their rooms; kept current by announcements."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from presence.errors import TooMany
from presence.people import People
from presence.rooms import Room, Rooms
from presence.states import PresenceSnapshot, Relation, State, Viewer, parsed, same, snapshot_of

#: People that one watcher may watch.
MAX_WATCHED = 500

#: People that are read at once.
_BATCH = 25
#: (watcher, states that changed for it).
Publish = Callable[[Hashable, dict[str, State]], None]


@dataclass
class _Watch:
    """One watcher of one person; `related`: counts as a contact, as far as it is known, which
    `is_loaded` says to be current."""

    viewer: Viewer
    last_sent: State
    related: bool = False
    is_loaded: bool = False


class Watchers:
    """Publishes changes of people's states to their watchers; a `Source` for a Feed.

    States are filtered before they are published: a watcher gets what it may see, and nothing if
    that did not change. `flush_once` publishes changes since the last call, one message a watcher.
    `on_lost` is called when Redis has lost its data.
    """

    def __init__(
        self,
        people: People,
        publish: Publish,
        related: Relation | None = None,
        on_lost: Callable[[], None] = lambda: None,
        max_watched: int = MAX_WATCHED,
    ):
        self._people = people
        self._publish = publish
        self._related = related
        self._on_lost = on_lost
        self._max_watched = max_watched
        self._snapshots: dict[str, PresenceSnapshot] = {}
        self._watches: dict[str, dict[Hashable, _Watch]] = defaultdict(dict)
        self._watched: dict[Hashable, set[str]] = defaultdict(set)
        self._changed: set[str] = set()
        #: Watched people who could not be read when a watcher added them.
        self._unread: set[str] = set()
        self._recovering: set[int] = set()

    def watch(
        self,
        watcher: Hashable,
        viewer: Viewer,
        add: Sequence[str] = (),
        drop: Iterable[str] = (),
        elsewhere: int = 0,
        pause: Callable[[], object] = lambda: None,
    ) -> dict[str, State]:
        """Watches the people `add` and no longer `drop`; returns the states of those added.

        `elsewhere`: the number of people of other kinds that the watcher watches. Raises TooMany,
        and changes nothing, above `max_watched` together. `pause()` is called between batches: 500
        people take longer than others should wait.
        """
        dropped = set(drop)
        watched = (self._watched.get(watcher, set()) - dropped) | set(add)
        if add and len(watched) + elsewhere > self._max_watched:
            raise TooMany(f"at most {self._max_watched} people are watched at a time")
        for person in dropped:
            self._drop(watcher, person)
        if not add:
            return {}
        # Registered before the reading, so that no announcement in between is missed.
        for person in add:
            self._watches[person].setdefault(watcher, _Watch(viewer, _nothing_sent()))
            self._watched[watcher].add(person)
        states: dict[str, State] = {}
        for start in range(0, len(add), _BATCH):
            if start:
                pause()
            people = add[start : start + _BATCH]
            try:
                self._update(self._people.snapshots(people))
            except Exception:
                self._unread.update(add)
                self.publish_again(watcher, add)
                raise
            states |= self._states_for(watcher, viewer, people)
        return states

    def count(self, watcher: Hashable) -> int:
        """Counts the people that the watcher watches."""
        return len(self._watched.get(watcher, ()))

    def change_viewer(self, watcher: Hashable, viewer: Viewer) -> None:
        """Changes the rights of a watcher; the next flush publishes the differences."""
        for person in self._watched.get(watcher, ()):
            self._watches[person][watcher].viewer = viewer
            self._changed.add(person)

    def forget(self, watcher: Hashable) -> None:
        """Removes a watcher that has disconnected."""
        for person in list(self._watched.get(watcher, ())):
            self._drop(watcher, person)
        self._watched.pop(watcher, None)

    def refresh_relations(self, people: Iterable[str]) -> None:
        """Loads the relations to these people again at the next flush; they may have changed."""
        for person in people:
            for watch in self._watches.get(person, {}).values():
                watch.is_loaded = False
            if person in self._snapshots:
                self._changed.add(person)

    def flush_once(self) -> int:
        """Publishes changes; returns to how many watchers."""
        self._read_unread()
        changed, self._changed = self._changed, set()
        self._load_relations(changed)
        changes: dict[Hashable, dict[str, State]] = defaultdict(dict)
        for person in changed & self._snapshots.keys():
            for watcher, watch in self._watches.get(person, {}).items():
                state = self._snapshots[person].seen_by(watch.viewer, watch.related)
                if same(state, watch.last_sent) or self._is_doubtful(person, watch):
                    continue
                state = {**state, "v": max(state["v"], watch.last_sent["v"] + 1)}
                watch.last_sent = state
                changes[watcher][person] = state
        for watcher, states in changes.items():
            self._publish(watcher, states)
        return len(changes)

    def publish_again(self, watcher: Hashable, people: Iterable[str]) -> None:
        """Has the next flush publish the states of these people, which could not be sent."""
        for person in people:
            watch = self._watches.get(person, {}).get(watcher)
            if watch is not None:
                watch.last_sent = {**_nothing_sent(), "v": watch.last_sent["v"]}
                self._changed.add(person)

    def contacts(self) -> list[str]:
        """Returns the watched people with a state shown to contacts only."""
        return [person for person, one in self._snapshots.items() if one.audience == "contacts"]

    def __len__(self) -> int:
        return len(self._snapshots)

    def channels(self) -> Mapping[str, int]:
        space = self._people.space
        return {space.channel(shard): shard for shard in range(space.shards)}

    def log(self, shard: int) -> Sequence[str]:
        return self._people.space.log(shard)

    def recovery_grace_ms(self) -> int:
        return self._people.timing.recovery_grace_ms

    def apply(self, event: Mapping[str, Any]) -> None:
        """Takes one announcement; those about people without a watcher here are dropped."""
        person = event["u"]
        if not self._watches.get(person):
            return
        announced = snapshot_of(person, str(event["ep"]), int(event["n"]), int(event["v"]), event)
        earlier = self._snapshots.get(person)
        if earlier and not event["b"]:
            announced = replace(announced, audience=earlier.audience, public=earlier.public)
        if earlier and self._is_recovery(earlier, announced):
            return
        self._update({person: announced})

    def reread(self, shard: int) -> None:
        self._recovering.discard(shard)
        watched = [who for who in self._watches if self._people.space.shard_of(who) == shard]
        for person in self._snapshots.keys() & set(watched):
            self._snapshots[person] = replace(self._snapshots[person], n=-1)
        self._update(self._people.snapshots(watched))

    def lost(self, shard: int) -> None:
        self._recovering.add(shard)
        self._on_lost()

    def _is_recovery(self, earlier: PresenceSnapshot, announced: PresenceSnapshot) -> bool:
        """Whether only connections come back while a shard recovers: no change of what was set.

        Changed visibility is applied at once, and so is a new device.
        """
        if self._people.space.shard_of(earlier.person) not in self._recovering:
            return False
        same_status = _set_parts(earlier) == _set_parts(announced)
        is_back = same_status and announced.truth["status"] != "offline"
        more = Counter(announced.truth["devices"]) - Counter(earlier.truth["devices"])
        return is_back and not more and _privacy(earlier) == _privacy(announced)

    def _read_unread(self) -> None:
        self._unread &= self._watches.keys()
        people = list(self._unread)[:MAX_WATCHED]
        if not people:
            return
        try:
            self._update(self._people.snapshots(people))
        except Exception:  # They are read at a later flush; changes of others are published now.
            return
        self._unread -= set(people)
        self._changed.update(people)

    def _update(self, snapshots: Mapping[str, PresenceSnapshot]) -> None:
        for person, snapshot in snapshots.items():
            earlier = self._snapshots.get(person)
            older = earlier and earlier.epoch == snapshot.epoch and earlier.n > snapshot.n
            if self._watches.get(person) and not older:
                self._snapshots[person] = snapshot
                self._changed.add(person)

    def _states_for(
        self, watcher: Hashable, viewer: Viewer, people: Sequence[str]
    ) -> dict[str, State]:
        self._load_relations(people)
        states: dict[str, State] = {}
        for person in people:
            watch = self._watches.get(person, {}).get(watcher)
            if watch is None:
                continue
            watch.viewer = viewer
            states[person] = self._snapshots[person].seen_by(viewer, watch.related)
            watch.last_sent = states[person]
        return states

    def _load_relations(self, people: Iterable[str]) -> None:
        """Loads, in bulk, the watchers that are contacts of people shown to contacts only."""
        by_viewer: dict[str, dict[str, list[_Watch]]] = defaultdict(lambda: defaultdict(list))
        for person in people:
            snapshot = self._snapshots.get(person)
            if snapshot is None or snapshot.audience != "contacts":
                continue
            for watch in self._watches.get(person, {}).values():
                if not watch.is_loaded:
                    by_viewer[watch.viewer.id][person].append(watch)
        for viewer_id, watches in by_viewer.items():
            try:
                contacts = set(self._related(viewer_id, list(watches)) if self._related else ())
            except Exception:  # A failing function of the caller must not show a hidden person.
                self._changed.update(watches)
                continue
            for person, ones in watches.items():
                for watch in ones:
                    watch.related, watch.is_loaded = person in contacts, True

    def _is_doubtful(self, person: str, watch: _Watch) -> bool:
        """Whether the state depends on the watcher's relation, which was one and cannot be read
        now. The person stays among the changed ones."""
        depends = self._snapshots[person].audience == "contacts"
        sees_all = watch.viewer.truth or watch.viewer.id == person
        return depends and not sees_all and watch.related and not watch.is_loaded

    def _drop(self, watcher: Hashable, person: str) -> None:
        self._watched.get(watcher, set()).discard(person)
        watches = self._watches.get(person, {})
        watches.pop(watcher, None)
        if not watches:
            self._watches.pop(person, None)
            self._snapshots.pop(person, None)


def _set_parts(snapshot: PresenceSnapshot) -> tuple[str, str, str]:
    return snapshot.truth["status"], snapshot.truth["text"], snapshot.truth["activity"]


def _privacy(snapshot: PresenceSnapshot) -> tuple[str, bool]:
    return snapshot.audience, snapshot.public["last_seen"] is not None


def _nothing_sent() -> State:
    return {
        "status": "", "last_seen": None, "devices": [],
        "text": "", "activity": "", "at": 0, "v": 0,
    }  # fmt: skip


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
        """Watches like `watch`, but returns already watched rooms as they were last published.

        Later changes reach all watchers at the next flush. So a hundred sockets that show the same
        rows cost one reading.
        """
        self._enlist(watcher, add, set(drop))
        self._read([name for name in add if name not in self._last_sent])
        return {name: self._last_sent[name] for name in add if name in self._last_sent}

    def with_mode(self, mode: str) -> dict[Hashable, dict[str, Room]]:
        """Maps watchers to their rooms in which somebody has this mode, as last published."""
        rooms: dict[Hashable, dict[str, Room]] = defaultdict(dict)
        for name, room in self._last_sent.items():
            if any(member.mode == mode for member in room.members):
                for watcher in self._watching.get(name, ()):
                    rooms[watcher][name] = room
        return rooms

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
            changed_rooms = self._rooms.look_up(changed) if changed else {}
        except Exception:
            self._changed |= changed
            raise
        changes: dict[Hashable, dict[str, Room]] = defaultdict(dict)
        for name, room in changed_rooms.items():
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
        rooms = self._rooms.look_up(names) if names else {}
        for name, room in rooms.items():
            # The watcher may have disconnected during the reading, and nobody else watches it.
            if name not in self._watching or not self._newer(room):
                continue
            # Earlier watchers have not been sent this yet: the next flush does it.
            if name in self._last_sent and self._last_sent[name].members != room.members:
                self._changed.add(name)
            else:
                self._last_sent[name] = room
        return rooms

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
    return [(member.person, member.mode, member.since) for member in room.members]
