"""Lists of people by last seen, newest first, in pages that stay stable while people move."""

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol

from lua_scripts.runner import LuaCall, text_of
from presence.people import People
from presence.states import Relation, Viewer

#: The rows that a list reads: those that everyone may see, that contacts may see, or all.
Audience = Literal["everyone", "contacts", "truth"]


class Row(NamedTuple):
    """A person, named in UTF-8, in the order of lists: by time, with equal times by bytes."""

    last_seen: int
    name: bytes


class Wanted(NamedTuple):
    """Rows of these times in ms, both included, below `after`; of one group, or None for all; of
    these people alone, or None for all."""

    from_ms: int
    to_ms: int
    group: str | None = None
    after: Row | None = None
    people: tuple[str, ...] | None = None


class Archive(Protocol):
    """The store of people that Redis does not know: SQL."""

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        """Returns the first `limit` rows, newest first; of equal times the greatest name first."""

    def count(self, audience: Audience, wanted: Wanted) -> int:
        """Counts the rows of these times."""


class Found(NamedTuple):
    """Rows in order, and their number; `since_ms`: since when Redis knows everyone, None if it has
    just begun."""

    rows: Iterator[Row]
    total: int
    since_ms: int | None


class _Shard(NamedTuple):
    rows: list[Row]
    may_go_on: bool
    total: int
    since_ms: int | None


class Shards:
    """Reads the sets of last seen of a namespace."""

    def __init__(self, people: People):
        self._people = people
        self._all = range(people.space.shards)

    def rows(self, audience: Audience, wanted: Wanted, at_once: int) -> Found:
        """Returns rows. Fetches its likely share of `at_once` from each shard, then more as needed.

        `total` counts rows only if `wanted` has no `after`.
        """
        if wanted.people is not None:
            return self._rows_among(audience, wanted, wanted.people)
        share = at_once / len(self._all)
        limit = min(at_once, math.ceil(share + 3 * math.sqrt(share)))
        first = self._fetch([self._call(shard, audience, wanted, limit) for shard in self._all])
        runs = [
            self._run(shard, page, audience, wanted, limit)
            for shard, page in zip(self._all, first, strict=True)
        ]
        starts = [page.since_ms for page in first if page.since_ms is not None]
        since_ms = max(starts) if len(starts) == len(first) else None
        return Found(heapq.merge(*runs, reverse=True), sum(page.total for page in first), since_ms)

    def _rows_among(self, audience: Audience, wanted: Wanted, people: Sequence[str]) -> Found:
        """Returns all rows of some people; asks all shards, because `since_ms` depends on each."""
        space = self._people.space
        named: list[list[str]] = [[] for _ in self._all]
        for person in people:
            named[space.shard_of(person)].append(person)
        first = ("", "", audience, wanted.from_ms, wanted.to_ms)
        calls = [
            LuaCall("people/seen_among", space.people(shard), [*first, *names])
            for shard, names in zip(self._all, named, strict=True)
        ]
        rows: list[Row] = []
        starts: list[int] = []
        for since, *flat in self._people.lua.run_all(calls):
            starts += [int(since)] if since else []
            pairs = zip(flat[::2], flat[1::2], strict=True)
            rows += [Row(int(at), text_of(name).encode()) for name, at in pairs]
        since_ms = max(starts) if len(starts) == len(calls) else None
        after = wanted.after
        rows = sorted((row for row in rows if after is None or row < after), reverse=True)
        return Found(iter(rows), len(rows), since_ms)

    def rows_of(self, shard: int, wanted: Wanted, at_once: int) -> Iterator[Row]:
        """Yields all rows of one shard, also of hidden people."""
        [first] = self._fetch([self._call(shard, "truth", wanted, at_once)])
        return self._run(shard, first, "truth", wanted, at_once)

    def _run(
        self, shard: int, page: _Shard, audience: Audience, wanted: Wanted, limit: int
    ) -> Iterator[Row]:
        while True:
            yield from page.rows
            if not page.may_go_on:
                return
            wanted = wanted._replace(after=page.rows[-1])
            [page] = self._fetch([self._call(shard, audience, wanted, limit)])

    def _call(self, shard: int, audience: Audience, wanted: Wanted, limit: int) -> LuaCall:
        at, name = wanted.after or ("", b"")
        argv: list[str | bytes | int] = ["", "", audience, wanted.from_ms, wanted.to_ms]
        argv += [limit, at, name]
        if wanted.group is not None:
            argv.append(wanted.group)
        return LuaCall("people/seen_page", self._people.space.people(shard), argv)

    def _fetch(self, calls: list[LuaCall]) -> list[_Shard]:
        pages = []
        for call, answer in zip(calls, self._people.lua.run_all(calls), strict=True):
            since, total, *flat = answer
            rows = [
                Row(int(at), text_of(name).encode())
                for name, at in zip(flat[::2], flat[1::2], strict=True)
            ]
            since_ms = int(since) if since else None
            pages.append(_Shard(rows, len(rows) == call.args[5], int(total), since_ms))
        return pages


