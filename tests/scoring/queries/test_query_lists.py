"""Lists of queries against a slow, obvious model: placed together, logged, rebuilt."""

import pytest
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

from scoring import placing
from scoring.keys import Keys, query_list_id
from scoring.placing import GONE, PlacedLate, Placement
from tests.drivers.ranking import RankingDriver, placed, scores
from tests.support import examples

LISTS = tuple(query_list_id(name, "arrival") for name in ("aa", "bb", "cc"))


def on(id: int, revision: int, **scores: int | None) -> Placement:
    """Returns a placement: `aa=5` on the list `aa` with score 5; None: it leaves."""
    lists = {
        query_list_id(name, "arrival"): None if score is None else (score,)
        for name, score in scores.items()
    }
    return Placement(id, revision, lists)


class Model:
    """One list; `epoch` is None while it is lost."""

    def __init__(self) -> None:
        self.epoch: str | None = None
        self.is_building = False
        self.version = 0
        self.floor = 0
        self.scores: dict[int, int] = {}
        self.changed_at: dict[int, int] = {}

    @property
    def takes_places(self) -> bool:
        return self.epoch is not None or self.is_building

    def order(self) -> list[tuple[int, int]]:
        return sorted((score, id) for id, score in self.scores.items())


ids = st.integers(1, 5)
queries = st.dictionaries(
    st.sampled_from(LISTS), st.none() | st.sampled_from([(0,), (7,), (2**53 - 1,)]), min_size=1
)
placements = st.builds(
    lambda id, revision, found: Placement(id, revision, found), ids, st.integers(0, 9), queries
)
some_lists = st.sets(st.sampled_from(LISTS), min_size=1)
gone = st.builds(lambda id, names: Placement(id, GONE, dict.fromkeys(names)), ids, some_lists)


