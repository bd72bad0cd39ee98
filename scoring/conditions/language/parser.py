"""Reads a query, or the conditions between the words of a search."""

import re
from typing import NamedTuple

from scoring.conditions.fields import FIELDS, Field
from scoring.conditions.language.query import (
    BLANKS,
    Group,
    Node,
    Not,
    Query,
    QueryError,
    SearchWord,
    Term,
    Value,
    is_blank,
    is_forbidden,
    lower,
)
from scoring.conditions.language.values import QUOTE, described, one_of, read_quoted, read_value

#: A field with its colon, the text before it, and all up to the next blank.
_TERM = re.compile(
    rf"(?<![^{BLANKS}])"
    r"[-\u2010-\u2015\u2212\uff0d(\uff08]*([A-Za-z\uff21-\uff3a\uff41-\uff5a]+)[:\uff1a]"
    rf"[^{BLANKS}]*"
)
#: Maps signs to signs of the language: ASCII in full width, quotes, hyphens, the Japanese comma.
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


LENGTH_MAX = 1_000
DEPTH_MAX = 20
TERMS_MAX = 200

_NAMES = {f"{name}:": field for name, field in FIELDS.items()}
_OR = "or"
A_BLANK = "a blank"
#: A condition in the text of a search: letters, a colon, and a value. Without a value, as in
#: "Re: order", it is a word, and so is an address such as https://….
_LOOKS_LIKE_A_TERM = re.compile(rf"-?([A-Za-z]+):(?=[^{BLANKS}/])")
_FIELD = re.compile(r"-?([A-Za-z]+):")
_BARE_OR = re.compile(rf"or[{BLANKS}]+", re.IGNORECASE)


def parse(text: str, *, with_words: bool = False) -> Query:
    """Parses a text; the empty text is the query of all threads.

    `with_words`: the text of a search, in which other words and "phrases" may stand outside of
    parentheses. Raises QueryError with the place of the first wrong character: no query begins with
    the text up to and including it. A text of more than 1,000 characters is wrong at the 1,001st, a
    text of more than 200 terms at the start of the 201st, deeper parentheses than 20 at the 21st.
    """
    is_too_long = len(text) > LENGTH_MAX
    try:
        query = _Parser(typed(text[:LENGTH_MAX]), with_words).query()
    except QueryError as error:
        if is_too_long and error.at == LENGTH_MAX:
            raise QueryError(LENGTH_MAX) from None
        raise
    if is_too_long:
        raise QueryError(LENGTH_MAX)
    return query


