"""The rows that are visible on sockets."""

from dashboard.live.requests import WATCH_MAX
from dashboard.live.visible_rows import VisibleRows


def test_a_row_is_visible_until_its_last_socket_removes_it():
    visible_rows = VisibleRows()
    visible_rows.watch("a", [1, 2])
    visible_rows.watch("b", [2])
    visible_rows.watch("a", [], remove=[2])
    assert visible_rows.on_screen([1, 2, 3]) == [1, 2]
    visible_rows.drop("b")
    assert visible_rows.on_screen([1, 2, 3]) == [1]


def test_watching_twice_counts_once():
    visible_rows = VisibleRows()
    visible_rows.watch("a", [1, 1])
    visible_rows.watch("a", [1])
    visible_rows.watch("a", [], remove=[1, 1])
    assert visible_rows.on_screen([1]) == []


def test_beyond_the_limit_the_oldest_rows_are_dropped():
    visible_rows = VisibleRows()
    visible_rows.watch("a", range(WATCH_MAX))
    visible_rows.watch("a", [0, 10_000])
    assert visible_rows.on_screen([0, 1, 2, 10_000]) == [0, 2, 10_000]


def test_nothing_is_kept_for_a_closed_socket():
    visible_rows = VisibleRows()
    visible_rows.watch("a", range(100))
    visible_rows.drop("a")
    assert not visible_rows._counts and not visible_rows._watched
