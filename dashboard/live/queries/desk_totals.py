"""How many threads the built-in views have, for those who see the threads of some desks alone."""

from collections.abc import Callable, Collection, Mapping

from dashboard.db.lists.named_lists import ListName, NamedList
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live.queries.filter_totals import KEPT_MAX
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.ordering.keeping import ListKeeper
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from scoring.sorts import SORTS
from scoring.views import VIEW_QUERIES, VIEWS

#: All sorts have the same threads.
_ANY_SORT = next(iter(SORTS))
#: Filter to view to the id of its list.
_Lists = Mapping[str, Mapping[str, str]]


class DeskTotals:
    """Keeps the lists of the built-in views with each filter, and sends how long they are, as
    `pages:totals`. Those who see all threads get them from the lists that there always are.

    `build(list_id)` begins to build a list that Redis lacks.
    """

    def __init__(
        self,
        reads: Reads,
        emitter: Emitter,
        keeper: ListKeeper,
        build: Callable[[str], object],
        admins: SocketAdmins,
    ):
        self._reads = reads
        self._emitter = emitter
        self._keeper = keeper
        self._build = build
        self._admins = admins
        self._lists: dict[str, _Lists] = {}
        #: What each socket was sent last, by filter.
        self._sent: dict[str, dict[str, dict[str, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._lists)

    @property
    def looked_at(self) -> Collection[str]:
        """Lists that are kept for the sake of their totals."""
        return {
            list_id
            for lists in self._lists.values()
            for by_view in lists.values()
            for list_id in by_view.values()
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
            for filter, by_view in lists.items():
                if not all(list_id in totals for list_id in by_view.values()):
                    continue
                found = {view: totals[list_id] for view, list_id in by_view.items()}
                sent = self._sent.setdefault(sid, {})
                if sent.get(filter) != found:
                    sent[filter] = found
                    data = EncodedJson(encode({"filter": filter} | found))
                    self._emitter.send(sid, "pages:totals", data)

    def _found(self, sid: str) -> _Lists:
        admin_id, desks = self._admins[sid], self._admins.desks_of(sid)
        found: dict[str, dict[str, NamedList]] = {}
        for view in VIEWS:
            query = VIEW_QUERIES[view]
            try:
                by_filter = self._reads.by_filter(
                    ListName(None, _ANY_SORT, "all", query, desks=desks), admin_id
                )
            except StorageUnavailable:
                raise
            except Problem:
                # The admin is gone.
                return {}
            for filter, named in by_filter.items():
                found.setdefault(filter, {})[view] = named
        temporary = {
            named.query_list.id: named.listed
            for by_view in found.values()
            for named in by_view.values()
        }
        self._keeper.keep_many(temporary, KEPT_MAX)
        for list_id in temporary:
            if self._keeper.is_kept(list_id):
                self._build(list_id)
        return {
            filter: {view: named.query_list.id for view, named in by_view.items()}
            for filter, by_view in found.items()
        }
