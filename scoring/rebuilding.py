"""A rebuild: fills new lists beside the live ones, then swaps them in."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from scoring.keys import ListKeys, member, thread_id
from scoring.server_life import ServerLife

#: Another process may take over a rebuild that gave no sign of life for this long. Each rebuild in
#: a row that lost its lease doubles it for the next one: so even on a slow machine one finally has
#: enough time.
LEASE_MS = 5_000
RENEW_SECONDS = 1.0
#: How long filled lists are kept without a sign of life, and the longest lease. A rebuild that
#: nobody took over goes on, however late it is.
FILLED_MS = 900_000
#: Attempts of a call that may be repeated, if its answer comes late or is read late.
TRIES = 3
#: Threads that one step fills: Redis serves no other client meanwhile (a few milliseconds).
FILL_THREADS = 125
#: Places on lists that are sent at once; others are served in between.
FILL_PLACES = 5_000

#: (thread id, revision, a score for each sort, the assignee's id where admins are counted)
Row = tuple[int, int, Sequence[int], int | None]

#: These run in any life of the server: in another life the other scripts refuse the filled lists.
_LEASE_SCRIPTS = {
    name: read_lua("scoring", "lease") + read_lua("scoring", name) for name in ("renew", "release")
}


class RebuildLost(Exception):
    """The filled lists are gone: Redis was flushed or started again, or another process took over.

    Begin again.
    """


class Rebuild:
    """A rebuild of lists: use it in `with`, and fill and swap each list id of `list_ids`.

    One rebuild at a time, in all processes, makes a list; other rebuilds may make other lists.
    `swap` returns the threads that were placed on the live list meanwhile: place them again.
    """

    def __init__(
        self,
        client: Client,
        life: ServerLife,
        lists: Iterable[ListKeys],
        *,
        seen: Mapping[str, str | None] | None = None,
    ):
        """Begins these lists; leaves out lists that another rebuild makes. `seen`: the epochs that
        were read before (None: missing); lists that have another one by now are left out, too."""
        self._client = client
        self._token = uuid4().hex
        self._leases = LuaRunner(client, _LEASE_SCRIPTS)
        self._renewed_at = monotonic()
        # Only the scripts of this life: a dump may hold a part of the filled lists.
        self._lua = life.begin()
        all_keys = list(lists)
        begun = self._lua.run_all([self._begin_call(keys, seen) for keys in all_keys])
        #: The lists that were begun and not swapped in yet, by list id.
        self._open = {
            keys.list_id: keys for keys, has_begun in zip(all_keys, begun, strict=True) if has_begun
        }
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
        """Keeps the begun lists while nothing is filled: call it, or `fill`, every few seconds.

        A later call fails only if another process took over meanwhile, or Redis lost the lists.
        Raises RebuildLost.
        """
        if monotonic() - self._renewed_at < RENEW_SECONDS:
            return
        calls = [
            LuaCall(
                "renew", [keys.next, *keys.filled, keys.lease], [self._token, LEASE_MS, FILLED_MS]
            )
            for keys in self._open.values()
        ]
        if not all(self._repeated(lambda: self._leases.run_all(calls))):
            raise RebuildLost("another process took over")
        self._renewed_at = monotonic()

    def fill(self, list_id: str, rows: Sequence[Row], progress: float = 0.0) -> None:
        """Puts threads on the new list; of several rows of a thread the last counts.

        `progress` (0 to 1) is stored for readers. Raises RebuildLost.
        """
        self.fill_all({list_id: rows}, progress)

    def fill_all(self, rows_of: Mapping[str, Sequence[Row]], progress: float = 0.0) -> None:
        """Does `fill` for many lists, with the rows of each list id. Raises RebuildLost."""
        self.hold()
        calls: list[LuaCall] = []
        waiting = 0
        #: Revisions by group, once for all its lists: most threads are on many of them.
        revisions: dict[tuple[str, str], dict[int, int]] = {}
        for list_id, rows in rows_of.items():
            list_keys = self._begun(list_id)
            group = list_keys.group
            # Where threads are counted, each must come once.
            last = [*{row[0]: row for row in rows}.values()] if list_keys.counts_admins else rows
            if group.is_shared and last:
                shared = revisions.setdefault((group.revisions, group.left), {})
                shared.update({row[0]: row[1] for row in last})
            # Also without rows: the call stores the progress.
            for first in range(0, max(1, len(last)), FILL_THREADS):
                part = last[first : first + FILL_THREADS]
                calls.append(self._fill_call(list_keys, part, progress))
                waiting += len(part)
                if waiting >= FILL_PLACES:
                    self._run_fills(calls)
                    calls, waiting = [], 0
        self._run_fills(calls)
        raises = [
            LuaCall("raise_revisions", keys, [text])
            for keys, shared in revisions.items()
            for text in _texts(shared)
        ]
        if raises:
            self._repeated(lambda: self._lua.run_all(raises))

    def swap(self, list_id: str, epoch: str) -> list[int]:
        """Replaces the live lists by the new ones, in one step, under a new epoch.

        Returns the ids that were placed on the live lists since the rebuild began: place them
        again, from SQL. Raises RebuildLost; then the live lists are as they were.
        """
        self.hold()
        list_keys = self._begun(list_id)
        group = list_keys.group
        live = [*list_keys.sorts, *([] if group.is_shared else [group.revisions])]
        keys = [*live, *list_keys.filled, list_keys.next, list_keys.log, list_keys.meta]
        keys += [list_keys.lease, *([group.touched, group.calls] if group.is_shared else [])]
        args: Args = [self._token, epoch, len(live), int(list_keys.counts_admins)]
        args = [*args, list_id if group.is_shared else ""]
        try:
            [placed] = self._lua.run_all([LuaCall("swap", keys, args)])
        except NoScriptError as error:
            raise RebuildLost("Redis was started again meanwhile") from error
        if placed is None:
            raise RebuildLost(f"the entries filled for {list_id} are gone")
        del self._open[list_id]
        return [id for name in placed if (id := thread_id(name)) is not None]

    def close(self) -> None:
        """Removes filled lists that were not swapped in."""
        calls = [
            LuaCall("release", [keys.next, keys.meta, *keys.filled, keys.lease], [self._token])
            for keys in self._open.values()
        ]
        self._open = {}
        if calls:
            self._leases.run_all(calls)

    def _begun(self, list_id: str) -> ListKeys:
        if list_id not in self._open:
            raise RebuildLost(f"another process builds {list_id}, or has built it")
        return self._open[list_id]

    def _begin_call(self, keys: ListKeys, seen: Mapping[str, str | None] | None) -> LuaCall:
        group = keys.group
        names = [keys.meta, keys.next, keys.log, keys.lease]
        names += [group.touched if group.is_shared else group.left, keys.sorts[0], *keys.filled]
        replaced = "*" if seen is None else seen[keys.list_id] or ""
        list_id = keys.list_id if group.is_shared else ""
        return LuaCall("begin", names, [self._token, list_id, replaced, LEASE_MS, FILLED_MS])

    def _fill_call(self, keys: ListKeys, rows: Sequence[Row], progress: float) -> LuaCall:
        names = [member(row[0]) for row in rows]
        # The scores of each sort, and then the revisions.
        columns = [[row[2][at] for row in rows] for at in range(len(keys.sorts))]
        texts = [_pairs(scores, names) for scores in columns]
        if keys.counts_admins:
            texts.append(_pairs(names, [f"{row[1]}:{row[3] or 0}" for row in rows]))
        args: Args = [self._token, FILLED_MS, f"{progress:.3f}", len(columns), *texts]
        return LuaCall("fill", [keys.next, *keys.filled], args)

    def _run_fills(self, calls: Sequence[LuaCall]) -> None:
        self.hold()
        if not calls:
            return
        try:
            answers = self._repeated(lambda: self._lua.run_all(calls))
        except NoScriptError as error:
            raise RebuildLost("Redis was started again meanwhile") from error
        if not all(answers):
            raise RebuildLost("the filled entries are gone, or another process took over")

    def _repeated(self, run: Callable[[], list[Any]]) -> list[Any]:
        """Returns the result of `run`, repeated after a late answer: else all would be lost."""
        for _ in range(TRIES - 1):
            with suppress(redis.TimeoutError):
                return run()
        return run()


def _texts(revisions: Mapping[int, int]) -> Iterator[str]:
    """Yields `member revision member revision …`, for as many threads as one call takes."""
    pairs = [f"{member(id)} {revision}" for id, revision in revisions.items()]
    for first in range(0, len(pairs), FILL_THREADS):
        yield " ".join(pairs[first : first + FILL_THREADS])


def _pairs(left: Iterable[str | int], right: Iterable[str | int]) -> str:
    """Returns `["left", "right", "left", "right", …]`; the values need no escaping. An argument
    costs more than its contents, and Redis reads JSON faster than Lua splits words."""
    pairs = [f'"{one}","{other}"' for one, other in zip(left, right, strict=True)]
    return f"[{','.join(pairs)}]"
