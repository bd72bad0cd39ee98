"""Lists of people by last seen, newest first, in pages that stay stable while people move."""

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lua_scripts.runner import LuaCall, text_of
from presence.keys import Audience
from presence.people import People
from presence.states import Relation, Viewer

#: Green below the first, yellow below the second, in milliseconds since last seen.
GREEN_MS, YELLOW_MS = 60_000, 300_000
#: Rows of one page.
MAX_ROWS = 500
#: Rows of a shard that one call reads while it looks for names with a prefix.
SLICE_ROWS = 5_000
#: Sees what everyone may see.
ANYBODY = Viewer()
#: (from, to) in ms since 1970, both included; or a number of ms until now.
Times = tuple[int, int] | int


def colour(last_seen_ms: int | None, now_ms: int) -> str:
    """Colour of a look-up by age: green below 60 s, yellow below 300 s, else grey. (R38)"""
    if last_seen_ms is None or now_ms - last_seen_ms >= YELLOW_MS:
        return "grey"
    return "green" if now_ms - last_seen_ms < GREEN_MS else "yellow"


class Seen(NamedTuple):
    """A person and when they were last seen, in ms since 1970."""

    id: str
    last_seen: int
    colour: str


class Position(NamedTuple):
    """Where a page ended: times and total of the first page, and the page's last row."""

    from_ms: int
    to_ms: int
    total: int
    last_seen: int
    name: str


class Page(NamedTuple):
    """`next` is where the next page begins, None at the end; `total` counts all pages."""

    people: list[Seen]
    next: Position | None
    total: int


class _Row(NamedTuple):
    last_seen: int
    name: bytes


class Listing:
    """Lists of one namespace; the sets that are read decide who is shown to whom."""

    def __init__(self, people: People, related: Relation | None = None):
        self._people = people
        self._space = people.space
        self._related = related

    def page(
        self,
        times: Times,
        limit: int = 100,
        after: Position | None = None,
        viewer: Viewer = ANYBODY,
        prefix: str = "",
    ) -> Page:
        """People last seen in these times (by Redis's clock), connected or not.

        A page after a position has the times and the total of the first page: people seen since
        then are left out, and none comes twice. With a `prefix` only names that begin with it
        count, and the total costs a walk over all rows.
        """
        limit = max(1, min(limit, MAX_ROWS))
        now_ms = self._people.now_ms()
        if after is None:
            from_ms, to_ms = times if isinstance(times, tuple) else (now_ms - times + 1, now_ms)
            last, total = None, self._total(from_ms, to_ms, viewer, prefix)
        else:
            from_ms, to_ms, total, last_seen, name = after
            last = _Row(last_seen, name.encode())
        walk = self._walk(from_ms, to_ms, limit + 1, viewer, prefix, last)
        rows = list(islice(walk, limit + 1))
        people = [Seen(name, at, colour(at, now_ms)) for at, name in map(_decoded, rows[:limit])]
        if len(rows) <= limit:
            return Page(people, None, total)
        return Page(people, Position(from_ms, to_ms, total, *_decoded(rows[limit - 1])), total)

    def _walk(
        self, from_ms: int, to_ms: int, at_once: int, viewer: Viewer, prefix: str,
        after: _Row | None,
    ) -> Iterator[_Row]:  # fmt: skip
        """Rows in order: those of everyone, and of contacts only those who know the viewer."""
        if viewer.truth:
            return self._rows("truth", from_ms, to_ms, at_once, prefix, after)
        everyone = self._rows("everyone", from_ms, to_ms, at_once, prefix, after)
        if self._related is None:
            return everyone
        known = self._known(from_ms, to_ms, at_once, viewer, prefix, after)
        return heapq.merge(everyone, known, reverse=True)

    def _known(
        self, from_ms: int, to_ms: int, at_once: int, viewer: Viewer, prefix: str,
        after: _Row | None,
    ) -> Iterator[_Row]:  # fmt: skip
        rows = self._rows("contacts", from_ms, to_ms, at_once, prefix, after)
        while batch := list(islice(rows, at_once)):
            names = [row.name.decode() for row in batch]
            contacts = self._contacts(viewer, names)
            yield from (row for row, name in zip(batch, names, strict=True) if name in contacts)

    def _contacts(self, viewer: Viewer, names: list[str]) -> frozenset[str]:
        try:
            return frozenset(self._related(viewer.id, names)) if self._related else frozenset()
        except Exception:  # A failing function of the caller must not show a hidden person.
            return frozenset()

    def _rows(
        self, audience: Audience, from_ms: int, to_ms: int, at_once: int, prefix: str,
        after: _Row | None,
    ) -> Iterator[_Row]:  # fmt: skip
        """All rows of these sets, merged; `at_once` of each are fetched first, more as needed."""
        keys = [
            key for shard in range(self._space.shards) for key in self._space.seen(shard, audience)
        ]
        first = self._fetch(keys, from_ms, to_ms, at_once, prefix, [after] * len(keys))
        runs = [
            self._run(key, from_ms, to_ms, at_once, prefix, found)
            for key, found in zip(keys, first, strict=True)
        ]
        return heapq.merge(*runs, reverse=True)

    def _run(
        self, key: str, from_ms: int, to_ms: int, at_once: int, prefix: str,
        found: tuple[list[_Row], _Row | None],
    ) -> Iterator[_Row]:  # fmt: skip
        rows, last = found
        while True:
            yield from rows
            if last is None:
                return
            [(rows, last)] = self._fetch([key], from_ms, to_ms, at_once, prefix, [last])

    def _fetch(
        self, keys: list[str], from_ms: int, to_ms: int, limit: int, prefix: str,
        after: list[_Row | None],
    ) -> list[tuple[list[_Row], _Row | None]]:  # fmt: skip
        """Rows of each set, and the row to continue after if there may be more."""
        calls = []
        for key, row in zip(keys, after, strict=True):
            argv: list[str | int] = [from_ms, to_ms, limit, prefix, SLICE_ROWS]
            calls.append(
                LuaCall(
                    "people/seen_page",
                    [key],
                    argv + ([row.last_seen, row.name.decode()] if row else []),
                )
            )
        fetched = []
        for answer in self._people.lua.run_all(calls):
            stopped, *rows = [
                _Row(int(answer[at + 1] or 0), text_of(answer[at]).encode())
                for at in range(0, len(answer), 2)
            ]
            full = rows[-1] if len(rows) == limit else None
            fetched.append((rows, full or (stopped if stopped.name else None)))
        return fetched

    def _total(self, from_ms: int, to_ms: int, viewer: Viewer, prefix: str) -> int:
        if prefix or (self._related and not viewer.truth):
            everyone = self._walk(from_ms, to_ms, MAX_ROWS, viewer, prefix, None)
            if prefix:
                return sum(1 for _ in everyone)
            known = self._known(from_ms, to_ms, MAX_ROWS, viewer, prefix, None)
            return self._count("everyone", from_ms, to_ms) + sum(1 for _ in known)
        return self._count("truth" if viewer.truth else "everyone", from_ms, to_ms)

    def _count(self, audience: Audience, from_ms: int, to_ms: int) -> int:
        with self._people.client.pipeline(transaction=False) as pipeline:
            for shard in range(self._space.shards):
                for key in self._space.seen(shard, audience):
                    pipeline.zcount(key, from_ms, to_ms)
            return sum(pipeline.execute())


def _decoded(row: _Row) -> tuple[int, str]:
    return row.last_seen, row.name.decode()
