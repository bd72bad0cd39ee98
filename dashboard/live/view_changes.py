"""Tells all workers that views or sorts have changed; each worker tells the sockets concerned."""

import logging
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import sees
from dashboard.db.lists.views import Owner
from dashboard.errors import StorageUnavailable
from dashboard.live.socket_admins import SocketAdmins
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from lua_scripts.servers import Client
from scoring.keys import Keys

log = logging.getLogger(__name__)

#: Interval of reads from SQL, since a notification may be lost.
CHECK_SECONDS = 1.0
#: The same while no socket is here.
REST_SECONDS = 10.0
#: Least time between two `views:changed`: a program may save hundreds of views.
PAUSE_SECONDS = 1.0
_NOTHING = EncodedJson(encode({}))

#: Called with the id of the admin who owns changed views; None: views of all admins changed.
OnChange = Callable[[int | None], object]
#: Returns the current version, and the owners of the views that changed since another version.
ChangesSince = Callable[[int | None], tuple[int, set[Owner]]]


class ViewChanges(RunsTask):
    """Reads from SQL which views change; Redis only says when to read."""

    def __init__(
        self,
        client: Client,
        prefix: str,
        emitter: Emitter,
        admins: SocketAdmins,
        changes_since: ChangesSince,
    ):
        self._client = client
        self._key = Keys(prefix).view_changes
        self._emitter = emitter
        self._admins = admins
        self._changes_since = changes_since
        self._version: int | None = None
        #: Owners of changed views that sockets have not been told of yet.
        self._owners: set[Owner] = set()
        self._observers: list[OnChange] = []
        self._task = PeriodicTask(
            "following changes of views",
            self._step,
            interval_seconds=self._wait_seconds,
            expected=(StorageUnavailable,),
        )
        admins.wakes.append(self.wake)

    def observe(self, on_change: OnChange) -> None:
        """Calls `on_change` before the sockets are told; again if it raises StorageUnavailable."""
        self._observers.append(on_change)

    def announce(self) -> None:
        """Has every worker read the changes; called after a commit. Never raises."""
        try:
            self._client.zincrby(self._key, 1, "changes")
        except RedisError as error:
            log.info("a change of views is found by its version in SQL: %s", error)

    def run(self) -> None:
        """Follows until `stop`; never raises. Run it in a thread."""
        self.wake()
        super().run()

    def _wait_seconds(self) -> float:
        return CHECK_SECONDS if self._admins else REST_SECONDS

    def _step(self) -> None:
        if self.check():
            time.sleep(PAUSE_SECONDS)

    def check(self) -> bool:
        """Tells the sockets concerned that views have changed since the last call; whether any has.

        Raises StorageUnavailable.
        """
        self._version, changed = self._changes_since(self._version)
        self._owners |= changed
        owners = {None} if None in self._owners else set(self._owners)
        # Any admin here may see the views of a desk.
        for admin_id in {None if isinstance(owner, str) else owner for owner in owners}:
            for on_change in self._observers:
                on_change(admin_id)
        for sid, admin_id in self._admins:
            if any(self._concerns(owner, sid, admin_id) for owner in owners):
                self._emitter.send(sid, "views:changed", _NOTHING)
        # If SQL is away the owners are kept: the next call goes on with them.
        self._owners.clear()
        return bool(owners)

    def _concerns(self, owner: Owner, sid: str, admin_id: int) -> bool:
        if isinstance(owner, str):
            return sees(self._admins.desks_of(sid), owner)
        return owner in (None, admin_id)