#: Age limits of green and yellow, in milliseconds since last seen.
GREEN_MS, YELLOW_MS = 60_000, 300_000
#: Rows of one page.
MAX_ROWS = 500
#: Rows of the archive that are compared with Redis for a total. Beyond that the total counts all,
#: also people who came back in the last seconds and are not stored yet.
EXACT_MAX = 500
#: Rows of the archive that are read at once, at least.
MIN_ARCHIVED = 100
#: A viewer who sees what everyone may see.
ANYBODY = Viewer()
#: Returns the given people that a viewer may know; called in bulk.
Known = Callable[[Sequence[str]], Collection[str]]
#: (from, to) in ms since 1970, both included; or a number of ms until now.
Times = tuple[int, int] | int


def colour(last_seen_ms: int | None, now_ms: int) -> str:
    """Returns the colour by age: green below 60 s, yellow below 300 s, else grey. (R38)"""
    if last_seen_ms is None or now_ms - last_seen_ms >= YELLOW_MS:
        return "grey"
    return "green" if now_ms - last_seen_ms < GREEN_MS else "yellow"


class Seen(NamedTuple):
    """A person and the time last seen, in ms since 1970."""

    id: str
    last_seen: int
    colour: str


class Position(NamedTuple):
    """The end of a page: times and total of the first page, and the page's last row."""

    from_ms: int
    to_ms: int
    total: int
    last_seen: int
    name: str


class Page(NamedTuple):
    """A page; `next` is the beginning of the next one, None at the end; `total` is of all pages."""

    people: list[Seen]
    next: Position | None
    total: int


