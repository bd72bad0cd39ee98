"""Texts are folded and split into the words that queries are looked up by."""

import pytest

from dashboard.db.search.words import Term, terms, words, words_with_positions

TEXTS = [
    'Xin chào, Đặng Thị Hằng! 100% _ok_ it\'s "q" \\x',
    "ご注文の配送料は？ ｶﾞｷﾞ か\u3099 ハ",
    "iPhone充電器 a@b.com",
    "ไทยดี 한국어 İstanbul Straße",
    "👩‍💻❤️ e\u0301te\u0301",
    "\u1112\u1161\u11ab\u1100\u1173\u11af 아\u11ab 문서",
    "مُحَمَّد שָׁלוֹם",
    f"plain_text -- [OK] 10,5 \x00 {'x' * 70}\t!",
    "\u0301",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_positions_of_words_point_at_their_origin(text):
    found = words_with_positions(text)
    assert [word.text for word in found] == words(text)
    for word in found:
        assert words(text[word.start : word.end])[0] == word.text


@pytest.mark.parametrize(
    ("text", "known_as"),
    [
        ("Đường ĐẾN tiệm", ["duong", "den", "tiem"]),
        ("\u1ebf e\u0302\u0301", ["e", "e"]),
        ("Ｆｕｌｌ ①", ["full", "1"]),
        ("配送料", ["配送", "送料", "料"]),
        ("ｶﾞ が か\u3099", ["ガ", "が", "が"]),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af 한글", ["한글", "글", "한글", "글"]),
        ("Straße œuvre", ["strasse", "oeuvre"]),
        ("zero\u200bwidth", ["zerowidth"]),
        ("a" * 100, ["a" * 64]),
        (" \n\t", []),
    ],
)
def test_case_marks_and_widths_are_ignored(text, known_as):
    assert words(text) == known_as


def test_punctuation_is_indexed_as_words_apart_from_letters():
    for sign in "%_'\"\\*?^()-:<>&|!":
        (word,) = words(sign)
        assert not word.isascii() and not word.isalnum()
    assert words("100%") != words("100 _")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Xin Chào", [Term(("xin",), False), Term(("chao",), True)]),
        ("配送", [Term(("配送",), True)]),
        ("配送料", [Term(("配送", "送料"), True)]),
        ("料", [Term(("料",), True)]),
        ("料 x", [Term(("料",), True), Term(("x",), True)]),
        ("充電iPhone", [Term(("充電", "電", "iphone"), True)]),
        ("  ", []),
        ("\u200d", []),
    ],
)
def test_the_last_word_of_a_query_is_a_prefix(query, expected):
    assert terms(query) == expected


def test_a_query_has_at_most_sixteen_terms():
    assert len(terms("a " * 100)) == 16
