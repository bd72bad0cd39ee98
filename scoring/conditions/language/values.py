"""Reads one value of a field, character by character, to report the place of an error."""

from calendar import monthrange
from collections.abc import Callable, Collection
from functools import lru_cache

from scoring.conditions.fields import DIGITS_MAX, OPERATORS, UNITS, Field
from scoring.conditions.language.query import (
    Days,
    Duration,
    Name,
    QueryError,
    Value,
    Word,
    ends_value,
    is_forbidden,
    lower,
)
from scoring.conditions.tags import is_tag_character

A_TIME = "a time such as 10m"
A_DAY = "a day such as 2026-11-20"
AN_ADDRESS = "an e-mail address"
A_NAME = "a name"
SOME_TEXT = "some text"
A_LANGUAGE = "a language such as vi"
QUOTE = '"'

ADDRESS_MAX = 254
NAME_MAX = 64
LANGUAGE_MAX = 35
#: Letters of the first part of a language tag, and characters of any part.
_LANGUAGE_MIN, _PART_MAX = 2, 8
FIRST_YEAR, LAST_YEAR = 2000, 2100
_DAY_LENGTH = len("2026-11-20")
_DIGITS = frozenset("0123456789")


def read_value(text: str, at: int, field: Field) -> tuple[Value, int]:
    """Returns the value that begins at `at`, and its end. Raises QueryError."""
    return _READERS[field.kind](text, at, field)


def described(field: Field) -> tuple[str, ...]:
    """Returns the values that may stand behind the colon of a field."""
    return (*field.words, *_DESCRIBED[field.kind])


def bare_end(text: str, at: int) -> int:
    """Returns the end of a value without quotes."""
    while at < len(text) and not ends_value(text[at]):
        at += 1
    return at


def one_of(text: str, at: int, end: int, words: Collection[str]) -> str:
    """Returns the word in text[at:end]; raises QueryError at the first letter of no word."""
    written = lower(text[at:end])
    if written in words:
        return written
    length = len(written)
    while not any(word.startswith(written[:length]) for word in words):
        length -= 1
    choices = (word for word in words if word.startswith(written[:length]))
    raise QueryError(at + length, tuple(choices))


def read_quoted(text: str, at: int, most: int) -> tuple[str, int]:
    """Returns the text between quotes, from the first quote at `at`; quotes and backslashes in it
    are escaped by a backslash. Raises QueryError, also if it is empty or longer than `most`."""
    characters: list[str] = []
    here = at + 1
    while True:
        character = text[here : here + 1]
        if character == QUOTE and characters:
            return "".join(characters), here + 1
        if character in ("", QUOTE) or is_forbidden(character) or len(characters) == most:
            raise QueryError(here, (QUOTE,) if characters else (SOME_TEXT,))
        if character == "\\":
            here += 1
            character = text[here : here + 1]
            if character not in (QUOTE, "\\"):
                raise QueryError(here, (QUOTE, "\\"))
        characters.append(character)
        here += 1


def _word(text: str, at: int, field: Field) -> tuple[Value, int]:
    end = bare_end(text, at)
    return Word(one_of(text, at, end, field.words), at), end


def _admin(text: str, at: int, field: Field) -> tuple[Value, int]:
    end = bare_end(text, at)
    if lower(text[at:end]) in field.words:
        return Word(lower(text[at:end]), at), end
    first = at
    if text[at : at + 1] == QUOTE:
        address, end = read_quoted(text, at, ADDRESS_MAX)
        first, last = at + 1, end - 1
    else:
        address, last = text[at:end], end
    if address.startswith("@") or not address:
        raise QueryError(first, described(field))
    if len(address) > ADDRESS_MAX:
        raise QueryError(at + ADDRESS_MAX, (AN_ADDRESS,))
    if "@" not in address[:-1]:
        raise QueryError(last, described(field))
    return Name(lower(address), at), end


def _name(text: str, at: int, field: Field) -> tuple[Value, int]:
    if text[at : at + 1] == QUOTE:
        name, end = read_quoted(text, at, NAME_MAX)
        return Name(name, at), end
    end = bare_end(text, at)
    if end == at or end - at > NAME_MAX:
        raise QueryError(min(end, at + NAME_MAX), described(field))
    return Name(text[at:end], at), end


