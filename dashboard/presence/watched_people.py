"""The people whose states are on the screens of this worker's sockets."""

from collections.abc import Callable
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from dashboard.errors import FieldError, Invalid
from dashboard.presence.service import PresenceService
from dashboard.presence.socket_requests import WatchPeopleRequest
from dashboard.transport.caller import Answer, Caller
from dashboard.turns import turns
from presence.errors import TooMany
from presence.states import State, Viewer
from presence.watchers import Watchers

#: (kind, watcher, states that changed for it).
PublishStates = Callable[[str, Any, dict[str, State]], None]


class WatchedPeople:
    """`by_kind`: the watchers of customers and those of admins.

    A socket may watch `MAX_WATCHED` people of both kinds together.
    """

    def __init__(
        self,
        presence_service: PresenceService,
        publish: PublishStates,
        on_admins_lost: Callable[[], None],
    ):
        relations = presence_service.relations
        self._presence_service = presence_service
        self.by_kind: dict[str, Watchers] = {
            "customer": Watchers(
                presence_service.customers, partial(publish, "customer"), relations.of_customers
            ),
            "admin": Watchers(
                presence_service.admins,
                partial(publish, "admin"),
                relations.of_admins,
                on_lost=on_admins_lost,
            ),
        }

    def watch(self, caller: Caller, request: WatchPeopleRequest) -> Answer:
        """Answers `presence:watch`."""
        watchers, added = self.by_kind[request.kind], request.add or ()
        self._presence_service.limit_look_ups(("admin", caller.admin_id), len(added))
        elsewhere = sum(each.count(caller.sid) for each in self.by_kind.values())
        elsewhere -= watchers.count(caller.sid)
        removed = request.remove or ()
        try:
            states = watchers.watch(
                caller.sid, viewer_of(caller), added, removed, elsewhere, turns.step
            )
        except TooMany as error:
            raise Invalid([FieldError("/add", "too_long", f"{error}.".capitalize())]) from error
        except (RedisError, OSError):
            # They are watched now; their states are sent when Redis is back.
            return {"presence": {}, "late": True}
        return {"presence": states}

    def change_role(self, caller: Caller) -> None:
        """The next flush sends what the socket may see no more, and what it may see now."""
        for watchers in self.by_kind.values():
            watchers.change_viewer(caller.sid, viewer_of(caller))

    def forget(self, sid: str) -> None:
        """The socket has disconnected."""
        for watchers in self.by_kind.values():
            watchers.forget(sid)


def viewer_of(caller: Caller) -> Viewer:
    """Supervisors see the truth."""
    return Viewer(str(caller.admin_id), truth=caller.role == "supervisor")
