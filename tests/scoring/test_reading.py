"""Reading: heads, what follows a place, what changed, ranks; all at one moment."""

import pytest

from scoring.ranking import RankingLost
from scoring.reading import FOREIGN_SCORE, Entry, State
from tests.scoring.desk import placed

#: id → score: a run of equal scores in the middle.
LIST = {1: 10, 2: 20, 3: 20, 5: 20, 8: 20, 9: 30, 4: 40}
IN_ORDER = [Entry(1, 10), Entry(2, 20), Entry(3, 20), Entry(5, 20), Entry(8, 20)]
IN_ORDER += [Entry(9, 30), Entry(4, 40)]


@pytest.fixture
def filled(desk):
    desk.ranking.place([placed(id, 1, "arrival", score) for id, score in LIST.items()])
    return desk


def test_the_head_is_in_order_with_where_the_tag_stands(filled):
    head = filled.ranking.head("arrival", "arrival", 3)
    assert (head.epoch, head.version, head.total) == ("e1", 2, 7)
    assert head.entries == IN_ORDER[:3]


def test_the_head_of_an_empty_list_is_empty(desk):
    head = desk.ranking.head("history", "priority", 50)
    assert (head.epoch, head.version, head.total, head.entries) == ("e1", 1, 0, [])


@pytest.mark.parametrize("read", ["head", "after", "through", "scan"])
def test_reading_what_is_lost_says_so(client, desk, read):
    client.flushall()
    calls = {
        "head": lambda: desk.ranking.head("arrival", "arrival", 5),
        "after": lambda: desk.ranking.after("arrival", "arrival", 1, 1, 5),
        "through": lambda: desk.ranking.through("arrival", "arrival", 1, 1, 5),
        "scan": lambda: list(desk.ranking.scan("arrival", "arrival")),
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


def test_after_walks_a_list_of_one_score_whole(desk):
    desk.ranking.place([placed(id, 1, "arrival", 5) for id in range(1, 301)])
    walked, last = [], Entry(0, 0)
    while found := desk.ranking.after("arrival", "arrival", last.score, last.id, 7).entries:
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
    filled.ranking.place([placed(9, 2, "arrival", (5, 50, 5, 5, 5))])
    filled.ranking.place([placed(3, 2, "arrival", (6, 40, 6, 6, 6))])
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


def test_since_reads_many_changes_at_once(desk):
    desk.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 2502)])
    changes = desk.ranking.since("arrival", ["arrival", "priority"], "e1", 1, 5_000)
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
    assert filled.ranking.states(["arrival", "history", "arrival:mine:7"]) == {
        "arrival": State("e1", 2, 7),
        "history": State("e1", 1, 0),
        "arrival:mine:7": State(None, 0, 0),
    }
    assert filled.ranking.states([]) == {}


def test_scan_yields_the_whole_list(filled, monkeypatch):
    monkeypatch.setattr("scoring.ranking.SCAN_ENTRIES", 3)
    batches = list(filled.ranking.scan("arrival", "arrival"))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [entry for batch in batches for entry in batch] == IN_ORDER


def test_what_is_no_thread_is_not_read_and_can_be_weeded(filled):
    key = filled.keys.sort("arrival", "arrival")
    filled.client.zadd(key, {"bob": 1.5, "42": 3, b"\xff": 90})
    assert filled.ranking.head("arrival", "arrival", 3).entries == IN_ORDER[:1]
    assert [entry for batch in filled.ranking.scan("arrival", "arrival") for entry in batch] == (
        IN_ORDER
    )
    assert filled.ranking.weed("arrival") == 3
    assert filled.ranking.head("arrival", "arrival", 3).entries == IN_ORDER[:3]
    assert filled.ranking.weed("arrival") == 0


@pytest.mark.parametrize("score", [1.5, float("inf"), float("-inf")])
def test_a_score_that_no_sort_gives_is_told_apart(filled, score):
    filled.client.zadd(filled.keys.sort("arrival", "arrival"), {"000000000003": score})
    assert filled.ranking.columns({"arrival": [3]})["arrival"][0] == [score]
    found = [entry for batch in filled.ranking.scan("arrival", "arrival") for entry in batch]
    assert Entry(3, FOREIGN_SCORE) in found and len(found) == 7


@pytest.mark.parametrize("score", [2**53 - 1, 2**53 - 2, 10 * 2**42 + 2**42 - 1, 0])
def test_every_score_is_exact_on_every_way_out(desk, score):
    desk.ranking.place([placed(1, 1, "arrival", score)])
    entry = Entry(1, score)
    assert desk.ranking.head("arrival", "arrival", 1).entries == [entry]
    assert desk.ranking.columns({"arrival": [1]})["arrival"][0] == [score]
    assert desk.ranking.since("arrival", ["arrival"], "e1", 1, 1).sets == {"arrival": [entry]}


def test_what_lands_on_top_is_told_from_what_lands_below(desk):
    """Rows of the top go along with frames: browsers would all ask for them at once."""
    desk.ranking.place([placed(id, 1, "arrival", id) for id in range(1, 41)])
    before = desk.ranking.states(["arrival"])["arrival"]
    desk.ranking.place([placed(id, 2, "arrival", id) for id in (1, 30, 31)])
    changes = desk.ranking.since("arrival", ["arrival"], before.epoch, before.version, 100)
    assert [entry.id for entry in changes.sets["arrival"]] == [1, 30, 31]
    assert [entry.id for entry in changes.on_top("arrival")] == [1, 30]


def test_all_of_a_short_list_is_top(filled):
    before = filled.ranking.states(["arrival"])["arrival"]
    filled.ranking.place([placed(4, 2, "arrival", 40)])
    changes = filled.ranking.since("arrival", ["arrival"], before.epoch, before.version, 100)
    assert [entry.id for entry in changes.on_top("arrival")] == [4]
