"""How many threads are on each page, told for every filter in use, whenever a number changes."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from dashboard.live.outlet import Sender
from dashboard.live.packets import Fragment, encode
from scoring import pages


class Scope(NamedTuple):
    """A filter, and for `mine` whose."""

    filter: str
    admin_id: int | None = None

    def tags(self) -> dict[str, str]:
        """The tag of each page."""
        return {page: pages.tag(page, self.filter, self.admin_id) for page in pages.PAGES}


EVERYBODY = Scope("all")


def scope_of(filter: str, admin_id: int) -> Scope:
    return Scope(filter, admin_id if filter == "mine" else None)


class Totals:
    """Remembers who is told of which scope, and what they were told last."""

    def __init__(self, outlet: Sender):
        self._outlet = outlet
        self._listeners: dict[Scope, set[str]] = {EVERYBODY: set()}
        self._told: dict[Scope, dict[str, int]] = {}
        self._greeted: list[tuple[str, Scope]] = []
        self._tags: set[str] = set()

    @property
    def tags(self) -> Collection[str]:
        """The tags whose totals somebody listens to."""
        return self._tags

    def greet(self, sid: str, scope: Scope) -> None:
        """The socket is told at the next turn, and of what changes from then on."""
        self._greeted.append((sid, scope))
        self._listeners.setdefault(scope, set()).add(sid)
        self._tags |= set(scope.tags().values())

    def drop(self, sid: str) -> None:
        """The socket is gone."""
        for scope in tuple(self._listeners):
            self._leave(scope, sid)
        self._greeted = [(each, scope) for each, scope in self._greeted if each != sid]

    def wanted(self, tags: Iterable[str]) -> set[str]:
        """Which tags must be read, now that these have changed: a scope is told whole."""
        changed = set(tags)
        scopes = {scope for _, scope in self._greeted}
        scopes |= {
            scope
            for scope, sids in self._listeners.items()
            if sids and changed.intersection(scope.tags().values())
        }
        return {tag for scope in scopes for tag in scope.tags().values()}

    def tell(self, totals: Mapping[str, int]) -> None:
        """Sends what has changed to all, and to the greeted what they wait for."""
        greeted, self._greeted = self._greeted, []
        addressed: dict[Scope, set[str]] = {}
        for sid, scope in greeted:
            addressed.setdefault(scope, set()).add(sid)
        for scope, sids in self._listeners.items():
            known = _of(scope, totals)
            if known is not None and known != self._told.get(scope):
                self._told[scope] = known
                addressed.setdefault(scope, set()).update(sids)
        for scope, sids in addressed.items():
            known = _of(scope, totals)
            if known is None:
                self._greeted += [(sid, scope) for sid in sids]
            else:
                self._send(scope, known, sids)

    def _send(self, scope: Scope, known: dict[str, int], sids: Iterable[str]) -> None:
        data = Fragment(encode({"filter": scope.filter} | known))
        for sid in tuple(sids):
            self._outlet.send(sid, "pages:totals", data)

    def _leave(self, scope: Scope, sid: str) -> None:
        self._listeners[scope].discard(sid)
        if not self._listeners[scope]:
            self._told.pop(scope, None)
            if scope != EVERYBODY:
                del self._listeners[scope]
                self._tags -= set(scope.tags().values())


def _of(scope: Scope, totals: Mapping[str, int]) -> dict[str, int] | None:
    tags = scope.tags()
    if not all(tag in totals for tag in tags.values()):
        return None
    return {page: totals[tag] for page, tag in tags.items()}
