"""The parts of a query as it was written: immutable and hashable."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Word:
    """One of the fixed values of a field, such as `urgent` or `none`; in lower case."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A value that is any text: a source, an address, a language tag."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Duration:
    """A comparison with a time, in milliseconds."""

    operator: str
    ms: int
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Days:
    """Days (ISO 8601): with `..` from the first to the last, else a comparison with the first."""

    operator: str
    first: str
    last: str
    at: int = field(default=0, compare=False)


Value = Word | Name | Duration | Days


@dataclass(frozen=True, slots=True)
class Term:
    """`field:value,value`: one of the values holds."""

    field: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Not:
    node: "Node"


@dataclass(frozen=True, slots=True)
class Group:
    """All of the nodes hold (`and`), or one of them (`or`); an empty `and` always holds."""

    kind: Literal["and", "or"]
    nodes: tuple["Node", ...]


Node = Term | Not | Group


@dataclass(frozen=True, slots=True)
class SearchWord:
    """A word of a full-text search, or a phrase in quotes."""

    text: str
    is_phrase: bool = False
    at: int = field(default=0, compare=False)
