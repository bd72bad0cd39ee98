"""A rebuild: fills new lists beside the live ones, then swaps them in."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType
from uuid import uuid4

import redis
from redis.exceptions import LockError, LockNotOwnedError, WatchError

from scoring.keys import Keys, member, thread_id
from scoring.reading import text
from scoring.scripts import Call, Script, run

#: A rebuild that shows no sign of life for so long may be overtaken by another process.
LOCK_SECONDS = 5.0
LOCK_RENEW_SECONDS = 1.0
#: Threads that one step fills: Redis serves nobody else meanwhile (a few milliseconds).
FILL_THREADS = 500

_BEGIN = Script.read("begin")
_SWAP = Script.read("swap")

#: (thread id, revision, a score for each sort)
Row = tuple[int, int, Sequence[int]]


class RebuildBusy(Exception):
    """Another process is rebuilding."""


class RebuildLost(Exception):
    """What was filled is gone: Redis was flushed, or another process took over. Begin again."""


class Rebuild:
    """Use it in `with`: begin, fill each tag, swap each tag. One at a time over all processes.

    Whatever is placed on the live lists meanwhile is named by `swap`, to be placed again.
    """

    def __init__(
        self, client: redis.Redis, keys: Keys, sorts: tuple[str, ...], tags: Iterable[str]
    ):
        self._client = client
        self._keys = keys
        self._sorts = sorts
        self._token = uuid4().hex
        self._open = list(tags)
        self._lock = client.lock(keys.rebuild_lock, timeout=LOCK_SECONDS, thread_local=False)
        if not self._lock.acquire(blocking=False):
            raise RebuildBusy("another process is rebuilding")
        self._held_at = monotonic()
        try:
            run(client, [self._begin_call(tag) for tag in self._open])
        except redis.RedisError:
            self._release()
            raise

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

    def fill(self, tag: str, rows: Sequence[Row]) -> None:
        """Puts threads on the new lists of a tag; again for the same thread: the last counts.

        Call it at least each few seconds, if need be with no rows. Raises RebuildLost.
        """
        self._hold()
        for first in range(0, len(rows), FILL_THREADS):
            self._fill(tag, rows[first : first + FILL_THREADS])

    def swap(self, tag: str, epoch: str) -> list[int]:
        """Puts the new lists in the place of the live ones, in one step, under a new epoch.

        Returns the ids that were placed on the live lists since the rebuild began: place them
        again, from SQL. Raises RebuildLost; then the live lists are as they were.
        """
        self._hold()
        live = [self._keys.sort(tag, sort) for sort in self._sorts] + [self._keys.revisions(tag)]
        rest = [self._keys.next(tag), self._keys.changes(tag), self._keys.meta(tag)]
        keys = live + self._filled(tag) + rest
        [placed] = run(self._client, [Call(_SWAP, keys, [self._token, epoch])])
        if placed is None:
            raise RebuildLost(f"what was filled for {tag} is gone")
        self._open.remove(tag)
        return [id for name in placed if (id := thread_id(name)) is not None]

    def close(self) -> None:
        """Lets others rebuild; drops what was filled and not swapped in."""
        for tag in self._open:
            if self._is_ours(self._client.hget(self._keys.next(tag), "token")):
                self._client.unlink(self._keys.next(tag), *self._filled(tag))
        self._open = []
        self._release()

    def _release(self) -> None:
        with suppress(LockError):
            self._lock.release()

    def _begin_call(self, tag: str) -> Call:
        keys = [self._keys.meta(tag), self._keys.next(tag), *self._filled(tag)]
        return Call(_BEGIN, keys, [self._token])

    def _filled(self, tag: str) -> list[str]:
        sorts = [self._keys.next_sort(tag, sort) for sort in self._sorts]
        return [*sorts, self._keys.next_revisions(tag)]

    def _fill(self, tag: str, rows: Sequence[Row]) -> None:
        names = [member(row[0]) for row in rows]
        with self._client.pipeline() as pipeline:
            pipeline.watch(self._keys.next(tag))
            if not self._is_ours(pipeline.hget(self._keys.next(tag), "token")):
                raise RebuildLost(f"what was filled for {tag} is gone")
            pipeline.multi()
            for at, sort in enumerate(self._sorts):
                scores = [row[2][at] for row in rows]
                pairs = _flat(scores, names)
                pipeline.execute_command("ZADD", self._keys.next_sort(tag, sort), *pairs)
            pairs = _flat(names, [row[1] for row in rows])
            pipeline.execute_command("HSET", self._keys.next_revisions(tag), *pairs)
            try:
                pipeline.execute()
            except WatchError as error:
                raise RebuildLost(f"another process rebuilds {tag}") from error

    def _hold(self) -> None:
        """Shows life; takes the lock again if it ran out and nobody else has it."""
        if monotonic() - self._held_at < LOCK_RENEW_SECONDS:
            return
        try:
            self._lock.reacquire()
        except LockNotOwnedError as error:
            if not self._lock.acquire(blocking=False):
                raise RebuildLost("another process is rebuilding") from error
        self._held_at = monotonic()

    def _is_ours(self, token: bytes | str | None) -> bool:
        return token is not None and text(token) == self._token


def _flat(left: list, right: list) -> list:
    """[left, right, left, right, …]"""
    flat = [None] * (2 * len(left))
    flat[::2], flat[1::2] = left, right
    return flat
