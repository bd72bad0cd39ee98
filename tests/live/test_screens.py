"""Which rows are on screen."""

from dashboard.live.calls import WATCH_MAX
from dashboard.live.screens import Screens


def test_a_row_is_on_screen_as_long_as_anybody_has_it_there():
    screens = Screens()
    screens.watch("a", [1, 2])
    screens.watch("b", [2])
    screens.watch("a", [], remove=[2])
    assert screens.on_screen([1, 2, 3]) == [1, 2]
    screens.drop("b")
    assert screens.on_screen([1, 2, 3]) == [1]


def test_watching_twice_counts_once():
    screens = Screens()
    screens.watch("a", [1, 1])
    screens.watch("a", [1])
    screens.watch("a", [], remove=[1, 1])
    assert screens.on_screen([1]) == []


def test_beyond_the_most_the_oldest_are_dropped():
    screens = Screens()
    screens.watch("a", range(WATCH_MAX))
    screens.watch("a", [0, 10_000])
    assert screens.on_screen([0, 1, 2, 10_000]) == [0, 2, 10_000]


def test_nothing_is_left_of_a_socket_that_has_gone():
    screens = Screens()
    screens.watch("a", range(100))
    screens.drop("a")
    assert not screens._counts and not screens._watched
