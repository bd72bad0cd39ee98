"""Completion of a query: suggestions for a place in it while somebody types."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from scoring.conditions.fields import FIELDS, OPERATORS, Field
from scoring.conditions.language.parser import typed
from scoring.conditions.language.query import BLANKS, is_blank, lower, name_text
from scoring.conditions.language.values import QUOTE

#: Room for all fields and operators at once, and for some that are added later.
SUGGESTIONS_MAX = 30
#: Times proposed before a number is begun, and the units proposed after one.
_TIMES = ("5m", "10m", "30m", "1h", "4h", "1d", "7d")
_UNITS = ("m", "h", "d", "s")
#: Texts behind which no alternative can end: no text, an opening parenthesis, a minus, `or`.
_ENDS_NOTHING = re.compile(rf"(?:^|[(\-]|[{BLANKS}(]or)[{BLANKS}]*$", re.IGNORECASE)

#: Maps field names to known values: sources, tags, languages, addresses, days.
Choices = Mapping[str, Sequence[str]]
Kind = Literal["field", "value", "operator"]
Suggestion = TypedDict("Suggestion", {"text": str, "from": int, "to": int, "kind": Kind})
Found = Iterable[tuple[str, Kind]]


def complete(text: str, at: int, choices: Choices) -> list[Suggestion]:
    """Returns up to SUGGESTIONS_MAX suggestions for the cursor `at`.

    A suggestion replaces the characters [from, to) by its text. Its kind is `field` (a name with
    its colon), `value`, or `operator` (a comparison, `or`, `-`, a parenthesis). `choices` has the
    values of fields that are not fixed. There are no suggestions within a phrase, nor behind a
    colon after a word that is no field.
    """
    text = typed(text)
    at = max(0, min(at, len(text)))
    start, depth = _term_at(text, at)
    name, colon, _ = text[start:at].partition(":")
    if not colon:
        end = at
        while text[end : end + 1].isalpha():
            end += 1
        end += text[end : end + 1] == ":"
        return _placed(_names(text, start, at, depth), start, end)
    field = FIELDS.get(lower(name))
    if field is None:
        return []
    commas = [here for here, character in _plain(text, start, at) if character == ","]
    first = start + len(name) + 1
    begin = commas[-1] + 1 if commas else first
    others = {lower(value) for value in text[first:begin].split(",")}
    values = _values(field, text[begin:at], choices.get(field.name, ()))
    end = _end(text, begin, lambda character: is_blank(character) or character in ",()")
    fresh = (pair for pair in values if lower(pair[0]) not in others)
    return _placed(fresh, begin, max(at, end))


def _placed(pairs: Found, start: int, end: int) -> list[Suggestion]:
    all: list[Suggestion] = [
        {"text": text, "from": start, "to": end, "kind": kind} for text, kind in pairs
    ]
    return all[:SUGGESTIONS_MAX]


def _plain(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yields the characters of text[start:end] outside of quotes, with their places."""
    is_quoted, here = False, start
    while here < end:
        character = text[here]
        if character == QUOTE:
            is_quoted = not is_quoted
        elif is_quoted:
            here += character == "\\"
        else:
            yield here, character
        here += 1


def _term_at(text: str, at: int) -> tuple[int, int]:
    """Returns the start of the term at the cursor, behind its `-`, and the open parentheses."""
    start, depth = 0, 0
    for here, character in _plain(text, 0, at):
        depth += (character == "(") - (character == ")")
        is_minus = character == "-" and here == start
        if is_blank(character) or character in "()" or is_minus:
            start = here + 1
    return start, max(depth, 0)


def _end(text: str, start: int, ends: Callable[[str], bool]) -> int:
    return next((here for here, one in _plain(text, start, len(text)) if ends(one)), len(text))


def _names(text: str, start: int, at: int, depth: int) -> Found:
    """Yields fields and connectives that begin with the text before the cursor."""
    begun, before = lower(text[start:at]), text[:start]
    is_behind_group = before.endswith(")")
    if not is_behind_group:
        yield from ((f"{name}:", "field") for name in FIELDS if name.startswith(begun))
    may_end = depth > 0 and not _ENDS_NOTHING.search(before)
    if may_end and not is_behind_group and "or".startswith(begun):
        yield "or", "operator"
    if begun:
        return
    if may_end:
        yield ")", "operator"
    if not is_behind_group:
        yield "(", "operator"
        if not before.endswith("-"):
            yield "-", "operator"


def _values(field: Field, begun: str, choices: Iterable[str]) -> Found:
    """Yields values of a field, as they are written."""
    operator = next((sign for sign in OPERATORS if begun.startswith(sign)), "")
    if field.kind == "duration":
        yield from _durations(operator, begun[len(operator) :])
        return
    if field.kind != "day":
        operator = ""
    prefix = lower(_typed(begun[len(operator) :]))
    if not operator and not begun.startswith(QUOTE):
        yield from ((word, "value") for word in field.words if word.startswith(prefix))
    names = [name for name in dict.fromkeys(choices) if lower(name).startswith(prefix)]
    yield from ((operator + name_text(name, field.words), "value") for name in names)
    if field.kind == "day" and not begun:
        yield from ((sign, "operator") for sign in OPERATORS)


def _durations(operator: str, number: str) -> Found:
    if not operator:
        if not number:
            yield from ((sign, "operator") for sign in (">", "<", ">=", "<="))
    elif not number:
        yield from ((f"{operator}{time}", "value") for time in _TIMES)
    elif number.isascii() and number.isdigit():
        yield from ((f"{operator}{number}{unit}", "value") for unit in _UNITS)


def _typed(begun: str) -> str:
    """Returns the begun name, without quotes and backslashes."""
    if not begun.startswith(QUOTE):
        return begun
    return re.sub(r"\\(.)", r"\1", begun[1:].removesuffix(QUOTE))
