"""The lengths of lists beside views and filters, sent when a number changes."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.named_lists import ListName, Lists, SeenLists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.ordering.list_keeper import TEMPORARY_MAX, ListKeeper
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from scoring.ranking import Ranking
from scoring.sorts import ANY_SORT
from scoring.views import FILTERS, VIEW_QUERIES, VIEWS

#: Lists that may be kept for totals alone; the rest is for lists that are open.
KEPT_MAX = TEMPORARY_MAX // 2


class Filtered(NamedTuple):
    """Filter to list id, and those of the lists that Redis keeps while somebody looks."""

    ids: Mapping[str, str]
    temporary: Mapping[str, ListedQuery]


class FilteredLists:
    """Finds and keeps them; `build(list_id)` begins to build a list that Redis lacks."""

    def __init__(self, reads: Reads, keeper: ListKeeper, build: Callable[[str], object]):
        self._reads = reads
        self._keeper = keeper
        self._build = build

    def find(self, name: ListName, admin_id: int) -> Filtered | None:
        """None where there is no such list any more. Raises StorageUnavailable."""
        try:
            found = self._reads.by_filter(name, admin_id)
        except StorageUnavailable:
            raise
        except Problem:
            return None
        temporary = {
            named.query_list.id: named.listed
            for named in found.values()
            if not named.is_always_kept
        }
        self._keeper.keep_many(temporary, KEPT_MAX)
        for list_id in temporary:
            if self._keeper.is_kept(list_id):
                self._build(list_id)
        return Filtered({filter: each.query_list.id for filter, each in found.items()}, temporary)


class Watched(NamedTuple):
    """The list of a socket, and the lists that give its totals by their lengths."""

    name: ListName
    lists: Filtered


class FilterTotals:
    """Keeps the lists of the filters of one list for each socket, and sends how long they are.

    So the list is there already when an admin chooses a filter.
    """

    def __init__(self, lists: FilteredLists, emitter: Emitter, admins: SocketAdmins):
        self._lists = lists
        self._emitter = emitter
        self._admins = admins
        self._watched: dict[str, Watched] = {}
        #: What is read from SQL at the next turn: a list that was asked for, or is another one now.
        self._asked: dict[str, ListName] = {}
        self._sent: dict[str, dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._watched or self._asked)

    @property
    def looked_at(self) -> Collection[str]:
        """Lists that are kept for the sake of their totals."""
        return {id for watched in self._watched.values() for id in watched.lists.temporary}

    def watch(self, sid: str, name: ListName) -> None:
        """Sends the socket the totals of this list, and of no other one any more."""
        self.drop(sid)
        self._asked[sid] = name

    def close(self, sid: str, name: ListName) -> None:
        """The socket has closed a list: its totals are not sent any more."""
        watched = self._watched.get(sid)
        if name == (watched.name if watched else self._asked.get(sid)):
            self.drop(sid)

    def drop(self, sid: str) -> None:
        """Sends the socket no totals any more."""
        self._watched.pop(sid, None)
        self._asked.pop(sid, None)
        self._sent.pop(sid, None)

    def views_changed(self, means_another: Callable[[ListName], bool]) -> None:
        """The names of which this holds may mean other lists now."""
        for sid, watched in self._watched.items():
            if means_another(watched.name):
                self._asked[sid] = watched.name

    def look_up(self) -> None:
        """Finds and keeps the lists that were asked for. Raises StorageUnavailable."""
        while self._asked:
            sid, name = next(iter(self._asked.items()))
            found = self._lists.find(name, self._admins[sid]) if sid in self._admins else None
            # Another one may have been asked for meanwhile.
            if self._asked.get(sid) == name:
                self.drop(sid)
                if found is not None:
                    self._watched[sid] = Watched(name, found)

    def send(self, changed: Collection[str], totals: Mapping[str, int]) -> None:
        """Sends what has changed, and to a new socket all totals that are known."""
        for sid, watched in [*self._watched.items()]:
            sent = self._sent.get(sid)
            if sent is not None and not any(id in changed for id in watched.lists.ids.values()):
                continue
            found = {each: totals[id] for each, id in watched.lists.ids.items() if id in totals}
            # A list that is lost is built anew: until then the last number stays.
            if found and found != sent and found.keys() >= (sent or found).keys():
                self._sent[sid] = found
                data = EncodedJson(encode(watched.name.to_json() | {"totals": found}))
                self._emitter.send(sid, "list:totals", data)


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


#: Interval of reading all lengths, whether or not anything is known to have changed.
READ_ALL_SECONDS = 5.0


class Lengths:
    """The lengths that were read last: each is that of its list at one of its versions."""

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._known: dict[str, int] = {}
        #: Of the last calls that are known, one for each group of lists; None: all lists are read.
        self._numbers: tuple[int, ...] | None = None
        self._is_touched = True
        self._read_all_at = 0.0

    @property
    def known(self) -> Mapping[str, int]:
        """By list id; without lists that are lost, or are being built for the first time."""
        return self._known

    def note(self) -> None:
        """Some list of a query has changed."""
        self._is_touched = True

    def read(self) -> set[str]:
        """The lists with another length than at the call before. Raises RedisError."""
        now = self._monotonic()
        if now >= self._read_all_at:
            self._is_touched, self._numbers = True, None
        if not self._is_touched:
            return set()
        self._is_touched = False
        try:
            found = self._ranking.totals(self._numbers)
        except RedisError:
            self._is_touched = True
            raise
        known = self._known
        if self._numbers is None:
            self._read_all_at = now + READ_ALL_SECONDS
            self._known = {}
        # After a loss of data numbers begin again: then all is read once more.
        self._numbers = found.numbers if found.is_whole else None
        self._is_touched |= not found.is_whole
        self._known = self._known | found.totals
        return {id for id, total in found.totals.items() if known.get(id) != total}


#: Interval of sending: a socket gets at most four messages a second.
SEND_SECONDS = 0.25
#: The same while nobody is here; the first one who comes ends it.
REST_SECONDS = 10.0


class ViewTotals(RunsTask):
    """One read of all lengths that changed serves all sockets of this worker.

    What is sent was the length of the list at one of its versions; while Redis is away, nothing is.
    The totals of built-in views are `pages:totals`.
    """

    def __init__(
        self,
        lengths: Lengths,
        reads: Reads,
        emitter: Emitter,
        keeper: ListKeeper,
        admins: SocketAdmins,
        filters: FilterTotals,
        desks: DeskTotals,
    ):
        """All sockets of `admins` get totals; filters and desks go out in the same turn."""
        self._lengths = lengths
        self._reads = reads
        self._emitter = emitter
        self._keeper = keeper
        self._admins = admins
        self.filters = filters
        self._desks = desks
        #: Sockets that have been told all totals that their admin sees, and get changes.
        self._told: set[str] = set()
        self._lists = self._sent_lists = SeenLists({}, {}, {})
        #: The admins who see these lists, each with the desks that the admin sees; None where views
        #: have changed since.
        self._seen_by: frozenset[tuple[int, Desks]] | None = None
        self._task = PeriodicTask(
            "sending the totals of views",
            self.turn,
            interval_seconds=lambda: SEND_SECONDS if self._admins else REST_SECONDS,
            expected=(RedisError, StorageUnavailable),
            # What is away is logged elsewhere.
            expected_level=logging.DEBUG,
        )
        admins.wakes.append(self.wake)

    def note(self) -> None:
        """Some list of a query has changed."""
        self._lengths.note()

    def views_changed(self) -> None:
        """Saved views have changed, or who sees them."""
        self._seen_by = None

    def turn(self) -> None:
        """Sends what has changed since the last turn. Raises RedisError and StorageUnavailable."""
        admins = dict(self._admins)
        if not admins:
            return
        self._find_lists(self._admins.desks_by_admin())
        self.filters.look_up()
        self._desks.look_up()
        changed = self._lengths.read() if self._has_lists() else set()
        before, self._sent_lists = self._sent_lists, self._lists
        told = {sid: admin_id for sid, admin_id in admins.items() if sid in self._told}
        self._send_changes(before, changed, told)
        for sid in admins.keys() - told.keys():
            own = self._lists.own.get(admins[sid], {})
            parts = (own,) if self._is_of_some_desks(sid) else (self._lists.shared, own)
            self._send([sid], [self._text(lists, lists) for lists in parts])
        self._told = set(admins)
        self.filters.send(changed, self._lengths.known)
        self._desks.send(self._lengths.known)

    @property
    def looked_at(self) -> Collection[str]:
        """Lists that are kept for the sake of their totals, while their admins are here."""
        if not self._admins:
            return ()
        return {*self._lists.temporary, *self.filters.looked_at, *self._desks.looked_at}

    def _find_lists(self, admins: Mapping[int, Desks]) -> None:
        """Reads the lists of all views that these admins see, where they may be others."""
        seen_by = frozenset(admins.items())
        if self._seen_by is not None and self._seen_by >= seen_by:
            return
        self._seen_by = seen_by
        try:
            lists = self._reads.seen_lists(admins)
            self._keeper.keep_many(lists.temporary)
        except BaseException:
            self._seen_by = None
            raise
        self._lists = lists

    def _has_lists(self) -> bool:
        own = any(self._lists.own.values())
        return bool(self._lists.shared or own or self.filters or self._desks)

    def _is_of_some_desks(self, sid: str) -> bool:
        """Whether a socket is sent no totals of lists of all threads."""
        return self._admins.desks_of(sid) is not None

    def _send_changes(
        self, before: SeenLists, changed: set[str], admins: Mapping[str, int]
    ) -> None:
        """To these sockets what has changed, each part encoded once."""
        shared = self._changed_text(before.shared, self._lists.shared, changed)
        by_admin: dict[int, list[str]] = {}
        for sid, admin_id in admins.items():
            by_admin.setdefault(admin_id, []).append(sid)
        others: list[str] = []
        for admin_id, sids in by_admin.items():
            lists = self._lists.own.get(admin_id, {})
            own = self._changed_text(before.own.get(admin_id, {}), lists, changed)
            for sid in sids:
                if self._is_of_some_desks(sid):
                    self._send([sid], [own])
                elif own:
                    self._send([sid], [shared, own])
                else:
                    others.append(sid)
        self._send(others, [shared])

    def _changed_text(self, before: Lists, lists: Lists, changed: set[str]) -> str:
        if before is lists and not changed:
            return ""
        return self._text(
            lists,
            (id for id, list in lists.items() if list in changed or before.get(id) != list),
        )

    def _text(self, lists: Lists, ids: Iterable[str]) -> str:
        """`"v17":5,"v18":0` of the views that have their lists in Redis."""
        totals = self._lengths.known
        return ",".join(f'"{id}":{totals[lists[id]]}' for id in ids if lists[id] in totals)

    def _send(self, sids: Iterable[str], parts: Iterable[str]) -> None:
        text = ",".join(filter(None, parts))
        if text:
            data = EncodedJson(f'{{"totals":{{{text}}}}}')
            for sid in sids:
                self._emitter.send(sid, "views:totals", data)
