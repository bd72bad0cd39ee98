"""Placing: guarded by revision, one version a call, never on data that are lost."""

import pytest

from scoring.ranking import RankingLost
from scoring.reading import State
from scoring.sorts import SORTS
from tests.drivers.ranking import placed


def test_a_thread_stands_in_all_sorts_with_its_scores(driver):
    different = (*range(2, len(SORTS) + 1), 2**53 - 1)
    assert driver.ranking.place([placed(42, 1, "arrival", different)]) == 1
    found = [driver.zrange("arrival", sort) for sort in SORTS]
    assert found == [[(42, score)] for score in different]


def test_equal_scores_stand_by_id(driver):
    driver.ranking.place([placed(id, 1, "arrival", 7) for id in (100, 9, 20)])
    assert [id for id, _ in driver.zrange("arrival", "arrival")] == [9, 20, 100]


def test_the_same_placement_again_changes_nothing(driver):
    placement = placed(1, 3, "arrival not_respond", 5, leave="history")
    assert driver.ranking.place([placement]) == 2
    before = driver.ranking.states(["arrival", "not_respond", "history"])
    assert driver.ranking.place([placement]) == 0
    assert driver.ranking.states(["arrival", "not_respond", "history"]) == before


def test_an_older_revision_is_refused(driver):
    driver.ranking.place([placed(1, 3, "arrival", 5)])
    assert driver.ranking.place([placed(1, 2, "arrival", 9)]) == 0
    assert driver.ranking.place([placed(1, 2, "", 0, leave="arrival")]) == 0
    assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_an_older_revision_is_refused_after_the_thread_left(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    assert driver.ranking.place([placed(1, 3, "history", 5, leave="arrival")]) == 2
    assert driver.ranking.place([placed(1, 2, "arrival", 5)]) == 0
    assert driver.zrange("arrival", "arrival") == []


def test_leaving_a_list_it_was_never_on_still_guards_but_changes_nothing(driver):
    assert driver.ranking.place([placed(1, 3, "", 0, leave="arrival")]) == 0
    assert driver.version("arrival") == 1
    assert driver.ranking.place([placed(1, 2, "arrival", 5)]) == 0
    assert driver.zrange("arrival", "arrival") == []


def test_a_newer_revision_with_equal_scores_counts_for_its_row_changed(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    assert driver.ranking.place([placed(1, 2, "arrival", 5)]) == 1
    assert driver.version("arrival") == 3


def test_the_held_revision_repairs_what_another_program_wrote(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "arrival", 6)])
    key = driver.keys.sort("arrival", "longest_wait")
    driver.client.zadd(key, {"000000000001": 99})
    driver.client.zrem(key, "000000000002")
    assert driver.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "arrival", 6)]) == 2
    assert driver.zrange("arrival", "longest_wait") == [(1, 5), (2, 6)]
    changes = driver.ranking.since("arrival", ["longest_wait"], "e1", 2, 10)
    assert [entry.id for entry in changes.sets["longest_wait"]] == [1, 2]


def test_a_foreign_thread_is_removed(driver):
    driver.client.zadd(driver.keys.sort("arrival", "priority"), {"000000000077": 1})
    assert driver.ranking.place([placed(77, 0, "", 0, leave="arrival")]) == 1
    assert driver.zrange("arrival", "priority") == []
    assert driver.ranking.since("arrival", ["priority"], "e1", 1, 10).gone == [77]


def test_a_batch_shares_one_version_on_each_list_id(driver):
    batch = [placed(id, 1, "arrival", id, leave="history") for id in range(1, 200)]
    assert driver.ranking.place(batch) == 199
    assert driver.version("arrival") == 2
    assert driver.version("history") == 1


def test_a_batch_of_more_than_one_call_places_all(driver):
    driver.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 1001)])
    assert driver.zrange("arrival", "arrival") == [(id, id) for id in range(1, 1001)]


def test_revisions_of_one_thread_in_one_batch_end_at_the_newest(driver):
    newer, older = placed(1, 5, "history", 5, leave="arrival"), placed(1, 4, "arrival", 4)
    for batch in ([newer, older], [older, newer]):
        driver.ranking.place(batch)
        assert driver.zrange("arrival", "arrival") == []
        assert driver.zrange("history", "arrival") == [(1, 5)]


def test_large_versions_and_revisions_keep_every_digit(driver):
    driver.client.hset(
        driver.keys.meta("arrival"), mapping={"version": 2**53 - 10, "floor": 2**53 - 10}
    )
    driver.ranking.place([placed(1, 2**53 - 3, "arrival", 5)])
    assert driver.version("arrival") == 2**53 - 9
    assert driver.ranking.place([placed(1, 2**53 - 4, "arrival", 5)]) == 0
    assert driver.ranking.place([placed(1, 2**53 - 2, "arrival", 5)]) == 1


