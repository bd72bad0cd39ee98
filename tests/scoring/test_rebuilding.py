"""A rebuild: beside the live lists, swapped in at once, one at a time, fenced."""

import pytest

from scoring import rebuilding
from scoring.ranking import Ranking
from scoring.rebuilding import RebuildBusy, RebuildLost
from scoring.sorts import SORTS
from tests.scoring.desk import placed, scores


def rows(*ids: int, revision: int = 1):
    return [(id, revision, scores(id)) for id in ids]


def rebuild_keys(desk) -> list[bytes]:
    return [key for key in desk.client.keys("*") if b"|next" in key or b"|rebuild" in key]


def test_what_was_filled_becomes_the_list_under_a_new_epoch(desk):
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(3, 1))
        rebuild.fill("arrival", rows(2))
        assert desk.zrange("arrival", "arrival") == []
        assert rebuild.swap("arrival", "e2") == []
    assert all(desk.zrange("arrival", sort) == [(1, 1), (2, 2), (3, 3)] for sort in SORTS)
    state = desk.ranking.states(["arrival"])["arrival"]
    assert (state.epoch, state.version, state.total) == ("e2", 2, 3)
    assert rebuild_keys(desk) == []


def test_nobody_may_ask_since_before_the_new_epoch(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    desk.open("arrival", epoch="e2")
    assert desk.ranking.since("arrival", ["arrival"], "e2", 2, 10) is None
    assert desk.ranking.since("arrival", ["arrival"], "e2", 3, 10).gone == []


def test_a_rebuild_with_nothing_empties_the_list(desk):
    desk.ranking.place([placed(1, 5, "arrival", 5)])
    desk.open("arrival", epoch="e2")
    assert desk.ranking.head("arrival", "arrival", 5).total == 0
    assert desk.ranking.place([placed(1, 4, "arrival", 6)]) == 1, "old revisions are forgotten"


def test_the_new_list_guards_by_the_revisions_it_was_filled_with(desk):
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1, revision=7))
        rebuild.swap("arrival", "e2")
    assert desk.ranking.place([placed(1, 6, "arrival", 9)]) == 0
    assert desk.ranking.place([placed(1, 8, "arrival", 9)]) == 1


def test_what_is_placed_meanwhile_is_named_by_the_swap(desk):
    desk.ranking.place([placed(1, 1, "arrival", 1)])
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1, 2))
        desk.ranking.place([placed(2, 2, "arrival", 20)])
        desk.ranking.place([placed(3, 1, "", 0, leave="arrival"), placed(4, 1, "arrival", 4)])
        desk.ranking.place([placed(5, 1, "arrival", 5)])
        desk.ranking.place([placed(5, 2, "", 0, leave="arrival")])
        assert sorted(rebuild.swap("arrival", "e2")) == [2, 4, 5]


def test_the_version_goes_on_growing_over_a_rebuild(desk):
    for revision in range(1, 6):
        desk.ranking.place([placed(1, revision, "arrival", 5)])
    desk.open("arrival", epoch="e2")
    assert desk.version("arrival") == 7


def test_the_last_of_two_fills_counts(desk):
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1))
        rebuild.fill("arrival", [(1, 2, scores(9))])
        rebuild.swap("arrival", "e2")
    assert desk.zrange("arrival", "arrival") == [(1, 9)]


def test_only_one_rebuilds_at_a_time(desk):
    with desk.ranking.begin_rebuild(["arrival"]), pytest.raises(RebuildBusy):
        Ranking(desk.client).begin_rebuild(["history"])
    Ranking(desk.client).begin_rebuild(["history"]).close()


