"""Rebuilds of lists of queries: each list by one rebuild, and beside all others."""

import pytest

from scoring import placing, rebuilding
from scoring.rebuilding import RebuildLost
from tests.scoring.queries.test_query_lists import LISTS, on


def test_one_rebuild_at_a_time_makes_a_list_and_others_go_on_beside_it(driver):
    aa, bb, cc = LISTS
    driver.open(cc)
    with driver.ranking.begin_rebuild([aa]) as first:
        first.fill(aa, [(1, 1, (5,))], progress=0.25)
        assert driver.ranking.progress(aa) == 0.25
        seen = {aa: None, bb: None, cc: None, "arrival": "e1"}
        with driver.ranking.begin_rebuild([aa, bb, cc, "arrival"], seen=seen) as second:
            assert second.list_ids == (bb, "arrival")
            second.swap(bb, "e2")
        with pytest.raises(RebuildLost):
            second.swap(aa, "e2")
        first.swap(aa, "e1")
    assert driver.ranking.progress(aa) is None
    with driver.ranking.begin_rebuild(LISTS, seen={aa: None, bb: "e1", cc: "e2"}) as third:
        assert third.list_ids == (), "they are others than were seen"
    with driver.ranking.begin_rebuild(LISTS, seen={aa: "e1", bb: "e2", cc: "e0"}) as third:
        assert third.list_ids == LISTS[:2]
    with driver.ranking.begin_rebuild(LISTS) as third:
        assert third.list_ids == LISTS
    assert driver.zrange(aa, "arrival") == [(1, 5)]


@pytest.mark.parametrize("kind", ["sort", "changes", "meta"])
def test_a_list_with_a_key_of_another_type_is_built_anew(driver, kind):
    """A list that reads as lost can be rebuilt: otherwise nobody would ever build it."""
    [aa, *_] = LISTS
    driver.open(aa)
    driver.ranking.place([on(1, 1, aa=5)])
    keys = driver.ranking.keys_of(aa)
    key = {"sort": keys.sorts[0], "changes": keys.log, "meta": keys.meta}[kind]
    driver.client.delete(key)
    driver.client.set(key, "foreign")
    assert driver.ranking.states([aa])[aa].epoch is None
    with driver.ranking.begin_rebuild([aa], seen={aa: None}) as rebuild:
        rebuild.fill(aa, [(2, 1, (6,))])
        rebuild.swap(aa, "e2")
    assert driver.zrange(aa, "arrival") == [(2, 6)]


def test_what_leaves_a_list_while_it_is_built_first_is_named_for_placing_again(driver):
    [aa, *_] = LISTS
    with driver.ranking.begin_rebuild([aa]) as rebuild:
        rebuild.fill(aa, [(1, 1, (5,)), (2, 1, (6,))])
        # Another rebuild may have raised the revision that all lists share.
        with driver.ranking.begin_rebuild([LISTS[1]]) as other:
            other.fill(LISTS[1], [(1, 2, (5,))])
        driver.ranking.place([on(1, 2, aa=None), on(2, 2, aa=None)])
        assert sorted(rebuild.swap(aa, "e1")) == [1, 2]


def test_a_rebuild_that_renews_nothing_is_taken_over(driver):
    [aa, *_] = LISTS
    frozen = driver.ranking.begin_rebuild([aa])
    driver.client.delete(driver.ranking.keys_of(aa).lease)  # as if its time had run out
    with driver.ranking.begin_rebuild([aa]) as rebuild:
        rebuild.fill(aa, [(2, 1, (5,))])
        with pytest.raises(RebuildLost):
            frozen.fill(aa, [(1, 1, (5,))])
        frozen.close()
        rebuild.swap(aa, "e2")
    assert driver.zrange(aa, "arrival") == [(2, 5)]


def test_what_a_rebuild_filled_expires_unless_it_is_renewed_or_swapped_in(driver, monkeypatch):
    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    [aa, *_] = LISTS
    with driver.ranking.begin_rebuild([aa]) as rebuild:
        rebuild.fill(aa, [(1, 1, (5,))])
        filled = driver.ranking.keys_of(aa).next_sorts[0]
        assert 0 < driver.client.pttl(filled) <= rebuilding.FILLED_MS
        for key in (filled, driver.ranking.keys_of(aa).next, driver.ranking.keys_of(aa).lease):
            driver.client.pexpire(key, 500)
        rebuild.fill(aa, [(2, 1, (6,))])
        # Two keys cannot be read at one moment.
        assert all(
            driver.client.pttl(key) > 800_000 for key in (filled, driver.ranking.keys_of(aa).next)
        )
        assert 4_000 < driver.client.pttl(driver.ranking.keys_of(aa).lease) <= rebuilding.LEASE_MS
        rebuild.swap(aa, "e1")
    assert {driver.client.pttl(key) for key in driver.client.keys("*")} == {-1}


def test_a_list_whose_rebuild_ended_unfinished_goes_on_as_before_it(driver, monkeypatch):
    monkeypatch.setattr(placing, "LOG_ENTRIES", 20)
    [aa, bb, *_] = LISTS
    driver.open(aa)
    killed = driver.ranking.begin_rebuild([aa, bb])
    for each in (aa, bb):  # its time has run out
        keys = driver.ranking.keys_of(each)
        driver.client.delete(keys.next, keys.lease)
    assert driver.ranking.place([on(1, 1, aa=None)]) == 0, "it was on no list"
    for revision in range(2, 200):
        driver.ranking.place([on(revision, revision, aa=revision)])
    assert driver.client.zcard(driver.keys.changes(aa)) < 20 + 64
    assert driver.client.hget(driver.keys.meta(aa), "building") is None
    assert driver.ranking.place([on(200, 200, bb=5)]) == 0, "it has never been built"
    with pytest.raises(RebuildLost):
        killed.swap(aa, "e2")


def test_a_list_that_is_removed_leaves_no_key(driver):
    [aa, *_] = LISTS
    driver.open(aa)
    driver.ranking.place([on(1, 1, aa=5)])
    rebuild = driver.ranking.begin_rebuild([aa])
    rebuild.fill(aa, [(2, 1, (5,))])
    driver.ranking.remove([aa])
    assert not [key for key in driver.client.keys("*") if b"q:" in key]
    with pytest.raises(RebuildLost):
        rebuild.swap(aa, "e2")
    assert driver.ranking.totals(None).totals == {}
