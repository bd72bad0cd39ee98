"""Ages as colours and as words."""

import pytest

from presence.ages import age, colour, dot, words

NOW = 1_790_000_000_000


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        (0, "green"), (59_999, "green"), (60_000, "yellow"), (299_999, "yellow"),
        (300_000, "grey"), (-5_000, "green"),
    ],
)  # fmt: skip
def test_green_below_a_minute_yellow_below_five_then_grey(passed: int, expected: str) -> None:
    """R38, B26."""
    assert colour(NOW - passed, NOW) == expected
    assert colour(None, NOW) == "grey"


@pytest.mark.parametrize(
    ("status", "passed", "expected"),
    [
        ("online", 900_000, "green"), ("away", 0, "yellow"), ("busy", 0, "busy"),
        ("dnd", 0, "dnd"), ("offline", 0, "yellow"), ("offline", 299_999, "yellow"),
        ("offline", 300_000, "grey"),
    ],
)  # fmt: skip
def test_only_the_dot_of_an_offline_person_ages(status: str, passed: int, expected: str) -> None:
    """B26: idle and gone are two things."""
    assert dot(status, NOW - passed, NOW) == expected
    assert dot("offline", None, NOW) == "grey"


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        (-60_000, "just now"), (59_999, "just now"), (60_000, "1 minute ago"),
        (3_599_999, "59 minutes ago"), (3_600_000, "1 hour ago"), (86_399_999, "23 hours ago"),
        (86_400_000, "1 day ago"), (3 * 86_400_000, "3 days ago"),
    ],
)  # fmt: skip
def test_words_for_an_age(passed: int, expected: str) -> None:
    """R58, T32: never in the future."""
    assert words(age("offline", NOW - passed, NOW)) == expected


def test_words_for_the_present_and_for_the_unknown() -> None:
    """R58, B23."""
    assert words(age("busy", None, NOW)) == "Active now"
    assert words(age("offline", None, NOW)) == "unknown"
