"""The parts of a query: characters, values, terms; its canonical text; the error in a wrong one."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from scoring.conditions.fields import FIELDS, UNITS


class QueryError(ValueError):
    """A text that is no query: the place of the first wrong character, and what would be right.

    `at` counts characters from 0; it is the length of the text if the text ends too early.
    `expected` holds field names with their colon, values, operators, and descriptions such as "a
    time such as 10m"; it is empty if nothing may follow. `reason` is a sentence that explains the
    error in a text that has the form of a query.
    """

    def __init__(self, at: int, expected: tuple[str, ...] = (), reason: str = ""):
        super().__init__(f"wrong at {at}; expected: {', '.join(expected) or 'the end'}")
        self.at = at
        self.expected = expected
        self.reason = reason


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


def canonical_text(root: Node, words: Sequence[SearchWord]) -> str:
    """Returns the canonical text of a query: conditions in order, then words as they stand."""
    parts = [node_text(simplified(root))]
    parts += [_quoted(word.text) if word.is_phrase else word.text for word in words]
    return " ".join(part for part in parts if part)


def simplified(node: Node) -> Node:
    """Returns the same condition without nesting, repetition and order that mean nothing."""
    if isinstance(node, Term):
        return _term(node.field, node.values)
    if isinstance(node, Not):
        inner = simplified(node.node)
        return inner.node if isinstance(inner, Not) else Not(inner)
    nodes: list[Node] = []
    for child in map(simplified, node.nodes):
        alike = isinstance(child, Group) and child.kind == node.kind
        nodes += child.nodes if alike else [child]  # type: ignore[union-attr]
    by_text = {node_text(child): child for child in _merged(node.kind, nodes)}
    ordered = tuple(by_text[text] for text in sorted(by_text))
    return ordered[0] if len(ordered) == 1 else Group(node.kind, ordered)


def _merged(kind: str, nodes: Iterable[Node]) -> list[Node]:
    """Merges terms of one field: `(member:0 or member:1)` is `member:0,1`, and `-member:0
    -member:1` is `-member:0,1`."""
    others: list[Node] = []
    values: dict[str, list[Value]] = {}
    for node in nodes:
        term = node.node if kind == "and" and isinstance(node, Not) else node
        if isinstance(term, Term) and (kind == "or" or term is not node):
            values.setdefault(term.field, []).extend(term.values)
        else:
            others.append(node)
    terms = [_term(field, alternatives) for field, alternatives in values.items()]
    return [*others, *(terms if kind == "or" else map(Not, terms))]


def _term(field: str, values: Iterable[Value]) -> Term:
    """Returns a term with its values in order, each once."""
    words = FIELDS[field].words
    by_text = {value_text(value, words): value for value in reversed(tuple(values))}
    return Term(field, tuple(by_text[text] for text in sorted(by_text)))


def node_text(node: Node) -> str:
    """Returns the text of a node between others."""
    if isinstance(node, Term):
        words = FIELDS[node.field].words
        return f"{node.field}:{','.join(value_text(value, words) for value in node.values)}"
    if isinstance(node, Not):
        inner = node_text(node.node)
        is_all = isinstance(node.node, Group) and node.node.kind == "and"
        return f"-({inner})" if is_all else f"-{inner}"
    if node.kind == "and":
        return " ".join(node_text(child) for child in node.nodes)
    return f"({' or '.join(node_text(child) for child in node.nodes)})"


def value_text(value: Value, words: Collection[str] = ()) -> str:
    """Returns the text of a value in a field with these words."""
    if isinstance(value, Name):
        return name_text(value.text, words)
    if isinstance(value, Duration):
        return f"{value.operator}{duration_text(value.ms)}"
    if isinstance(value, Days):
        if value.operator != "..":
            return f"{value.operator}{value.first}"
        return value.first if value.first == value.last else f"{value.first}..{value.last}"
    return value.text


def name_text(text: str, words: Collection[str] = ()) -> str:
    """Quotes a name that needs it; a tag may have the same text as a word."""
    return text if is_bare(text) and text not in words else _quoted(text)


def duration_text(ms: int) -> str:
    """Formats a time in the longest unit that gives a whole number."""
    units = [unit for unit, length in UNITS.items() if ms and ms % length == 0]
    unit = units[-1] if units else "s"
    return f"{ms // UNITS[unit]}{unit}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(frozen=True)
class Query:
    """Conditions, and the words of a search. Equal queries may have different texts."""

    root: Node
    words: tuple[SearchWord, ...] = ()

    @cached_property
    def canonical(self) -> str:
        """The common text of all queries that differ only in the order of terms and values, in
        repetitions, units, case, blanks, quotes, and parentheses that change nothing.

        It is a query itself, no longer than the text that was parsed, and its own canonical text.
        """
        return canonical_text(self.root, self.words)

    def terms(self) -> Iterator[Term]:
        """Yields every term, in the order of the text."""
        return _terms(self.root)


def _terms(node: Node) -> Iterator[Term]:
    if isinstance(node, Term):
        yield node
        return
    for child in (node.node,) if isinstance(node, Not) else node.nodes:
        yield from _terms(child)
