"""A typed text finds stored texts in other characters and widths, on the server as on the page."""

import unicodedata
from collections.abc import Iterator

import pytest
import regex

from scoring.conditions.folding import folded, plain, unmarked
from tests.drivers.node import NodeScript

#: Texts with the same meaning, as they may be stored and typed.
ALIKE = [
    (
        "hasn't",
        ["hasn’t", "hasn‘t", "hasnʼt", "hasn`t", "hasn´t", "hasn′t", "ｈａｓｎ＇ｔ", "HASN’T"],
    ),
    ('say "hi"', ["say “hi”", "say „hi‟", "say «hi»", "say ＂hi＂", "say ″hi″", "say 〝hi〞"]),
    (
        "e-mail",
        [
            "e‐mail",
            "e\u2011mail",
            "e–mail",
            "e—mail",
            "e−mail",
            "e－mail",
            "e﹣mail",
            "e\u2043mail",
        ],
    ),
    ("4711-22", ["4711–22", "４７１１－２２", "4711\u221222", "④711-22"]),
    ("a~b", ["a〜b", "a～b", "a∼b"]),
    ("1/2", ["½", "１／２", "1⁄2", "1∕2"]),
    ("so...", ["so…", "so⋯", "so․․․"]),
    ("ガギグ", ["ｶﾞｷﾞｸﾞ", "カ\u3099キ\u3099ク\u3099"]),
    ("ジョン・スミス", ["ジョン･スミス", "ジョン·スミス", "ジョン•スミス"]),
    (
        "nguyễn",
        ["nguye\u0302\u0303n", "Nguye\u0303\u0302n".replace("\u0303\u0302", "\u0302\u0303")],
    ),
    ("각", ["\u1100\u1161\u11a8"]),
    ("葛城", ["葛\U000e0100城"]),
    ("cooperate", ["co\u00adoperate", "co\u200boperate", "\ufeffcooperate", "co\u2060operate"]),
    ("a b", ["a\u00a0b", "a\u3000b", " a \t b ", "a\u202fb"]),
    ("straße", ["strasse", "STRASSE", "STRAẞE"]),
    ("οδοσ", ["ΟΔΟΣ", "οδος"]),
]


@pytest.fixture(scope="module")
def page() -> Iterator[NodeScript]:
    script = NodeScript("tests/js/query-text.mjs")
    yield script
    script.close()


@pytest.mark.parametrize(("one", "others"), ALIKE, ids=[one for one, _ in ALIKE])
def test_texts_that_are_meant_alike_are_folded_alike(one, others):
    assert {folded(text) for text in others} == {folded(one)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a-b", "a b"),
        ("o'b", "ob"),
        ("vip", "v\u0456p"),
        ("カ", "か"),
        ("e", "é"),
        ("1", "l"),
        ("a/b", "a-b"),
    ],
)
def test_texts_that_are_meant_differently_are_not(one, other):
    assert folded(one) != folded(other)


def test_marks_are_left_out_where_people_leave_them_out():
    assert unmarked(plain("Đặng Thị Hằng – Œuvre")) == "dang thi hang - oeuvre"
    assert unmarked(plain("ไทยดี")) == unicodedata.normalize("NFKD", "ไทยดี"), "vowels stay"


def test_every_sign_that_unicode_calls_a_hyphen_or_an_apostrophe_is_typed():
    hyphens = regex.compile(
        r"[\p{Dash}--[\u1400\u2e17\u2e1a\u2e40\u2e5d\U00010d6e\U00010ead]]", regex.V1
    )
    dashes = {plain(sign) for sign in map(chr, range(0x20000)) if hyphens.fullmatch(sign)}
    assert dashes == {"-", "~", "="}
    quotes = regex.compile(r"[\p{Quotation_Mark}--[\u2e42「」『』﹁-﹄｢｣]]", regex.V1)
    typed = {plain(sign) for sign in map(chr, range(0x20000)) if quotes.fullmatch(sign)}
    assert typed == {"'", '"'}


def test_every_character_is_folded_alike_by_the_server_and_by_the_page_and_once_for_all(page):
    known = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")
    ]
    # Han and Hangul are folded to themselves: a few are enough.
    texts = [one for at, one in enumerate(known) if at % 20 == 0 or not "一" <= one <= "힣"]
    texts += [f"{one}x{one}\u3000カ\u3099" for one in texts[::40]]
    forms = page.ask({"op": "fold", "texts": texts})
    for text, form in zip(texts, forms, strict=True):
        assert form == [plain(text), folded(text), unmarked(plain(text))], ascii(text)
        assert plain(form[0]) == form[0] and folded(form[1]) == form[1], ascii(text)