def _tag(text: str, at: int, field: Field) -> tuple[Value, int]:
    """Reads a tag, with or without quotes; the parser checks what follows it."""
    is_quoted = text[at : at + 1] == QUOTE
    first = end = at + is_quoted
    while end < len(text) and is_tag_character(text[end]):
        end += 1
    if end == first or end - first > NAME_MAX:
        expected = (SOME_TEXT,) if is_quoted else described(field)
        raise QueryError(min(end, first + NAME_MAX), expected)
    name = lower(text[first:end])
    if not is_quoted:
        return (Word(name, at) if name in field.words else Name(name, at)), end
    if text[end : end + 1] != QUOTE:
        raise QueryError(end, (QUOTE,))
    return Name(name, at), end + 1


def _language(text: str, at: int, field: Field) -> tuple[Value, int]:
    end = bare_end(text, at)
    written = lower(text[at:end]).replace("_", "-")
    if written in field.words:
        return Word(written, at), end
    length, is_first = 0, True
    for offset, character in enumerate(written):
        least = _LANGUAGE_MIN if is_first else 1
        if character == "-" and length >= least and offset + 1 < LANGUAGE_MAX:
            length, is_first = 0, False
            continue
        is_right = character.isascii() and (
            character.isalpha() or (character.isdigit() and not is_first)
        )
        if not is_right or length == _PART_MAX or offset == LANGUAGE_MAX:
            raise QueryError(at + offset, described(field))
        length += 1
    if length < (_LANGUAGE_MIN if is_first else 1):
        raise QueryError(end, described(field))
    return Name(written, at), end


def _operator(text: str, at: int) -> str:
    """Returns the operator at `at`; empty if there is none."""
    return next((operator for operator in OPERATORS if text.startswith(operator, at)), "")


def _duration(text: str, at: int, field: Field) -> tuple[Value, int]:
    operator = _operator(text, at)
    if not operator:
        raise QueryError(at, OPERATORS)
    first = here = at + len(operator)
    while here - first < DIGITS_MAX and text[here : here + 1] in _DIGITS:
        here += 1
    if here == first:
        raise QueryError(here, (A_TIME,))
    unit = lower(text[here : here + 1])
    if unit not in UNITS:
        raise QueryError(here, tuple(UNITS))
    return Duration(operator, int(text[first:here]) * UNITS[unit], at), here + 1


def _days(text: str, at: int, field: Field) -> tuple[Value, int]:
    operator = _operator(text, at)
    first, end = _day(text, at + len(operator), "", (A_DAY,) if operator else described(field))
    if operator or text[end : end + 1] != ".":
        return Days(operator or "..", first, first, at), end
    if text[end + 1 : end + 2] != ".":
        raise QueryError(end + 1, (".",))
    last, end = _day(text, end + 2, first, (A_DAY,))
    return Days("..", first, last, at), end


def _day(text: str, at: int, earliest: str, expected: tuple[str, ...]) -> tuple[str, int]:
    """Returns the day at `at`, which must not be before `earliest`, and its end."""
    for end in range(at + 1, at + _DAY_LENGTH + 1):
        latest = _latest_day(text[at:end]) if end <= len(text) else None
        if latest is None or latest < earliest:
            raise QueryError(end - 1, expected if end == at + 1 else (A_DAY,))
    return text[at : at + _DAY_LENGTH], at + _DAY_LENGTH


@lru_cache(maxsize=4_096)
def _latest_day(beginning: str) -> str | None:
    """Returns the latest day with this beginning; None if there is none."""
    for year in range(LAST_YEAR, FIRST_YEAR - 1, -1):
        if not str(year).startswith(beginning[:4]):
            continue
        for month in range(12, 0, -1):
            if not f"-{month:02}".startswith(beginning[4:7]):
                continue
            for day in range(monthrange(year, month)[1], 0, -1):
                if f"-{day:02}".startswith(beginning[7:]):
                    return f"{year}-{month:02}-{day:02}"
    return None


_READERS: dict[str, Callable[[str, int, Field], tuple[Value, int]]] = {
    "word": _word,
    "admin": _admin,
    "name": _name,
    "tag": _tag,
    "language": _language,
    "duration": _duration,
    "day": _days,
}
_DESCRIBED: dict[str, tuple[str, ...]] = {
    "word": (),
    "admin": (AN_ADDRESS,),
    "name": (A_NAME,),
    "tag": (A_NAME,),
    "language": (A_LANGUAGE,),
    "duration": OPERATORS,
    "day": (A_DAY, *OPERATORS),
}
