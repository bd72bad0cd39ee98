"""Finds what is due: connections, claims, places in rooms, old times of last seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from presence.people import KEPT_ANNOUNCEMENTS, REMEMBERED_MS, People
from presence.scripts import Call

#: Due things that one call settles.
SWEEP_LIMIT = 100
#: Old rows that one call drops.
TRIM_LIMIT = 500
#: Fewer connections in a shard than this may well be silent for a while, in connections.
LEAST_TO_HOLD = 100


class Swept(NamedTuple):
    """What a sweep did; `lag_ms` is how overdue the oldest was, `held` shards wait for beats."""

    gone: int = 0
    announced: int = 0
    lag_ms: int = 0
    held: int = 0


class Sweeper:
    """Any number of workers may each have one: what one has settled the next does not find.

    `pause` is called between round trips, so that a long sweep lets others run.
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

    def sweep_once(self, spare_ms: int = 0) -> Swept:
        """Settles all that is due. `spare_ms`: leaves shards that were swept so lately."""
        total = Swept()
        for people in self._people:
            shards = list(range(people.space.shards))
            while shards:
                answers = people.scripts.run_all(
                    [self._sweep(people, shard, spare_ms) for shard in shards]
                )
                for gone, announced, lag_ms, _, held in answers:
                    total = Swept(
                        total.gone + gone,
                        total.announced + announced,
                        max(total.lag_ms, lag_ms),
                        total.held + held,
                    )
                shards = [at for at, one in zip(shards, answers, strict=True) if one[3]]
                spare_ms = 0 if shards else spare_ms
                self._pause()
        return total

    def trim_once(self) -> int:
        """Drops a slice of the rows of last seen that are too old; returns how many."""
        dropped = 0
        for people in self._people:
            age_ms = people.timing.seen_ms
            calls = [
                Call("trim", people.space.people(shard), ["", "", age_ms, TRIM_LIMIT])
                for shard in range(people.space.shards)
            ]
            dropped += sum(people.scripts.run_all(calls))
            self._pause()
        return dropped

    def _sweep(self, people: People, shard: int, spare_ms: int) -> Call:
        timing = people.timing
        return Call(
            "sweep",
            people.space.people(shard),
            [
                people.space.channel(shard),
                KEPT_ANNOUNCEMENTS,
                self._limit,
                timing.quiet_ms,
                timing.calm_ms,
                timing.longest_hold_ms,
                LEAST_TO_HOLD,
                spare_ms,
                REMEMBERED_MS,
            ],
        )
