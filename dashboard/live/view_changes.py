"""Tells all workers that views or sorts have changed; each tells the sockets that it concerns."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import sees
from dashboard.errors import StorageUnavailable
from dashboard.live.socket_admins import SocketAdmins
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from lua_scripts.runner import text_of
from lua_scripts.servers import Client
from scoring.keys import Keys

log = logging.getLogger(__name__)

#: Interval of comparing with Redis and SQL, for a notification may be lost.
CHECK_SECONDS = 1.0
#: Time after which a change that Redis has not counted is looked for again, before all are told.
AGAIN_SECONDS = 0.25
#: Interval while no socket is here that could be told.
REST_SECONDS = 10.0
#: Least time between two `views:changed`: a program may save hundreds of views.
PAUSE_SECONDS = 1.0
#: Whose views have changed: those of an admin, by id, or of a desk, by name; None: everybody's.
Whose = int | str | None
#: Names in Redis for everybody and, with its name behind, for a desk; that of an admin is the id.
_EVERYBODY = "all"
_DESK = "desk:"
_NOTHING = EncodedJson(encode({}))

#: Called with the id of the admin whose views have changed; None: everybody's.
OnChange = Callable[[int | None], object]


class ViewChanges(RunsTask):
    """Counts the changes of each admin's views in Redis, and follows these counts.

    SQL counts all changes, too. So what Redis did not take is found: then everybody is told.
    """

    def __init__(
        self,
        client: Client,
        prefix: str,
        emitter: Emitter,
        admins: SocketAdmins,
        stored_version: Callable[[], int],
    ):
        """`stored_version` gives a number that grows by one with each change in SQL."""
        self._client = client
        self._key = Keys(prefix).view_changes
        self._emitter = emitter
        self._admins = admins
        self._stored_version = stored_version
        self._counts: Mapping[str, int] | None = None
        self._version: int | None = None
        #: Changes that SQL has counted and Redis has not, up to now; None while that is not known.
        self._uncounted: int | None = None
        #: As many more were uncounted at the last look alone.
        self._doubtful = 0
        #: Whose changes are not told yet.
        self._whose: set[Whose] = set()
        self._observers: list[OnChange] = []
        self._task = PeriodicTask(
            "following changes of views",
            self._step,
            interval_seconds=self._wait_seconds,
            expected=(StorageUnavailable,),
        )

    def observe(self, on_change: OnChange) -> None:
        """Calls this before the sockets are told; again, where it raises StorageUnavailable."""
        self._observers.append(on_change)

    def announce(self, whose: Whose = None) -> None:
        """Tells every worker, after the commit, that everybody's views or sorts have changed, or
        those of one admin or one desk. Never raises."""
        name = f"{_DESK}{whose}" if isinstance(whose, str) else str(whose or _EVERYBODY)
        try:
            self._client.zincrby(self._key, 1, name)
        except RedisError as error:
            log.info("a change of views is found by its version in SQL: %s", error)

    def run(self) -> None:
        """Follows until `stop`; never raises. Run it in a thread."""
        self.wake()
        super().run()

    def _wait_seconds(self) -> float:
        if self._doubtful:
            return AGAIN_SECONDS
        return CHECK_SECONDS if self._admins else REST_SECONDS

    def _step(self) -> None:
        if self.check():
            time.sleep(PAUSE_SECONDS)

    def check(self) -> bool:
        """Tells the sockets what has changed since the last call; whether anything has.

        Raises StorageUnavailable.
        """
        # The version first: what is counted after it is not taken for missed.
        version = self._stored_version()
        self._whose |= self._counted() | self._missed(version)
        whose = {None} if None in self._whose else set(self._whose)
        # Those of a desk may be seen by anybody who is here.
        for admin_id in {None if isinstance(each, str) else each for each in whose}:
            for on_change in self._observers:
                on_change(admin_id)
        for sid, admin_id in self._admins:
            if any(self._concerns(each, sid, admin_id) for each in whose):
                self._emitter.send(sid, "views:changed", _NOTHING)
        # Kept where SQL is away: the next call goes on with it.
        self._whose.clear()
        return bool(whose)

    def _concerns(self, whose: Whose, sid: str, admin_id: int) -> bool:
        if isinstance(whose, str):
            return sees(self._admins.desks_of(sid), whose)
        return whose in (None, admin_id)

    def _counted(self) -> set[Whose]:
        """Whose views have changed by Redis's counts; after a loss of data, everybody's."""
        try:
            found: list[Any] = self._client.zrange(self._key, 0, -1, withscores=True)
        except RedisError:
            self._counts = None
            return set()
        counts = {text_of(name): int(count) for name, count in found}
        known, self._counts = self._counts, counts
        if known is None:
            return set()
        if any(counts.get(name, 0) < count for name, count in known.items()):
            self._uncounted = None
            return {None}
        changed = (name for name, count in counts.items() if count > known.get(name, 0))
        return {_whose(name) for name in changed}

    def _missed(self, version: int) -> set[Whose]:
        """Everybody, where SQL has a change that Redis has not counted.

        While Redis can be read, only where two successive looks find it: one of another worker may
        stand between the commit and the count.
        """
        known, self._version = self._version, version
        if self._counts is None or self._uncounted is None:
            self._uncounted = None if self._counts is None else self._uncounted_of(version)
            self._doubtful = 0
            return {None} if known not in (None, version) else set()
        found, before = self._uncounted_of(version) - self._uncounted, self._doubtful
        # Fewer than before, too: some were on their way when counting began.
        certain = min(found, before, key=abs) if found * before > 0 else 0
        self._uncounted += certain
        self._doubtful = found - certain
        return {None} if certain > 0 else set()

    def _uncounted_of(self, version: int) -> int:
        assert self._counts is not None
        return version - sum(self._counts.values())


def _whose(name: str) -> Whose:
    """By the name in Redis."""
    if name.startswith(_DESK):
        return name.removeprefix(_DESK)
    return None if name == _EVERYBODY else int(name)
