"""A parsed query."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from scoring.conditions.language.canonical import canonical_text
from scoring.conditions.language.syntax import Node, Not, SearchWord, Term


@dataclass(frozen=True)
class Query:
    """Conditions, and the words of a search. Equal ones differ in blanks, case and quotes alone."""

    root: Node
    words: tuple[SearchWord, ...] = ()

    @cached_property
    def canonical(self) -> str:
        """The common text of all queries that differ in the order of terms and values, in repeated
        ones, in units, case, blanks, quotes and in parentheses that change nothing.

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
    for each in (node.node,) if isinstance(node, Not) else node.nodes:
        yield from _terms(each)
