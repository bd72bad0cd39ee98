"""A rebuild: beside the live lists, swapped in at once, one at a time, fenced."""

import pytest

from scoring import rebuilding
from scoring.ranking import Ranking
from scoring.rebuilding import RebuildLost
from scoring.sorts import SORTS
from tests.drivers.ranking import placed, run_id, scores


def rows(*ids: int, revision: int = 1):
    return [(id, revision, scores(id), None) for id in ids]


def rebuild_keys(driver) -> list[bytes]:
    return [key for key in driver.client.keys("*") if key.endswith(b"|next") or b"|next|" in key]


def test_what_was_filled_becomes_the_list_under_a_new_epoch(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(3, 1))
        rebuild.fill("arrival", rows(2))
        assert driver.zrange("arrival", "arrival") == []
        assert rebuild.swap("arrival", "e2") == []
    assert all(driver.zrange("arrival", sort) == [(1, 1), (2, 2), (3, 3)] for sort in SORTS)
    state = driver.ranking.states(["arrival"])["arrival"]
    assert (state.epoch, state.version, state.total) == ("e2", 2, 3)
    assert rebuild_keys(driver) == []


def test_nobody_may_ask_since_before_the_new_epoch(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    driver.open("arrival", epoch="e2")
    assert driver.ranking.since("arrival", ["arrival"], "e2", 2, 10) is None
    assert driver.ranking.since("arrival", ["arrival"], "e2", 3, 10).gone == []


def test_a_rebuild_with_nothing_empties_the_list(driver):
    driver.ranking.place([placed(1, 5, "arrival", 5)])
    driver.open("arrival", epoch="e2")
    assert driver.ranking.head("arrival", "arrival", 5).total == 0
    assert driver.ranking.place([placed(1, 4, "arrival", 6)]) == 1, "old revisions are forgotten"


def test_the_new_list_guards_by_the_revisions_it_was_filled_with(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1, revision=7))
        rebuild.swap("arrival", "e2")
    assert driver.ranking.place([placed(1, 6, "arrival", 9)]) == 0
    assert driver.ranking.place([placed(1, 8, "arrival", 9)]) == 1


def test_what_is_placed_meanwhile_is_named_by_the_swap(driver):
    driver.ranking.place([placed(1, 1, "arrival", 1)])
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1, 2))
        driver.ranking.place([placed(2, 2, "arrival", 20)])
        driver.ranking.place([placed(3, 1, "", 0, leave="arrival"), placed(4, 1, "arrival", 4)])
        driver.ranking.place([placed(5, 1, "arrival", 5)])
        driver.ranking.place([placed(5, 2, "", 0, leave="arrival")])
        # Thread 3 may be on a list that is being filled.
        assert sorted(rebuild.swap("arrival", "e2")) == [2, 3, 4, 5]


def test_the_version_goes_on_growing_over_a_rebuild(driver):
    for revision in range(1, 6):
        driver.ranking.place([placed(1, revision, "arrival", 5)])
    driver.open("arrival", epoch="e2")
    assert driver.version("arrival") == 7


def test_the_last_of_two_fills_counts(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1))
        rebuild.fill("arrival", [(1, 2, scores(9), None)])
        rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(1, 9)]


def test_only_one_rebuilds_a_list_at_a_time(driver):
    other = Ranking(driver.client, run_id=run_id)
    with (
        driver.ranking.begin_rebuild(["arrival"]),
        other.begin_rebuild(["arrival", "history"]) as rebuild,
    ):
        assert rebuild.list_ids == ("history",)
    other.begin_rebuild(["arrival"]).close()


def test_a_rebuild_that_is_given_up_leaves_the_live_list_and_nothing_else(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    with pytest.raises(KeyError), driver.ranking.begin_rebuild(["arrival", "history"]) as rebuild:
        rebuild.fill("arrival", rows(2, 3))
        raise KeyError
    assert driver.zrange("arrival", "arrival") == [(1, 5)]
    assert rebuild_keys(driver) == []


def test_what_a_crashed_rebuild_left_is_not_swapped_in_by_the_next(driver):
    crashed = driver.ranking.begin_rebuild(["arrival"])
    crashed.fill("arrival", rows(1, 2))
    driver.client.delete(driver.ranking.keys_of("arrival").lease)
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(3))
        rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(3, 3)]


@pytest.mark.parametrize("lost", ["everything", "the fence", "one sort", "the revisions"])
def test_a_rebuild_that_lost_what_it_filled_is_refused(driver, lost):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(2, 3))
        if lost == "everything":
            driver.client.flushall()
        elif lost == "the fence":
            driver.client.delete(driver.ranking.keys_of("arrival").next)
        elif lost == "one sort":
            driver.client.delete(driver.ranking.keys_of("arrival").next_sorts[-2])
        else:
            driver.client.delete(driver.ranking.keys_of("arrival").next_revisions)
        with pytest.raises(RebuildLost):
            rebuild.swap("arrival", "e2")
    if lost != "everything":
        assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_filling_goes_not_on_after_a_flush(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        driver.client.flushall()
        with pytest.raises(RebuildLost):
            rebuild.fill("arrival", rows(1))
    assert driver.client.dbsize() == 0


def test_a_sleeper_that_was_overtaken_neither_fills_nor_swaps_nor_clears(driver, monkeypatch):
    sleeper = driver.ranking.begin_rebuild(["arrival"])
    sleeper.fill("arrival", rows(1))
    driver.client.delete(driver.ranking.keys_of("arrival").lease)  # as if its time had run out
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(2))
        with pytest.raises(RebuildLost):
            sleeper.fill("arrival", rows(3))
        with pytest.raises(RebuildLost):
            sleeper.swap("arrival", "zombie")
        sleeper.close()
        rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(2, 2)]


