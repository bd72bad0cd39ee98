"""How many threads the built-in views have, for those who see the threads of some desks alone."""

from collections.abc import Collection, Mapping

from dashboard.db.lists.named_lists import ListName
from dashboard.live.queries.filtered_lists import Filtered, FilteredLists
from dashboard.live.socket_admins import SocketAdmins
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from scoring.sorts import ANY_SORT
from scoring.views import FILTERS, VIEW_QUERIES, VIEWS

#: View to its lists.
_Lists = Mapping[str, Filtered]


class DeskTotals:
    """Keeps the lists of the built-in views with each filter, and sends how long they are, as
    `pages:totals`. Those who see all threads get them from the lists that there always are.
    """

    def __init__(self, filtered: FilteredLists, emitter: Emitter, admins: SocketAdmins):
        self._filtered = filtered
        self._emitter = emitter
        self._admins = admins
        self._lists: dict[str, _Lists] = {}
        #: What each socket was sent last, by filter.
        self._sent: dict[str, dict[str, dict[str, int | None]]] = {}

    def __bool__(self) -> bool:
        return bool(self._lists)

    @property
    def looked_at(self) -> Collection[str]:
        """Lists that are kept for the sake of their totals."""
        return {
            list_id
            for lists in self._lists.values()
            for filtered in lists.values()
            for list_id in filtered.temporary
        }

    def look_up(self) -> None:
        """Finds and keeps the lists of sockets that are new. Raises StorageUnavailable."""
        here = self._admins.of_some_desks()
        for sid in self._lists.keys() - set(here):
            del self._lists[sid]
            self._sent.pop(sid, None)
        for sid in here:
            if sid not in self._lists and sid in self._admins:
                self._lists[sid] = self._found(sid)

    def send(self, totals: Mapping[str, int]) -> None:
        """Sends each socket the totals that have changed; a filter is sent as a whole."""
        for sid, lists in [*self._lists.items()]:
            sent = self._sent.setdefault(sid, {})
            for filter in FILTERS:
                found = {view: totals.get(each.ids[filter]) for view, each in lists.items()}
                if not found or None in found.values() or sent.get(filter) == found:
                    continue
                sent[filter] = found
                data = EncodedJson(encode({"filter": filter} | found))
                self._emitter.send(sid, "pages:totals", data)

    def _found(self, sid: str) -> _Lists:
        """By view; nothing where the admin is gone."""
        admin_id, desks = self._admins[sid], self._admins.desks_of(sid)
        found: dict[str, Filtered] = {}
        for view in VIEWS:
            name = ListName(None, ANY_SORT, "all", VIEW_QUERIES[view], desks=desks)
            lists = self._filtered.find(name, admin_id)
            if lists is None:
                return {}
            found[view] = lists
        return found
