"""Who is named in a query: the one who looks, and admins by their addresses."""

from functools import lru_cache
from typing import NamedTuple

from scoring.conditions.fields import FIELDS
from scoring.conditions.language.errors import QueryError
from scoring.conditions.language.parser import parse
from scoring.conditions.language.syntax import Name, Word
from scoring.conditions.resolve import ME


class People(NamedTuple):
    """Whether a query names `me`, and the addresses that it names."""

    me: bool = False
    addresses: tuple[str, ...] = ()


@lru_cache(maxsize=8_192)
def people_in(query: str) -> People:
    """Who is named in a query; nobody in a text that is none."""
    try:
        terms = list(parse(query).terms())
    except QueryError:
        return People()
    values = [
        value for term in terms if FIELDS[term.field].kind == "admin" for value in term.values
    ]
    return People(
        any(isinstance(value, Word) and value.text == ME for value in values),
        tuple(sorted({value.text for value in values if isinstance(value, Name)})),
    )
