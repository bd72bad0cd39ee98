"""The people with states on the screens of this worker's sockets."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.errors import FieldError, Invalid, StorageUnavailable
from dashboard.presence.service import PresenceService
from dashboard.presence.socket_requests import WatchPeopleRequest
from dashboard.transport.caller import Answer, Caller
from dashboard.turns import turns
from presence.errors import TooMany
from presence.states import State, Viewer, never_seen
from presence.watchers import Watchers

#: The viewer of a call that adds no people.
_NOBODY = Viewer()
#: (kind, watcher, states that changed for it).
PublishStates = Callable[[str, Any, dict[str, State]], None]


class WatchedPeople:
    """Watches people for sockets. `by_kind`: the watchers of customers and those of admins.

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
        self._publish = publish
        #: The desks that the admin of each watching socket sees.
        self._desks: dict[str, Desks] = {}
        self.by_kind: dict[str, Watchers] = {
            "customer": Watchers(
                presence_service.customers, self._publish_customers, relations.of_customers
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
        hidden: dict[str, State] = {}
        if request.kind == "customer" and caller.desks is not None and added:
            known = self._known(caller.desks, added)
            version = self._presence_service.customers.now_ms()
            hidden = {person: never_seen(version) for person in added if person not in known}
            added = [person for person in added if person in known]
        self._desks[caller.sid] = caller.desks
        try:
            states = watchers.watch(
                caller.sid, viewer_of(caller), added, removed, elsewhere, turns.step
            )
        except TooMany as error:
            raise Invalid([FieldError("/add", "too_long", f"{error}.".capitalize())]) from error
        except (RedisError, OSError):
            # They are watched now; their states are sent when Redis is back.
            return {"presence": {}, "late": True}
        return {"presence": states | hidden}

    def _known(self, desks: Desks, people: Sequence[str]) -> Collection[str]:
        """Returns those of the customers that an admin who sees these desks may know."""
        return (
            people if desks is None else self._presence_service.known_customers.among(people, desks)
        )

    def _publish_customers(self, watcher: Any, states: dict[str, State]) -> None:
        """Publishes the states of the customers that the watcher may still know, and stops watching
        the others: their threads have gone to other desks."""
        desks = self._desks.get(watcher)
        try:
            known = self._known(desks, [*states])
        except StorageUnavailable:
            # Unknown now which customers the admin may know; their next change is published.
            known = ()
        else:
            self.by_kind["customer"].watch(watcher, _NOBODY, drop=states.keys() - {*known})
        shown = {person: state for person, state in states.items() if person in known}
        if shown:
            self._publish("customer", watcher, shown)

    def change_role(self, caller: Caller) -> None:
        """Makes the next flush send the differences between the old and the new role."""
        for watchers in self.by_kind.values():
            watchers.change_viewer(caller.sid, viewer_of(caller))

    def forget(self, sid: str) -> None:
        """Removes a socket that has disconnected."""
        self._desks.pop(sid, None)
        for watchers in self.by_kind.values():
            watchers.forget(sid)


def viewer_of(caller: Caller) -> Viewer:
    """Returns the viewer of a caller. Supervisors see the truth."""
    return Viewer(str(caller.admin_id), truth=caller.role == "supervisor")
