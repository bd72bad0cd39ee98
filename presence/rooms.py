"""Rooms: their members, with mode (viewing, typing, …) and cursor."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lua_scripts.runner import LuaCall, LuaRunner, text_of
from lua_scripts.servers import Client
from presence.errors import InvalidName, RoomFull, UnknownValue
from presence.jobs import job_sources
from presence.keys import SEPARATOR, Space, checked
from presence.states import parsed
from presence.timing import Timing

#: Modes, the least busy first; a person has the busiest mode of their connections.
MODES = ("away", "viewing", "editing", "typing")
#: People that a room may hold.
MAX_MEMBERS = 500
#: Due memberships that one call looks for.
SWEEP_LIMIT = 100

_BEAT_BATCH = 500


class Membership(NamedTuple):
    """A connection in a room."""

    room: str
    person: str
    connection: str


@dataclass(frozen=True)
class Member:
    """One person in a room, with any number of connections; `since`: joined, ms since 1970."""

    person: str
    mode: str
    since: int
    cursor: Any = None
    connections: int = 1


@dataclass(frozen=True)
class Room:
    """The members of a room, the busiest first.

    `epoch` and `n` give its position among the announcements of the shard; `version` only grows.
    """

    name: str
    epoch: str
    n: int
    version: int
    members: tuple[Member, ...]

    @property
    def count(self) -> int:
        return len(self.members)


class Rooms:
    """The rooms of one namespace. Every method raises the errors of Redis."""

    def __init__(
        self,
        client: Client,
        space: Space,
        *,
        timing: Timing | None = None,
        lua: LuaRunner | None = None,
        max_members: int = MAX_MEMBERS,
    ):
        self.space = space
        self.timing = timing or Timing()
        self.lua = lua or LuaRunner(client, job_sources())
        self.client = client
        self._max_members = max_members

    def put(
        self,
        membership: Membership,
        mode: str = "viewing",
        clock: int | None = None,
        cursor: Any = None,
        show_typing: bool = True,
    ) -> bool:
        """Joins the room, sets mode and cursor, in one call; returns whether that was announced.

        A `clock` not above the connection's last one changes nothing. `cursor` is any JSON value;
        None leaves it. Typing ends after `timing.typing_ms`. Raises RoomFull, UnknownValue.
        """
        if mode not in MODES:
            raise UnknownValue(f"a mode is one of {', '.join(MODES)}")
        announced = self._run(
            "rooms/put",
            membership,
            self.timing.room_ttl_ms,
            self.timing.typing_ms,
            "editing" if mode == "typing" and not show_typing else mode,
            "" if clock is None else clock,
            "" if cursor is None else json.dumps(cursor, separators=(",", ":")),
            self._max_members,
        )
        if announced < 0:
            raise RoomFull(f"at most {self._max_members} people are in a room")
        return bool(announced)

    def beat(self, memberships: Sequence[Membership]) -> list[Membership]:
        """Sends heartbeats. Returns the memberships that have ended: `put` them again."""
        batches = self._batches(memberships)
        calls = [
            LuaCall(
                "rooms/beat",
                [self.space.rooms(shard).deadlines],
                [self.timing.room_ttl_ms, *map(SEPARATOR.join, batch)],
            )
            for shard, batch in batches
        ]
        answers = self.lua.run_all(calls)
        return [
            batch[int(index)]
            for (_, batch), unknown in zip(batches, answers, strict=True)
            for index in unknown
        ]

    def leave(self, membership: Membership, grace_ms: int = 0) -> bool:
        """Lets a connection leave: at once, or after a grace in which it may come back."""
        return bool(self._run("rooms/leave", membership, grace_ms, ""))

    def leave_late(self, left: Mapping[Membership, int]) -> int:
        """Ends memberships of connections that left earlier: membership -> ms by Redis's clock.

        A membership `put` after that moment stays. Returns how many were announced. Most
        connections are in no room: one round trip finds those that are, and only they cost another.
        """
        calls = [
            self._call("rooms/leave", membership, 0, left[membership] + self.timing.room_ttl_ms)
            for membership in self._present(list(left))
        ]
        return sum(self.lua.run_all(calls))

    def empty(self, names: Iterable[str]) -> int:
        """Empties these rooms at once; returns how many departures were announced."""
        rooms = set(names)
        inside = [one for one in self.memberships() if one.room in rooms] if rooms else []
        return sum(self.lua.run_all([self._call("rooms/leave", one, 0, "") for one in inside]))

    def look_up(self, names: Iterable[str]) -> dict[str, Room]:
        """Maps room names to rooms; one round trip."""
        names = list(dict.fromkeys(names))
        calls = [
            LuaCall("rooms/look_up", self.space.room(_room(name)), [self._channel(name), name])
            for name in names
        ]
        answers = self.lua.run_all(calls)
        return {name: _room_of(name, answer) for name, answer in zip(names, answers, strict=True)}

    def memberships(self) -> list[Membership]:
        """Returns all memberships of all rooms, in one round trip."""
        with self.client.pipeline(transaction=False) as pipeline:
            for shard in range(self.space.shards):
                pipeline.zrange(self.space.rooms(shard).deadlines, 0, -1)
            return [
                Membership(*text_of(member).split(SEPARATOR))
                for members in pipeline.execute()
                for member in members
            ]

    def sweep_once(self, limit: int = SWEEP_LIMIT, shards: Sequence[int] | None = None) -> int:
        """Ends memberships and typing past their deadline, in these shards or in all; returns how
        many were announced."""
        announced, shards = 0, list(range(self.space.shards)) if shards is None else shards
        while shards:
            due = self.lua.run_all(
                [LuaCall("rooms/due", self.space.rooms(shard)[:2], [limit]) for shard in shards]
            )
            announced += sum(self.lua.run_all(self._reaping(due)))
            shards = [
                shard
                for shard, pair in zip(shards, due, strict=True)
                if max(map(len, pair)) >= 2 * limit
            ]
        return announced

    def _reaping(self, due: Sequence[Sequence[Sequence[Any]]]) -> list[LuaCall]:
        rooms: dict[str, list[str | int]] = defaultdict(list)
        for pair in due:
            for kind, members in zip(("expired", "typing"), pair, strict=True):
                for at in range(0, len(members), 2):
                    room, person, connection = text_of(members[at]).split(SEPARATOR)
                    rooms[room] += [kind, person, connection, text_of(members[at + 1])]
        return [
            LuaCall("rooms/reap", self.space.room(room), [self._channel(room), room, *argv])
            for room, argv in rooms.items()
        ]

    def _present(self, memberships: Sequence[Membership]) -> list[Membership]:
        """Returns the memberships that are in their rooms now."""
        batches = self._batches(memberships)
        with self.client.pipeline(transaction=False) as pipeline:
            for shard, batch in batches:
                pipeline.zmscore(
                    self.space.rooms(shard).deadlines, list(map(SEPARATOR.join, batch))
                )
            answers = pipeline.execute()
        return [
            membership
            for (_, batch), deadlines in zip(batches, answers, strict=True)
            for membership, deadline in zip(batch, deadlines, strict=True)
            if deadline is not None
        ]

    def _batches(self, memberships: Sequence[Membership]) -> list[tuple[int, list[Membership]]]:
        """Returns (shard, memberships in its rooms), at most one call's worth in one."""
        rooms = [membership.room for membership in memberships]
        return [
            (shard, [memberships[index] for index in indexes])
            for shard, indexes in self.space.batches(rooms, _BEAT_BATCH)
        ]

    def _run(self, job: str, membership: Membership, *argv: str | int) -> int:
        call = self._call(job, membership, *argv)
        return self.lua.run(call.script, call.keys, *call.args)

    def _call(self, job: str, membership: Membership, *argv: str | int) -> LuaCall:
        room = _room(membership.room)
        named = [
            self._channel(room),
            room,
            checked(membership.person),
            checked(membership.connection),
        ]
        return LuaCall(job, self.space.room(room), [*named, *argv])

    def _channel(self, room: str) -> str:
        return self.space.rooms_channel(self.space.shard_of(room))


def _room(name: str) -> str:
    if "{" in name or "}" in name:
        raise InvalidName("a room's name holds no braces")
    return checked(name)


def _room_of(name: str, answer: Sequence[Any]) -> Room:
    epoch, n, version, *parts = map(text_of, answer)
    members = [_member(parts[at], parsed(parts[at + 1])) for at in range(0, len(parts), 2)]
    members.sort(key=lambda member: (-MODES.index(member.mode), member.since, member.person))
    return Room(name, epoch, int(n), int(version), tuple(members))


def _member(person: str, entry: Mapping[str, Any]) -> Member:
    memberships = entry["c"].values()
    moved = max((one for one in memberships if "x" in one), key=lambda one: one["y"], default=None)
    return Member(
        person=person,
        mode=max((one["m"] for one in memberships), key=MODES.index),
        since=int(entry["j"]),
        cursor=parsed(moved["x"]) if moved else None,
        connections=len(memberships),
    )
