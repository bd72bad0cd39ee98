"""The few characters of a message that stand on its thread's row."""

import regex

PREVIEW_MAX = 140
_GRAPHEME = regex.compile(r"\X")


def cut(text: str, most: int = PREVIEW_MAX) -> str:
    """The beginning of a text, at most so many code points, with no character cut in two.

    One that is longer than all there is room for is cut nevertheless.
    """
    if len(text) <= most:
        return text
    end = 0
    # One code point more than fits shows whether the last character ends there.
    for character in _GRAPHEME.finditer(text, 0, most + 1):
        if character.end() > most:
            break
        end = character.end()
    return text[: end or most]