def test_a_rebuild_that_is_given_up_leaves_the_live_list_and_nothing_else(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    with pytest.raises(KeyError), desk.ranking.begin_rebuild(["arrival", "history"]) as rebuild:
        rebuild.fill("arrival", rows(2, 3))
        raise KeyError
    assert desk.zrange("arrival", "arrival") == [(1, 5)]
    assert rebuild_keys(desk) == []


def test_what_a_crashed_rebuild_left_is_not_swapped_in_by_the_next(desk):
    crashed = desk.ranking.begin_rebuild(["arrival"])
    crashed.fill("arrival", rows(1, 2))
    desk.client.delete(desk.keys.rebuild_lock)
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(3))
        rebuild.swap("arrival", "e2")
    assert desk.zrange("arrival", "arrival") == [(3, 3)]


@pytest.mark.parametrize("lost", ["everything", "the fence", "one sort", "the revisions"])
def test_a_rebuild_that_lost_what_it_filled_is_refused(desk, lost):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(2, 3))
        if lost == "everything":
            desk.client.flushall()
        elif lost == "the fence":
            desk.client.delete(desk.keys.next("arrival"))
        elif lost == "one sort":
            desk.client.delete(desk.keys.next_sort("arrival", "priority"))
        else:
            desk.client.delete(desk.keys.next_revisions("arrival"))
        with pytest.raises(RebuildLost):
            rebuild.swap("arrival", "e2")
    if lost != "everything":
        assert desk.zrange("arrival", "arrival") == [(1, 5)]


def test_filling_goes_not_on_after_a_flush(desk):
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        desk.client.flushall()
        with pytest.raises(RebuildLost):
            rebuild.fill("arrival", rows(1))
    assert desk.client.dbsize() == 0


def test_a_sleeper_that_was_overtaken_neither_fills_nor_swaps_nor_clears(desk, monkeypatch):
    sleeper = desk.ranking.begin_rebuild(["arrival"])
    sleeper.fill("arrival", rows(1))
    desk.client.delete(desk.keys.rebuild_lock)  # as if its time had run out
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(2))
        with pytest.raises(RebuildLost):
            sleeper.fill("arrival", rows(3))
        with pytest.raises(RebuildLost):
            sleeper.swap("arrival", "zombie")
        sleeper.close()
        rebuild.swap("arrival", "e2")
    assert desk.zrange("arrival", "arrival") == [(2, 2)]


def test_a_sleeper_that_nobody_overtook_goes_on(desk, monkeypatch):
    monkeypatch.setattr(rebuilding, "LOCK_RENEW_SECONDS", 0)
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        desk.client.delete(desk.keys.rebuild_lock)  # as if its time had run out
        rebuild.fill("arrival", rows(1))
        with pytest.raises(RebuildBusy):
            desk.ranking.begin_rebuild(["arrival"])
        rebuild.swap("arrival", "e2")
    assert desk.zrange("arrival", "arrival") == [(1, 1)]


def test_a_rebuild_that_lives_keeps_its_lock(desk, monkeypatch):
    monkeypatch.setattr(rebuilding, "LOCK_RENEW_SECONDS", 0)
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        desk.client.pexpire(desk.keys.rebuild_lock, 500)
        rebuild.fill("arrival", [])
        assert desk.client.pttl(desk.keys.rebuild_lock) > 4_000


def test_keys_of_other_types_are_no_obstacle(desk):
    for key in (
        desk.keys.meta("arrival"),
        desk.keys.changes("arrival"),
        desk.keys.sort("arrival", "priority"),
        desk.keys.revisions("arrival"),
    ):
        desk.client.delete(key)
        desk.client.set(key, "a stranger's")
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(1))
        assert rebuild.swap("arrival", "e2") == []
    assert desk.ranking.head("arrival", "priority", 5).total == 1


def test_more_threads_than_one_step_fills_all_arrive(desk):
    with desk.ranking.begin_rebuild(["arrival"]) as rebuild:
        rebuild.fill("arrival", rows(*range(1, 1_201)))
        rebuild.swap("arrival", "e2")
    assert desk.zrange("arrival", "arrival") == [(id, id) for id in range(1, 1_201)]