class _Parser:
    """Reads a text from left to right; `_at` is the next character."""

    def __init__(self, text: str, with_words: bool):
        self._text = text
        self._with_words = with_words
        self._at = 0
        self._depth = 0
        self._terms = 0

    def query(self) -> Query:
        nodes: list[Node] = []
        words: list[SearchWord] = []
        while self._skip_blanks():
            if self._with_words and not self._is_condition():
                self._refuse_or(bool(nodes))
                words.append(self._search_word())
            else:
                nodes.append(self._item())
        return Query(_all(nodes), tuple(words))

    def _item(self) -> Node:
        """Reads a term or a group, with or without `-` before it."""
        self._check_room()
        is_not = self._next == "-"
        self._at += is_not
        if self._next == "(" and self._depth < DEPTH_MAX:
            self._at += 1
            node = self._group()
        else:
            node = self._term(is_not)
        closing = (")",) if self._depth else ()
        if self._next and self._next not in closing and not is_blank(self._next):
            more = (",",) if isinstance(node, Term) else ()
            raise QueryError(self._at, (*more, A_BLANK, *closing))
        return Not(node) if is_not else node

    def _group(self) -> Node:
        """Reads the rest of a group, behind its parenthesis."""
        self._depth += 1
        branches: list[list[Node]] = [[]]
        while self._skip_blanks():
            if self._next == ")" and branches[-1]:
                break
            if branches[-1] and self._reads_or():
                branches.append([])
            else:
                branches[-1].append(self._item_of_group(bool(branches[-1])))
        else:
            raise QueryError(self._at, self._expected(bool(branches[-1])))
        self._at += 1
        self._depth -= 1
        nodes = [_all(branch) for branch in branches]
        return nodes[0] if len(nodes) == 1 else Group("or", tuple(nodes))

    def _item_of_group(self, may_end: bool) -> Node:
        start = self._at
        try:
            return self._item()
        except QueryError as error:
            if error.at != start:
                raise
            raise QueryError(start, self._expected(may_end)) from None

    def _reads_or(self) -> bool:
        """Skips the `or` that comes next; False if a field comes."""
        if lower(self._next) != _OR[0]:
            return False
        self._check_room()
        end = self._at
        while self._text[end : end + 1].isalpha():
            end += 1
        end += self._text[end : end + 1] == ":"
        if one_of(self._text, self._at, end, (_OR, *_NAMES)) != _OR:
            return False
        if end == len(self._text) or not is_blank(self._text[end]):
            raise QueryError(end, (A_BLANK,))
        self._at = end
        return True

    def _term(self, is_not: bool) -> Node:
        field = self._field(is_not)
        self._terms += 1
        values: list[Value] = []
        while True:
            try:
                value, end = read_value(self._text, self._at, field)
            except QueryError as error:
                if error.at != self._at:
                    raise
                raise QueryError(self._at, described(field)) from None
            values.append(value)
            self._at = end
            if self._next != ",":
                return Term(field.name, tuple(values))
            self._at += 1

    def _field(self, is_not: bool) -> Field:
        """Reads the name and the colon of a field."""
        end = self._text.find(":", self._at) + 1 or len(self._text)
        start = self._at
        try:
            name = one_of(self._text, start, end, _NAMES)
        except QueryError as error:
            if error.at > start:
                raise
            raise QueryError(start, self._expected(False, is_not)) from None
        self._at = end
        return _NAMES[name]

    def _is_condition(self) -> bool:
        """Whether a condition, right or wrong, comes next in a search, and not a word."""
        if self._text.startswith(("(", "-("), self._at):
            return True
        return looks_like_a_term(self._text, self._at)

    def _refuse_or(self, is_after_condition: bool) -> None:
        """Refuses a bare `or` between two conditions: nobody means the word there."""
        match = _BARE_OR.match(self._text, self._at)
        if match is None or not is_after_condition:
            return
        here, self._at = self._at, match.end()
        if self._is_condition():
            raise QueryError(here, self._expected(False))
        self._at = here

    def _search_word(self) -> SearchWord:
        start = self._at
        if self._next == QUOTE:
            phrase, self._at = read_quoted(self._text, start, LENGTH_MAX)
            if self._next and not is_blank(self._next):
                raise QueryError(self._at, (A_BLANK,))
            return SearchWord(phrase, True, start)
        while self._next and not is_blank(self._next):
            if is_forbidden(self._next):
                raise QueryError(self._at, ())
            self._at += 1
        return SearchWord(self._text[start : self._at], False, start)

    def _check_room(self) -> None:
        if self._terms == TERMS_MAX:
            raise QueryError(self._at, (")",) if self._depth else ())

    def _expected(self, may_end: bool, is_not: bool = False) -> tuple[str, ...]:
        """Returns the tokens that may stand at the beginning of a term."""
        if self._terms == TERMS_MAX:
            return (")",) if may_end else ()
        opening = ("(",) if self._depth < DEPTH_MAX else ()
        more = (_OR, ")") if may_end else ()
        return (*_NAMES, *(() if is_not else ("-",)), *opening, *more)

    @property
    def _next(self) -> str:
        """The next character; empty at the end."""
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> bool:
        """Skips blanks; returns whether a character is left."""
        while self._next and is_blank(self._next):
            self._at += 1
        return self._at < len(self._text)


def looks_like_a_term(text: str, at: int) -> bool:
    """Whether the text at a place is a term, right or wrong, and not a word of a search."""
    match = _FIELD.match(text, at)
    is_known = match is not None and lower(match[1]) in FIELDS
    return is_known or _LOOKS_LIKE_A_TERM.match(text, at) is not None


def _all(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Group("and", tuple(nodes))


_ALL = Query(Group("and", ()))


class SearchText(NamedTuple):
    """The parts of a search: `query` has the conditions, `words` is the text to find, which may be
    empty."""

    query: Query
    words: str


def read_search(text: str) -> SearchText:
    """Reads the text of a search.

    A text without a condition consists only of words, with any parentheses and quotes. A last
    phrase may lack its closing quote: it is being typed. Raises QueryError.
    """
    if not has_conditions(text):
        return SearchText(_ALL, "" if all(map(is_blank, text)) else text)
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
    try:
        query = parse(text + QUOTE, with_words=True)
    except QueryError:
        raise error from None
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
