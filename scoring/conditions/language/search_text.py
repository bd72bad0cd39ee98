"""The text of a search: conditions, and the words beside them."""

from typing import NamedTuple

from scoring.conditions.language.characters import is_blank
from scoring.conditions.language.errors import QueryError
from scoring.conditions.language.parser import looks_like_a_term, parse
from scoring.conditions.language.query import Query
from scoring.conditions.language.syntax import Group, SearchWord
from scoring.conditions.language.typing import typed
from scoring.conditions.language.values import QUOTE

_ALL = Query(Group("and", ()))


class SearchText(NamedTuple):
    """The parts of a search: `query` has the conditions, `words` is the text to find, which may be
    empty."""

    query: Query
    words: str


def read_search(text: str) -> SearchText:
    """Reads the text of a search.

    A text without a condition is words alone, with any parentheses and quotes. A phrase without its
    closing quote at the end is being typed. Raises QueryError.
    """
    if not has_conditions(text):
        return SearchText(_ALL, text)
    text = typed(text)
    try:
        query, is_open = parse(text, with_words=True), False
    except QueryError as error:
        if error.at != len(text) or error.expected != (QUOTE,):
            raise
        query, is_open = _with_open_phrase(text, error), True
    words = [_written(word) for word in query.words]
    if is_open:
        words[-1] = words[-1].removesuffix(QUOTE)
    return SearchText(query, " ".join(words))


def has_conditions(text: str) -> bool:
    """Whether a text has a condition outside of quotes, right or wrong."""
    here, text = 0, typed(text)
    while here < len(text):
        if text[here] == QUOTE:
            here = _behind_quotes(text, here)
        elif is_blank(text[here]) or text[here] == "(" or text.startswith("-(", here):
            here += 1
        elif looks_like_a_term(text, here):
            return True
        else:
            while here < len(text) and not is_blank(text[here]):
                here += 1
    return False


def _with_open_phrase(text: str, error: QueryError) -> Query:
    """Parses a text with a last phrase that lacks its closing quote; else raises the error."""
    query = parse(text + QUOTE, with_words=True)
    values = (value.at for term in query.terms() for value in term.values)
    if not query.words or query.words[-1].at < max(values, default=0):
        raise error
    return query


def _written(word: SearchWord) -> str:
    # A search knows no quote within quotes.
    return QUOTE + word.text.replace(QUOTE, " ") + QUOTE if word.is_phrase else word.text


def _behind_quotes(text: str, at: int) -> int:
    here = at + 1
    while here < len(text):
        if text[here] == QUOTE:
            return here + 1
        here += 2 if text[here] == "\\" else 1
    return len(text)
