"""Texts are folded and cut so that what people type is found."""

import pytest

from dashboard.store.words import Term, placed, terms, words

TEXTS = [
    'Xin chào, Đặng Thị Hằng! 100% _ok_ it\'s "q" \\x',
    "ご注文の配送料は？ ｶﾞｷﾞ か\u3099 ハ",
    "iPhone充電器 a@b.com",
    "ไทยดี 한국어 İstanbul Straße",
    "👩‍💻❤️ e\u0301te\u0301",
    "مُحَمَّد שָׁלוֹם",
    "\u0301",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_stand_where_they_are_said_to_stand(text):
    standing = placed(text)
    assert [word.text for word in standing] == words(text)
    for word in standing:
        assert words(text[word.start : word.end])[0] == word.text


@pytest.mark.parametrize(
    ("text", "known_as"),
    [
        ("Đường ĐẾN tiệm", ["duong", "den", "tiem"]),
        ("\u1ebf e\u0302\u0301", ["e", "e"]),
        ("Ｆｕｌｌ ①", ["full", "1"]),
        ("配送料", ["配送", "送料", "料"]),
        ("ｶﾞ が か\u3099", ["ガ", "が", "が"]),
        ("Straße œuvre", ["strasse", "oeuvre"]),
        ("zero\u200bwidth", ["zerowidth"]),
        ("a" * 100, ["a" * 64]),
        (" \n\t", []),
    ],
)
def test_case_marks_and_widths_do_not_count(text, known_as):
    assert words(text) == known_as


def test_punctuation_is_a_word_that_no_letter_writes():
    for sign in "%_'\"\\*?^()-:<>&|!":
        (word,) = words(sign)
        assert not word.isascii() and not word.isalnum()
    assert words("100%") != words("100 _")


@pytest.mark.parametrize(
    ("query", "looked_for"),
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
def test_the_last_word_of_a_query_may_go_on(query, looked_for):
    assert terms(query) == looked_for


def test_a_query_has_sixteen_terms_at_most():
    assert len(terms("a " * 100)) == 16
