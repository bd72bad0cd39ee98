"""Settles due items: expired connections, ended overrides, and rows of last seen that are old."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from redis.cluster import RedisCluster

from lua_scripts.runner import LuaCall
from presence.people import STREAM_MAX_LENGTH, TOMBSTONE_MS, People

#: Rows of each set that one call changes.
_BATCH = 500


def regroup(people: People) -> int:
    """Updates some rows of an earlier release; returns how many. Lists do not find the rest.

    Call it until it returns 0.
    """
    calls = [
        LuaCall("people/regroup", people.space.people(shard), ["", "", _BATCH])
        for shard in range(people.space.shards)
    ]
    return sum(people.lua.run_all(calls, as_one=True))


#: Connections, and overrides, that one call settles at most.
SWEEP_LIMIT = 100
#: Old rows that one command removes.
TRIM_LIMIT = 500
#: A shard with fewer connections than this may be silent without an outage.
OUTAGE_MIN_CONNECTIONS = 100
#: A shard that a worker looked at less than this ago, in milliseconds, is left alone by the others
#: until its next item is due.
LOOKED_AT_MS = 750


class Due(NamedTuple):
    """The result of a look at all shards.

    `people`, `rooms`: for each kind of people the shards with items past their time; `held`: the
    number of shards of people that are left alone because of an outage; `next_ms`: until the next
    item is due, None if none is known.
    """

    people: list[list[int]]
    rooms: list[list[int]]
    held: int
    next_ms: int | None


class Swept(NamedTuple):
    """The result of a sweep.

    `expired`: connections past their deadline; `announced`: changes that others saw; `lag_ms`: how
    far past its deadline the oldest was; `held`: shards left alone because of an outage.
    """

    expired: int = 0
    announced: int = 0
    lag_ms: int = 0
    held: int = 0


class Sweeper:
    """Sweeps all shards. Many workers may each have a sweeper: one settles each due item.

    `people`: at least one kind, of one client and with the same times. `pause` is called between
    round trips, so that other green threads run during a long sweep.
    """

    def __init__(
        self,
        people: Sequence[People],
        pause: Callable[[], None] = lambda: None,
        limit: int = SWEEP_LIMIT,
        looked_at_ms: int = LOOKED_AT_MS,
    ):
        self._looked_at_ms = looked_at_ms
        #: Kind of people and shard, and the keys of each.
        self._shards = [
            (kind, shard) for kind, one in enumerate(people) for shard in range(one.space.shards)
        ]
        self._keys = [_keys_of(people[kind], shard) for kind, shard in self._shards]
        if not isinstance(people[0].client, RedisCluster):
            self._keys = [[key for keys in self._keys for key in keys]]
        self._people = people
        self._pause = pause
        self._limit = limit

    def look(self, skip_swept_within_ms: int = 0) -> Due:
        """Looks for due items; one command without a cluster.

        Skips shards that any worker looked at less than `skip_swept_within_ms` ago.
        """
        argv = self._look_argv(skip_swept_within_ms)
        calls = [LuaCall("people/due", keys, argv) for keys in self._keys]
        people: list[list[int]] = [[] for _ in self._people]
        rooms: list[list[int]] = [[] for _ in self._people]
        held, next_ms = 0, list[int]()
        for first, answer in enumerate(self._people[0].lua.run_all(calls)):
            for shards, at in ((people, answer[0]), (rooms, answer[1])):
                for kind, shard in (self._shards[first + offset] for offset in at):
                    shards[kind].append(shard)
            held += answer[2]
            next_ms += [answer[3]] if answer[3] >= 0 else []
        return Due(people, rooms, held, min(next_ms, default=None))

    def sweep_once(self, skip_swept_within_ms: int = 0) -> Swept:
        """Looks for all due items of people and settles them."""
        return self.sweep(self.look(skip_swept_within_ms))

    def sweep(self, due: Due) -> Swept:
        """Settles all items of people that a look has just found."""
        total = Swept(held=due.held)
        for people, shards in zip(self._people, due.people, strict=True):
            while shards:
                answers = people.lua.run_all([self._sweep(people, shard) for shard in shards])
                for expired, announced, lag_ms, _ in answers:
                    total = Swept(
                        total.expired + expired,
                        total.announced + announced,
                        max(total.lag_ms, lag_ms),
                        total.held,
                    )
                shards = [at for at, answer in zip(shards, answers, strict=True) if answer[3]]
                self._pause()
        return total

    def trim_once(self) -> int:
        """Removes some of the rows of last seen that are too old; returns how many.

        Rows of workers of an earlier version, which may still run, get their score updated.
        """
        removed = 0
        for people in self._people:
            regroup(people)
            age_ms = people.timing.last_seen_ttl_ms
            calls = [
                LuaCall("people/trim", people.space.people(shard), ["", "", age_ms, TRIM_LIMIT])
                for shard in range(people.space.shards)
            ]
            # Not as one command: Redis answers others between the shards.
            removed += sum(people.lua.run_all(calls))
            self._pause()
        return removed

    def _look_argv(self, skip_swept_within_ms: int) -> list[int]:
        timing = self._people[0].timing
        return [
            skip_swept_within_ms,
            self._looked_at_ms if skip_swept_within_ms else 0,
            timing.outage_after_ms,
            timing.recovery_grace_ms,
            timing.max_outage_ms,
            OUTAGE_MIN_CONNECTIONS,
            TOMBSTONE_MS,
        ]

    def _sweep(self, people: People, shard: int) -> LuaCall:
        argv = (people.space.channel(shard), STREAM_MAX_LENGTH, self._limit)
        return LuaCall("people/sweep", people.space.people(shard), argv)


def _keys_of(people: People, shard: int) -> list[str]:
    own, rooms = people.space.people(shard), people.space.rooms(shard)
    lists = [own.deadlines, own.override_ends, own.meta, *rooms[:2], own.tombstones]
    return [*lists, own.connections, own.states]
