"""How many threads each view has, sent for every filter in use when a number changes."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from dashboard.transport.emitter import Sender
from dashboard.transport.packets import EncodedJson, encode
from scoring.reading import State
from scoring.states import LOST
from scoring.views import VIEWS


class Scope(NamedTuple):
    """A filter, and for `mine` the id of the admin."""

    filter: str
    admin_id: int | None = None

    def totals(self, states: Mapping[str, State]) -> dict[str, int]:
        """View to how many of its threads are in the scope."""
        if self.filter == "all":
            return {view: states[view].total for view in VIEWS}
        return {view: states[view].assigned.get(self.admin_id or 0, 0) for view in VIEWS}


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
        #: The states of views that were read last: what has not changed since is not read again.
        self.known: dict[str, State] = {}

    def subscribe(self, sid: str, scope: Scope) -> None:
        """Sends the totals to the socket at the next turn, and then whenever they change."""
        self._new.append((sid, scope))
        self._subscribers.setdefault(scope, set()).add(sid)

    def drop(self, sid: str) -> None:
        """Removes the subscriptions of a closed socket."""
        self._owed.pop(sid, None)
        for scope in tuple(self._subscribers):
            self._unsubscribe(scope, sid)
        self._new = [(each, scope) for each, scope in self._new if each != sid]

    def list_ids_to_read(self, list_ids: Iterable[str]) -> set[str]:
        """The list ids whose states are needed after these changed: a scope is sent as a whole."""
        is_changed = any(self._subscribers.values()) and not set(VIEWS).isdisjoint(list_ids)
        return set(VIEWS) if self._new or is_changed else set()

    def announce(self, states: Mapping[str, State]) -> None:
        """Sends changed scopes to their sockets, and to new sockets all that they subscribed to;
        where the states of views are among these."""
        if all(states.get(view, LOST).epoch is not None for view in VIEWS):
            self.known = {view: states[view] for view in VIEWS}
            self._note_changes()
        for sid in tuple(self._owed):
            if not self._is_busy(sid):
                self.settle(sid)

    def settle(self, sid: str) -> None:
        """Sends a socket what it was not sent while it was busy."""
        for scope in sorted(self._owed.pop(sid, ())):
            if sid in self._subscribers.get(scope, ()):
                self._emitter.send(sid, "pages:totals", self._encoded[scope])

    def _note_changes(self) -> None:
        new, self._new = self._new, []
        addressed: dict[Scope, set[str]] = {}
        for sid, scope in new:
            addressed.setdefault(scope, set()).add(sid)
        for scope, sids in self._subscribers.items():
            totals = scope.totals(self.known)
            if totals != self._announced.get(scope):
                self._announced[scope] = totals
                self._encoded[scope] = EncodedJson(encode({"filter": scope.filter} | totals))
                addressed.setdefault(scope, set()).update(sids)
        for scope, sids in addressed.items():
            for sid in sids:
                self._owed.setdefault(sid, set()).add(scope)

    def _unsubscribe(self, scope: Scope, sid: str) -> None:
        self._subscribers[scope].discard(sid)
        if not self._subscribers[scope]:
            self._announced.pop(scope, None)
            if scope != ALL_THREADS:
                del self._subscribers[scope]
