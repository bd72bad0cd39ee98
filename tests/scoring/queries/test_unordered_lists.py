"""Lists of queries that are not kept in order: only the set of their threads counts."""

import pytest

from lua_scripts.runner import text_of
from scoring import placing
from scoring.states import LOST
from tests.scoring.queries.test_query_lists import LISTS, on

AA, BB, CC = LISTS


@pytest.fixture
def ranking(driver):
    """Threads 1 and 2 are on `aa`, thread 1 on `bb`."""
    for list_id in LISTS:
        driver.open(list_id)
    driver.ranking.place([on(1, 1, aa=5, bb=5), on(2, 1, aa=6)])
    return driver.ranking


def unordered(id, revision, *, stays=False, **scores):
    """Returns a placement while `aa` is not kept in order."""
    return on(id, revision, **scores)._replace(unordered={AA}, stays=stays)


def scores(driver, list_id=AA):
    return dict(driver.zrange(list_id, "arrival"))


def test_who_is_on_it_keeps_the_score_and_who_comes_or_goes_is_counted(driver, ranking):
    before = ranking.totals(None).numbers
    assert ranking.place([unordered(1, 2, aa=9), unordered(3, 1, aa=7)]) == 1
    assert ranking.place([unordered(2, 2, aa=None)]) == 1
    assert scores(driver) == {1: 5, 3: 7}
    assert ranking.totals(before) == ((before[0] + 2,), {AA: 2}, True)


def test_nothing_is_logged_for_it_but_other_lists_go_on_as_ever(driver, ranking):
    before = ranking.states(LISTS)
    ranking.place([unordered(1, 2, bb=9), unordered(3, 1, aa=7, bb=7)])
    after = ranking.states(LISTS)
    assert (after[AA].version, after[AA].total) == (before[AA].version, 3)
    assert after[BB].version == before[BB].version + 1
    assert ranking.last_changes([AA])[AA] == ranking.last_changes([BB])[BB]


def test_a_placement_that_knows_it_in_order_is_logged_beside_one_that_does_not(driver, ranking):
    version = ranking.states([AA])[AA].version
    ranking.place([unordered(3, 1, aa=7), on(1, 2, aa=9)])
    assert scores(driver) == {1: 9, 2: 6, 3: 7}
    assert ranking.states([AA])[AA].version == version + 1
    epoch = ranking.states([AA])[AA].epoch
    changes = ranking.since(AA, ["arrival"], epoch, version, 10)
    assert {entry.id for entry in changes.sets["arrival"]} == {1, 3}


def test_while_it_is_built_what_comes_and_goes_is_named_for_placing_again(driver, ranking):
    with ranking.begin_rebuild([AA]) as rebuild:
        rebuild.fill(AA, [(1, 1, (5,)), (2, 1, (6,))])
        ranking.place([unordered(2, 2, aa=None), unordered(3, 1, aa=7)])
        assert sorted(rebuild.swap(AA, "e2")) == [2, 3]


def test_one_with_a_log_that_was_cut_off_is_lost_for_those_alone_who_need_the_log(driver, ranking):
    driver.client.delete(ranking.keys.changes(AA))
    driver.client.hdel(ranking.keys.meta(AA), "floor")
    ranking.place([unordered(3, 1, aa=7)])
    assert 3 in scores(driver)
    ranking.place([on(4, 1, aa=8)])
    assert 4 not in scores(driver)


def test_who_stays_on_lists_that_are_not_named_is_not_taken_for_gone(driver, ranking, monkeypatch):
    """Otherwise its revision would be forgotten, and an older placement accepted."""
    monkeypatch.setattr(placing, "LEFT_ENTRIES", 0)
    ranking.place([unordered(1, 2, bb=None, stays=True)])
    ranking.place([unordered(2, 2, aa=None)])
    held = driver.client.hgetall(ranking.keys.group(AA).revisions)
    assert {int(name) for name in held} == {1}


def test_the_group_names_the_lists_that_are_made(driver, ranking):
    """Otherwise each placement would ask for each list whether a rebuild makes it."""
    group = ranking.keys.group(AA)

    def made() -> set[str]:
        return {text_of(name) for name in driver.client.smembers(group.building)}

    with ranking.begin_rebuild([AA, BB]) as rebuild:
        assert made() == {AA, BB}
        rebuild.swap(AA, "e2")
        assert made() == {BB}
    ranking.remove([BB])
    assert made() == set()


def test_what_is_placed_on_a_lost_one_ends_with_its_rebuild(driver, ranking):
    driver.client.delete(ranking.keys.meta(AA))
    ranking.place([unordered(3, 1, aa=7)])
    assert ranking.states([AA])[AA] == LOST
    with ranking.begin_rebuild([AA]) as rebuild:
        rebuild.fill(AA, [(1, 1, (5,))])
        assert rebuild.swap(AA, "e2") == []
    assert scores(driver) == {1: 5}