class QueryListMachine(RuleBasedStateMachine):
    client = None
    groups = 1

    @initialize()
    def begin(self):
        self.client.flushall()
        self.driver = RankingDriver(self.client, self.groups)
        self.ranking = self.driver.ranking
        self.starts = [group.start for group in self.driver.keys.shared_groups()]
        self._forget()
        self.epochs = 0

    def _forget(self):
        self.lists = {name: Model() for name in LISTS}
        #: By group and thread.
        self.revisions: dict[tuple[str, int], float] = {}
        self.touched: dict[str, int] = {}
        self.calls = dict.fromkeys(self.starts, 0)
        self.rebuild = None
        self.filled: dict[str, dict[int, tuple[int, int]]] = {}

    def group(self, name: str) -> str:
        return self.driver.keys.group(name).start

    @rule(batch=st.lists(placements | gone, min_size=1, max_size=8))
    def place(self, batch):
        changed: dict[str, list[int]] = {}
        late = set()
        lost = {name for each in batch for name in each.lists if not self.lists[name].takes_places}
        for each in batch:
            for start in {self.group(name) for name in each.lists}:
                held = self.revisions.get((start, each.thread_id), -1)
                if each.revision < held and each.revision != GONE:
                    late.add(each.thread_id)
                    continue
                for name, place in each.lists.items():
                    if self.group(name) != start or name in lost:
                        continue
                    score, model = place and place[0], self.lists[name]
                    before = model.scores.get(each.thread_id)
                    if score is None:
                        model.scores.pop(each.thread_id, None)
                    else:
                        model.scores[each.thread_id] = score
                    is_noted = model.is_building if score is None else each.revision > held
                    if before != score or is_noted:
                        changed.setdefault(name, []).append(each.thread_id)
                self.revisions[start, each.thread_id] = max(held, each.revision)
                if each.revision == GONE:
                    del self.revisions[start, each.thread_id]
        for name, found in changed.items():
            model = self.lists[name]
            model.version += 1
            model.changed_at.update(dict.fromkeys(found, model.version))
        for start in {self.group(name) for name in changed}:
            self.calls[start] += 1
        self.touched.update({name: self.calls[self.group(name)] for name in changed})
        assert self.placed(batch) == (sum(map(len, changed.values())), late)

    def placed(self, batch) -> tuple[int, set[int]]:
        """Returns how many places changed, and which threads were refused."""
        try:
            return self.ranking.place(batch), set()
        except PlacedLate as error:
            return error.changed, set(error.thread_ids)

    @rule(asked=some_lists)
    @precondition(lambda self: self.rebuild is None)
    def begin_rebuild(self, asked):
        self.rebuild = self.ranking.begin_rebuild(sorted(asked))
        self.filled = {name: {} for name in asked}
        self.began_at = {name: self.lists[name].version for name in asked}
        for name in asked:
            model = self.lists[name]
            self.touched.setdefault(name, 0)
            model.is_building = True
            if model.epoch is None:
                model.changed_at, model.floor = {}, model.version

    @precondition(lambda self: self.rebuild is not None)
    @rule(rows=st.dictionaries(ids, st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
    def fill(self, rows):
        for name, filled in self.filled.items():
            self.rebuild.fill(name, [(id, rev, (score,)) for id, (rev, score) in rows.items()])
            filled |= rows
            for id, (revision, _) in rows.items():
                key = self.group(name), id
                self.revisions[key] = max(self.revisions.get(key, -1), revision - 0.5)

    @precondition(lambda self: self.rebuild is not None)
    @rule(swaps=st.booleans())
    def end_rebuild(self, swaps):
        self.epochs += 1
        for name, filled in self.filled.items():
            model = self.lists[name]
            model.is_building = False
            if not swaps:
                continue
            since = {id for id, at in model.changed_at.items() if at > self.began_at[name]}
            assert set(self.rebuild.swap(name, f"e{self.epochs}")) == since
            model.epoch = f"e{self.epochs}"
            model.version += 1
            model.floor, model.changed_at = model.version, {}
            model.scores = {id: score for id, (_, score) in filled.items()}
            self.calls[self.group(name)] += 1
            self.touched[name] = self.calls[self.group(name)]
        self.rebuild.close()
        self.rebuild = None

    @rule()
    @precondition(lambda self: self.rebuild is None)
    def redis_is_flushed(self):
        self.client.flushall()
        self._forget()

    @rule(name=st.sampled_from(LISTS))
    @precondition(lambda self: self.rebuild is None)
    def the_log_is_lost(self, name):
        model = self.lists[name]
        if model.changed_at and max(model.changed_at.values()) > model.floor:
            self.client.delete(self.driver.keys.changes(name))
            assert self.ranking.states([name])[name].epoch is None
            model.epoch = None
            self.client.hdel(self.driver.keys.meta(name), "epoch")

    @rule(name=st.sampled_from(LISTS), back=st.integers(-1, 5))
    def since(self, name, back):
        model = self.lists[name]
        version = model.version - back
        found = self.ranking.since(name, ["arrival"], model.epoch or "none", version, limit=50)
        if model.epoch is None or not model.floor <= version <= model.version:
            assert found is None
            return
        changed = {id for id, at in model.changed_at.items() if at > version}
        assert (found.version, found.total) == (model.version, len(model.scores))
        assert {entry.id for entry in found.sets["arrival"]} == changed & set(model.scores)
        assert set(found.gone) == changed - set(model.scores)

    @rule(back=st.integers(-2, 5))
    def totals(self, back):
        since = {start: number - back for start, number in self.calls.items()}
        numbers, totals, is_whole = self.ranking.totals([since[start] for start in self.starts])
        assert numbers == tuple(self.calls[start] for start in self.starts)
        assert is_whole == (back >= 0)
        assert totals == {
            name: len(self.lists[name].scores)
            for name, at in self.touched.items()
            if at > since[self.group(name)] and self.lists[name].epoch is not None
        }
        last = {name: self.touched.get(name) for name in LISTS}
        assert self.ranking.last_changes(LISTS) == last
        assert self.ranking.held_lists() == self.touched.keys()

    @invariant()
    def redis_holds_what_the_model_holds(self):
        if not hasattr(self, "lists"):
            return
        states = self.ranking.states(LISTS)
        for name, model in self.lists.items():
            assert states[name].epoch == model.epoch
            if model.epoch is not None:
                assert (states[name].version, states[name].total) == (
                    model.version,
                    len(model.scores),
                )
                found = self.driver.zrange(name, "arrival")
                assert [(score, id) for id, score in found] == model.order()


@pytest.mark.parametrize("groups", [1, 2])
def test_query_lists_do_what_their_model_does(client, groups):
    """Also if they are in groups, as on a cluster: then two of the three share a group."""
    machine = type("OnThisRedis", (QueryListMachine,), {"client": client, "groups": groups})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(60, gate=10), stateful_step_count=30, deadline=None
        ),
    )


