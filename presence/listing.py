"""Who was seen when: pages, newest first, that hold still while people move."""

import base64
import heapq
import json
from collections.abc import Iterator
from typing import NamedTuple

from presence.ages import colour
from presence.errors import InvalidCursor
from presence.people import People
from presence.scripts import Call, text_of
from presence.states import Relation, Viewer

#: Rows of one page.
MOST_ROWS = 500
#: Rows of a shard that one call looks at for those with a prefix.
SLICE_ROWS = 5_000
#: Sees what everybody may.
ANYBODY = Viewer()


class Seen(NamedTuple):
    """Somebody, and when they were last seen."""

    id: str
    last_seen: int
    colour: str


class Page(NamedTuple):
    """`next` is the cursor of the page after it, None at the end; `total` is of all pages."""

    people: list[Seen]
    next: str | None
    total: int


class _Row(NamedTuple):
    last_seen: int
    name: bytes


class Listing:
    """Lists of one namespace, without a filter over those who may be known to everybody."""

    def __init__(self, people: People, related: Relation | None = None):
        self._people = people
        self._space = people.space
        self._related = related

    def recent(
        self,
        within_ms: int,
        limit: int = 100,
        cursor: str | None = None,
        viewer: Viewer = ANYBODY,
        prefix: str = "",
    ) -> Page:
        """Who was seen less than `within_ms` ago, by Redis's clock."""
        now_ms = self._people.now_ms()
        return self.between(now_ms - within_ms + 1, now_ms, limit, cursor, viewer, prefix)

    def between(
        self,
        from_ms: int,
        to_ms: int,
        limit: int = 100,
        cursor: str | None = None,
        viewer: Viewer = ANYBODY,
        prefix: str = "",
    ) -> Page:
        """Who was last seen from one time to another, both included.

        A cursor goes on where its page ended, with the times and the total of the first page:
        who is seen meanwhile leaves the walk, and nobody is in it twice. With a `prefix` only
        names that begin with it count, and the total costs a walk over all.
        """
        limit = max(1, min(limit, MOST_ROWS))
        now_ms = self._people.now_ms()
        if cursor is None:
            after, total = None, self._total(from_ms, to_ms, viewer, prefix)
        else:
            from_ms, to_ms, total, after = _read(cursor)
        rows: list[_Row] = []
        walk = self._walk(from_ms, to_ms, limit + 1, viewer, prefix, after)
        while len(rows) <= limit and (row := next(walk, None)):
            rows.append(row)
        more = len(rows) > limit
        rows = rows[:limit]
        found = [
            Seen(row.name.decode(), row.last_seen, colour(row.last_seen, now_ms)) for row in rows
        ]
        return Page(found, _cursor(from_ms, to_ms, total, rows[-1]) if more else None, total)

    def _walk(
        self, from_ms: int, to_ms: int, at_once: int, viewer: Viewer, prefix: str,
        after: _Row | None,
    ) -> Iterator[_Row]:  # fmt: skip
        """Rows in order; of those for contacts the ones who know the viewer."""
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
        while batch := [row for _, row in zip(range(at_once), rows, strict=False)]:
            names = [row.name.decode() for row in batch]
            close = self._close(viewer, names)
            yield from (row for row, name in zip(batch, names, strict=True) if name in close)

    def _close(self, viewer: Viewer, names: list[str]) -> frozenset[str]:
        try:
            return frozenset(self._related(viewer.id, names)) if self._related else frozenset()
        except Exception:  # whatever a handed-in function raises, it uncovers nobody
            return frozenset()

    def _rows(
        self, audience: str, from_ms: int, to_ms: int, at_once: int, prefix: str,
        after: _Row | None,
    ) -> Iterator[_Row]:  # fmt: skip
        """All rows of some sets in one order; fetched `at_once` of each, then as needed."""
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
        """Rows of each set, and the one to go on after if there may be more."""
        calls = []
        for key, row in zip(keys, after, strict=True):
            argv: list[str | int] = [from_ms, to_ms, limit, prefix, SLICE_ROWS]
            calls.append(
                Call("page", [key], argv + ([row.last_seen, row.name.decode()] if row else []))
            )
        fetched = []
        for answer in self._people.scripts.run_all(calls):
            stopped, *rows = [
                _Row(int(answer[at + 1] or 0), text_of(answer[at]).encode())
                for at in range(0, len(answer), 2)
            ]
            full = rows[-1] if len(rows) == limit else None
            fetched.append((rows, full or (stopped if stopped.name else None)))
        return fetched

    def _total(self, from_ms: int, to_ms: int, viewer: Viewer, prefix: str) -> int:
        if prefix or (self._related and not viewer.truth):
            everyone = self._walk(from_ms, to_ms, MOST_ROWS, viewer, prefix, None)
            if prefix:
                return sum(1 for _ in everyone)
            known = self._known(from_ms, to_ms, MOST_ROWS, viewer, prefix, None)
            return self._count("everyone", from_ms, to_ms) + sum(1 for _ in known)
        return self._count("truth" if viewer.truth else "everyone", from_ms, to_ms)

    def _count(self, audience: str, from_ms: int, to_ms: int) -> int:
        with self._people.client.pipeline(transaction=False) as pipeline:
            for shard in range(self._space.shards):
                for key in self._space.seen(shard, audience):
                    pipeline.zcount(key, from_ms, to_ms)
            return sum(pipeline.execute())


def _cursor(from_ms: int, to_ms: int, total: int, last: _Row) -> str:
    parts = [from_ms, to_ms, total, last.last_seen, last.name.decode()]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[int, int, int, _Row]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        *numbers, name = json.loads(
            base64.b64decode(padded.encode(), altchars=b"-_", validate=True)
        )
        from_ms, to_ms, total, last_seen = (int(number) for number in numbers)
        return from_ms, to_ms, total, _Row(last_seen, str(name).encode())
    except (ValueError, TypeError) as error:
        raise InvalidCursor("no page gave out this cursor") from error
