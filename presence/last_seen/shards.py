"""Rows of last seen in Redis: merged from the shards, as many as are asked for."""

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lua_scripts.runner import LuaCall, text_of
from presence.last_seen.rows import Audience, Row, Wanted
from presence.people import People


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
            self._run(shard, found, audience, wanted, limit)
            for shard, found in zip(self._all, first, strict=True)
        ]
        known = [found.since_ms for found in first if found.since_ms is not None]
        since_ms = max(known) if len(known) == len(first) else None
        return Found(
            heapq.merge(*runs, reverse=True), sum(found.total for found in first), since_ms
        )

    def _rows_among(self, audience: Audience, wanted: Wanted, people: Sequence[str]) -> Found:
        """Returns all rows of some people, from all shards: `since_ms` of each counts, too."""
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
        known: list[int] = []
        for since, *flat in self._people.lua.run_all(calls):
            known += [int(since)] if since else []
            pairs = zip(flat[::2], flat[1::2], strict=True)
            rows += [Row(int(at), text_of(name).encode()) for name, at in pairs]
        since_ms = max(known) if len(known) == len(calls) else None
        after = wanted.after
        found = sorted((row for row in rows if after is None or row < after), reverse=True)
        return Found(iter(found), len(found), since_ms)

    def rows_of(self, shard: int, wanted: Wanted, at_once: int) -> Iterator[Row]:
        """Yields all rows of one shard, also of hidden people."""
        [first] = self._fetch([self._call(shard, "truth", wanted, at_once)])
        return self._run(shard, first, "truth", wanted, at_once)

    def _run(
        self, shard: int, found: _Shard, audience: Audience, wanted: Wanted, limit: int
    ) -> Iterator[Row]:
        while True:
            yield from found.rows
            if not found.may_go_on:
                return
            wanted = wanted._replace(after=found.rows[-1])
            [found] = self._fetch([self._call(shard, audience, wanted, limit)])

    def _call(self, shard: int, audience: Audience, wanted: Wanted, limit: int) -> LuaCall:
        at, name = wanted.after or ("", b"")
        argv: list[str | bytes | int] = ["", "", audience, wanted.from_ms, wanted.to_ms]
        argv += [limit, at, name]
        if wanted.group is not None:
            argv.append(wanted.group)
        return LuaCall("people/seen_page", self._people.space.people(shard), argv)

    def _fetch(self, calls: list[LuaCall]) -> list[_Shard]:
        fetched = []
        for call, answer in zip(calls, self._people.lua.run_all(calls), strict=True):
            since, total, *flat = answer
            rows = [
                Row(int(at), text_of(name).encode())
                for name, at in zip(flat[::2], flat[1::2], strict=True)
            ]
            since_ms = int(since) if since else None
            fetched.append(_Shard(rows, len(rows) == call.args[5], int(total), since_ms))
        return fetched
