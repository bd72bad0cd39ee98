"""People: their connections, what they set, and their states."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from presence.errors import LayoutChanged, TooMany
from presence.keys import SHARDS, Space, checked
from presence.scripts import Call, Client, Scripts, text_of
from presence.settings import Settings
from presence.states import STATUSES, Portrait, Relation, State, Storage, Viewer, parsed, portrait
from presence.timing import Timing

#: Connections a person may have; the oldest goes.
MOST_CONNECTIONS = 20
#: People in one look-up.
MOST_ASKED = 500
#: Announcements that a shard's stream keeps, about.
KEPT_ANNOUNCEMENTS = 20_000
#: A goodbye stands for so long, in milliseconds, against beats that are told after it.
REMEMBERED_MS = 10_000
#: A connection that lives until it is closed: a bot that is always there.
FOREVER = 0
#: A connection is opened anew that Redis had lost, or that somebody ended: then it stays ended.
ANEW = -1

_LOOK_BATCH = 500
_BEAT_BATCH = 250
_CLOSE_BATCH = 100


class Connection(NamedTuple):
    """One connection of a person; those of one `device` count as one. `opened_ms` 0 is now."""

    person: str
    id: str
    type: str = "web"
    device: str = ""
    worker: str = ""
    active: bool = True
    opened_ms: int = 0


class Beat(NamedTuple):
    """A sign of life; `active` None leaves that as it is, `at_ms` 0 is now, by Redis's clock."""

    person: str
    connection: str
    lifetime_ms: int
    active: bool | None = None
    at_ms: int = 0


