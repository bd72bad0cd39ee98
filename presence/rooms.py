"""Rooms: who is in one, what they do there, where their cursor is."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from presence.errors import InvalidName, RoomFull, UnknownValue
from presence.keys import SEPARATOR, SHARDS, Space, checked
from presence.scripts import Call, Client, Scripts, text_of
from presence.states import parsed
from presence.timing import Timing

#: What one may be doing, the least busy first; one mode a person over all connections.
MODES = ("away", "viewing", "editing", "typing")
#: People in one room.
MOST_MEMBERS = 500
#: Due places that one call looks for.
SWEEP_LIMIT = 100

_BEAT_BATCH = 500


class Place(NamedTuple):
    """A connection's place in a room."""

    room: str
    person: str
    connection: str


@dataclass(frozen=True)
class Member:
    """One person in a room, however many connections; `since` in ms."""

    person: str
    mode: str
    since: int
    cursor: Any = None
    connections: int = 1


@dataclass(frozen=True)
class Room:
    """Who is in a room, the busiest first; `version` only grows."""

    name: str
    epoch: str
    n: int
    version: int
    members: tuple[Member, ...]

    @property
    def count(self) -> int:
        return len(self.members)


class Rooms:
    """The rooms of one namespace. Every method raises what Redis raises."""

    def __init__(
        self,
        client: Client,
        namespace: str,
        *,
        timing: Timing | None = None,
        prefix: str = "p",
        shards: int = SHARDS,
        scripts: Scripts | None = None,
        most_members: int = MOST_MEMBERS,
    ):
        self.space = Space(namespace, prefix, shards)
        self.timing = timing or Timing()
        self.scripts = scripts or Scripts(client)
        self.client = client
        self._most_members = most_members

    def put(
        self,
        place: Place,
        mode: str = "viewing",
        clock: int | None = None,
        cursor: Any = None,
        show_typing: bool = True,
    ) -> bool:
        """Joins, changes the mode and moves the cursor, in one call; whether announced.

        A `clock` that is not later than the connection's last one changes nothing. `cursor` is
        JSON; None leaves it. Typing falls back by itself. Raises RoomFull.
        """
        if mode not in MODES:
            raise UnknownValue(f"a mode is one of {', '.join(MODES)}")
        told = self._run(
            "room_put",
            place,
            self.timing.room_ttl_ms,
            self.timing.typing_ms,
            "editing" if mode == "typing" and not show_typing else mode,
            "" if clock is None else clock,
            "" if cursor is None else json.dumps(cursor, separators=(",", ":")),
            self._most_members,
        )
        if told < 0:
            raise RoomFull(f"at most {self._most_members} people are in a room")
        return bool(told)

    def beat(self, places: Sequence[Place]) -> list[Place]:
        """Signs of life. Returns those that are in their room no more: put them anew."""
        batches = self._batches(places)
        calls = [
            Call(
                "room_beat",
                self.space.rooms(shard)[:1],
                [self.timing.room_ttl_ms, *map(SEPARATOR.join, batch)],
            )
            for shard, batch in batches
        ]
        answers = self.scripts.run_all(calls)
        return [
            batch[int(index)]
            for (_, batch), unknown in zip(batches, answers, strict=True)
            for index in unknown
        ]

    def leave(self, place: Place, grace_ms: int = 0) -> bool:
        """A connection leaves: at once, or, with a grace, unless somebody comes back for it."""
        return bool(self._run("room_leave", place, grace_ms, ""))

    def leave_late(self, left: Mapping[Place, int]) -> int:
        """Connections left, told late: each with its moment, in ms by Redis's clock.

        Who was put there since stays. Returns how many were announced. Most are in no room: all
        are looked for in one round trip, and only who is there costs another.
        """
        calls = [
            self._call("room_leave", place, 0, left[place] + self.timing.room_ttl_ms)
            for place in self._there(list(left))
        ]
        return sum(self.scripts.run_all(calls))

    def look(self, names: Iterable[str]) -> dict[str, Room]:
        """Who is in each of these rooms; one round trip."""
        asked = list(dict.fromkeys(names))
        calls = [
            Call("room_look", self.space.room(_room(name)), [self._channel(name), name])
            for name in asked
        ]
        answers = self.scripts.run_all(calls)
        return {name: _looked(name, one) for name, one in zip(asked, answers, strict=True)}

    def counts(self, names: Sequence[str]) -> dict[str, int]:
        """How many people are in each of these rooms; reads no member."""
        with self.client.pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.hlen(self.space.room(_room(name))[-1])
            return dict(zip(names, pipeline.execute(), strict=True))

    def places(self) -> list[Place]:
        """All places in all rooms, in one round trip: for crowds of which a list makes sense."""
        with self.client.pipeline(transaction=False) as pipeline:
            for shard in range(self.space.shards):
                pipeline.zrange(self.space.rooms(shard)[0], 0, -1)
            return [
                Place(*text_of(member).split(SEPARATOR))
                for members in pipeline.execute()
                for member in members
            ]

    def sweep_once(self, limit: int = SWEEP_LIMIT) -> int:
        """Ends places past their deadline and dead typing; returns how many were announced."""
        announced, shards = 0, list(range(self.space.shards))
        while shards:
            due = self.scripts.run_all(
                [Call("room_due", self.space.rooms(shard)[:2], [limit]) for shard in shards]
            )
            announced += sum(self.scripts.run_all(self._reaping(due)))
            shards = [
                shard
                for shard, found in zip(shards, due, strict=True)
                if max(map(len, found)) >= 2 * limit
            ]
        return announced

    def _reaping(self, due: Sequence[Sequence[Sequence[Any]]]) -> list[Call]:
        rooms: dict[str, list[str | int]] = defaultdict(list)
        for found in due:
            for kind, members in zip(("gone", "typing"), found, strict=True):
                for at in range(0, len(members), 2):
                    room, person, connection = text_of(members[at]).split(SEPARATOR)
                    rooms[room] += [kind, person, connection, text_of(members[at + 1])]
        return [
            Call("room_reap", self.space.room(room), [self._channel(room), room, *argv])
            for room, argv in rooms.items()
        ]

    def _there(self, places: Sequence[Place]) -> list[Place]:
        """Those that are in their rooms."""
        batches = self._batches(places)
        with self.client.pipeline(transaction=False) as pipeline:
            for shard, batch in batches:
                pipeline.zmscore(self.space.rooms(shard)[0], list(map(SEPARATOR.join, batch)))
            answers = pipeline.execute()
        return [
            place
            for (_, batch), deadlines in zip(batches, answers, strict=True)
            for place, deadline in zip(batch, deadlines, strict=True)
            if deadline is not None
        ]

    def _batches(self, places: Sequence[Place]) -> list[tuple[int, list[Place]]]:
        """(shard, places of rooms that live there), no more than one call takes."""
        shards: dict[int, list[Place]] = defaultdict(list)
        for place in places:
            shards[self.space.shard_of(place.room)].append(place)
        return [
            (shard, of_shard[start : start + _BEAT_BATCH])
            for shard, of_shard in shards.items()
            for start in range(0, len(of_shard), _BEAT_BATCH)
        ]

    def _run(self, job: str, place: Place, *argv: str | int) -> int:
        call = self._call(job, place, *argv)
        return self.scripts.run(call.job, call.keys, *call.argv)

    def _call(self, job: str, place: Place, *argv: str | int) -> Call:
        room = _room(place.room)
        named = [self._channel(room), room, checked(place.person), checked(place.connection)]
        return Call(job, self.space.room(room), [*named, *argv])

    def _channel(self, room: str) -> str:
        return self.space.rooms_channel(self.space.shard_of(room))


def _room(name: str) -> str:
    if "{" in name or "}" in name:
        raise InvalidName("a room's name holds no braces")
    return checked(name)


def _looked(name: str, answer: Sequence[Any]) -> Room:
    epoch, n, version, *parts = map(text_of, answer)
    members = [_member(parts[at], parsed(parts[at + 1])) for at in range(0, len(parts), 2)]
    members.sort(key=lambda one: (-MODES.index(one.mode), one.since, one.person))
    return Room(name, epoch, int(n), int(version), tuple(members))


def _member(person: str, entry: Mapping[str, Any]) -> Member:
    places = entry["c"].values()
    moved = max((one for one in places if "x" in one), key=lambda one: one["y"], default=None)
    return Member(
        person=person,
        mode=max((one["m"] for one in places), key=MODES.index),
        since=int(entry["j"]),
        cursor=parsed(moved["x"]) if moved else None,
        connections=len(places),
    )
