"""Folds texts, so that typed text finds stored text that is written with other signs.

The signs are data that the page's `static/js/core/find.js` reads as well. Any text compared with
typed text goes through one of these functions, on both sides.
"""

import json
import unicodedata
from pathlib import Path

import regex

_TABLE = json.loads(
    (Path(__file__).parents[2] / "static/js/core/folding.json").read_text(encoding="utf-8")
)
#: Maps signs to those that people type for them: apostrophes, quotes, hyphens, dashes and others.
_SIGNS = {ord(sign): typed for typed, signs in _TABLE["signs"].items() for sign in signs}
#: Letters that Unicode does not decompose into the ASCII letters that people type for them.
_LETTERS = str.maketrans(_TABLE["letters"])
#: Marks that people leave out when they type: above and below letters, Hebrew and Arabic vowels.
_MARKS = regex.compile(f"[{_TABLE['marks']}]")
#: Invisible characters: joiners, soft hyphens, controls of direction, variation selectors.
_UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")
#: Quotes of all kinds, for a class of a regular expression.
QUOTES = '"\uff02' + _TABLE["signs"]['"']


class _Folding(dict[int, str]):
    """Maps a code point to the `plain` form of this character alone; filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = result = _plain(chr(code))
        return result


def _plain(character: str) -> str:
    if _UNSEEN.match(character):
        return ""
    whole = unicodedata.normalize("NFKC", character.translate(_SIGNS))
    return whole.translate(_SIGNS)


_FOLDING = _Folding()


def plain(text: str) -> str:
    """Returns the text in one of its possible forms: composed, letters and digits in their own
    width, one sign for all apostrophes, one for all hyphens and dashes. Case stays."""
    result = text.translate(_FOLDING)
    return result if result.isascii() else unicodedata.normalize("NFKC", result)


def folded(text: str) -> str:
    """Returns the plain text without case, with one blank for all white space between words."""
    return " ".join(plain(text).casefold().split())


def unmarked(text: str) -> str:
    """Returns a plain text without case and without marks that people leave out: `Đặng` is `dang`.

    White space stays as it is.
    """
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold())).translate(_LETTERS)
