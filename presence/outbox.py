"""Last-seen times to store in SQL: from announcements, and of people who stay online."""

import itertools
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from redis.exceptions import ResponseError

from lua_scripts.runner import LuaCall, text_of
from presence.listing import Shards, Wanted
from presence.people import People
from presence.states import parsed

#: Entries not acknowledged by their consumer within this, in milliseconds, go to another one.
ABANDONED_MS = 60_000
#: A consumer that read nothing for this long, in milliseconds, belongs to an ended process.
IDLE_MS = 3_600_000
#: Consumers that one call removes at most.
REMOVED_AT_ONCE = 500


class Departure(NamedTuple):
    """A person's last-seen times, the true one and the public one; in ms, None for never.

    Store the greater of the held and the new value of each.
    """

    person: str
    last_seen: int | None
    public_last_seen: int | None


class Outbox:
    """One consumer of a namespace's announcements; each goes to one consumer of the group.

    Call `read_once`, store its result, then `acknowledge`. Entries not acknowledged by the next
    `read_once` are read again, so storing must stand a replay.
    """

    def __init__(self, people: People, group: str = "storage", consumer: str = "one"):
        self._people = people
        self._group = group
        self._consumer = consumer
        self._unacknowledged: list[tuple[str, list[Any]]] = []
        #: Streams with entries that were read and not stored; these are read again first.
        self._unstored: set[str] = set()
        self._shards = itertools.cycle(range(people.space.shards))
        #: Shards of the last `read_once` that may have more.
        self.unread: set[int] = set()

    @property
    def shards(self) -> int:
        """The number of shards."""
        return self._people.space.shards

    def unfinished(self) -> set[int]:
        """Returns the shards with entries that another consumer has read and not acknowledged in
        time: `read_once` takes these over. One command without a cluster."""
        shards = range(self._people.space.shards)
        argv = (self._group, ABANDONED_MS)
        calls = [
            LuaCall("people/unfinished", [self._people.space.people(shard).events], argv)
            for shard in shards
        ]
        answers = self._people.lua.run_all(calls, as_one=True)
        return {shard for shard, has_some in zip(shards, answers, strict=True) if has_some}

    def read_once(
        self, limit: int = 1_000, shards: Collection[int] | None = None
    ) -> list[Departure]:
        """Returns about `limit` of the oldest announcements of these shards, None: all, merged to
        one a person."""
        self._unstored |= {stream for stream, _ in self._unacknowledged}
        self._unacknowledged = []
        latest: dict[str, Departure] = {}
        count, self.unread = 0, set()
        for shard in range(self._people.space.shards) if shards is None else sorted(shards):
            stream = self._people.space.people(shard).events
            entries = self._read(stream, limit - count) if count < limit else []
            if entries or count >= limit:
                self.unread.add(shard)
            if entries:
                self._unacknowledged.append((stream, [name for name, _ in entries]))
            count += len(entries)
            for _, parts in entries:
                if parts:
                    departure = _departure(parsed(next(iter(parts.values()))))
                    latest[departure.person] = _later(latest.get(departure.person), departure)
        return list(latest.values())

    def acknowledge(self) -> None:
        """Acknowledges the result of the last `read_once` as stored: it is not read again."""
        streams, self._unacknowledged = self._unacknowledged, []
        for stream, names in streams:
            self._people.client.xack(stream, self._group, *names)

    def remove_consumers(self) -> int:
        """Removes consumers of one shard, the next at each call, that nobody uses any more.

        Those with something to acknowledge stay until it was taken over. One that is in use after
        all is created again when it reads. Returns how many were removed.
        """
        stream = self._people.space.people(next(self._shards)).events
        removed: int = self._people.lua.run(
            "people/remove_consumers", [stream], self._group, IDLE_MS, REMOVED_AT_ONCE
        )
        return removed

    def _read(self, stream: str, limit: int) -> list[Any]:
        try:
            return self._take(stream, limit)
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
        self._make_group(stream)
        return self._take(stream, limit)

    def _take(self, stream: str, limit: int) -> list[Any]:
        client: Any = self._people.client
        abandoned = client.xautoclaim(
            stream, self._group, self._consumer, ABANDONED_MS, count=limit
        )[1]
        if abandoned:
            return [entry for entry in abandoned if entry[0] is not None]
        if stream in self._unstored:
            # From Redis and not from memory: people forgotten meanwhile are no longer in it.
            if unstored := self._read_group(stream, "0", limit):
                return unstored
            self._unstored.discard(stream)
        return self._read_group(stream, ">", limit)

    def _read_group(self, stream: str, after: str, limit: int) -> list[Any]:
        """Returns entries that no consumer has, after ">"; those that this one has, after "0"."""
        client: Any = self._people.client
        answer = client.xreadgroup(self._group, self._consumer, {stream: after}, count=limit)
        streams = answer.items() if isinstance(answer, dict) else answer or ()
        return [entry for _, stream_entries in streams for entry in _flat(stream_entries)]

    def _make_group(self, stream: str) -> None:
        try:
            self._people.client.xgroup_create(stream, self._group, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


def _flat(entries: Any) -> list[Any]:
    """Flattens entries: RESP3 nests entries of a stream one level deeper than RESP2."""
    return entries[0] if entries and isinstance(entries[0], list) else entries


def _departure(event: Mapping[str, Any]) -> Departure:
    truth = event.get("t") or event["p"]
    return Departure(text_of(event["u"]), truth.get("l"), event["p"].get("l"))


def _later(one: Departure | None, other: Departure) -> Departure:
    if one is None:
        return other
    return Departure(
        other.person,
        max(one.last_seen or 0, other.last_seen or 0) or None,
        max(one.public_last_seen or 0, other.public_last_seen or 0) or None,
    )


class OnlineTimes:
    """Reads people who stay online: nothing announces them, so the outbox does not hold them.

    Any number of workers may each have one: each shard is read by one of them in an interval.
    """

    def __init__(self, people: People, interval_ms: int):
        self._people = people
        self._shards = Shards(people)
        self._interval_ms = interval_ms

    def batches(self, limit: int) -> Iterator[list[Departure]]:
        """Yields the people of one shard, if it is due, who were seen since the last time."""
        for shard in self._due_shards():
            keys = self._people.space.people(shard)
            claimed = self._people.lua.run("people/claim_saving", keys, "", "", self._interval_ms)
            if claimed:
                since_ms, now_ms = map(int, claimed)
                rows = self._shards.rows_of(shard, Wanted(since_ms, now_ms), limit)
                while names := [row.name.decode() for row in islice(rows, limit)]:
                    yield self._departures(names)
                return

    def _due_shards(self) -> list[int]:
        """Returns shards that nobody read within the interval; one command without a cluster."""
        shards = range(self._people.space.shards)
        calls = [
            LuaCall("people/unsaved", [self._people.space.people(shard).meta], [self._interval_ms])
            for shard in shards
        ]
        answers = self._people.lua.run_all(calls, as_one=True)
        return [shard for shard, is_due in zip(shards, answers, strict=True) if is_due]

    def _departures(self, names: list[str]) -> list[Departure]:
        return [
            Departure(one.person, one.truth["last_seen"], one.public["last_seen"])
            for one in self._people.held(names).values()
        ]
