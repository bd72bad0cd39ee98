"""Values read from the lists, and functions that make them of Redis's answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring.keys import thread_id

#: Replaces a score that no sort gives, such as 1.5 or inf, written by another program.
FOREIGN_SCORE = -1


class Entry(NamedTuple):
    """A thread on a list."""

    id: int
    score: int


@dataclass(frozen=True)
class Head:
    """Successive entries of a list, and its epoch and version at that moment."""

    epoch: str
    version: int
    total: int
    entries: list[Entry]


@dataclass(frozen=True)
class Changes:
    """The changes on the lists of a list id since a version.

    `sets`: for each sort that was asked for, the changed threads that are on it, in order.
    `gone`: the changed threads that are on none of these sorts any more.
    `tops`: for each sort, the last entry of its top; None: the whole list is top.
    """

    epoch: str
    version: int
    total: int
    sets: dict[str, list[Entry]]
    gone: list[int]
    tops: dict[str, Entry | None] = field(default_factory=dict)

    def on_top(self, sort: str) -> list[Entry]:
        """Returns the changed threads in the top of a list now, which are likely on screen."""
        last = self.tops.get(sort)
        rows = self.sets[sort]
        return rows if last is None else [e for e in rows if not stands_before(last, e)]


class Known(NamedTuple):
    """The version of a list that a reader holds; the reader asks for the changes since."""

    list_id: str
    sorts: Sequence[str]
    epoch: str
    version: int


@dataclass(frozen=True)
class State:
    """Epoch and version of a list id; `epoch` is None if its data are lost, corrupt or absent.

    `uneven`: the lengths of its sorts and the count differ, so an entry is missing or too many.
    `assigned`: for a view, the number of threads by assignee (0: nobody), if it was asked for.
    """

    epoch: str | None
    version: int
    total: int
    uneven: bool = False
    assigned: Mapping[int, int] = field(default_factory=dict, compare=False)


def whole(score: bytes | str | float) -> int:
    """Returns a score as an integer; FOREIGN_SCORE for a score that no sort gives."""
    number = float(score)
    return int(number) if number.is_integer() else FOREIGN_SCORE


def entries(flat: list[Any]) -> list[Entry]:
    """Returns the entries in `[member, score, …]`, without members that are not threads."""
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return [Entry(id, whole(score)) for name, score in pairs if (id := thread_id(name)) is not None]


def in_order(rows: Iterable[Entry]) -> list[Entry]:
    """Sorts by score, then by id: the only rule of order."""
    return sorted(rows, key=lambda entry: (entry.score, entry.id))


def stands_before(left: Entry, right: Entry) -> bool:
    return (left.score, left.id) < (right.score, right.id)


def changes(epoch: str, sorts: tuple[str, ...], answer: list[Any]) -> Changes:
    """Makes Changes of the answer of since.lua."""
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
    there = {entry.id for rows in sets.values() for entry in rows}
    gone = [id for id in ids if id is not None and id not in there]
    last = {sort: top[0] if top else None for sort, top in zip(sorts, tops, strict=True)}
    return Changes(epoch, int(version), total, sets, gone, last)
