"""Times from post to dashboard are matched, and their percentiles follow the nearest rank."""

import math

from bench.latency import percentile, seen_ms

MS = 1_000_000


def test_a_frame_shows_a_thread_up_to_its_time():
    posted = [(1, 100, 0 * MS, 0), (1, 101, 5 * MS, 0), (2, 102, 6 * MS, 0)]
    payloads = [[[1, 100]], [[1, 101], [2, 102]]]
    assert seen_ms(posted, payloads, [(0, 10 * MS), (1, 20 * MS)]) == [10, 15, 14]


def test_a_frame_with_the_newer_message_covers_the_older_one():
    posted = [(1, 100, 0, 0), (1, 101, 5 * MS, 0)]
    assert seen_ms(posted, [[[1, 101]]], [(0, 20 * MS)]) == [20, 15]


def test_a_whole_list_shows_everything_up_to_its_time():
    posted = [(1, 100, 0, 0), (2, 101, 0, 0), (3, 102, 0, 0)]
    assert seen_ms(posted, [101], [(0, 7 * MS)]) == [7, 7]


def test_what_never_came_is_not_timed():
    assert seen_ms([(1, 100, 0, 0)], [[[2, 100]]], [(0, MS)]) == []


def test_percentiles_are_by_the_nearest_rank():
    values = list(range(1, 101))
    assert [percentile(values, percent) for percent in (50, 95, 99)] == [50, 95, 99]
    assert percentile([7], 99) == 7
    assert math.isnan(percentile([], 50))
