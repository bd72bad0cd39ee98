"""Reads of heads, of the entries after a place, of changes, of ranks; each at one moment."""

import pytest

from scoring.ranking import RankingLost
from scoring.reading import FOREIGN_SCORE, Entry, State
from tests.drivers.ranking import placed, scores

#: id → score: a run of equal scores in the middle.
LIST = {1: 10, 2: 20, 3: 20, 5: 20, 8: 20, 9: 30, 4: 40}
IN_ORDER = [Entry(1, 10), Entry(2, 20), Entry(3, 20), Entry(5, 20), Entry(8, 20)]
IN_ORDER += [Entry(9, 30), Entry(4, 40)]


@pytest.fixture
def filled(driver):
    driver.ranking.place([placed(id, 1, "arrival", score) for id, score in LIST.items()])
    return driver


def test_the_head_is_in_order_with_where_the_tag_stands(filled):
    head = filled.ranking.head("arrival", "arrival", 3)
    assert (head.epoch, head.version, head.total) == ("e1", 2, 7)
    assert head.entries == IN_ORDER[:3]


def test_the_head_of_an_empty_list_is_empty(driver):
    head = driver.ranking.head("history", "priority", 50)
    assert (head.epoch, head.version, head.total, head.entries) == ("e1", 1, 0, [])


@pytest.mark.parametrize("read", ["head", "after", "through", "scan"])
def test_reading_what_is_lost_says_so(client, driver, read):
    client.flushall()
    calls = {
        "head": lambda: driver.ranking.head("arrival", "arrival", 5),
        "after": lambda: driver.ranking.after("arrival", "arrival", 1, 1, 5),
        "through": lambda: driver.ranking.through("arrival", "arrival", 1, 1, 5),
        "scan": lambda: list(driver.ranking.scan("arrival", "arrival")),
    }
    with pytest.raises(RankingLost):
        calls[read]()


@pytest.mark.parametrize("at", range(len(IN_ORDER)))
def test_after_an_entry_come_those_that_follow_it(filled, at):
    id, score = IN_ORDER[at]
    assert (
        filled.ranking.after("arrival", "arrival", score, id, 3).entries
        == (IN_ORDER[at + 1 : at + 4])
    )


@pytest.mark.parametrize("score", [0, 10, 15, 20, 30, 40, 50])
@pytest.mark.parametrize("id", [0, 1, 4, 6, 100])
def test_after_an_entry_that_is_not_there_come_those_that_would_follow_it(filled, score, id):
    expected = [entry for entry in IN_ORDER if (entry.score, entry.id) > (score, id)]
    assert filled.ranking.after("arrival", "arrival", score, id, 100).entries == expected


def test_after_walks_a_list_of_one_score_whole(driver):
    driver.ranking.place([placed(id, 1, "arrival", 5) for id in range(1, 301)])
    walked, last = [], Entry(0, 0)
    while found := driver.ranking.after("arrival", "arrival", last.score, last.id, 7).entries:
        walked += found
        last = walked[-1]
    assert [entry.id for entry in walked] == list(range(1, 301))


def test_through_reads_as_far_as_past_the_target(filled):
    head, rank = filled.ranking.through("arrival", "arrival", 10, 1, 8, beyond=1)
    assert (head.entries, rank) == (IN_ORDER[1:6], 4)


def test_through_reads_at_most_so_many(filled):
    head, rank = filled.ranking.through("arrival", "arrival", 10, 1, 4, most=2)
    assert (head.entries, rank) == (IN_ORDER[1:3], 6)


def test_through_a_target_that_lies_before_reads_no_further_than_past_it(filled):
    head, rank = filled.ranking.through("arrival", "arrival", 20, 8, 2, beyond=5)
    assert (head.entries, rank) == (IN_ORDER[5:], 1)
    assert filled.ranking.through("arrival", "arrival", 30, 9, 1, beyond=2)[0].entries == []


def test_through_a_target_that_is_not_on_the_list_reads_nothing(filled):
    head, rank = filled.ranking.through("arrival", "arrival", 0, 0, 77)
    assert (head.total, head.entries, rank) == (7, [], None)


