"""A rebuild: fills new lists beside the live ones, then swaps them in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any
from uuid import uuid4

import redis
from redis.exceptions import NoScriptError

from lua_scripts.runner import Args, LuaCall, LuaRunner
from lua_scripts.servers import Client
from lua_scripts.sources import read_lua
from scoring.keys import Keys, is_query_list, member, thread_id
from scoring.placing import counted_as
from scoring.server_life import ServerLife

#: Another process may take over a rebuild that gave no sign of life for this long. Each rebuild in
#: a row that lost its lease doubles it for the next one: on a machine that starves all of them, one
#: is left alone for long enough.
LEASE_MS = 5_000
RENEW_SECONDS = 1.0
#: Time that what was filled is kept without a sign of life, and the longest lease. A rebuild that
#: nobody took over goes on, however late it is.
FILLED_MS = 900_000
#: Times that a call that may be repeated is sent, where its answer comes late or is read late.
TRIES = 3
#: Threads that one step fills: Redis serves no other client meanwhile (a few milliseconds).
FILL_THREADS = 125
#: Places on lists of queries that are sent at once; others are served in between.
FILL_PLACES = 5_000

#: (thread id, revision, a score for each sort)
Row = tuple[int, int, Sequence[int]]
#: The same, and who has the thread, for the lists of a view.
ViewRow = tuple[int, int, Sequence[int], int | None]

#: Not of a life of the server: what they guard, the other scripts refuse in another life.
_LEASE_SCRIPTS = {
    name: read_lua("scoring", "lease") + read_lua("scoring", name)
    for name in ("take", "renew", "release")
}


class RebuildBusy(Exception):
    """Another process is rebuilding."""


class RebuildLost(Exception):
    """The filled lists are gone: Redis was flushed or started again, or another process took over.

    Begin again.
    """


class Rebuild:
    """Use it in `with`: begin, fill and swap each list id of `list_ids`.

    One rebuild at a time in all processes makes the lists of views; that of a query is made by one
    rebuild at a time, beside all others. Whatever is placed on the live lists meanwhile is named by
    `swap`, to be placed again.
    """

    def __init__(
        self,
        client: Client,
        life: ServerLife,
        keys: Keys,
        sorts_of: Callable[[str], Sequence[str]],
        list_ids: Iterable[str],
        *,
        seen: Mapping[str, str | None] | None = None,
    ):
        """`sorts_of` gives the sorts of a list id.

        Lists of queries that another rebuild makes are left out; with `seen`, the epochs with which
        they were seen, None where a list was missing, also those that have another one by now.
        Raises RebuildBusy while another process rebuilds the lists of views.
        """
        self._client = client
        self._keys = keys
        self._sorts_of = sorts_of
        self._token = uuid4().hex
        self._open = list(list_ids)
        self._leases = LuaRunner(client, _LEASE_SCRIPTS)
        self._makes_views = not all(map(is_query_list, self._open))
        if self._makes_views:
            lock = [keys.rebuild_lock, keys.builder]
            if not self._leases.run("take", lock, self._token, LEASE_MS, FILLED_MS):
                raise RebuildBusy("another process is rebuilding")
        self._renewed_at = monotonic()
        try:
            # The scripts of this life alone: a dump may hold a part of what was filled.
            self._lua = life.begin()
            calls = [self._begin_call(list_id, seen) for list_id in self._open]
            begun = zip(self._open, self._lua.run_all(calls), strict=True)
            self._open = [list_id for list_id, has_begun in begun if has_begun]
        except redis.RedisError:
            self._release()
            raise
        self.list_ids = tuple(self._open)

    def __enter__(self) -> "Rebuild":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except redis.RedisError:
            if error is None:
                raise

    def hold(self) -> None:
        """Keeps what was begun while nothing is filled: call it, or `fill`, each few seconds.

        What comes later is refused only if another process took over meanwhile, or Redis lost what
        was begun. Raises RebuildLost.
        """
        if monotonic() - self._renewed_at < RENEW_SECONDS:
            return
        calls = []
        if self._makes_views:
            calls.append(self._renew_call(self._keys.builder, [], self._keys.rebuild_lock))
        views = [list_id for list_id in self._open if not is_query_list(list_id)]
        for list_id in self._open:
            if is_query_list(list_id):
                next, lease = self._keys.next(list_id), self._keys.lease(list_id)
                calls.append(self._renew_call(next, self._filled(list_id), lease))
        if not all(self._repeated(lambda: self._leases.run_all(calls))):
            raise RebuildLost("another process took over")
        with self._client.pipeline(transaction=False) as pipeline:
            for view in views:
                for key in (self._keys.next(view), *self._filled(view)):
                    pipeline.pexpire(key, FILLED_MS)
            pipeline.execute()
        self._renewed_at = monotonic()

    def fill(self, view: str, rows: Sequence[ViewRow]) -> None:
        """Puts threads on the new lists of a view; again for the same thread: the last counts.

        Raises RebuildLost.
        """
        last = [*{row[0]: row for row in rows}.values()]
        for first in range(0, len(last), FILL_THREADS):
            self._run_fills([self._fill_view_call(view, last[first : first + FILL_THREADS])])

    def fill_query(self, list_id: str, rows: Sequence[Row], progress: float = 0.0) -> None:
        """`fill` for the list of a query. `progress` (0 to 1) is kept for those who ask how far it
        is. Raises RebuildLost."""
        self.fill_queries({list_id: rows}, progress)

    def fill_queries(self, rows_of: Mapping[str, Sequence[Row]], progress: float = 0.0) -> None:
        """`fill_query` for many lists: list id → threads. Raises RebuildLost."""
        self.hold()
        calls: list[LuaCall] = []
        waiting = 0
        for list_id, rows in rows_of.items():
            # Also without rows: the call says how far the list is.
            for first in range(0, max(1, len(rows)), FILL_THREADS):
                part = rows[first : first + FILL_THREADS]
                calls.append(self._fill_call(list_id, part, progress))
                waiting += len(part)
                if waiting >= FILL_PLACES:
                    self._run_fills(calls)
                    calls, waiting = [], 0
        self._run_fills(calls)
        # Once for all lists: most threads are on many of them.
        revisions = {row[0]: row[1] for rows in rows_of.values() for row in rows}
        self._raise_revisions(next(iter(rows_of), ""), list(revisions.items()))

    def swap(self, list_id: str, epoch: str) -> list[int]:
        """Puts the new lists in the place of the live ones, in one step, under a new epoch.

        Returns the ids that were placed on the live lists since the rebuild began: place them
        again, from SQL. Raises RebuildLost; then the live lists are as they were.
        """
        self.hold()
        live = [self._keys.sort(list_id, sort) for sort in self._sorts_of(list_id)]
        if not is_query_list(list_id):
            live.append(self._keys.revisions(list_id))
        rest = [self._keys.next(list_id), self._keys.changes(list_id), self._keys.meta(list_id)]
        keys = live + self._filled(list_id) + rest
        args: Args = [self._token, epoch, ""]
        if is_query_list(list_id):
            keys += [self._keys.touched, self._keys.query_calls, self._keys.lease(list_id)]
            args = [self._token, epoch, list_id]
        try:
            [placed] = self._lua.run_all([LuaCall("swap", keys, args)])
        except NoScriptError as error:
            raise RebuildLost("Redis was started again meanwhile") from error
        if placed is None:
            raise RebuildLost(f"what was filled for {list_id} is gone")
        self._open.remove(list_id)
        return [id for name in placed if (id := thread_id(name)) is not None]

    def close(self) -> None:
        """Releases the lock; removes filled lists that were not swapped in."""
        calls = [self._release_call(list_id) for list_id in self._open]
        self._open = []
        if calls:
            self._leases.run_all(calls)
        self._release()

    def _release(self) -> None:
        if self._makes_views:
            builder = self._keys.builder
            self._leases.run("release", [builder, builder, self._keys.rebuild_lock], self._token)

    def _release_call(self, list_id: str) -> LuaCall:
        keys = [self._keys.next(list_id), self._keys.meta(list_id), *self._filled(list_id)]
        if is_query_list(list_id):
            keys.append(self._keys.lease(list_id))
        return LuaCall("release", keys, [self._token])

    def _renew_call(self, builder: str, filled: Sequence[str], lease: str) -> LuaCall:
        return LuaCall("renew", [builder, *filled, lease], [self._token, LEASE_MS, FILLED_MS])

    def _begin_call(self, list_id: str, seen: Mapping[str, str | None] | None) -> LuaCall:
        keys = [self._keys.meta(list_id), self._keys.next(list_id)]
        if is_query_list(list_id):
            keys += [self._keys.changes(list_id), *self._filled(list_id), self._keys.touched]
            keys.append(self._keys.lease(list_id))
            replaced = "*" if seen is None else seen[list_id] or ""
            args: Args = [self._token, list_id, replaced, LEASE_MS, FILLED_MS]
            return LuaCall("queries/begin", keys, args)
        keys += [*self._filled(list_id), self._keys.left(list_id)]
        return LuaCall("begin", keys, [self._token, FILLED_MS])

    def _filled(self, list_id: str) -> list[str]:
        sorts = [self._keys.next_sort(list_id, sort) for sort in self._sorts_of(list_id)]
        # The lists of all queries share the revisions, which stay.
        return sorts if is_query_list(list_id) else [*sorts, self._keys.next_revisions(list_id)]

    def _fill_call(self, list_id: str, rows: Sequence[Row], progress: float) -> LuaCall:
        [sort] = self._sorts_of(list_id)
        keys = [self._keys.next(list_id), self._keys.next_sort(list_id, sort)]
        pairs = _pairs([row[2][0] for row in rows], [member(row[0]) for row in rows])
        args: Args = [self._token, FILLED_MS, f"{progress:.3f}", pairs]
        return LuaCall("queries/fill", keys, args)

    def _fill_view_call(self, view: str, rows: Sequence[ViewRow]) -> LuaCall:
        names = [member(row[0]) for row in rows]
        # For each sort its scores, and then the revisions.
        columns = [*zip(*(row[2] for row in rows), strict=True)]
        revisions = [f"{row[1]}:{counted_as(row[3])}" for row in rows]
        texts = [_pairs(scores, names) for scores in columns] + [_pairs(names, revisions)]
        args: Args = [self._token, FILLED_MS, *texts]
        return LuaCall("fill", [self._keys.next(view), *self._filled(view)], args)

    def _run_fills(self, calls: Sequence[LuaCall]) -> None:
        self.hold()
        if not calls:
            return
        try:
            answers = self._repeated(lambda: self._lua.run_all(calls))
        except NoScriptError as error:
            raise RebuildLost("Redis was started again meanwhile") from error
        if not all(answers):
            raise RebuildLost("what was filled is gone, or another process took over")

    def _repeated(self, run: Callable[[], list[Any]]) -> list[Any]:
        """The result of `run`. A late answer costs one more call, not all that was filled."""
        for _ in range(TRIES - 1):
            with suppress(redis.TimeoutError):
                return run()
        return run()

    def _raise_revisions(self, list_id: str, revisions: Sequence[tuple[int, int]]) -> None:
        keys = [self._keys.revisions(list_id), self._keys.left(list_id)] if revisions else []
        calls = [
            LuaCall(
                "queries/raise_revisions",
                keys,
                [" ".join([f"{member(id)} {at}" for id, at in part])],
            )
            for first in range(0, len(revisions), FILL_THREADS)
            if (part := revisions[first : first + FILL_THREADS])
        ]
        if calls:
            self._repeated(lambda: self._lua.run_all(calls))


def _pairs(left: Iterable[str | int], right: Iterable[str | int]) -> str:
    """`["left", "right", "left", "right", …]`, of what needs no escaping. One argument, since each
    one costs more than what it says; and Redis reads JSON faster than Lua cuts words."""
    pairs = [f'"{one}","{other}"' for one, other in zip(left, right, strict=True)]
    return f"[{','.join(pairs)}]"
