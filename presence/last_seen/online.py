"""Last-seen times of people who stay online, to be stored in SQL now and then."""

from collections.abc import Iterator
from itertools import islice

from lua_scripts.runner import LuaCall
from presence.last_seen.outbox import Departure
from presence.last_seen.rows import Wanted
from presence.last_seen.shards import Shards
from presence.people import People


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