def test_since_names_what_changed_in_the_order_of_each_sort(filled):
    filled.ranking.place([placed(9, 2, "arrival", scores(5, 50))])
    filled.ranking.place([placed(3, 2, "arrival", scores(6, 40))])
    filled.ranking.place([placed(1, 2, "history", 1, leave="arrival")])
    changes = filled.ranking.since("arrival", ["arrival", "longest_wait"], "e1", 2, 100)
    assert (changes.epoch, changes.version, changes.total) == ("e1", 5, 6)
    assert changes.sets == {
        "arrival": [Entry(9, 5), Entry(3, 6)],
        "longest_wait": [Entry(3, 40), Entry(9, 50)],
    }
    assert changes.gone == [1]


def test_since_the_present_nothing_changed(filled):
    changes = filled.ranking.since("arrival", ["arrival"], "e1", 2, 100)
    assert (changes.version, changes.total, changes.sets, changes.gone) == (
        2,
        7,
        {"arrival": []},
        [],
    )


@pytest.mark.parametrize(
    ("epoch", "version", "limit"),
    [("e0", 2, 100), ("e1", 3, 100), ("e1", 0, 100), ("e1", 1, 6), ("", 2, 100)],
    ids=["another epoch", "the future", "before the epoch", "too many changes", "no epoch"],
)
def test_since_cannot_tell(filled, epoch, version, limit):
    assert filled.ranking.since("arrival", ["arrival"], epoch, version, limit) is None


def test_since_takes_as_many_changes_as_the_limit(filled):
    changes = filled.ranking.since("arrival", ["arrival"], "e1", 1, 7)
    assert changes.sets["arrival"] == IN_ORDER


def test_since_cannot_tell_from_a_log_that_was_cut_off(filled):
    filled.client.delete(filled.keys.changes("arrival"))
    assert filled.ranking.since("arrival", ["arrival"], "e1", 1, 100) is None


def test_since_reads_many_changes_at_once(driver):
    driver.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 2502)])
    changes = driver.ranking.since("arrival", ["arrival", "priority"], "e1", 1, 5_000)
    assert changes.sets["arrival"] == [Entry(id, id) for id in range(1, 2502)]
    assert changes.sets["priority"] == changes.sets["arrival"]


def test_ranks_count_from_zero(filled):
    assert filled.ranking.rank("arrival", "arrival", 1) == (0, 7)
    assert filled.ranking.rank("arrival", "arrival", 4) == (6, 7)
    assert filled.ranking.rank("arrival", "arrival", 77) == (None, 7)


def test_scores_come_in_the_order_asked(filled):
    columns = filled.ranking.columns({"arrival": [4, 77, 1], "history": []})
    assert columns == {"arrival": [[40, None, 10]] * len(filled.ranking.sorts)}
    assert filled.ranking.columns({}) == {}


def test_states_of_many_tags_come_at_once(filled):
    assert filled.ranking.states(["arrival", "history", "lost"]) == {
        "arrival": State("e1", 2, 7),
        "history": State("e1", 1, 0),
        "lost": State(None, 0, 0),
    }
    assert filled.ranking.states([]) == {}


def test_scan_yields_the_whole_list(filled, monkeypatch):
    monkeypatch.setattr("scoring.ranking.SCAN_ENTRIES", 3)
    batches = list(filled.ranking.scan("arrival", "arrival"))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [entry for batch in batches for entry in batch] == IN_ORDER