def test_a_log_keeps_the_last_changes_alone(driver, monkeypatch):
    monkeypatch.setattr(placing, "LOG_ENTRIES", 20)
    driver.open(LISTS[0])
    for revision in range(1, 200):
        driver.ranking.place([on(revision, revision, aa=revision)])
    version = driver.version(LISTS[0])
    assert driver.client.zcard(driver.keys.changes(LISTS[0])) < 20 + 64
    assert driver.ranking.since(LISTS[0], ["arrival"], "e1", version - 100, 500) is None
    found = driver.ranking.since(LISTS[0], ["arrival"], "e1", version - 20, 500)
    assert [entry.id for entry in found.sets["arrival"]] == list(range(180, 200))


def test_while_a_list_is_built_its_log_is_whole(driver, monkeypatch):
    monkeypatch.setattr(placing, "LOG_ENTRIES", 20)
    driver.open(LISTS[0])
    with driver.ranking.begin_rebuild([LISTS[0]]) as rebuild:
        for revision in range(1, 200):
            driver.ranking.place([on(revision, revision, aa=revision)])
            if revision % 20 == 0:
                rebuild.fill(LISTS[0], [])
        assert sorted(rebuild.swap(LISTS[0], "e2")) == list(range(1, 200))


def test_a_list_of_a_view_and_one_of_a_query_are_placed_together(driver):
    driver.open(LISTS[0])
    both = Placement(1, 1, {"arrival": scores(5), LISTS[0]: (9,)})
    assert driver.ranking.place([both]) == 2
    assert driver.zrange("arrival", "arrival") == [(1, 5)]
    assert driver.zrange(LISTS[0], "arrival") == [(1, 9)]


def test_what_was_filled_refuses_older_placements_and_takes_its_own(driver):
    with driver.ranking.begin_rebuild([LISTS[0]]) as rebuild:
        rebuild.fill(LISTS[0], [(1, 5, (50,))])
        rebuild.swap(LISTS[0], "e1")
    with pytest.raises(PlacedLate):
        driver.ranking.place([on(1, 4, aa=40)])
    assert driver.zrange(LISTS[0], "arrival") == [(1, 50)]
    assert driver.ranking.place([on(1, 5, aa=50)]) == 1, "the row of this revision is new"


def test_one_that_leaves_all_views_is_noted_though_no_list_of_a_query_has_it(driver, monkeypatch):
    monkeypatch.setattr(placing, "LEFT_ENTRIES", 1)
    driver.open(LISTS[0], "history")
    for revision in (6, 5):
        driver.ranking.place([placed(1, revision, "", 0, "history")])
    with pytest.raises(PlacedLate):
        driver.ranking.place([on(1, 5, aa=50)])
    driver.ranking.place([placed(2, 6, "", 0, "history")])
    assert driver.client.hkeys(driver.keys.shared_groups()[0].revisions) == [b"000000000002"]


def test_the_log_of_a_query_notifies_nobody_and_its_keys_name_the_list():
    keys = Keys()
    assert keys.changes(LISTS[0]).endswith("|log")
    for key in (keys.sort(LISTS[0], "arrival"), keys.meta(LISTS[0])):
        assert keys.list_id_of(key) == LISTS[0]
    assert keys.list_id_of(keys.of(LISTS[0], ["arrival"]).next) is None
    names = {keys.sort(query_list_id("aa", name), name) for name in ("log", "meta", "next")}
    assert names == {f"{{lineup:queries}}|q:aa:{name}|list" for name in ("log", "meta", "next")}
