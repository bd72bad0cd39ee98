"""Excerpts show what was found, and mark it."""

import pytest

from dashboard.store.excerpts import EXCERPT_MAX, excerpt
from dashboard.store.words import terms


def marked(text: str, query: str) -> list[str]:
    """The marked parts."""
    shown, marks = excerpt(text, terms(query))
    return [shown[low:high] for low, high in marks]


@pytest.mark.parametrize(
    ("text", "query", "parts"),
    [
        ("Xin chào bạn", "chao", ["chào"]),
        ("😀😀 chào 👩‍💻 chào", "chao", ["chào", "chào"]),
        ("ご注文の配送料", "配送料", ["配送料"]),
        ("100% of 100", "100%", ["100%"]),
        ("e\u0301te\u0301 x", "ete", ["e\u0301te\u0301"]),
        ("refund, refunds and a refund", "a refund", ["refund", "refunds", "a", "refund"]),
        ("Hằng-Nga", "hang-n", ["Hằng-Nga"]),
        ("nothing of it", "zzz", []),
    ],
)
def test_what_was_found_is_marked(text, query, parts):
    assert marked(text, query) == parts


@pytest.mark.parametrize("words_before", [0, 1, 10, 500])
def test_a_long_text_is_shown_around_the_first_match(words_before):
    text = "word " * words_before + "NEEDLE in\nthe\r\nhay" + " hay" * 300
    shown, marks = excerpt(text, terms("needle"))
    assert len(shown) <= EXCERPT_MAX + 2
    assert shown[slice(*marks[0])] == "NEEDLE"
    assert shown.startswith("…") == (words_before > 8)
    assert shown.endswith("hay…") and "\n" not in shown and "\r" not in shown


def test_a_text_without_any_space_is_cut_all_the_same():
    shown, _ = excerpt("x" * 20_000, terms("x"))
    assert len(shown) == EXCERPT_MAX + 1