def test_what_is_no_thread_is_not_read_and_can_be_removed(filled):
    key = filled.keys.sort("arrival", "arrival")
    filled.client.zadd(key, {"bob": 1.5, "42": 3, b"\xff": 90})
    assert filled.ranking.head("arrival", "arrival", 3).entries == IN_ORDER[:3]
    assert [entry for batch in filled.ranking.scan("arrival", "arrival") for entry in batch] == (
        IN_ORDER
    )
    assert filled.ranking.remove_foreign_members("arrival") == 3
    assert filled.ranking.head("arrival", "arrival", 3).entries == IN_ORDER[:3]
    assert filled.ranking.remove_foreign_members("arrival") == 0


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_no_walk_stops_at_what_is_no_thread(filled, limit):
    """H3"""
    key = filled.keys.sort("arrival", "arrival")
    filled.client.zadd(key, {f"foreign {number}": score for number in range(30) for score in [20]})
    first = filled.ranking.head("arrival", "arrival", limit).entries
    walked = list(first)
    while found := filled.ranking.after(
        "arrival", "arrival", walked[-1].score, walked[-1].id, limit
    ).entries:
        assert len(found) == limit or found[-1] == IN_ORDER[-1], "a page that is not full"
        walked += found
    assert walked == IN_ORDER


def test_lists_of_one_list_id_that_differ_in_length_are_uneven(filled):
    """H3"""
    assert not filled.ranking.states(["arrival"])["arrival"].uneven
    filled.client.zadd(filled.keys.sort("arrival", "priority"), {"bob": 5})
    assert filled.ranking.states(["arrival"])["arrival"].uneven


@pytest.mark.parametrize("log", ["kept", "empty"])
def test_removing_what_is_no_thread_is_a_change_of_the_lists(filled, log):
    """H3: so that dashboards get the right total."""
    if log == "empty":
        filled.open("arrival", epoch="e2")
    before = filled.ranking.states(["arrival"])["arrival"]
    for sort in filled.ranking.sorts:
        filled.client.zadd(filled.keys.sort("arrival", sort), {"bob": 5})
    assert filled.ranking.remove_foreign_members("arrival") == 1
    state = filled.ranking.states(["arrival"])["arrival"]
    assert (state.epoch, state.version, state.total) == (
        before.epoch,
        before.version + 1,
        before.total,
    )
    changes = filled.ranking.since("arrival", ["arrival"], before.epoch, before.version, 10)
    if log == "empty":
        assert changes is None, "nothing can be told; the list is opened anew"
    else:
        assert (changes.version, changes.total, changes.gone) == (state.version, state.total, [])


@pytest.mark.parametrize("score", [1.5, float("inf"), float("-inf")])
def test_a_score_that_no_sort_gives_is_recognised(filled, score):
    filled.client.zadd(filled.keys.sort("arrival", "arrival"), {"000000000003": score})
    assert filled.ranking.columns({"arrival": [3]})["arrival"][0] == [score]
    found = [entry for batch in filled.ranking.scan("arrival", "arrival") for entry in batch]
    assert Entry(3, FOREIGN_SCORE) in found and len(found) == 7


@pytest.mark.parametrize("score", [2**53 - 1, 2**53 - 2, 10 * 2**42 + 2**42 - 1, 0])
def test_every_reading_gives_exact_scores(driver, score):
    driver.ranking.place([placed(1, 1, "arrival", score)])
    entry = Entry(1, score)
    assert driver.ranking.head("arrival", "arrival", 1).entries == [entry]
    assert driver.ranking.columns({"arrival": [1]})["arrival"][0] == [score]
    assert driver.ranking.since("arrival", ["arrival"], "e1", 1, 1).sets == {"arrival": [entry]}


def test_changes_at_the_top_are_distinguished_from_those_below(driver):
    """Rows of the top are sent with frames: otherwise all browsers would ask for them at once."""
    driver.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 41)])
    before = driver.ranking.states(["arrival"])["arrival"]
    driver.ranking.place([placed(id, 2, "arrival", id) for id in (1, 30, 31)])
    changes = driver.ranking.since("arrival", ["arrival"], before.epoch, before.version, 100)
    assert [entry.id for entry in changes.sets["arrival"]] == [1, 30, 31]
    assert [entry.id for entry in changes.on_top("arrival")] == [1, 30]


def test_all_of_a_short_list_is_top(filled):
    before = filled.ranking.states(["arrival"])["arrival"]
    filled.ranking.place([placed(4, 2, "arrival", 40)])
    changes = filled.ranking.since("arrival", ["arrival"], before.epoch, before.version, 100)
    assert [entry.id for entry in changes.on_top("arrival")] == [4]