class Listing:
    """Lists of one namespace; the choice of sets decides which people a viewer sees."""

    def __init__(
        self, people: People, related: Relation | None = None, archive: Archive | None = None
    ):
        self._people = people
        self._shards = Shards(people)
        self._related = related
        self._archive = archive

    def page(
        self,
        times: Times,
        limit: int = 100,
        after: Position | None = None,
        viewer: Viewer = ANYBODY,
        group: str | None = None,
        known: Known | None = None,
        among: Collection[str] | None = None,
    ) -> Page:
        """Returns people last seen in these times (by Redis's clock), connected or not.

        A page after a position has the times and the total of the first page: people seen since
        then are left out, and none comes twice. A `group` selects its people: their names begin
        with it and a slash. Only people that `known` returns are listed and counted; `among`
        replaces it if there are few such people. Raises errors of Redis, of the archive and of
        `known`.
        """
        limit = max(1, min(limit, MAX_ROWS))
        now_ms = self._people.now_ms()
        if after is None:
            from_ms, to_ms = times if isinstance(times, tuple) else (now_ms - times + 1, now_ms)
            wanted = Wanted(from_ms, to_ms, group, people=None if among is None else (*among,))
            matches = self._found(wanted, limit + 1, viewer, now_ms)
            total = matches.total
        else:
            from_ms, to_ms, total, last_seen, name = after
            last = Row(last_seen, name.encode())
            wanted = Wanted(from_ms, to_ms, group, last, None if among is None else (*among,))
            matches = self._found(wanted, limit + 1, viewer, now_ms)
        if known is not None:
            first = wanted if after is None else None
            matches = self._of_known(matches, known, first, viewer, now_ms)
            total = matches.total if after is None else total
        rows = list(islice(matches.rows, limit + 1))
        people = [Seen(name, at, colour(at, now_ms)) for at, name in map(_decoded, rows[:limit])]
        if len(rows) <= limit:
            return Page(people, None, total)
        return Page(people, Position(from_ms, to_ms, total, *_decoded(rows[limit - 1])), total)

    def _of_known(
        self, matches: Found, known: Known, wanted: Wanted | None, viewer: Viewer, now_ms: int
    ) -> Found:
        """Returns the rows of the people that `known` returns. With `wanted` all rows are fetched
        and counted; without, only as many as are taken."""
        if wanted is not None:
            matches = self._found(wanted, max(MAX_ROWS, matches.total), viewer, now_ms)
        rows = _only(matches.rows, known)
        if wanted is None:
            return matches._replace(rows=rows)
        every = list(rows)
        return matches._replace(rows=iter(every), total=len(every))

    def _found(self, wanted: Wanted, at_once: int, viewer: Viewer, now_ms: int) -> Found:
        """Returns, in order, rows for everyone, and rows of people with the viewer as a contact."""
        if viewer.truth:
            return self._rows("truth", wanted, at_once, now_ms)
        everyone = self._rows("everyone", wanted, at_once, now_ms)
        if self._related is None:
            return everyone
        contacts = self._rows("contacts", wanted, at_once, now_ms)
        contact_rows = self._contacts_of(contacts.rows, at_once, viewer)
        if contacts.total and wanted.after is None:
            again = self._rows("contacts", wanted, MAX_ROWS, now_ms).rows
            count = sum(1 for _ in self._contacts_of(again, MAX_ROWS, viewer))
            everyone = everyone._replace(total=everyone.total + count)
        return everyone._replace(rows=heapq.merge(everyone.rows, contact_rows, reverse=True))

    def _contacts_of(self, rows: Iterator[Row], at_once: int, viewer: Viewer) -> Iterator[Row]:
        while batch := list(islice(rows, at_once)):
            names = [row.name.decode() for row in batch]
            contacts = self._contacts(viewer, names)
            yield from (row for row, name in zip(batch, names, strict=True) if name in contacts)

    def _contacts(self, viewer: Viewer, names: list[str]) -> frozenset[str]:
        try:
            return frozenset(self._related(viewer.id, names)) if self._related else frozenset()
        except Exception:  # A failing function of the caller must not show a hidden person.
            return frozenset()

    def _rows(self, audience: Audience, wanted: Wanted, at_once: int, now_ms: int) -> Found:
        """Returns rows of Redis and, for times before it knew everyone, of the archive."""
        matches = self._shards.rows(audience, wanted, at_once)
        since_ms = now_ms + 1 if matches.since_ms is None else matches.since_ms
        seam_ms = max(since_ms, now_ms - self._people.timing.last_seen_ttl_ms)
        if self._archive is None or wanted.from_ms >= seam_ms:
            return matches
        older = wanted._replace(to_ms=min(wanted.to_ms, seam_ms - 1))
        archived = self._archived(self._archive, audience, older, max(at_once, MIN_ARCHIVED))
        total = matches.total
        if wanted.after is None:
            count = self._archive.count(audience, older)
            if count <= EXACT_MAX:
                rows = list(archived)
                count, archived = len(rows), iter(rows)
            total += count
        return matches._replace(rows=_joined(matches.rows, seam_ms, archived), total=total)

    def _archived(
        self, archive: Archive, audience: Audience, wanted: Wanted, at_once: int
    ) -> Iterator[Row]:
        """Yields rows of people that Redis does not know: its own rows are newer."""
        while True:
            rows = archive.page(audience, wanted, at_once)
            snapshots = self._people.held(row.name.decode() for row in rows)
            for row in rows:
                one = snapshots[row.name.decode()]
                if one.needs_storage if audience != "truth" else not one.is_truly_known:
                    yield row
            if len(rows) < at_once:
                return
            wanted = wanted._replace(after=rows[-1])


def _only(rows: Iterator[Row], known: Known) -> Iterator[Row]:
    while batch := list(islice(rows, MAX_ROWS)):
        names = known([row.name.decode() for row in batch])
        yield from (row for row in batch if row.name.decode() in names)


def _joined(rows: Iterator[Row], seam_ms: int, older: Iterator[Row]) -> Iterator[Row]:
    """Merges rows. `older` only has rows before the seam, and is not read before it is reached."""
    for row in rows:
        if row.last_seen < seam_ms:
            yield from heapq.merge(chain([row], rows), older, reverse=True)
            return
        yield row
    yield from older


def _decoded(row: Row) -> tuple[int, str]:
    return row.last_seen, row.name.decode()
