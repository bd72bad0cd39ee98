"""The characters of the condition language: separators, and forbidden ones."""

import unicodedata

#: Blanks that Unicode does not count as white space, and that come with pasted text.
_UNSEEN_BLANKS = frozenset("\u200b\u2060\ufeff")
#: The blanks, for a class of a regular expression.
BLANKS = rf"\s{''.join(sorted(_UNSEEN_BLANKS))}"
#: Characters that end a value without quotes.
_ENDS = frozenset(',()"')


def is_blank(character: str) -> bool:
    """Whether a character separates terms."""
    return character.isspace() or character in _UNSEEN_BLANKS


def is_forbidden(character: str) -> bool:
    """Whether a character is forbidden everywhere: controls, and halves of surrogate pairs."""
    return unicodedata.category(character) in ("Cc", "Cs") and not is_blank(character)


def ends_value(character: str) -> bool:
    """Whether a character ends a value without quotes."""
    return character in _ENDS or is_blank(character) or is_forbidden(character)


def is_bare(text: str) -> bool:
    """Whether a value needs no quotes."""
    return text != "" and not any(map(ends_value, text))


def lower(text: str) -> str:
    """Returns the text with ASCII letters in lower case, which keeps its length."""
    return "".join(c.lower() if c.isascii() else c for c in text)
