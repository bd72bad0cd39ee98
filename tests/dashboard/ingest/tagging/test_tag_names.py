"""The rules for tags, and for naming tags in events: every error has its code and pointer."""

import unicodedata

import pytest
import regex

from dashboard.errors import Invalid
from dashboard.ingest.schema import parse
from scoring.conditions.tags import folded, mixes_scripts

EVENT = {
    "id": "x-1",
    "type": "thread.tags",
    "thread": "t-1",
    "occurred_at": "2026-11-20T10:00:00Z",
}


def faults(**given) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as found:
        parse(EVENT | given)
    assert found.value.status == 422
    assert found.value.code == found.value.errors[0].code
    return [(error.pointer, error.code) for error in found.value.errors]


@pytest.mark.parametrize(
    "tag",
    [
        "vip", "a", "-", "2026-11", "x" * 32, "đổi-trả", "hoàn-tiền", "返品", "クレーム", "ー",
        "возврат", "שלום", "٣", "हिन्दी", "ไทย", "ß", "ｖip", "комп\u02bcютер", "東京-tokyo",
        "トウキョウvip東京", "한국vip", "ㄅ北", "none-yet",
    ],
)  # fmt: skip
def test_letters_of_any_script_digits_and_hyphens_are_taken(tag):
    assert parse(EVENT | {"add": [tag]}).data == {"add": [unicodedata.normalize("NFC", tag)]}
    assert parse(EVENT | {"remove": [tag]}).data == {"remove": [unicodedata.normalize("NFC", tag)]}


@pytest.mark.parametrize(
    "tag",
    [
        "none", "ｎone", "no\uff4e\uff45",
        # Cyrillic, Greek, Armenian, Cherokee and Coptic letters beside Latin ones, and others.
        "v\u0456p", "\u0430bc", "\u03bfk", "v\u1d26", "\u0570ello", "ab\uab9f", "\u2c9fk",
        "вαх", "ไทย-ลาวລາວ", "한국とう", "שלוםa", "vip-возврат",
    ],
)  # fmt: skip
def test_a_tag_that_looks_like_another_one_is_not_given_but_taken_away(tag):
    assert faults(add=[tag]) == [("/add/0", "invalid_tag")]
    assert parse(EVENT | {"remove": [tag]}).data == {"remove": [tag]}, "a thread may have it"
    stored = parse(EVENT | {"add": [tag]}, is_stored=True)
    assert stored.data == {"add": [tag]}, "an export holds what was taken once"


@pytest.mark.parametrize("script", ["Latn", "Cyrl", "Thaa", "Hang", "Khmr"])
def test_letters_of_each_script_may_stand_together(script):
    letters = regex.compile(rf"(?=\p{{Ll}}|\p{{Lo}})\p{{sc={script}}}")
    some = [chr(code) for code in range(0x10000) if letters.match(chr(code))][:32]
    tag = "".join(letter for letter in some if folded(letter) == letter)
    assert len(tag) > 20 and parse(EVENT | {"add": [tag]}).data == {"add": [tag]}


def test_every_letter_of_unicode_has_a_script():
    """A script that Unicode adds is to be added in `scoring/conditions/tags.py`."""
    first_of_names = {}
    for code in range(0x30000):
        letter = chr(code)
        if unicodedata.category(letter) in ("Ll", "Lo"):
            first_of_names.setdefault(unicodedata.name(letter, "CJK").split()[0], letter)
    assert len(first_of_names) > 140
    assert [letter for letter in first_of_names.values() if mixes_scripts(letter)] == []


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("", "invalid_tag"),
        ("ＶＩＰ", "invalid_tag"),
        ("VIP", "invalid_tag"),
        ("Đổi", "invalid_tag"),
        ("ǅ", "invalid_tag"),
        ("𝐀", "invalid_tag"),
        ("a b", "invalid_tag"),
        ("a_b", "invalid_tag"),
        ("a,b", "invalid_tag"),
        ("a\tb", "invalid_tag"),
        ("😀", "invalid_tag"),
        ("½", "invalid_tag"),
        ("\u0301a", "invalid_tag"),
        ("a\u200db", "invalid_tag"),
        ("a\ufe0f", "invalid_tag"),
        ("\u3164", "invalid_tag"),
        ("a\u0000", "forbidden_character"),
        ("\ud800", "invalid_unicode"),
        ("x" * 33, "too_long"),
        (7, "wrong_type"),
        (None, "missing_field"),
        (["a"], "wrong_type"),
    ],
)
def test_what_is_no_tag_is_refused_where_it_stands(tag, code):
    assert faults(add=["fine", tag]) == [("/add/1", code)]
    assert faults(remove=[tag]) == [("/remove/0", code)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [("/add", "missing_field")]),
        ({"add": [], "remove": []}, [("/add", "missing_field")]),
        ({"add": ["a", "b", "a"]}, [("/add/2", "duplicate_tag")]),
        ({"remove": ["a", "a"]}, [("/remove/1", "duplicate_tag")]),
        ({"add": ["a", "b"], "remove": ["c", "b"]}, [("/remove/1", "duplicate_tag")]),
        ({"add": ["e\u0301", "\u00e9"]}, [("/add/1", "duplicate_tag")]),
        ({"add": ["vip", "ｖip"]}, [("/add/1", "duplicate_tag")]),
        ({"add": ["ガ"], "remove": ["ｶﾞ"]}, [("/remove/0", "duplicate_tag")]),
        ({"add": [f"t{n}" for n in range(21)]}, [("/add", "too_long")]),
        ({"add": "vip"}, [("/add", "wrong_type")]),
        ({"add": None}, [("/add", "wrong_type")]),
        ({"add": ["a"], "tags": ["b"]}, [("/tags", "unknown_field")]),
        (
            {"add": ["A"], "remove": ["B"]},
            [("/add/0", "invalid_tag"), ("/remove/0", "invalid_tag")],
        ),
    ],
)  # fmt: skip
def test_an_event_names_at_least_one_tag_and_none_twice(given, expected):
    assert faults(**given) == expected


def test_errors_stand_where_the_event_stands():
    with pytest.raises(Invalid) as found:
        parse(EVENT | {"add": ["a", "a"]}, "/events/3")
    assert found.value.errors[0].pointer == "/events/3/add/1"


def test_the_same_tags_in_another_order_or_form_are_the_same_event():
    one = parse(EVENT | {"add": ["b", "e\u0301"], "remove": ["c", "a"]})
    other = parse(EVENT | {"add": ["\u00e9", "b"], "remove": ["a", "c"]})
    assert one == other
    assert one.data == {"add": ["b", "\u00e9"], "remove": ["a", "c"]}
    assert parse(EVENT | {"add": ["b"]}).fingerprint != parse(EVENT | {"remove": ["b"]}).fingerprint
