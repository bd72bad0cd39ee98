"""Signed texts can only be read with the key, salt and subject with which they were made."""

import pytest

from dashboard.signed_texts import NotSigned, SignedTexts

KEY = "a secret of more than sixteen characters"


def texts(key: str = KEY, salt: str = "test", characters_max: int = 200) -> SignedTexts:
    return SignedTexts(key, salt, characters_max)


def test_what_was_made_is_read_in_another_process():
    for value in ([1, "é", None], {"a": [0.5, True]}, ""):
        assert texts().read(texts().text_of(value, "list"), "list") == value


@pytest.mark.parametrize(
    ("others", "about"),
    [(texts(key=KEY + "!"), ""), (texts(salt="other"), ""), (texts(), "another list")],
    ids=["key", "salt", "about"],
)
def test_what_is_of_another_purpose_is_refused(others, about):
    with pytest.raises(NotSigned):
        others.read(texts().text_of(7), about)


@pytest.mark.parametrize("text", ["", "x", ".", "x.y", "é", "\ud800", "\x00", "x" * 201, "😀.😀"])
def test_no_text_is_more_than_refused(text):
    with pytest.raises(NotSigned):
        texts().read(text)


def test_what_is_changed_or_too_long_is_refused():
    made = texts().text_of(["a"])
    for changed in (made[:-1], made + "x", "x" + made):
        with pytest.raises(NotSigned):
            texts().read(changed)
    with pytest.raises(NotSigned):
        texts(characters_max=len(made) - 1).read(made)
