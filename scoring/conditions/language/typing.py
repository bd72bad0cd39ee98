"""Reads conditions that were typed in other widths and signs, such as `ｔａｇ：“ｖｉｐ”`.

A module of its own, since parser, completion and search use it; the page does the same in
`static/js/core/query/typing.js`.
"""

import re

from scoring.conditions.fields import FIELDS
from scoring.conditions.language.characters import BLANKS, lower

#: A field with its colon, the text before it, and all up to the next blank.
_TERM = re.compile(
    rf"(?<![^{BLANKS}])"
    r"[-\u2010-\u2015\u2212\uff0d(\uff08]*([A-Za-z\uff21-\uff3a\uff41-\uff5a]+)[:\uff1a]"
    rf"[^{BLANKS}]*"
)
#: Signs to those of the language: ASCII in full width, quotes, hyphens, and the Japanese comma.
_SIGNS = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "\u00ab\u00bb\u201c\u201d\u201e\u201f\u301d\u301e\u301f"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
    | {0x3001: ","}
)


def typed(text: str) -> str:
    """Returns the text with conditions in the language's signs; every character keeps its place.

    Words beside them stay as they are, and so do unknown fields.
    """
    return text if text.isascii() else _TERM.sub(_plain_term, text)


def _plain_term(match: re.Match[str]) -> str:
    is_field = lower(match[1].translate(_SIGNS)) in FIELDS
    return match[0].translate(_SIGNS) if is_field else match[0]