def test_a_rebuild_whose_lock_expired_goes_on_if_no_other_began(driver, monkeypatch):
    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        driver.client.delete(driver.ranking.keys_of("arrival").lease)  # as if its time had run out
        rebuild.fill("arrival", rows(1))
        assert driver.ranking.begin_rebuild(["arrival"]).list_ids == ()
        rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(1, 1)]


def test_a_rebuild_that_lives_keeps_its_lock(driver, monkeypatch):
    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        driver.client.pexpire(driver.ranking.keys_of("arrival").lease, 500)
        rebuild.hold()
        assert driver.client.pttl(driver.ranking.keys_of("arrival").lease) > 4_000


def test_what_a_rebuild_began_expires_unless_it_is_renewed(driver, monkeypatch):
    abandoned = driver.ranking.begin_rebuild(["arrival"])
    abandoned.fill("arrival", rows(1))
    abandoned.fill("arrival", rows(2))
    keys = rebuild_keys(driver)
    assert len(keys) == len(SORTS) + 3, "the lease, the fence, sorts and revisions"
    assert all(0 < driver.client.pttl(key) <= rebuilding.FILLED_MS for key in keys)
    assert 0 < driver.client.pttl(driver.ranking.keys_of("arrival").lease) <= rebuilding.LEASE_MS

    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    for key in keys:
        driver.client.pexpire(key, 500)
    abandoned.hold()
    assert all(driver.client.pttl(key) > 4_000 for key in keys)
    abandoned.close()


def test_what_is_swapped_in_stays(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1))
        rebuild.swap("arrival", "e2")
    assert {driver.client.pttl(key) for key in driver.client.keys("*")} == {-1}


def test_a_sleeper_whose_fence_is_gone_neither_fills_nor_swaps(driver, monkeypatch):
    monkeypatch.setattr(rebuilding, "RENEW_SECONDS", 0)
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    with driver.ranking.begin_rebuild(["arrival"]) as sleeper:
        sleeper.fill("arrival", rows(2))
        # As if the leases had expired; no other process has begun meanwhile.
        keys = driver.ranking.keys_of("arrival")
        driver.client.delete(keys.lease, keys.next)
        with pytest.raises(RebuildLost):
            sleeper.fill("arrival", rows(3))
        with pytest.raises(RebuildLost):
            sleeper.swap("arrival", "zombie")
    assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_a_part_of_what_was_filled_is_not_swapped_in(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(2))
        driver.client.delete(*(key for key in rebuild_keys(driver) if b"|next|" in key))
        rebuild.fill("arrival", rows(3))
        with pytest.raises(RebuildLost):
            rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_keys_of_other_types_are_no_obstacle(driver):
    for key in (
        driver.keys.meta("arrival"),
        driver.keys.changes("arrival"),
        driver.keys.sort("arrival", "priority"),
        driver.keys.group("arrival").revisions,
    ):
        driver.client.delete(key)
        driver.client.set(key, "foreign")
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1))
        assert rebuild.swap("arrival", "e2") == []
    assert driver.ranking.head("arrival", "priority", 5).total == 1


def test_more_threads_than_one_step_fills_all_arrive(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(*range(1, 1_201)))
        rebuild.swap("arrival", "e2")
    assert driver.zrange("arrival", "arrival") == [(id, id) for id in range(1, 1_201)]


def test_a_rebuild_counts_the_threads_of_each_admin(driver):
    driver.ranking.place([placed(9, 1, "arrival", 9, assignee_id=5)])
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", [(1, 1, scores(1), 7), (2, 1, scores(2), None)])
        rebuild.fill("arrival", [(1, 2, scores(1), 8), (3, 1, scores(3), 8)])
        rebuild.swap("arrival", "e2")
    state = driver.ranking.states(["arrival"], {})["arrival"]
    assert {id: count for id, count in state.assigned.items() if count} == {0: 1, 8: 2}
    assert driver.ranking.place([placed(4, 1, "arrival", 4, assignee_id=7)]) == 1
    assert driver.ranking.counts(["arrival"])["arrival"] == {0: 1, 7: 1, 8: 2}


def test_a_rebuild_counts_more_admins_than_lua_takes_arguments(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", [(id, 1, scores(id), id) for id in range(1, 4_501)])
        rebuild.swap("arrival", "e2")
    assert driver.ranking.counts(["arrival"])["arrival"] == dict.fromkeys(range(1, 4_501), 1)