class People:
    """The people of one namespace. Every method raises what Redis raises.

    `storage` is asked, in bulk, about people whom Redis does not remember.
    """

    def __init__(
        self,
        client: Client,
        namespace: str,
        *,
        timing: Timing | None = None,
        prefix: str = "p",
        shards: int = SHARDS,
        storage: Storage | None = None,
        scripts: Scripts | None = None,
        most_connections: int = MOST_CONNECTIONS,
    ):
        self.space = Space(namespace, prefix, shards)
        self.timing = timing or Timing()
        self.scripts = scripts or Scripts(client)
        self.client = client
        self._storage = storage
        self._most_connections = most_connections

    def check_layout(self) -> None:
        """Raises LayoutChanged where Redis holds this namespace in another number of shards."""
        self.client.hsetnx(self.space.meta(0), "shards", self.space.shards)
        held = self.client.hget(self.space.meta(0), "shards")
        if int(held or 0) != self.space.shards:
            raise LayoutChanged(f"{text_of(held)} shards are in Redis, not {self.space.shards}")

    def open(
        self,
        connection: Connection,
        settings: Settings | None = None,
        lifetime_ms: int | None = None,
    ) -> bool:
        """A connection is there, new or again. Returns whether that was announced.

        Without `settings` the person stays hidden until `set` brings them.
        """
        return self.open_all([(connection, settings, lifetime_ms)])[0]

    def open_all(
        self, opened: Iterable[tuple[Connection, Settings | None, int | None]]
    ) -> list[bool]:
        """`open` for many in one round trip."""
        calls = [self._opening(*one) for one in opened]
        return [bool(told) for told in self.scripts.run_all(calls)]

    def beat(self, beats: Sequence[Beat]) -> list[Beat]:
        """Signs of life, in one round trip. Returns those of unknown connections: open them."""
        batches = self._batches([beat.person for beat in beats], _BEAT_BATCH)
        calls = [
            self._beats(shard, [beats[index] for index in indexes]) for shard, indexes in batches
        ]
        return [
            beats[indexes[int(at)]]
            for (_, indexes), unknown in zip(batches, self.scripts.run_all(calls), strict=True)
            for at in unknown
        ]

    def idle(self, person: str, connection: str, active: bool) -> bool | None:
        """A connection became active or idle. Whether announced; None: it is unknown."""
        told = self._run("idle", person, connection, "a" if active else "i")
        return None if told < 0 else bool(told)

    def close(self, person: str, connection: str, grace_ms: int = 0) -> bool:
        """A connection ended: at once, or, with a grace, unless it comes back."""
        return self.close_all_of([(person, connection)], grace_ms)[0]

    def close_all_of(
        self, ended: Sequence[tuple[str, str]], grace_ms: int = 0, remembered: bool = False
    ) -> list[bool]:
        """`close` for many in one round trip: a worker that drains, devices that left.

        A `remembered` end stands against a beat of an earlier moment that is told after it.
        """
        told = [False] * len(ended)
        batches = self._batches([checked(person) for person, _ in ended], _CLOSE_BATCH)
        calls = []
        for shard, indexes in batches:
            argv: list[str | int] = [self.space.channel(shard), KEPT_ANNOUNCEMENTS, grace_ms]
            argv.append(int(remembered))
            argv += [name for index in indexes for name in ended[index]]
            calls.append(Call("close", self.space.people(shard), argv))
        for (_, indexes), answer in zip(batches, self.scripts.run_all(calls), strict=True):
            for index, one in zip(indexes, answer, strict=True):
                told[index] = bool(one)
        return told

    def sign_out(self, person: str) -> bool:
        """Every connection of the person ends at once. Returns whether that was announced."""
        return bool(self._run("close_all", person))

    def set(self, person: str, settings: Settings) -> bool:
        """The person's settings; an older revision than the held one changes nothing."""
        return bool(self._run("settings", person, settings.packed()))

    def look(
        self, people: Sequence[str], viewer: Viewer, related: Relation | None = None
    ) -> dict[str, State]:
        """The state of each person asked for, as the viewer may know it; one round trip.

        Raises TooMany above 500. Where `related` fails, contacts count as unrelated.
        """
        if len(people) > MOST_ASKED:
            raise TooMany(f"at most {MOST_ASKED} people in one look-up")
        portraits = self.portraits(people)
        close = self.related(viewer, portraits.values(), related)
        return {who: one.seen_by(viewer, who in close) for who, one in portraits.items()}

    def related(
        self, viewer: Viewer, portraits: Iterable[Portrait], related: Relation | None
    ) -> frozenset[str]:
        """Of those whose state is for contacts, the ones who count the viewer as one."""
        asked = [one.person for one in portraits if one.audience == "contacts"]
        if not asked or related is None:
            return frozenset()
        try:
            return frozenset(related(viewer.id, asked))
        except Exception:  # whatever a handed-in function raises, it uncovers nobody
            return frozenset()

    def portraits(self, people: Iterable[str]) -> dict[str, Portrait]:
        """Both sides of each person, unfiltered: for those who filter, not for viewers."""
        asked = list(dict.fromkeys(people))
        batches = [
            (shard, [asked[index] for index in indexes])
            for shard, indexes in self._batches(asked, _LOOK_BATCH)
        ]
        calls = [Call("look", self.space.people(s), ["", "", *batch]) for s, batch in batches]
        answers = self.scripts.run_all(calls)
        as_of = min((int(answer[2]) for answer in answers), default=0)
        found = {
            who: portrait(who, text_of(answer[0]), int(answer[1]), as_of, body)
            for (_, batch), answer in zip(batches, answers, strict=True)
            for who, body in zip(batch, parsed(answer[3]), strict=True)
        }
        return self._remembered({who: found[who] for who in asked})

    def where(self, person: str) -> list[Connection]:
        """The person's connections, the oldest first: devices, workers, whether active."""
        held = parsed(self._run("where", person))
        return sorted(
            (
                Connection(person, name, kind, device, worker, word == "a", int(opened))
                for name, (word, kind, device, worker, opened) in held.items()
            ),
            key=lambda connection: (connection.opened_ms, connection.id),
        )

    def device_count(self, person: str) -> int:
        """How many devices the person has in use, exactly."""
        return len({one.device or one.id for one in self.where(person)})

    def counts(self, truth: bool = False) -> dict[str, int]:
        """How many people have each status; of hidden ones only the `truth` counts."""
        named = [f"true:{status}" if truth else status for status in STATUSES[:-1]]
        with self.client.pipeline(transaction=False) as pipeline:
            for shard in range(self.space.shards):
                pipeline.hmget(self.space.meta(shard), named)
            shards = pipeline.execute()
        columns = zip(*shards, strict=True)
        return dict(
            zip(STATUSES[:-1], (sum(map(int, filter(None, one))) for one in columns), strict=True)
        )

    def now_ms(self) -> int:
        """The time by Redis's clock, the one that counts."""
        return int(self.scripts.run("now", [self.space.meta(0)]))

    def forget(self, person: str) -> bool:
        """Nothing of the person is kept in Redis; others see that they never were."""
        announced = bool(self._run("forget", person))
        self._forget_announcements(person)
        return announced

    def _forget_announcements(self, person: str) -> None:
        client: Any = self.client
        stream, after = self.space.events(self.space.shard_of(person)), "-"
        while entries := client.xrange(stream, min=after, count=1_000):
            own = [
                name
                for name, (body,) in ((name, parts.values()) for name, parts in entries)
                if parsed(body)["u"] == person
            ]
            if own:
                client.xdel(stream, *own)
            after = "(" + text_of(entries[-1][0])

    def _remembered(self, found: dict[str, Portrait]) -> dict[str, Portrait]:
        unknown = [who for who, one in found.items() if one.unremembered]
        if unknown and self._storage:
            for who, stored in self._storage(unknown).items():
                found[who] = found[who].with_stored(stored)
        return found

    def _batches(self, people: Sequence[str], most: int) -> list[tuple[int, list[int]]]:
        """(shard, indexes of people who live there), no more than `most` at a time."""
        shards: dict[int, list[int]] = defaultdict(list)
        for index, person in enumerate(people):
            shards[self.space.shard_of(person)].append(index)
        return [
            (shard, indexes[start : start + most])
            for shard, indexes in shards.items()
            for start in range(0, len(indexes), most)
        ]

    def _opening(
        self, connection: Connection, settings: Settings | None, lifetime_ms: int | None
    ) -> Call:
        lifetime = self.timing.lifetime_ms(connection.type) if lifetime_ms is None else lifetime_ms
        return self._call(
            "open",
            connection.person,
            checked(connection.id),
            "inf" if lifetime == FOREVER else lifetime,
            "a" if connection.active else "i",
            connection.type,
            "" if connection.device == connection.id else connection.device,
            connection.worker,
            self._most_connections,
            settings.packed() if settings else "",
            connection.opened_ms or "",
        )

    def _beats(self, shard: int, beats: Sequence[Beat]) -> Call:
        argv: list[str | int] = [self.space.channel(shard), KEPT_ANNOUNCEMENTS]
        argv.append(self.timing.coalesce_ms)
        for beat in beats:
            word = "" if beat.active is None else "a" if beat.active else "i"
            argv += [beat.person, beat.connection, beat.lifetime_ms, word, beat.at_ms or ""]
        return Call("beat", self.space.people(shard), argv)

    def _call(self, job: str, person: str, *argv: str | int) -> Call:
        shard = self.space.shard_of(checked(person))
        keys, channel = self.space.people(shard), self.space.channel(shard)
        return Call(job, keys, [channel, KEPT_ANNOUNCEMENTS, person, *argv])

    def _run(self, job: str, person: str, *argv: str | int) -> Any:
        call = self._call(job, person, *argv)
        return self.scripts.run(call.job, call.keys, *call.argv)
