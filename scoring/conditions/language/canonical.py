"""One text for queries with the same meaning, as far as their form shows it."""

from collections.abc import Collection, Iterable, Sequence

from scoring.conditions.fields import FIELDS, UNITS
from scoring.conditions.language.characters import is_bare
from scoring.conditions.language.syntax import (
    Days,
    Duration,
    Group,
    Name,
    Node,
    Not,
    SearchWord,
    Term,
    Value,
)


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
    for each in map(simplified, node.nodes):
        alike = isinstance(each, Group) and each.kind == node.kind
        nodes += each.nodes if alike else [each]  # type: ignore[union-attr]
    by_text = {node_text(each): each for each in _merged(node.kind, nodes)}
    ordered = tuple(by_text[text] for text in sorted(by_text))
    return ordered[0] if len(ordered) == 1 else Group(node.kind, ordered)


def _merged(kind: str, nodes: Iterable[Node]) -> list[Node]:
    """Merges terms of one field: `(member:0 or member:1)` is `member:0,1`, and `-member:0
    -member:1` is `-member:0,1`."""
    kept: list[Node] = []
    values: dict[str, list[Value]] = {}
    for node in nodes:
        term = node.node if kind == "and" and isinstance(node, Not) else node
        if isinstance(term, Term) and (kind == "or" or term is not node):
            values.setdefault(term.field, []).extend(term.values)
        else:
            kept.append(node)
    terms = [_term(field, found) for field, found in values.items()]
    return [*kept, *(terms if kind == "or" else map(Not, terms))]


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
        return " ".join(node_text(each) for each in node.nodes)
    return f"({' or '.join(node_text(each) for each in node.nodes)})"


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
    fitting = [unit for unit, length in UNITS.items() if ms and ms % length == 0]
    unit = fitting[-1] if fitting else "s"
    return f"{ms // UNITS[unit]}{unit}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
