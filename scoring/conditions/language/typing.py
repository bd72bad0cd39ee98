"""Reads conditions that were typed in other widths and signs, such as `ｔａｇ：“ｖｉｐ”`.

A module of its own: parser, completion and search read a text so, and the page does the same in
`static/js/core/query/typing.js`.
"""

import re

from scoring.conditions.fields import FIELDS
from scoring.conditions.folding import plain
from scoring.conditions.language.characters import BLANKS, lower

#: A field with its colon, what stands before it, and all up to the next blank.
_TERM = re.compile(
    rf"(?<![^{BLANKS}])"
    r"[-\u2010-\u2015\u2212\uff0d(\uff08]*([A-Za-z\uff21-\uff3a\uff41-\uff5a]+)[:\uff1a]"
    rf"[^{BLANKS}]*"
)
#: What a Japanese keyboard writes for the comma.
_COMMA = "\u3001"


def typed(text: str) -> str:
    """The text with conditions in the signs of the language; every character keeps its place.

    Words beside them stay as they are, and so does a field that there is not.
    """
    return text if text.isascii() else _TERM.sub(_plain_term, text)


def _plain_term(match: re.Match[str]) -> str:
    if lower(plain(match[1])) not in FIELDS:
        return match[0]
    return "".join(map(_plain_sign, match[0]))


def _plain_sign(character: str) -> str:
    if character == _COMMA:
        return ","
    sign = plain(character)
    return sign if len(sign) == 1 and sign.isascii() else character
