"""Placing: guarded by revision, one version a call, never on data that are lost."""

import pytest

from scoring.ranking import Placement, RankingLost
from scoring.reading import State
from scoring.sorts import SORTS
from tests.scoring.desk import placed, scores


def test_a_thread_stands_in_all_sorts_with_its_scores(desk):
    assert desk.ranking.place([placed(42, 1, "arrival", (5, 4, 3, 2, 2**53 - 1))]) == 1
    found = [desk.zrange("arrival", sort) for sort in SORTS]
    assert found == [[(42, score)] for score in (5, 4, 3, 2, 2**53 - 1)]


def test_equal_scores_stand_by_id(desk):
    desk.ranking.place([placed(id, 1, "arrival", 7) for id in (100, 9, 20)])
    assert [id for id, _ in desk.zrange("arrival", "arrival")] == [9, 20, 100]


def test_the_same_placement_again_changes_nothing(desk):
    placement = placed(1, 3, "arrival arrival:unassigned", 5, leave="history")
    assert desk.ranking.place([placement]) == 2
    before = desk.ranking.states(["arrival", "arrival:unassigned", "history"])
    assert desk.ranking.place([placement]) == 0
    assert desk.ranking.states(["arrival", "arrival:unassigned", "history"]) == before


def test_an_older_revision_is_refused(desk):
    desk.ranking.place([placed(1, 3, "arrival", 5)])
    assert desk.ranking.place([placed(1, 2, "arrival", 9)]) == 0
    assert desk.ranking.place([placed(1, 2, "", 0, leave="arrival")]) == 0
    assert desk.zrange("arrival", "arrival") == [(1, 5)]


def test_an_older_revision_is_refused_after_the_thread_left(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    assert desk.ranking.place([placed(1, 3, "history", 5, leave="arrival")]) == 2
    assert desk.ranking.place([placed(1, 2, "arrival", 5)]) == 0
    assert desk.zrange("arrival", "arrival") == []


def test_leaving_a_list_it_was_never_on_still_guards_but_changes_nothing(desk):
    assert desk.ranking.place([placed(1, 3, "", 0, leave="arrival")]) == 0
    assert desk.version("arrival") == 1
    assert desk.ranking.place([placed(1, 2, "arrival", 5)]) == 0
    assert desk.zrange("arrival", "arrival") == []


def test_a_newer_revision_with_equal_scores_counts_for_its_row_changed(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    assert desk.ranking.place([placed(1, 2, "arrival", 5)]) == 1
    assert desk.version("arrival") == 3


def test_the_held_revision_repairs_what_a_stranger_wrote(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "arrival", 6)])
    key = desk.keys.sort("arrival", "longest_wait")
    desk.client.zadd(key, {"000000000001": 99})
    desk.client.zrem(key, "000000000002")
    assert desk.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "arrival", 6)]) == 2
    assert desk.zrange("arrival", "longest_wait") == [(1, 5), (2, 6)]
    changes = desk.ranking.since("arrival", ["longest_wait"], "e1", 2, 10)
    assert [entry.id for entry in changes.sets["longest_wait"]] == [1, 2]


def test_a_thread_that_only_a_stranger_knows_is_taken_off(desk):
    desk.client.zadd(desk.keys.sort("arrival", "priority"), {"000000000077": 1})
    assert desk.ranking.place([placed(77, 0, "", 0, leave="arrival")]) == 1
    assert desk.zrange("arrival", "priority") == []
    assert desk.ranking.since("arrival", ["priority"], "e1", 1, 10).gone == [77]


def test_a_batch_shares_one_version_on_each_tag(desk):
    batch = [placed(id, 1, "arrival", id, leave="history") for id in range(1, 200)]
    assert desk.ranking.place(batch) == 199
    assert desk.version("arrival") == 2
    assert desk.version("history") == 1


def test_a_batch_of_more_than_one_call_places_all(desk):
    desk.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 1001)])
    assert desk.zrange("arrival", "arrival") == [(id, id) for id in range(1, 1001)]


def test_revisions_of_one_thread_in_one_batch_end_at_the_newest(desk):
    newer, older = placed(1, 5, "history", 5, leave="arrival"), placed(1, 4, "arrival", 4)
    for batch in ([newer, older], [older, newer]):
        desk.ranking.place(batch)
        assert desk.zrange("arrival", "arrival") == []
        assert desk.zrange("history", "arrival") == [(1, 5)]


def test_large_versions_and_revisions_keep_every_digit(desk):
    desk.client.hset(
        desk.keys.meta("arrival"), mapping={"version": 2**53 - 10, "floor": 2**53 - 10}
    )
    desk.ranking.place([placed(1, 2**53 - 3, "arrival", 5)])
    assert desk.version("arrival") == 2**53 - 9
    assert desk.ranking.place([placed(1, 2**53 - 4, "arrival", 5)]) == 0
    assert desk.ranking.place([placed(1, 2**53 - 2, "arrival", 5)]) == 1


def test_without_an_epoch_nothing_is_placed(desk):
    desk.client.flushall()
    with pytest.raises(RankingLost) as lost:
        desk.ranking.place([placed(1, 1, "arrival", 5, leave="history")])
    assert lost.value.tags == {"arrival", "history"}
    assert desk.client.dbsize() == 0


def test_a_lost_tag_does_not_keep_others_from_being_placed(desk):
    desk.client.delete(desk.keys.meta("history"))
    with pytest.raises(RankingLost) as lost:
        desk.ranking.place([placed(1, 1, "arrival", 5), placed(2, 1, "history", 5)])
    assert lost.value.tags == {"history"}
    assert desk.zrange("arrival", "arrival") == [(1, 5)]


def test_a_log_that_was_cut_off_stops_placing(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    desk.client.delete(desk.keys.changes("arrival"))
    with pytest.raises(RankingLost):
        desk.ranking.place([placed(2, 1, "arrival", 5)])
    assert desk.ranking.states(["arrival"])["arrival"].epoch is None


def test_scripts_that_redis_forgot_are_loaded_again(desk):
    desk.ranking.place([placed(1, 1, "arrival history", 5)])
    desk.client.script_flush()
    assert desk.ranking.place([placed(2, 1, "arrival history", 6)]) == 2
    desk.client.script_flush()
    assert desk.ranking.head("arrival", "arrival", 10).total == 2


def test_entering_wins_where_a_tag_is_both_left_and_entered(desk):
    both = Placement(1, 1, frozenset({"arrival"}), frozenset({"arrival"}), scores(5))
    assert desk.ranking.place([both]) == 1
    assert desk.zrange("arrival", "arrival") == [(1, 5)]


def test_placing_nothing_is_no_round_trip_that_fails(desk):
    assert desk.ranking.place([]) == 0


@pytest.mark.parametrize("kind", ["sort", "changes", "meta"])
def test_a_key_of_another_type_reads_as_lost(desk, kind):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    key = desk.keys.sort("arrival", "priority") if kind == "sort" else ""
    key = key or getattr(desk.keys, kind)("arrival")
    desk.client.delete(key)
    desk.client.set(key, "a stranger's")
    assert desk.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)


def test_one_deleted_sort_reads_as_lost(desk):
    desk.ranking.place([placed(1, 1, "arrival", 5)])
    desk.client.delete(desk.keys.sort("arrival", "member_status"))
    assert desk.ranking.states(["arrival"])["arrival"] == State(None, 0, 0)