def test_without_an_epoch_nothing_is_placed(driver):
    driver.client.flushall()
    with pytest.raises(RankingLost) as lost:
        driver.ranking.place([placed(1, 1, "arrival", 5, leave="history")])
    assert lost.value.list_ids == {"arrival", "history"}
    assert driver.client.dbsize() == 0


def test_a_lost_tag_does_not_keep_others_from_being_placed(driver):
    driver.client.delete(driver.keys.meta("history"))
    with pytest.raises(RankingLost) as lost:
        driver.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "history", 5)])
    assert lost.value.list_ids == {"history"}
    assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_a_log_that_was_cut_off_stops_placing(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    driver.client.delete(driver.keys.changes("arrival"))
    with pytest.raises(RankingLost):
        driver.ranking.place([placed(2, 1, "arrival", 5)])
    assert driver.ranking.states(["arrival"])["arrival"].epoch is None


def test_scripts_that_redis_forgot_are_loaded_again(driver):
    driver.ranking.place([placed(1, 1, "arrival history", 5)])
    driver.client.script_flush()
    assert driver.ranking.place([placed(2, 1, "arrival history", 6)]) == 2
    driver.client.script_flush()
    assert driver.ranking.head("arrival", "arrival", 10).total == 2


def test_entering_wins_where_a_tag_is_both_left_and_entered(driver):
    both = [placed(1, 1, "arrival", 5), placed(1, 1, "", 5, leave="arrival")]
    assert driver.ranking.place(both) == 1
    assert driver.zrange("arrival", "arrival") == [(1, 5)]


def test_placing_nothing_is_no_round_trip_that_fails(driver):
    assert driver.ranking.place([]) == 0


@pytest.mark.parametrize("kind", ["sort", "changes", "meta"])
def test_a_key_of_another_type_reads_as_lost(driver, kind):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    key = driver.keys.sort("arrival", "priority") if kind == "sort" else ""
    key = key or getattr(driver.keys, kind)("arrival")
    driver.client.delete(key)
    driver.client.set(key, "foreign")
    assert driver.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)


def test_one_deleted_sort_reads_as_lost(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    driver.client.delete(driver.keys.sort("arrival", "member_status"))
    assert driver.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)


def assigned(driver) -> dict[int, int]:
    return driver.ranking.counts(["arrival"])["arrival"]


def test_a_view_counts_the_threads_of_each_admin(driver):
    driver.ranking.place([placed(id, 1, "arrival", id) for id in (1, 2, 3)])
    driver.ranking.place([placed(1, 2, "arrival", 1, assignee_id=7)])
    assert assigned(driver) == {0: 2, 7: 1}
    driver.ranking.place([placed(1, 3, "history", 1, "arrival", 7)])
    assert assigned(driver) == {0: 2, 7: 0}
    state = driver.ranking.states(["history"], {})["history"]
    assert (state.total, state.assigned) == (1, {7: 1})


def test_counts_are_right_whatever_comes_twice_or_late(driver):
    calls = [
        placed(1, 1, "arrival", 5),
        placed(1, 2, "arrival", 5, assignee_id=7),
        placed(1, 3, "", 0, leave="arrival"),
        placed(1, 4, "arrival", 5, assignee_id=8),
    ]
    for call in (calls[3], *calls, *reversed(calls)):
        driver.ranking.place([call])
        assert {id: count for id, count in assigned(driver).items() if count} == {8: 1}


def test_a_new_assignee_alone_is_a_change(driver):
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    version = driver.version("arrival")
    assert driver.ranking.place([placed(1, 1, "arrival", 5, assignee_id=7)]) == 1, "repaired"
    assert driver.version("arrival") == version + 1


def test_a_view_without_its_revisions_is_lost(driver):
    """Otherwise threads would be counted twice."""
    driver.ranking.place([placed(1, 1, "arrival", 5)])
    driver.client.delete(driver.keys.group("arrival").revisions)
    assert driver.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)


def test_a_view_that_counts_nothing_is_lost(driver):
    """As from versions that kept a list for each filter."""
    driver.ranking.place([placed(id, 1, "arrival", id) for id in (1, 2)])
    driver.client.hdel(driver.keys.meta("arrival"), "counted", "of:0")
    assert driver.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)


def test_what_is_no_view_any_more_leaves_nothing(driver):
    driver.open("arrival:mine:7")
    driver.ranking.place([placed(1, 1, "arrival:mine:7", 5), placed(2, 1, "arrival", 5)])
    driver.ranking.remove(["arrival:mine:7"])
    assert not driver.client.keys("*mine*")
    assert driver.zrange("arrival", "arrival") == [(2, 5)]
