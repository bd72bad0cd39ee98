"""Puts ids and instants into a parsed query."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from scoring.conditions.fields import FIELDS, Field
from scoring.conditions.language.query import (
    Days,
    Duration,
    Name,
    Node,
    Not,
    Query,
    QueryError,
    Term,
    Value,
    Word,
    simplified,
)
from scoring.conditions.language.values import AN_ADDRESS
from scoring.conditions.nodes import (
    AllNode,
    AnyNode,
    Language,
    Leaf,
    NotNode,
    OneOf,
    Present,
    ResolvedNode,
    Span,
    Tagged,
    Within,
)
from scoring.conditions.resolved import Resolved
from scoring.conditions.subject import SETS
from scoring.conditions.tags import folded


@lru_cache(maxsize=4_096)
def day_begins_ms(day: str, zone: tzinfo) -> int:
    """Returns the first instant (ms) at which the zone's clocks show this day or a later one.

    So each instant belongs to exactly one day: an hour that clocks repeat over midnight belongs to
    the later day, and a day that a zone leaves out has no instant.
    """
    # The first of two midnights; if clocks skip midnight, the instant at which they do.
    midnight = datetime.combine(date.fromisoformat(day), time(fold=0), zone)
    return round(midnight.astimezone(UTC).timestamp() * 1_000)


def day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


ME = "me"

AdminIdOf = Callable[[str], int | None]


def resolve(query: Query, me: int | None, admin_id_of: AdminIdOf, timezone: tzinfo) -> Resolved:
    """Resolves the query for the readers; words of a search are left out.

    `me` is the id of the admin who looks, None if nobody does; `admin_id_of` maps an address in
    lower case to an id, None if no admin has it; days are days of the time zone. Raises QueryError
    at an unknown address, and at `me` if nobody looks.
    """
    # In the order of the text, so that the first mistake is the one reported.
    ids = {
        value: _admin_id(value, FIELDS[term.field], me, admin_id_of)
        for term in query.terms()
        for value in term.values
        if isinstance(value, Name | Word) and _is_somebody(value, FIELDS[term.field])
    }
    return Resolved(_Resolver(ids, timezone).node(simplified(query.root)))


def _is_somebody(value: Name | Word, field: Field) -> bool:
    """Whether a value stands for one admin: an address, or `me`."""
    return field.kind == "admin" and field.words.get(value.text) is None


def _admin_id(value: Name | Word, field: Field, me: int | None, admin_id_of: AdminIdOf) -> int:
    id = admin_id_of(value.text) if isinstance(value, Name) else me
    if id is None:
        words = tuple(word for word in field.words if word != ME)
        raise QueryError(value.at, (*words, AN_ADDRESS))
    return id


class _Resolver:
    def __init__(self, ids: Mapping[Name | Word, int], timezone: tzinfo):
        self._ids = ids
        self._timezone = timezone

    def node(self, node: Node) -> ResolvedNode:
        if isinstance(node, Term):
            return self._term(node)
        if isinstance(node, Not):
            return NotNode(self.node(node.node))
        nodes = tuple(self.node(child) for child in node.nodes)
        return AllNode(nodes) if node.kind == "and" else AnyNode(nodes)

    def _term(self, term: Term) -> ResolvedNode:
        field = FIELDS[term.field]
        leaves = joined(self._leaf(field, value) for value in term.values)
        return leaves[0] if len(leaves) == 1 else AnyNode(tuple(leaves))

    def _leaf(self, field: Field, value: Value) -> Leaf:
        if isinstance(value, Name | Word) and _is_somebody(value, field):
            id = self._ids[value]
            if field.attribute in SETS:
                return Tagged(field.attribute, frozenset({str(id)}))
            return OneOf(field.attribute, frozenset({id}))
        if isinstance(value, Word):
            leaf = field.words[value.text]
            assert leaf is not None
            return leaf
        if isinstance(value, Duration):
            return Within(field.attribute, field.measure, frozenset({_span(value)}))
        if isinstance(value, Days):
            return Within(field.attribute, field.measure, frozenset({self._days(value)}))
        if field.kind == "language":
            return Language(field.attribute, frozenset({value.text}))
        if field.kind == "tag":
            return Tagged(field.attribute, frozenset({folded(value.text)}))
        return OneOf(field.attribute, frozenset({value.text}))

    def _days(self, days: Days) -> Span:
        begin = day_begins_ms(days.first, self._timezone)
        end = day_begins_ms(day_after(days.last), self._timezone)
        spans: dict[str, Span] = {
            "..": (begin, end),
            ">=": (begin, None),
            ">": (end, None),
            "<": (None, begin),
            "<=": (None, end),
        }
        return spans[days.operator]


def joined(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Joins alternative leaves; those on the same value become one."""
    by_key: dict[tuple[str, ...], Leaf] = {}
    for leaf in leaves:
        key: tuple[str, ...] = (type(leaf).__name__, leaf.attribute)
        if isinstance(leaf, Within):
            key = (*key, leaf.measure)
        by_key[key] = _either(by_key[key], leaf) if key in by_key else leaf
    return list(by_key.values())


def _either(one: Leaf, other: Leaf) -> Leaf:
    if isinstance(one, OneOf) and isinstance(other, OneOf):
        return OneOf(one.attribute, one.values | other.values)
    if isinstance(one, Language) and isinstance(other, Language):
        return Language(one.attribute, one.tags | other.tags)
    if isinstance(one, Tagged) and isinstance(other, Tagged):
        return Tagged(one.attribute, one.tags | other.tags)
    if isinstance(one, Within) and isinstance(other, Within):
        return Within(one.attribute, one.measure, one.spans | other.spans)
    assert isinstance(one, Present)
    return one


def _span(duration: Duration) -> Span:
    """Returns the span. Milliseconds are whole numbers, so more than 10 means 11 or more."""
    spans: dict[str, Span] = {
        ">": (duration.ms + 1, None),
        ">=": (duration.ms, None),
        "<": (None, duration.ms),
        "<=": (None, duration.ms + 1),
    }
    return spans[duration.operator]
