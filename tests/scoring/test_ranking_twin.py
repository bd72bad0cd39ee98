"""Ranking does the same as its slow, obvious twin, in whatever order things happen."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from scoring.keys import member
from scoring.placing import GONE, Placement
from scoring.ranking import RankingLost
from scoring.rebuilding import Rebuild, RebuildLost
from scoring.sorts import SORTS
from tests.drivers.ranking import RankingDriver
from tests.scoring.twin import Twin
from tests.support import examples

LIST_IDS = ("arrival", "history")
ids = st.integers(1, 6)
revisions = st.integers(0, 6)
score = st.sampled_from([0, 1, 2, 2**42, 2**53 - 2, 2**53 - 1])
#: Mostly one of two rows, so that a thread often comes again with equal scores.
usual = [tuple(at % 3 for at in range(len(SORTS))), (1,) * len(SORTS)]
scores = st.sampled_from(usual) | st.tuples(*[score] * len(SORTS))
list_ids = st.sampled_from(LIST_IDS)
assignees = st.sampled_from([None, 7, 12])
sorts = st.sampled_from(list(SORTS))
placements = st.builds(
    lambda *given: Placement(*given),
    ids,
    revisions,
    # tests/scoring/queries/test_query_lists.py has those of queries
    st.dictionaries(list_ids, st.none() | scores),
    assignees,
)
gone = st.builds(
    lambda id, leave: Placement(id, GONE, dict.fromkeys(leave)), ids, st.frozensets(list_ids)
)


class RankingMachine(RuleBasedStateMachine):
    """Both sides do the same; every answer and all that Redis holds must agree."""

    client = None

    @initialize()
    def begin(self):
        self.client.flushall()
        self.driver = RankingDriver(self.client)
        self.ranking = self.driver.ranking
        self.twin = Twin(LIST_IDS)
        self.epochs = 0
        self.known = {}
        self.rebuild: Rebuild | None = None
        self.rebuild_is_lost = False
        self.begin_rebuild()
        self.swap_all()

    @rule(batch=st.lists(placements | gone, min_size=1, max_size=12))
    def place(self, batch):
        changed, lost = self.twin.place(batch)
        try:
            assert self.ranking.place(batch) == changed
            assert not lost
        except RankingLost as error:
            assert error.list_ids == lost

    @rule(list_id=list_ids, sort=sorts, id=ids, score=score)
    def another_program_adds(self, list_id, sort, id, score):
        self.client.zadd(self.driver.keys.sort(list_id, sort), {member(id): score})
        self.twin.list_ids[list_id].lists[sort][id] = score

    @rule(list_id=list_ids, sort=sorts, id=ids)
    def another_program_removes(self, list_id, sort, id):
        self.client.zrem(self.driver.keys.sort(list_id, sort), member(id))
        self.twin.list_ids[list_id].lists[sort].pop(id, None)

    @rule()
    def redis_forgets_the_scripts(self):
        self.client.script_flush()

    @precondition(lambda self: self.twin.list_ids["arrival"].version > 5)
    @rule()
    def redis_is_flushed(self):
        self.client.flushall()
        self.twin = Twin(LIST_IDS)
        self.rebuild_is_lost = True

    @precondition(lambda self: self.rebuild is None)
    @rule()
    def begin_rebuild(self):
        self.rebuild = self.ranking.begin_rebuild(LIST_IDS)
        self.rebuild_is_lost = False
        self.began_at = {list_id: twin.version for list_id, twin in self.twin.list_ids.items()}
        self.filled = {list_id: {} for list_id in LIST_IDS}
        for twin in self.twin.list_ids.values():
            twin.is_building = True
            if twin.epoch is None:
                twin.changed_at, twin.floor = {}, twin.version

    @precondition(lambda self: self.rebuild is not None)
    @rule(
        list_id=list_ids,
        rows=st.lists(st.tuples(ids, revisions, scores, assignees), min_size=1, max_size=12),
    )
    def fill(self, list_id, rows):
        try:
            self.rebuild.fill(list_id, rows)
            assert not self.rebuild_is_lost
        except RebuildLost:
            assert self.rebuild_is_lost
        self.filled[list_id] |= {id: tuple(rest) for id, *rest in rows}

    @precondition(lambda self: self.rebuild is not None)
    @rule()
    def swap_all(self):
        self.epochs += 1
        for list_id, twin in self.twin.list_ids.items():
            try:
                placed = self.rebuild.swap(list_id, f"e{self.epochs}")
                assert not self.rebuild_is_lost
            except RebuildLost:
                assert self.rebuild_is_lost
                break
            assert sorted(placed) == sorted(twin.since(self.began_at[list_id]))
            twin.swap(f"e{self.epochs}", self.filled[list_id])
        self.give_up()

    @precondition(lambda self: self.rebuild is not None)
    @rule()
    def give_up(self):
        self.rebuild.close()
        self.rebuild = None
        for twin in self.twin.list_ids.values():
            twin.is_building = False

    @rule(list_id=list_ids, asked=st.lists(sorts, min_size=1, unique=True), back=st.integers(-2, 6))
    def since(self, list_id, asked, back):
        twin = self.twin.list_ids[list_id]
        version = twin.version - back
        changes = self.ranking.since(list_id, asked, twin.epoch or "none", version, limit=4)
        ids = set(twin.since(version))
        if twin.epoch is None or not twin.floor <= version <= twin.version or len(ids) > 4:
            assert changes is None
            return
        assert (changes.epoch, changes.version) == (twin.epoch, twin.version)
        assert changes.total == len(twin.lists[asked[0]])
        for sort in asked:
            expected = [(id, score) for score, id in twin.order(sort) if id in ids]
            assert changes.sets[sort] == expected
        assert set(changes.gone) == {
            id for id in ids if not any(id in twin.lists[sort] for sort in asked)
        }

    @rule(list_id=list_ids, sort=sorts, score=score, id=ids, aim=ids, limit=st.integers(0, 5))
    def read(self, list_id, sort, score, id, aim, limit):
        twin = self.twin.list_ids[list_id]
        if twin.epoch is None:
            return
        order = twin.order(sort)
        follow = [(id_, score_) for score_, id_ in order if (score_, id_) > (score, id)]
        assert self.ranking.after(list_id, sort, score, id, limit).entries == follow[:limit]
        on_top = [(id_, score_) for score_, id_ in order[:limit]]
        assert self.ranking.head(list_id, sort, limit).entries == on_top
        rank = [id_ for _, id_ in order].index(aim) if aim in twin.lists[sort] else None
        assert self.ranking.rank(list_id, sort, aim) == (rank, len(order))
        head, found = self.ranking.through(list_id, sort, score, id, aim, beyond=limit)
        assert found == rank
        past = order[: rank + 1 + limit] if rank is not None else []
        assert head.entries == [(id_, s) for s, id_ in past if (s, id_) > (score, id)]

    @invariant()
    def redis_holds_what_the_twin_holds(self):
        if not hasattr(self, "twin"):
            return
        counts = self.ranking.counts(LIST_IDS)
        self.known = states = self.ranking.states(LIST_IDS, self.known)
        for list_id, twin in self.twin.list_ids.items():
            for sort in SORTS:
                assert [(score, id) for id, score in self.driver.zrange(list_id, sort)] == (
                    twin.order(sort)
                )
            lost = twin.epoch is None or twin.is_torn
            assert states[list_id].epoch == (None if lost else twin.epoch)
            assert lost or (states[list_id].version, states[list_id].total) == (
                twin.version,
                len(twin.lists["arrival"]),
            )
            in_redis = counts[list_id].items()
            # A rebuild of a lost list counts again; nobody reads its counts before it ends.
            assert lost or {id: n for id, n in in_redis if n} == Counter(twin.counted.values())
            told = states[list_id].assigned.items()
            assert lost or {id: n for id, n in told if n} == Counter(twin.counted.values())


def test_ranking_does_what_its_twin_does(client):
    machine = type("OnThisRedis", (RankingMachine,), {"client": client})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(100, gate=15), stateful_step_count=50, deadline=None
        ),
    )
