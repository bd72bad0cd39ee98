"""Sends the lengths of views, with each filter in use, when one of them changes."""

from collections.abc import Callable, Collection, Iterable, Mapping
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
        """Maps each view to the number of its threads in the scope."""
        if self.filter == "all":
            return {view: states[view].total for view in VIEWS}
        return {view: states[view].assigned.get(self.admin_id or 0, 0) for view in VIEWS}


ALL_THREADS = Scope("all")


def scope_of(filter: str, admin_id: int) -> Scope:
    return Scope(filter, admin_id if filter == "mine" else None)


class Totals:
    """Sends the totals of scopes to the sockets that subscribed to them.

    A socket that `is_busy` gets only the last totals, later: with many sockets a message to each of
    them twenty times a second takes longer than the frames. Totals of `unassigned` and `mine` are
    shown beside an open view: if none of a socket's open views has changed, it gets these totals
    with the next `send_put_off`.
    """

    def __init__(
        self,
        emitter: Sender,
        is_busy: Callable[[str], bool] = lambda sid: False,
        views_of: Callable[[str], Collection[str | None]] = lambda sid: VIEWS,
    ):
        """`views_of` returns the views of the lists that a socket has open."""
        self._emitter = emitter
        self._is_busy = is_busy
        self._views_of = views_of
        self._owed: dict[str, set[Scope]] = {}
        self._put_off: dict[str, set[Scope]] = {}
        self._subscribers: dict[Scope, set[str]] = {ALL_THREADS: set()}
        self._announced: dict[Scope, dict[str, int]] = {}
        self._encoded: dict[Scope, EncodedJson] = {}
        #: Sockets that asked for versions, and what they are sent.
        self._versioned: set[str] = set()
        self._with_versions: dict[Scope, EncodedJson] = {}
        self._new: list[tuple[str, Scope]] = []
        #: The states of views as last read: what has not changed since is not read again.
        self.known: dict[str, State] = {}

    def subscribe(self, sid: str, scope: Scope) -> None:
        """Sends the totals to the socket at the next turn, and then whenever they change."""
        self._new.append((sid, scope))
        self._subscribers.setdefault(scope, set()).add(sid)

    def send_versions(self, sid: str) -> None:
        """Sends the socket versions from now on, at once those of what it was sent already."""
        self._versioned.add(sid)
        for scope, sids in self._subscribers.items():
            if sid in sids and scope in self._encoded and (sid, scope) not in self._new:
                self._owed.setdefault(sid, set()).add(scope)
        self.settle(sid)

    def drop(self, sid: str) -> None:
        """Removes the subscriptions of a closed socket."""
        self._versioned.discard(sid)
        self._owed.pop(sid, None)
        self._put_off.pop(sid, None)
        for scope in tuple(self._subscribers):
            self._unsubscribe(scope, sid)
        self._new = [(subscriber, scope) for subscriber, scope in self._new if subscriber != sid]

    def list_ids_to_read(self, list_ids: Iterable[str]) -> set[str]:
        """Returns the list ids to read after these changed: a scope is sent as a whole."""
        is_changed = any(self._subscribers.values()) and not set(VIEWS).isdisjoint(list_ids)
        return set(VIEWS) if self._new or is_changed else set()

    def announce(self, states: Mapping[str, State]) -> None:
        """Sends changed totals, and all totals to new sockets, if `states` has every view; then
        sends what sockets were not sent while they were busy."""
        if all(states.get(view, LOST).epoch is not None for view in VIEWS):
            self.known = {view: states[view] for view in VIEWS}
            self._note_changes()
        self._settle_all()

    def send_put_off(self) -> None:
        """Sends sockets the changed totals of views that they do not show."""
        put_off, self._put_off = self._put_off, {}
        for sid, scopes in put_off.items():
            self._owed.setdefault(sid, set()).update(scopes)
        self._settle_all()

    def settle(self, sid: str) -> None:
        """Sends a socket what it was not sent while it was busy."""
        for scope in sorted(self._owed.pop(sid, ())):
            if sid in self._subscribers.get(scope, ()):
                of = self._with_versions if sid in self._versioned else self._encoded
                self._emitter.send(sid, "pages:totals", of[scope])

    def _settle_all(self) -> None:
        for sid in tuple(self._owed):
            if not self._is_busy(sid):
                self.settle(sid)

    def _note_changes(self) -> None:
        new, self._new = self._new, []
        for sid, scope in new:
            self._owed.setdefault(sid, set()).add(scope)
        for scope, sids in self._subscribers.items():
            totals = scope.totals(self.known)
            before = self._announced.get(scope, {})
            if totals != before:
                self._announced[scope] = totals
                payload = {"filter": scope.filter, **totals}
                versions = {view: self.known[view].version for view in VIEWS}
                self._encoded[scope] = EncodedJson(encode(payload))
                self._with_versions[scope] = EncodedJson(encode(payload | {"as_of": versions}))
                self._note(
                    scope, sids, {view for view in VIEWS if totals[view] != before.get(view)}
                )

    def _note(self, scope: Scope, sids: Iterable[str], changed: set[str]) -> None:
        """Notes that these sockets are to get the totals of a scope; `changed`: changed views."""
        for sid in sids:
            if scope == ALL_THREADS or not changed.isdisjoint(self._views_of(sid)):
                self._owed.setdefault(sid, set()).add(scope)
                self._put_off.get(sid, set()).discard(scope)
            elif scope not in self._owed.get(sid, ()):
                self._put_off.setdefault(sid, set()).add(scope)

    def _unsubscribe(self, scope: Scope, sid: str) -> None:
        self._subscribers[scope].discard(sid)
        if not self._subscribers[scope]:
            for known in (self._announced, self._encoded, self._with_versions):
                known.pop(scope, None)
            if scope != ALL_THREADS:
                del self._subscribers[scope]
