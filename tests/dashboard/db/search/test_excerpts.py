"""Excerpts show the part with most of the searched words, and mark all matches in it."""

from random import Random

import pytest
import regex

from dashboard.db.search.message_matches import EXCERPT_MAX, excerpt, marks
from dashboard.db.search.words import terms


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
        ("It has not arrived, not yet", '"not arrived"', ["not arrived"]),
        ("配送料と配送", '"配送料', ["配送料"]),
        ("a 👩‍💻 works", "💻", ["👩‍💻"]),
        ("हिन्दी", "न", ["न्दी"]),
    ],
)
def test_matches_are_marked(text, query, parts):
    assert marked(text, query) == parts


@pytest.mark.parametrize("words_before", [0, 1, 10, 500])
def test_a_long_text_is_shown_around_the_first_match(words_before):
    text = "word " * words_before + "NEEDLE in\nthe\r\nhay" + " hay" * 300
    shown, marks = excerpt(text, terms("needle"))
    assert len(shown) <= EXCERPT_MAX + 2
    assert shown[slice(*marks[0])] == "NEEDLE"
    assert shown.startswith("…") == (words_before > 8)
    assert shown.endswith("hay…") and "\n" not in shown and "\r" not in shown


def test_a_text_without_spaces_is_cut():
    shown, _ = excerpt("x" * 20_000, terms("x"))
    assert len(shown) == EXCERPT_MAX + 1


FILLER = "lorem ipsum dolor sit amet " * 12


def test_the_part_with_most_of_the_words_is_shown():
    text = f"parcel {FILLER} my blue parcel is lost {FILLER} parcel, lost {FILLER}"
    shown, found = excerpt(text, terms("lost blue parcel"))
    assert [shown[low:high] for low, high in found] == ["blue", "parcel", "lost"]
    assert shown.startswith("…") and shown.endswith("…")
    shown, found = excerpt(text, terms('"parcel is lost"'))
    assert [shown[low:high] for low, high in found] == ["parcel is lost"]
    shown, _ = excerpt(f"{FILLER} one two {FILLER} one two", terms("one two"))
    assert "one two lorem" in shown, "of equal parts the first"
    shown, _ = excerpt(f"one {FILLER} one, one and one", terms("one"))
    assert shown.count("one") == 3, "of parts with as many words that with most matches"


@pytest.mark.parametrize(("filler", "columns"), [("word ", 24), ("字", 24), ("ก", 24)])
def test_a_match_stands_near_the_beginning_of_its_excerpt(filler, columns):
    shown, found = excerpt(filler * 200 + " ok " + filler * 200, terms("ok"))
    before = shown[1 : found[0][0]]
    assert 0 < sum(2 if each == "字" else 1 for each in before) <= columns


CLUSTERS = (
    *(
        "a",
        "字",
        "か\u3099",
        "e\u0301\u0323",
        "👩‍💻",
        "👨‍👩‍👧‍👦",
        "🇻🇳",
        "👍🏽",
        "क्षि",
        "각",
        " ",
        "\r\n",
    ),
    *("ok", "é"),
)


def test_neither_ends_nor_marks_are_within_a_grapheme_cluster():
    random = Random(7)
    for _ in range(150):
        text = "".join(random.choices(CLUSTERS, k=random.randint(1, 200)))
        words = random.choices([each for each in CLUSTERS if not each.isspace()], k=2)
        query_terms = terms(" ".join(words))
        shown, found = excerpt(text, query_terms)
        assert len(shown) <= EXCERPT_MAX + 2
        part = shown.removeprefix("…").removesuffix("…")
        one_line = "".join(" " if each.isspace() else each for each in text)
        places = {0, *(each.end() for each in regex.finditer(r"\X", text))}
        assert any(
            one_line.startswith(part, at) and at in places and at + len(part) in places
            for at in range(len(text) - len(part) + 1)
        ), (text, shown)
        ends = {0, *(each.end() for each in regex.finditer(r"\X", shown))}
        assert all(low in ends and high in ends and low < high for low, high in found), shown
        assert all(
            low in places and high in places for low, high in marks(text, query_terms, 1000)
        ), text


def test_marks_of_a_whole_text_are_in_order_and_no_more_than_asked_for():
    text = "one two one  two-one"
    assert marks(text, terms('"one two"'), 9) == [(0, 7), (8, 16)]
    assert marks(text, terms("two one"), 9) == [(0, 3), (4, 7), (8, 11), (13, 16), (17, 20)]
    assert marks(text, terms("two one"), 2) == [(0, 3), (4, 7)]
    assert marks(text, terms("three"), 9) == []
