"""Rebuilds on a machine that starves them: however seldom they run, the lists become whole (F51).

Time is modelled: each step of a builder takes as long as in a process that is stopped for a share
of the time. Redis is fakeredis under the same clock.
"""

import heapq
import math
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace

import fakeredis
import pytest
import redis
from fakeredis._socket import _base as fakeredis_clock

from scoring import rebuilding
from scoring.ranking import Ranking
from scoring.rebuilding import LEASE_MS, RebuildLost
from tests.drivers.ranking import run_id, scores

THREADS, SLICE = 42, 14
#: Processor time of one step, such as reading a slice from SQL; and the time between two tries.
STEP_SECONDS, TICK_SECONDS = 0.25, 1.0
VIEWS = ("arrival", "history")
QUERIES = ("q:aa:arrival", "q:bb:arrival")


class StarvedMachine:
    """Builders that are each stopped for `share` of the time, beside one Redis that is not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, share: float, seed: int = 1):
        self.now = 1_000_000.0
        self.lost = 0
        self._share = share
        self._random = Random(seed)
        self._ready: list[tuple[float, int, Iterator[float]]] = []
        # The module `time` itself is not patched, because the tests' own tools use it.
        clock = SimpleNamespace(time=lambda: self.now)
        monkeypatch.setattr(fakeredis_clock, "time", clock)
        monkeypatch.setattr(rebuilding, "monotonic", lambda: self.now)
        self.server = fakeredis.FakeServer()

    def client(self) -> redis.Redis:
        return fakeredis.FakeRedis(server=self.server)

    def start(self, builder: Iterator[float]) -> None:
        """Starts a builder; it yields the processor time, in seconds, that its next step takes."""
        heapq.heappush(self._ready, (self.now + self._random.random(), len(self._ready), builder))

    def run(self, until: float = math.inf) -> None:
        """Runs until all builders have ended; fails after a day."""
        while self._ready and self.now < until:
            self.now, number, builder = heapq.heappop(self._ready)
            assert self.now < 1_000_000 + 86_400, f"not whole after a day, {self.lost} times lost"
            seconds = next(builder, None)
            if seconds is not None:
                seconds *= self._random.uniform(0.7, 1.3) / (1 - self._share)
                heapq.heappush(self._ready, (self.now + seconds, number, builder))

    def builder(self, list_ids: tuple[str, ...], epoch: str) -> Iterator[float]:
        """Builds the lists as a reconciler does: again and again, until they are there."""
        ranking = Ranking(self.client(), run_id=run_id)
        while missing := [id for id, at in ranking.states(list_ids).items() if at.epoch is None]:
            yield TICK_SECONDS
            try:
                yield from self._build(ranking, missing, epoch)
            except RebuildLost:
                self.lost += 1

    def _build(self, ranking: Ranking, list_ids: list[str], epoch: str) -> Iterator[float]:
        is_query = list_ids[0] in QUERIES
        seen = dict.fromkeys(list_ids) if is_query else None
        with ranking.begin_rebuild(list_ids, seen=seen) as rebuild:
            for first in range(1, THREADS + 1, SLICE):
                yield STEP_SECONDS
                ids = range(first, first + SLICE)
                for list_id in rebuild.list_ids:
                    if is_query:
                        rebuild.fill(list_id, [(id, 1, (id,)) for id in ids])
                    else:
                        rebuild.fill(list_id, [(id, 1, scores(id), None) for id in ids])
            for list_id in rebuild.list_ids:
                yield STEP_SECONDS
                rebuild.swap(list_id, epoch)


@pytest.mark.parametrize("list_ids", [VIEWS, QUERIES], ids=["views", "queries"])
@pytest.mark.parametrize("builders", [1, 2, 5])
@pytest.mark.parametrize("share", [0.0, 0.9, 0.95, 0.97, 0.99, 0.999])
def test_lists_become_whole_however_seldom_their_builders_run(
    monkeypatch, list_ids, builders, share
):
    """A lease by the wall clock would lose the work of each builder again and again."""
    machine = StarvedMachine(monkeypatch, share)
    for number in range(builders):
        machine.start(machine.builder(list_ids, f"e{number}"))
    machine.run()
    ranking = Ranking(machine.client(), run_id=run_id)
    for list_id in list_ids:
        ids = [entry.id for entry in ranking.head(list_id, "arrival", THREADS + 1).entries]
        assert ids == list(range(1, THREADS + 1))
    step_seconds = 1.3 * STEP_SECONDS / (1 - share)
    doublings = max(0, math.ceil(math.log2(step_seconds * 1_000 / LEASE_MS)))
    assert machine.lost <= (doublings + builders if builders > 1 else 0)


def test_a_rebuild_that_died_on_a_quick_machine_is_taken_over_after_one_lease(monkeypatch):
    """Fault F52; after a rebuild that ended well the next one gets no longer lease."""
    machine = StarvedMachine(monkeypatch, 0)
    machine.start(machine.builder(VIEWS, "e1"))
    machine.run()
    machine.client().flushall()
    dead = machine.builder(VIEWS, "dead")
    next(dead), next(dead), next(dead)
    begun = machine.now
    machine.start(machine.builder(VIEWS, "e2"))
    machine.run()
    assert LEASE_MS / 1_000 - 1 < machine.now - begun < LEASE_MS / 1_000 + 10 * TICK_SECONDS


def test_a_late_answer_costs_one_more_call_and_not_all_that_was_filled(monkeypatch):
    machine = StarvedMachine(monkeypatch, 0)
    ranking = Ranking(machine.client(), run_id=run_id)
    with ranking.begin_rebuild(QUERIES) as rebuild:
        run_all, calls = rebuild._lua.run_all, []

        def late_at_first(batch):
            answers = run_all(batch)
            calls.append(batch)
            if len(calls) % 2:
                raise redis.TimeoutError("the answer was read late")
            return answers

        monkeypatch.setattr(rebuild._lua, "run_all", late_at_first)
        rebuild.fill(QUERIES[0], [(1, 1, (5,))])
        monkeypatch.setattr(rebuild._lua, "run_all", run_all)
        for list_id in QUERIES:
            rebuild.swap(list_id, "e1")
    assert len(calls) == 4, "the filling and its revisions, twice each"
    assert [entry.id for entry in ranking.head(QUERIES[0], "arrival", 9).entries] == [1]
