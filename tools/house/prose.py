"""Counts words and openings that make the product's prose sound translated."""

import ast
import re
from collections.abc import Iterator

from tools.house.sources import product, text_of, tree_of

RIDDLES = re.compile(r"\b(who(m)?ever|whose|whom)\b", re.IGNORECASE)
#: A docstring begins with a verb or a noun, and never with one of these.
OPENINGS = re.compile(
    r"(Of|What|Whose|Which|Who|Whom|Whoever|Whatever|Until when|Since when|Where|When|Why|How"
    r"|From when)\b"
)
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
COMMENT = re.compile(r"^ *#.*", re.MULTILINE)
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings() -> Iterator[tuple[str, int, str]]:
    """Yields (file, line, text) of each docstring of the product."""
    for name in product():
        for node in ast.walk(tree_of(name)):
            if isinstance(node, DEFINITIONS) and (text := ast.get_docstring(node)):
                yield name, node.body[0].lineno, text


def comments() -> Iterator[str]:
    """Yields comments on their own lines."""
    for name in product():
        yield from COMMENT.findall(text_of(name))


def riddles() -> float:
    """Returns the number of riddling words in 10,000 words of docstrings and comments."""
    texts = [text for *_, text in docstrings()] + list(comments())
    words = sum(len(WORD.findall(text)) for text in texts)
    return 10_000 * sum(len(RIDDLES.findall(text)) for text in texts) / words


def clause_openings() -> list[str]:
    """Returns FILE:LINE of each docstring that begins with a clause."""
    return [f"{name}:{line}" for name, line, text in docstrings() if OPENINGS.match(text)]
