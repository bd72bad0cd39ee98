"""Texts that show nothing are found, whatever characters they consist of."""

import pytest
from pydantic_core import PydanticCustomError

from dashboard.validation import fields
from dashboard.validation.fields import hides_something, shows_something

BLANK = {
    "nothing": "",
    "blanks": " \t\n\u00a0\u3000\u2028",
    "zero-width space": "\u200b",
    "joiners": "\u200c\u200d\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "Hangul fillers": "\u115f\u1160\u3164\uffa0",
    "Braille blank": "\u2800",
    "tags": "\U000e0001\U000e0041\U000e007f",
    "bidirectional marks": "\u200e\u200f\u061c",
    "bidirectional controls": "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "variation selectors": "\ufe0e\ufe0f\U000e0100",
    "Mongolian separators": "\u180b\u180e",
    "combining joiner": "\u034f",
    "Khmer inherent vowels": "\u17b4\u17b5",
    "invisible operators": "\u2061\u2062\u2063\u2064",
    "deprecated format characters": "\u206a\u206f",
    "interlinear marks": "\ufff9\ufffa\ufffb",
    "musical controls": "\U0001d159\U0001d173",
    "shorthand controls": "\U0001bca0",
    "hieroglyph controls": "\U00013430\U00013441",
    "mixed": " \u200b\u2800\u202e\n",
}
SEEN = [
    "a",
    "0",
    ".",
    "\u200ba",
    "👨\u200d👩",
    "日",
    "\u0301",
    "\U000f0000",
    "\ufffe",
    "\u20e3",
    "\u0600",
]


@pytest.mark.parametrize("text", BLANK.values(), ids=BLANK)
def test_a_text_that_shows_nothing_is_empty(text):
    """H17: for names, and for each other text that must not be empty."""
    assert not shows_something(text)
    for check in (fields.check_visible, fields.check_name):
        with pytest.raises(PydanticCustomError) as found:
            check(text)
        assert found.value.type == "empty_text"


@pytest.mark.parametrize("text", SEEN)
def test_a_text_with_one_visible_character_is_not(text):
    assert shows_something(text)
    assert fields.check_name(text) == text


@pytest.mark.parametrize("text", ["admin\u200b", "\u202eadmin", "ad\u00admin", "a\u3164", "a\tb"])
def test_what_hides_in_a_text_is_found(text):
    assert hides_something(text)


@pytest.mark.parametrize("text", ["Mai Nguyễn", "O'Neil, 3rd", "山田 太郎", ""])
def test_ordinary_names_hide_nothing(text):
    assert not hides_something(text)


@pytest.mark.parametrize("id", [".", ".."])
def test_a_path_segment_is_no_id(id):
    """H17: a browser or a proxy takes it out of a URL."""
    with pytest.raises(PydanticCustomError) as found:
        fields.check_id(id)
    assert found.value.type == "invalid_id"
    assert fields.check_id(f"{id}x") == f"{id}x"
