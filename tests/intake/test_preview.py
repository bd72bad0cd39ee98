"""A preview is the beginning of a text, with no character cut in two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.intake.preview import PREVIEW_MAX, cut

FAMILY = "👨‍👩‍👧‍👦"


@given(st.text(max_size=400))
def test_a_preview_is_a_beginning_that_fits(text):
    preview = cut(text)
    assert text.startswith(preview) and len(preview) <= PREVIEW_MAX
    assert preview == text or preview


@pytest.mark.parametrize("character", [FAMILY, "🇻🇳", "👍🏽", "e\u0301", "ệ", "क्षि", "\r\n"])
@pytest.mark.parametrize("shift", range(8))
def test_no_character_is_cut_in_two(character, shift):
    text = "a" * shift + character * 140
    preview = cut(text)
    whole = (len(preview) - shift) // len(character)
    assert preview == "a" * shift + character * whole
    assert len(preview) > PREVIEW_MAX - len(character)


def test_a_character_longer_than_the_preview_is_cut_nevertheless():
    assert cut("a" + "\u0301" * 500) == "a" + "\u0301" * 139


def test_a_text_that_just_fits_is_shown_whole():
    assert cut("x" * 140) == "x" * 140
    assert cut("x" * 139 + "e\u0301") == "x" * 139
