"""Settles what is due: expired connections, ended overrides, old rows of last seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lua_scripts.runner import LuaCall
from presence.last_seen.regroup import regroup
from presence.people import STREAM_MAX_LENGTH, TOMBSTONE_MS, People

#: Connections, and overrides, that one call settles at most.
SWEEP_LIMIT = 100
#: Old rows that one call removes from each set.
TRIM_LIMIT = 500
#: A shard with fewer connections than this may be silent without an outage.
OUTAGE_MIN_CONNECTIONS = 100


class Swept(NamedTuple):
    """What a sweep did.

    `expired`: connections past their deadline; `announced`: changes that others saw; `lag_ms`: how
    far past its deadline the oldest was; `held`: shards left alone because of an outage.
    """

    expired: int = 0
    announced: int = 0
    lag_ms: int = 0
    held: int = 0


class Sweeper:
    """Any number of workers may each run one: each due item is settled by one of them.

    `pause` is called between round trips, so that other green threads run during a long sweep.
    """

    def __init__(
        self,
        people: Sequence[People],
        pause: Callable[[], None] = lambda: None,
        limit: int = SWEEP_LIMIT,
    ):
        self._people = people
        self._pause = pause
        self._limit = limit

    def sweep_once(self, skip_swept_within_ms: int = 0) -> Swept:
        """Settles everything that is due.

        Shards that any worker swept less than `skip_swept_within_ms` ago are left alone.
        """
        total = Swept()
        for people in self._people:
            shards = list(range(people.space.shards))
            while shards:
                answers = people.lua.run_all(
                    [self._sweep(people, shard, skip_swept_within_ms) for shard in shards]
                )
                for expired, announced, lag_ms, _, held in answers:
                    total = Swept(
                        total.expired + expired,
                        total.announced + announced,
                        max(total.lag_ms, lag_ms),
                        total.held + held,
                    )
                shards = [at for at, one in zip(shards, answers, strict=True) if one[3]]
                skip_swept_within_ms = 0 if shards else skip_swept_within_ms
                self._pause()
        return total

    def trim_once(self) -> int:
        """Removes some of the rows of last seen that are too old; returns how many.

        Rows of workers of an earlier version, which may still run, get the score of today.
        """
        removed = 0
        for people in self._people:
            regroup(people)
            age_ms = people.timing.last_seen_ttl_ms
            calls = [
                LuaCall("people/trim", people.space.people(shard), ["", "", age_ms, TRIM_LIMIT])
                for shard in range(people.space.shards)
            ]
            removed += sum(people.lua.run_all(calls))
            self._pause()
        return removed

    def _sweep(self, people: People, shard: int, skip_swept_within_ms: int) -> LuaCall:
        timing = people.timing
        return LuaCall(
            "people/sweep",
            people.space.people(shard),
            [
                people.space.channel(shard),
                STREAM_MAX_LENGTH,
                self._limit,
                timing.outage_after_ms,
                timing.recovery_grace_ms,
                timing.max_outage_ms,
                OUTAGE_MIN_CONNECTIONS,
                skip_swept_within_ms,
                TOMBSTONE_MS,
            ],
        )
