"""People: their connections, their settings, and their states."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lua_scripts.runner import LuaCall, LuaRunner, text_of
from lua_scripts.servers import Client
from presence.errors import ShardsChanged, TooMany
from presence.jobs import job_sources
from presence.keys import Space, checked
from presence.settings import Settings
from presence.states import (
    STATUSES,
    PresenceSnapshot,
    Relation,
    State,
    Storage,
    Viewer,
    parsed,
    snapshot_of,
)
from presence.timing import Timing

#: `opened_ms` of a connection that is opened again because Redis had lost it: it stays closed if it
#: was closed in the meantime.
REOPENED = -1


class Connection(NamedTuple):
    """One connection of a person; connections with the same `device` count as one device.

    `type` is one of timing.TYPES; `worker` names the process that holds the connection;
    `opened_ms` in ms since 1970, 0 is now.
    """

    person: str
    id: str
    type: str = "web"
    device: str = ""
    worker: str = ""
    active: bool = True
    opened_ms: int = 0


class Beat(NamedTuple):
    """A heartbeat of a connection; `active` None: unchanged.

    `lifetime_ms`: how long the connection lives without another beat. `at_ms`: the moment of the
    beat in ms since 1970 by Redis's clock, 0 is now.
    """

    person: str
    connection: str
    lifetime_ms: int
    active: bool | None = None
    at_ms: int = 0


#: Connections a person may have; one more closes the oldest.
MAX_CONNECTIONS = 20
#: People in one look-up.
MAX_LOOKED_UP = 500
#: Announcements that a shard's stream keeps, approximately.
STREAM_MAX_LENGTH = 20_000
#: A closed connection is remembered for this long, in milliseconds, so that an earlier beat that
#: arrives late does not open it again.
TOMBSTONE_MS = 10_000

_LOOK_UP_BATCH = 500
_BEAT_BATCH = 250
_CLOSE_BATCH = 200


class People:
    """The people of one namespace. Every method raises the errors of Redis.

    `storage` is called, in bulk, for people who have no row in Redis. Methods that return whether
    something was announced return False if others see no difference.
    """

    def __init__(
        self,
        client: Client,
        space: Space,
        *,
        timing: Timing | None = None,
        storage: Storage | None = None,
        lua: LuaRunner | None = None,
    ):
        self.space = space
        self.timing = timing or Timing()
        self.lua = lua or LuaRunner(client, job_sources())
        self.client = client
        self._storage = storage

    def open(
        self,
        connection: Connection,
        settings: Settings | None = None,
        lifetime_ms: int | None = None,
    ) -> bool:
        """Opens a connection, new or known; counts as a beat. Returns whether it was announced.

        Without `settings` the person is hidden until `set` brings them. `lifetime_ms` is by default
        the lifetime of the connection's type.
        """
        return self.open_all([(connection, settings, lifetime_ms)])[0]

    def open_all(
        self, opened: Iterable[tuple[Connection, Settings | None, int | None]]
    ) -> list[bool]:
        """Does `open` for many in one round trip."""
        calls = [self._open_call(*one) for one in opened]
        return [bool(announced) for announced in self.lua.run_all(calls)]

    def beat(self, beats: Sequence[Beat]) -> list[Beat]:
        """Sends heartbeats in one round trip. Returns beats of unknown connections: open these."""
        batches = self.space.batches([beat.person for beat in beats], _BEAT_BATCH)
        calls = [
            self._beat_call(shard, [beats[index] for index in indexes])
            for shard, indexes in batches
        ]
        return [
            beats[indexes[int(at)]]
            for (_, indexes), unknown in zip(batches, self.lua.run_all(calls), strict=True)
            for at in unknown
        ]

    def idle(self, person: str, connection: str, active: bool) -> bool | None:
        """Sets whether a connection is active; returns whether announced, None if it is unknown."""
        announced = self._run("people/idle", person, connection, "a" if active else "i")
        return None if announced < 0 else bool(announced)

    def close(
        self, person: str, connection: str, grace_ms: int = 0, was_silent: bool = False
    ) -> bool:
        """Closes a connection: at once, or after a grace in which it may come back. If it
        `was_silent` before that grace, its person was last seen at the last beat."""
        return self.close_all_of([(person, connection)], grace_ms, was_silent=was_silent)[0]

    def close_all_of(
        self,
        closed: Sequence[tuple[str, str]],
        grace_ms: int = 0,
        leave_tombstones: bool = False,
        was_silent: bool = False,
    ) -> list[bool]:
        """Does `close` for many (person, connection) in one round trip; returns as many results.

        With `leave_tombstones` an earlier beat that arrives within TOMBSTONE_MS does not open the
        connection again.
        """
        announced = [False] * len(closed)
        batches = self.space.batches([checked(person) for person, _ in closed], _CLOSE_BATCH)
        calls = []
        for shard, indexes in batches:
            argv: list[str | int] = [self.space.channel(shard), STREAM_MAX_LENGTH, grace_ms]
            argv += [int(leave_tombstones), int(was_silent)]
            argv += [name for index in indexes for name in closed[index]]
            calls.append(LuaCall("people/close", self.space.people(shard), argv))
        for (_, indexes), answer in zip(batches, self.lua.run_all(calls), strict=True):
            for index, flag in zip(indexes, answer, strict=True):
                announced[index] = bool(flag)
        return announced

    def set(self, person: str, settings: Settings) -> bool:
        """Sets the person's settings; a revision not above the held one changes nothing."""
        return bool(self._run("people/set_settings", person, settings.packed(), ""))

    def set_again(self, settings: Mapping[str, Settings]) -> None:
        """Does `set` for many, in one round trip; only for people that Redis knows.
        The settings of others come when they connect."""
        packed = [(person, value.packed()) for person, value in settings.items()]
        self.lua.run_all([self._call("people/set_settings", *pair, 1) for pair in packed])

    def look_up(
        self, people: Sequence[str], viewer: Viewer, related: Relation | None = None
    ) -> dict[str, State]:
        """Returns the state of each person as shown to the viewer; one round trip.

        Raises TooMany above MAX_LOOKED_UP. If `related` fails, no one is a contact.
        """
        if len(people) > MAX_LOOKED_UP:
            raise TooMany(f"at most {MAX_LOOKED_UP} people in one look-up")
        snapshots = self.snapshots(people)
        contacts = self.related(viewer, snapshots.values(), related)
        return {
            person: one.seen_by(viewer, person in contacts) for person, one in snapshots.items()
        }

    def related(
        self, viewer: Viewer, snapshots: Iterable[PresenceSnapshot], related: Relation | None
    ) -> frozenset[str]:
        """Returns the people who count the viewer as a contact, of those shown to contacts only."""
        people = [snapshot.person for snapshot in snapshots if snapshot.audience == "contacts"]
        if not people or related is None:
            return frozenset()
        try:
            return frozenset(related(viewer.id, people))
        except Exception:  # A failing function of the caller must not show a hidden person.
            return frozenset()

    def snapshots(self, people: Iterable[str]) -> dict[str, PresenceSnapshot]:
        """Returns both sides of each person: for code that filters, never for viewers."""
        return self._with_stored(self.held(people))

    def held(self, people: Iterable[str]) -> dict[str, PresenceSnapshot]:
        """Returns `snapshots` without data from `storage`: only what Redis knows."""
        names = list(dict.fromkeys(people))
        batches = [
            (shard, [names[index] for index in indexes])
            for shard, indexes in self.space.batches(names, _LOOK_UP_BATCH)
        ]
        calls = [
            LuaCall("people/look_up", self.space.people(shard), ["", "", *batch])
            for shard, batch in batches
        ]
        answers = self.lua.run_all(calls)
        as_of = min((int(answer[2]) for answer in answers), default=0)
        snapshots = {
            person: snapshot_of(person, text_of(answer[0]), int(answer[1]), as_of, body)
            for (_, batch), answer in zip(batches, answers, strict=True)
            for person, body in zip(batch, parsed(answer[3]), strict=True)
        }
        return {person: snapshots[person] for person in names}

    def connections_of(self, person: str) -> list[Connection]:
        """Returns the person's connections, the oldest first."""
        connections = parsed(self._run("people/connections", person))
        return sorted(
            (
                Connection(person, name, kind, device, worker, word == "a", int(opened))
                for name, (word, kind, device, worker, opened) in connections.items()
            ),
            key=lambda connection: (connection.opened_ms, connection.id),
        )

    def connected(self) -> tuple[frozenset[str], list[str]]:
        """Returns everyone who has a connection, hidden or not, and the epoch of each shard."""
        calls = [
            LuaCall("people/connected", [keys.connections, keys.meta, keys.events])
            for keys in map(self.space.people, range(self.space.shards))
        ]
        shards = self.lua.run_all(calls, as_one=True)
        people = frozenset(text_of(name) for _, *names in shards for name in names)
        return people, [text_of(epoch) for epoch, *_ in shards]

    def epochs(self) -> list[str]:
        """Returns the epoch of each shard; another one tells that Redis has lost the shard."""
        calls = [LuaCall("feed/head", self.space.log(shard)) for shard in range(self.space.shards)]
        return [text_of(head[0]) for head in self.lua.run_all(calls, as_one=True)]

    def counts(self) -> dict[str, int]:
        """Counts the people of each public status; `offline` is not counted."""
        counted = STATUSES[:-1]
        with self.client.pipeline(transaction=False) as pipeline:
            for shard in range(self.space.shards):
                pipeline.hmget(self.space.people(shard).meta, counted)
            columns = zip(*pipeline.execute(), strict=True)
        return dict(
            zip(counted, (sum(map(int, filter(None, column))) for column in columns), strict=True)
        )

    def now_ms(self) -> int:
        """Returns the time of Redis's clock, in ms since 1970."""
        return int(self.lua.run("feed/now", [self.space.people(0).meta]))

    def forget(self, person: str) -> bool:
        """Removes everything about the person from Redis; others then see an unknown person."""
        announced = bool(self._run("people/forget", person))
        self._forget_announcements(person)
        return announced

    def _forget_announcements(self, person: str) -> None:
        client: Any = self.client
        stream, after = self.space.people(self.space.shard_of(person)).events, "-"
        while entries := client.xrange(stream, min=after, count=1_000):
            own = [
                name
                for name, (body,) in ((name, parts.values()) for name, parts in entries)
                if parsed(body)["u"] == person
            ]
            if own:
                client.xdel(stream, *own)
            after = "(" + text_of(entries[-1][0])

    def _with_stored(self, snapshots: dict[str, PresenceSnapshot]) -> dict[str, PresenceSnapshot]:
        unknown = [person for person, snapshot in snapshots.items() if snapshot.needs_storage]
        if unknown and self._storage:
            for person, stored in self._storage(unknown).items():
                snapshots[person] = snapshots[person].with_stored(stored)
        return snapshots

    def _open_call(
        self, connection: Connection, settings: Settings | None, lifetime_ms: int | None
    ) -> LuaCall:
        lifetime = self.timing.lifetime_ms(connection.type) if lifetime_ms is None else lifetime_ms
        return self._call(
            "people/open",
            connection.person,
            checked(connection.id),
            lifetime,
            "a" if connection.active else "i",
            connection.type,
            "" if connection.device == connection.id else connection.device,
            connection.worker,
            MAX_CONNECTIONS,
            settings.packed() if settings else "",
            connection.opened_ms or "",
        )

    def _beat_call(self, shard: int, beats: Sequence[Beat]) -> LuaCall:
        argv: list[str | int] = [self.space.channel(shard), STREAM_MAX_LENGTH]
        argv.append(self.timing.coalesce_ms)
        for beat in beats:
            word = "" if beat.active is None else "a" if beat.active else "i"
            argv += [beat.person, beat.connection, beat.lifetime_ms, word, beat.at_ms or ""]
        return LuaCall("people/beat", self.space.people(shard), argv)

    def _call(self, job: str, person: str, *argv: str | int) -> LuaCall:
        shard = self.space.shard_of(checked(person))
        keys, channel = self.space.people(shard), self.space.channel(shard)
        return LuaCall(job, keys, [channel, STREAM_MAX_LENGTH, person, *argv])

    def _run(self, job: str, person: str, *argv: str | int) -> Any:
        call = self._call(job, person, *argv)
        return self.lua.run(call.script, call.keys, *call.args)


def check_shards(client: Client, spaces: Iterable[Space]) -> None:
    """Stores the number of shards of each namespace, or compares it with the stored one.

    Raises ShardsChanged, and errors of Redis.
    """
    for space in spaces:
        client.set(space.layout, space.shards, nx=True)
        held = text_of(client.get(space.layout))
        if held != str(space.shards):
            raise ShardsChanged(space.namespace, held, space.shards, f"{{{space.prefix}*")
