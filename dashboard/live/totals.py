"""How many threads each view has, sent for every filter in use when a number changes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from dashboard.transport.emitter import Sender
from dashboard.transport.packets import EncodedJson, encode
from scoring import views


class Scope(NamedTuple):
    """A filter, and for `mine` the id of the admin."""

    filter: str
    admin_id: int | None = None

    def list_ids(self) -> dict[str, str]:
        """The list id of each view."""
        return {view: views.list_id(view, self.filter, self.admin_id) for view in views.VIEWS}


ALL_THREADS = Scope("all")


def scope_of(filter: str, admin_id: int) -> Scope:
    return Scope(filter, admin_id if filter == "mine" else None)


class Totals:
    """Keeps which sockets get the totals of which scope, and what was sent last.

    A socket that `is_busy` gets them later, and the last ones alone: with many sockets a message to
    each of them twenty times a second takes longer than the frames do.
    """

    def __init__(self, emitter: Sender, is_busy: Callable[[str], bool] = lambda sid: False):
        self._emitter = emitter
        self._is_busy = is_busy
        self._owed: dict[str, set[Scope]] = {}
        self._subscribers: dict[Scope, set[str]] = {ALL_THREADS: set()}
        self._announced: dict[Scope, dict[str, int]] = {}
        self._encoded: dict[Scope, EncodedJson] = {}
        self._new: list[tuple[str, Scope]] = []
        self._list_ids: set[str] = set()

    @property
    def list_ids(self) -> Collection[str]:
        """The list ids whose totals a socket is subscribed to."""
        return self._list_ids

    def subscribe(self, sid: str, scope: Scope) -> None:
        """Sends the totals to the socket at the next turn, and then whenever they change."""
        self._new.append((sid, scope))
        self._subscribers.setdefault(scope, set()).add(sid)
        self._list_ids |= set(scope.list_ids().values())

    def drop(self, sid: str) -> None:
        """Removes the subscriptions of a closed socket."""
        self._owed.pop(sid, None)
        for scope in tuple(self._subscribers):
            self._unsubscribe(scope, sid)
        self._new = [(each, scope) for each, scope in self._new if each != sid]

    def list_ids_to_read(self, list_ids: Iterable[str]) -> set[str]:
        """The list ids whose totals are needed after these changed: a scope is sent as a whole."""
        changed = set(list_ids)
        scopes = {scope for _, scope in self._new}
        scopes |= {
            scope
            for scope, sids in self._subscribers.items()
            if sids and changed.intersection(scope.list_ids().values())
        }
        return {list_id for scope in scopes for list_id in scope.list_ids().values()}

    def announce(self, totals: Mapping[str, int]) -> None:
        """Sends changed scopes to their sockets, and to new sockets all that they subscribed to."""
        new, self._new = self._new, []
        addressed: dict[Scope, set[str]] = {}
        for sid, scope in new:
            addressed.setdefault(scope, set()).add(sid)
        for scope, sids in self._subscribers.items():
            known = _of(scope, totals)
            if known is not None and known != self._announced.get(scope):
                self._announce(scope, known)
                addressed.setdefault(scope, set()).update(sids)
        for scope, sids in addressed.items():
            known = _of(scope, totals)
            if known is None:
                self._new += [(sid, scope) for sid in sids]
            else:
                self._announce(scope, known)
                for sid in sids:
                    self._owed.setdefault(sid, set()).add(scope)
        for sid in tuple(self._owed):
            if not self._is_busy(sid):
                self.settle(sid)

    def settle(self, sid: str) -> None:
        """Sends a socket what it was not sent while it was busy."""
        for scope in sorted(self._owed.pop(sid, ())):
            if sid in self._subscribers.get(scope, ()):
                self._emitter.send(sid, "pages:totals", self._encoded[scope])

    def _announce(self, scope: Scope, known: dict[str, int]) -> None:
        if known != self._announced.get(scope):
            self._announced[scope] = known
            self._encoded[scope] = EncodedJson(encode({"filter": scope.filter} | known))

    def _unsubscribe(self, scope: Scope, sid: str) -> None:
        self._subscribers[scope].discard(sid)
        if not self._subscribers[scope]:
            self._announced.pop(scope, None)
            if scope != ALL_THREADS:
                del self._subscribers[scope]
                self._list_ids -= set(scope.list_ids().values())


def _of(scope: Scope, totals: Mapping[str, int]) -> dict[str, int] | None:
    list_ids = scope.list_ids()
    if not all(list_id in totals for list_id in list_ids.values()):
        return None
    return {view: totals[list_id] for view, list_id in list_ids.items()}
