"""What is read from the lists: values, and how they are made from the answers of Redis."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring.keys import thread_id

#: Stands for a score that no sort gives: a stranger's 1.5 or inf.
FOREIGN_SCORE = -1


class Entry(NamedTuple):
    """A thread on a list."""

    id: int
    score: int


@dataclass(frozen=True)
class Head:
    """Successive entries of a list, and where its tag stood at that moment."""

    epoch: str
    version: int
    total: int
    entries: list[Entry]


@dataclass(frozen=True)
class Changes:
    """What changed on the lists of a tag since a version.

    `sets`: for each sort that was asked for, the changed threads that are on it, in order.
    `gone`: the changed threads that are on none of these sorts any more.
    `tops`: for each sort, the last entry of its top; None where all of it is top.
    """

    epoch: str
    version: int
    total: int
    sets: dict[str, list[Entry]]
    gone: list[int]
    tops: dict[str, Entry | None] = field(default_factory=dict)

    def on_top(self, sort: str) -> list[Entry]:
        """The changed threads that stand in the top of a list now: they are likely to be seen."""
        last = self.tops.get(sort)
        found = self.sets[sort]
        return found if last is None else [e for e in found if not stands_before(last, e)]


@dataclass(frozen=True)
class State:
    """Where a tag stands; `epoch` None where its data are lost, damaged or were never there."""

    epoch: str | None
    version: int
    total: int


def text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def whole(score: bytes | str | float) -> int:
    """A score as an integer; FOREIGN_SCORE for what no sort gives."""
    number = float(score)
    return int(number) if number.is_integer() else FOREIGN_SCORE


def entries(flat: list[Any]) -> list[Entry]:
    """Entries of `[member, score, …]`; members that are no threads are left out."""
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return [Entry(id, whole(score)) for name, score in pairs if (id := thread_id(name)) is not None]


def in_order(found: Iterable[Entry]) -> list[Entry]:
    """By score, then id: the only rule of order there is."""
    return sorted(found, key=lambda entry: (entry.score, entry.id))


def stands_before(left: Entry, right: Entry) -> bool:
    return (left.score, left.id) < (right.score, right.id)


def changes(epoch: str, sorts: tuple[str, ...], answer: list[Any]) -> Changes:
    """Changes of what since.lua answers."""
    version, total, members, *rest = answer
    columns, tops = rest[::2], [entries(flat) for flat in rest[1::2]]
    ids = [thread_id(name) for name in members]
    sets = {
        sort: in_order(
            Entry(id, whole(score))
            for id, score in zip(ids, scores, strict=True)
            if id is not None and score is not None
        )
        for sort, scores in zip(sorts, columns, strict=True)
    }
    there = {entry.id for found in sets.values() for entry in found}
    gone = [id for id in ids if id is not None and id not in there]
    last = {sort: top[0] if top else None for sort, top in zip(sorts, tops, strict=True)}
    return Changes(epoch, int(version), total, sets, gone, last)
