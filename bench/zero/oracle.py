"""What lists and badges must be after each change, by Lineup's own reader of conditions."""

import zlib
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from bench.zero.table import Row
from bench.zero.views import View

HEAD = 100
#: Place in a list: the newest first, then by id.
Place = tuple[int, int]


class State(NamedTuple):
    """The number of threads of each view, and a checksum of the head of each list."""

    counts: tuple[int, ...]
    heads: dict[int, int]


class Oracle:
    """Follows the changes of the table; `listed` are the numbers of the views with a list."""

    def __init__(self, rows: Iterable[Row], views: Sequence[View], listed: Collection[int]):
        self._rows = {row.id: row for row in rows}
        self._nodes = [view.resolved.root for view in views]
        self._counts = [0] * len(views)
        self._lists: dict[int, list[Place]] = {number: [] for number in listed}
        for row in self._rows.values():
            for number in self._views_of(row):
                self._counts[number] += 1
                if number in self._lists:
                    self._lists[number].append(_place(row))
        for places in self._lists.values():
            places.sort()

    def change(self, row: Row) -> None:
        before = self._rows[row.id]
        for number in self._views_of(before):
            self._counts[number] -= 1
            if number in self._lists:
                places = self._lists[number]
                del places[bisect_left(places, _place(before))]
        for number in self._views_of(row):
            self._counts[number] += 1
            if number in self._lists:
                insort(self._lists[number], _place(row))
        self._rows[row.id] = row

    @property
    def state(self) -> State:
        heads = {number: self._head(places) for number, places in self._lists.items()}
        return State(tuple(self._counts), heads)

    def _head(self, places: list[Place]) -> int:
        text = ",".join(f"{id}:{self._rows[id].seq}" for _, id in places[:HEAD])
        return zlib.crc32(text.encode())

    def _views_of(self, row: Row) -> list[int]:
        subject = row.subject
        return [number for number, node in enumerate(self._nodes) if node.holds(subject, 0)]


def _place(row: Row) -> Place:
    return -row.recent_at, row.id
