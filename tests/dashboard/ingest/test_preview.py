"""A preview is the beginning of a text, cut between grapheme clusters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.db.threads.thread_rows import PREVIEW_MAX, cut

FAMILY = "👨‍👩‍👧‍👦"


@given(st.text(max_size=400))
def test_a_preview_is_a_beginning_that_fits(text):
    preview = cut(text)
    assert text.startswith(preview) and len(preview) <= PREVIEW_MAX
    assert preview == text or preview


@pytest.mark.parametrize("character", [FAMILY, "🇻🇳", "👍🏽", "e\u0301", "ệ", "क्षि", "\r\n"])
@pytest.mark.parametrize("shift", range(8))
def test_no_grapheme_cluster_is_cut(character, shift):
    text = "a" * shift + character * 140
    preview = cut(text)
    whole = (len(preview) - shift) // len(character)
    assert preview == "a" * shift + character * whole
    assert len(preview) > PREVIEW_MAX - len(character)


def test_a_cluster_longer_than_the_preview_is_cut():
    assert cut("a" + "\u0301" * 500) == "a" + "\u0301" * 139


def test_a_text_of_the_greatest_length_is_not_cut():
    assert cut("x" * 140) == "x" * 140
    assert cut("x" * 139 + "e\u0301") == "x" * 139
