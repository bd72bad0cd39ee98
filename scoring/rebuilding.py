"""A rebuild: fills new lists beside the live ones, then swaps them in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType
from uuid import uuid4

import redis
from redis.exceptions import LockError, LockNotOwnedError, NoScriptError
from redis.lock import Lock

from lua_scripts.runner import Args, LuaCall, text_of
from lua_scripts.servers import Client
from scoring.keys import Keys, is_query_list, member, thread_id
from scoring.placing import counted_as
from scoring.server_life import ServerLife

#: Another process may take over a rebuild that did not renew its lock for this long.
LOCK_SECONDS = 5.0
LOCK_MS = int(LOCK_SECONDS * 1_000)
LOCK_RENEW_SECONDS = 1.0
#: What was filled is there for longer than what says whose it is: nobody goes on with a part of it.
FILLED_MS = 2 * LOCK_MS
#: Threads that one step fills: Redis serves no other client meanwhile (a few milliseconds).
FILL_THREADS = 125
#: Places on lists of queries that are sent at once; others are served in between.
FILL_PLACES = 5_000

#: (thread id, revision, a score for each sort)
Row = tuple[int, int, Sequence[int]]
#: The same, and who has the thread, for the lists of a view.
ViewRow = tuple[int, int, Sequence[int], int | None]


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
        self._lock: Lock | None = None
        if not all(map(is_query_list, self._open)):
            self._lock = client.lock(keys.rebuild_lock, timeout=LOCK_SECONDS, thread_local=False)
            if not self._lock.acquire(blocking=False):
                raise RebuildBusy("another process is rebuilding")
        self._held_at = monotonic()
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

        Renews the locks and what was filled, or takes the lock of views again if no other process
        has it meanwhile. Raises RebuildLost.
        """
        if monotonic() - self._held_at < LOCK_RENEW_SECONDS:
            return
        if self._lock is not None:
            try:
                self._lock.reacquire()
            except LockNotOwnedError as error:
                if not self._lock.acquire(blocking=False):
                    raise RebuildLost("another process is rebuilding") from error
        with self._client.pipeline(transaction=False) as pipeline:
            for list_id in self._open:
                for key in self._filled(list_id):
                    pipeline.pexpire(key, FILLED_MS)
                pipeline.pexpire(self._keys.next(list_id), LOCK_MS)
            pipeline.execute()
        self._held_at = monotonic()

    def fill(self, view: str, rows: Sequence[ViewRow]) -> None:
        """Puts threads on the new lists of a view; again for the same thread: the last counts.

        Raises RebuildLost.
        """
        self.hold()
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
            keys += [self._keys.touched, self._keys.query_calls]
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
        for list_id in self._open:
            if self._is_ours(self._client.hget(self._keys.next(list_id), "token")):
                self._client.unlink(self._keys.next(list_id), *self._filled(list_id))
                if is_query_list(list_id):
                    self._client.hdel(self._keys.meta(list_id), "building")
        self._open = []
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            with suppress(LockError):
                self._lock.release()

    def _begin_call(self, list_id: str, seen: Mapping[str, str | None] | None) -> LuaCall:
        keys = [self._keys.meta(list_id), self._keys.next(list_id)]
        if is_query_list(list_id):
            keys += [self._keys.changes(list_id), *self._filled(list_id), self._keys.touched]
            replaced = "*" if seen is None else seen[list_id] or ""
            args: Args = [self._token, list_id, LOCK_MS, replaced]
            return LuaCall("queries/begin", keys, args)
        keys += [*self._filled(list_id), self._keys.left(list_id)]
        return LuaCall("begin", keys, [self._token, LOCK_MS])

    def _filled(self, list_id: str) -> list[str]:
        sorts = [self._keys.next_sort(list_id, sort) for sort in self._sorts_of(list_id)]
        # The lists of all queries share the revisions, which stay.
        return sorts if is_query_list(list_id) else [*sorts, self._keys.next_revisions(list_id)]

    def _fill_call(self, list_id: str, rows: Sequence[Row], progress: float) -> LuaCall:
        [sort] = self._sorts_of(list_id)
        keys = [self._keys.next(list_id), self._keys.next_sort(list_id, sort)]
        pairs = _pairs([row[2][0] for row in rows], [member(row[0]) for row in rows])
        args: Args = [self._token, LOCK_MS, FILLED_MS, f"{progress:.3f}", pairs]
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
        if not calls:
            return
        try:
            answers = self._lua.run_all(calls)
        except NoScriptError as error:
            raise RebuildLost("Redis was started again meanwhile") from error
        if not all(answers):
            raise RebuildLost("what was filled is gone, or another process took over")

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
            self._lua.run_all(calls)

    def _is_ours(self, token: bytes | str | None) -> bool:
        return token is not None and text_of(token) == self._token


def _pairs(left: Iterable[str | int], right: Iterable[str | int]) -> str:
    """`["left", "right", "left", "right", …]`, of what needs no escaping. One argument, since each
    one costs more than what it says; and Redis reads JSON faster than Lua cuts words."""
    pairs = [f'"{one}","{other}"' for one, other in zip(left, right, strict=True)]
    return f"[{','.join(pairs)}]"
