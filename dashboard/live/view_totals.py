"""Sends the lengths of lists that are shown beside views and filters, when one changes."""

import logging
import time
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from typing import Any, NamedTuple

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.named_lists import ListName, Lists, NamedList, SeenLists
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

#: Temporary lists up to which `ListTotals` keeps further ones; the rest is for open lists.
KEPT_MAX = TEMPORARY_MAX // 2


class TotalsMessage(NamedTuple):
    """Totals that go to a socket in one message, each the length of a list.

    `ids` maps the name of each total to its list id. `temporary`: the lists among them that Redis
    keeps only while somebody looks. `is_whole`: nothing is sent before all totals are known.
    """

    event: str
    ids: Mapping[str, str]
    temporary: Mapping[str, ListedQuery]
    is_whole: bool
    payload: Callable[[Mapping[str, int]], Mapping[str, Any]]


class ListTotals:
    """Keeps lists for the sake of their totals, and sends these to sockets.

    A socket with an open list gets `list:totals` of that list with each filter: so these lists
    exist already when an admin chooses a filter. An admin who sees only some desks gets the
    `pages:totals` of these desks here; for other admins `Totals` sends them.
    """

    def __init__(
        self,
        reads: Reads,
        emitter: Emitter,
        keeper: ListKeeper,
        build: Callable[[str], object],
        admins: SocketAdmins,
    ):
        """`build(list_id)` begins to build a list that Redis lacks."""
        self._reads = reads
        self._emitter = emitter
        self._keeper = keeper
        self._build = build
        self._admins = admins
        self._of_lists: dict[str, tuple[ListName, TotalsMessage]] = {}
        self._of_desks: dict[str, list[TotalsMessage]] = {}
        #: Names to look up in SQL at the next turn: new ones, and names that mean another list now.
        self._requests: dict[str, ListName] = {}
        #: What each socket was sent last.
        self._sent: dict[tuple[str, Hashable], Mapping[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._of_lists or self._of_desks or self._requests)

    @property
    def looked_at(self) -> Collection[str]:
        """The lists that are kept for the sake of their totals."""
        return {list_id for _, _, message in self._messages() for list_id in message.temporary}

    def watch(self, sid: str, name: ListName) -> None:
        """Sends the socket the totals of this list from now on, and of no other list."""
        self.drop(sid)
        self._requests[sid] = name

    def close(self, sid: str, name: ListName) -> None:
        """Stops sending totals of a list that the socket has closed."""
        watched = self._of_lists[sid][0] if sid in self._of_lists else self._requests.get(sid)
        if name == watched:
            self.drop(sid)

    def drop(self, sid: str) -> None:
        """Stops sending the socket totals of a list."""
        self._of_lists.pop(sid, None)
        self._requests.pop(sid, None)
        self._sent.pop((sid, None), None)

    def views_changed(self, means_another: Callable[[ListName], bool]) -> None:
        """Has the next turn look up the names that may mean another list now."""
        for sid, (name, _) in self._of_lists.items():
            if means_another(name):
                self._requests[sid] = name

    def look_up(self) -> bool:
        """Finds and keeps the lists of new sockets, and the lists that were asked for; tells
        whether there were any. Raises StorageUnavailable.
        """
        is_new = bool(self._requests)
        while self._requests:
            sid, name = next(iter(self._requests.items()))
            lists = self._find(name, self._admins[sid]) if sid in self._admins else None
            # Another list may have been asked for meanwhile.
            if self._requests.get(sid) == name:
                self.drop(sid)
                if lists is not None:
                    self._of_lists[sid] = name, _message_of_list(name, lists)
        here = self._admins.of_some_desks()
        for sid in self._of_desks.keys() - set(here):
            del self._of_desks[sid]
            for filter in FILTERS:
                self._sent.pop((sid, filter), None)
        for sid in here:
            if sid not in self._of_desks and sid in self._admins:
                self._of_desks[sid] = self._messages_of_desks(sid)
                is_new = True
        return is_new

    def send(self, changed: Set[str], totals: Mapping[str, int]) -> None:
        """Sends what has changed, and to a new socket all totals that are known."""
        for sid, key, message in self._messages():
            last = self._sent.get((sid, key))
            if last is not None and changed.isdisjoint(message.ids.values()):
                continue
            numbers = {name: totals[id] for name, id in message.ids.items() if id in totals}
            # A lost list is rebuilt: until then its last number stays on screen.
            least = message.ids if message.is_whole else last or numbers
            if numbers and numbers != last and numbers.keys() >= least.keys():
                self._sent[sid, key] = numbers
                data = EncodedJson(encode(message.payload(numbers)))
                self._emitter.send(sid, message.event, data)

    def _messages(self) -> Iterator[tuple[str, Hashable, TotalsMessage]]:
        """Yields (socket, key, message); a socket has one message for each key."""
        for sid, (_, message) in [*self._of_lists.items()]:
            yield sid, None, message
        for sid, messages in [*self._of_desks.items()]:
            yield from ((sid, *pair) for pair in zip(FILTERS, messages, strict=False))

    def _find(self, name: ListName, admin_id: int) -> Mapping[str, NamedList] | None:
        """Finds and keeps a list with each filter; None if the list no longer exists.

        Raises StorageUnavailable.
        """
        try:
            lists = self._reads.by_filter(name, admin_id)
        except StorageUnavailable:
            raise
        except Problem:
            return None
        temporary = _temporary(lists.values())
        self._keeper.keep_many(temporary, KEPT_MAX)
        for list_id in temporary:
            if self._keeper.is_kept(list_id):
                self._build(list_id)
        return lists

    def _messages_of_desks(self, sid: str) -> list[TotalsMessage]:
        """Returns one message for each filter; none if a list no longer exists."""
        admin_id, desks = self._admins[sid], self._admins.desks_of(sid)
        by_view: dict[str, Mapping[str, NamedList]] = {}
        for view in VIEWS:
            name = ListName(None, ANY_SORT, "all", VIEW_QUERIES[view], desks=desks)
            lists = self._find(name, admin_id)
            if lists is None:
                return []
            by_view[view] = lists
        return [_message_of_desks(filter, by_view) for filter in FILTERS]


def _message_of_list(name: ListName, by_filter: Mapping[str, NamedList]) -> TotalsMessage:
    return TotalsMessage(
        "list:totals",
        {filter: named_list.list_id for filter, named_list in by_filter.items()},
        _temporary(by_filter.values()),
        False,
        lambda totals: name.to_json() | {"totals": totals},
    )


def _message_of_desks(filter: str, by_view: Mapping[str, Mapping[str, NamedList]]) -> TotalsMessage:
    named_lists = {view: lists[filter] for view, lists in by_view.items()}
    return TotalsMessage(
        "pages:totals",
        {view: named_list.list_id for view, named_list in named_lists.items()},
        _temporary(named_lists.values()),
        True,
        lambda totals: {"filter": filter, **totals},
    )


def _temporary(lists: Iterable[NamedList]) -> dict[str, ListedQuery]:
    """Maps list ids to queries, for the lists that Redis keeps only while somebody looks."""
    return {named.list_id: named.query for named in lists if not named.is_always_kept}


#: Interval of reading all lengths, whether or not anything is known to have changed.
READ_ALL_SECONDS = 5.0


class Lengths:
    """The lengths of lists as last read; each is the length at some version of the list."""

    def __init__(self, ranking: Ranking, monotonic: Callable[[], float] = time.monotonic):
        self._ranking = ranking
        self._monotonic = monotonic
        self._totals: dict[str, int] = {}
        self._as_of: tuple[int, ...] = ()
        #: The same, to read what has changed since; None: read all lists.
        self._numbers: tuple[int, ...] | None = None
        self._is_touched = True
        self._read_all_at = 0.0

    @property
    def known(self) -> Mapping[str, int]:
        """Lengths by list id, without lists that are lost or were never built."""
        return self._totals

    @property
    def as_of(self) -> Sequence[int]:
        """For each group of lists the number of the last call that the known lengths contain."""
        return self._as_of

    def note(self) -> None:
        """Notes that some list of a query has changed."""
        self._is_touched = True

    def read(self) -> set[str]:
        """Reads the lengths, and returns the lists with a changed one. Raises RedisError."""
        now = self._monotonic()
        if now >= self._read_all_at:
            self._is_touched, self._numbers = True, None
        if not self._is_touched:
            return set()
        self._is_touched = False
        try:
            answer = self._ranking.totals(self._numbers)
        except RedisError:
            self._is_touched = True
            raise
        previous = self._totals
        if self._numbers is None:
            self._read_all_at = now + READ_ALL_SECONDS
            self._totals = {}
        self._as_of = answer.numbers
        # After a loss of data the numbers begin again: then all lengths are read once more.
        self._numbers = answer.numbers if answer.is_whole else None
        self._is_touched |= not answer.is_whole
        self._totals = self._totals | answer.totals
        return {id for id, total in answer.totals.items() if previous.get(id) != total}


#: Least time between two `views:totals` to a socket, and to one that asked for versions.
SEND_SECONDS, VERSIONED_SECONDS = 0.25, 0.1
#: Largest share of the time that sending totals with versions may take; beyond it they come less
#: often.
SHARE = 0.1
#: Interval while no socket is here; the first one wakes the task.
REST_SECONDS = 10.0


class _Rhythm:
    """Sockets that get totals at the same times: what they were sent, and what changed since."""

    def __init__(self, seconds: float, has_versions: bool):
        self.seconds, self.has_versions = seconds, has_versions
        #: Sockets that were sent all totals that their admins see, and now get changes.
        self.told: set[str] = set()
        self.lists = SeenLists({}, {}, {})
        self.changed: set[str] = set()
        self.next_at = 0.0
        #: Whether something is to be sent at `next_at`.
        self.is_owed = False

    def take(self, changed: Set[str], sockets: Collection[str], lists: SeenLists) -> None:
        """Takes what is to be sent: changed lists, all totals to new sockets, or other lists."""
        self.changed |= changed
        is_new = not self.told.issuperset(sockets) or lists is not self.lists
        self.is_owed |= is_new or bool(changed)

    def rest(self, now: float) -> None:
        """Begins the pause after all was sent."""
        self.next_at, self.changed, self.is_owed = now + self.seconds, set(), False


class ViewTotals(RunsTask):
    """Sends the totals of saved views, and of built-in views that are lists of queries.

    One read of the changed lengths serves all sockets. A total is the length of the list at some
    version. Nothing is sent while Redis is away. `pages:totals` carries the totals of VIEWS.
    """

    def __init__(
        self,
        lengths: Lengths,
        reads: Reads,
        emitter: Emitter,
        keeper: ListKeeper,
        admins: SocketAdmins,
        list_totals: ListTotals,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        """All sockets of `admins` get totals; `list_totals` go out in the same turn."""
        self._lengths = lengths
        self._reads = reads
        self._emitter = emitter
        self._keeper = keeper
        self._admins = admins
        self.list_totals = list_totals
        self._monotonic = monotonic
        self._slow = _Rhythm(SEND_SECONDS, has_versions=False)
        self._fast = _Rhythm(VERSIONED_SECONDS, has_versions=True)
        #: Sockets that asked for versions.
        self._versioned: set[str] = set()
        self._lists = SeenLists({}, {}, {})
        #: The admins for whom `_lists` was read, with the desks that they see; None: views have
        #: changed since.
        self._seen_by: frozenset[tuple[int, Desks]] | None = None
        self._task = PeriodicTask(
            "sending the totals of views",
            self.turn,
            interval_seconds=self._pause_seconds,
            least_seconds=self._least_seconds,
            expected=(RedisError, StorageUnavailable),
            # Other tasks log that Redis or SQL is away.
            expected_level=logging.DEBUG,
        )
        admins.wakes.append(self.wake)

    def note(self) -> None:
        """Notes that some list of a query has changed."""
        self._lengths.note()
        if self._versioned:
            self.wake()

    def send_versions(self, sid: str) -> None:
        """Sends the socket versions from now on, and totals more often."""
        self._versioned.add(sid)
        self.wake()

    def drop(self, sid: str) -> None:
        """Forgets a closed socket."""
        self._versioned.discard(sid)
        self.list_totals.drop(sid)

    def views_changed(self) -> None:
        """Notes that saved views have changed, or the admins who see them."""
        self._seen_by = None

    def turn(self) -> None:
        """Sends what has changed since the last turn. Raises RedisError and StorageUnavailable."""
        now, admins = self._monotonic(), dict(self._admins)
        if not admins:
            return
        self._find_lists(self._admins.desks_by_admin())
        self._slow.is_owed |= self.list_totals.look_up()
        changed = self._lengths.read() if self._has_lists() else set[str]()
        fast = {sid: admins.pop(sid) for sid in self._versioned & admins.keys()}
        self._fast.take(changed, fast, self._lists)
        self._slow.take(changed, admins, self._lists)
        if now >= self._fast.next_at:
            begun = self._monotonic()
            self._send_all(self._fast, fast)
            took = self._monotonic() - begun
            self._fast.seconds = min(max(VERSIONED_SECONDS, took / SHARE), SEND_SECONDS)
            self._fast.rest(begun + took)
        if now >= self._slow.next_at:
            self._send_all(self._slow, admins)
            self.list_totals.send(self._slow.changed, self._lengths.known)
            self._slow.rest(self._monotonic())

    def _pause_seconds(self) -> float:
        """Seconds until the next turn, unless something changes before."""
        if not self._admins:
            return REST_SECONDS
        rhythms = (self._fast, self._slow) if self._versioned else (self._slow,)
        owed = [rhythm.next_at - self._monotonic() for rhythm in rhythms if rhythm.is_owed]
        return min(owed, default=SEND_SECONDS)

    def _least_seconds(self) -> float:
        """Seconds until the next turn, if something has changed already."""
        next_at = self._fast.next_at if self._versioned else self._slow.next_at
        return max(0.0, next_at - self._monotonic())

    @property
    def looked_at(self) -> Collection[str]:
        """The lists that are kept for the sake of their totals, while their admins are here."""
        if not self._admins:
            return ()
        return {*self._lists.temporary, *self.list_totals.looked_at}

    def _find_lists(self, admins: Mapping[int, Desks]) -> None:
        """Reads the lists of all views that these admins see, if these may have changed."""
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
        return bool(self._lists.shared or own or self.list_totals)

    def _is_of_some_desks(self, sid: str) -> bool:
        """Whether a socket sees only some desks, and so gets no totals of lists of all threads."""
        return self._admins.desks_of(sid) is not None

    def _send_all(self, rhythm: _Rhythm, sockets: Mapping[str, int]) -> None:
        """Sends these sockets what has changed, and the new ones all totals."""
        told = {sid: admin_id for sid, admin_id in sockets.items() if sid in rhythm.told}
        self._send_changes(rhythm, told)
        for sid in sockets.keys() - told.keys():
            own = self._lists.own.get(sockets[sid], {})
            is_of_some = self._is_of_some_desks(sid)
            parts = (own,) if is_of_some else (self._lists.shared, own)
            as_of = "" if is_of_some else self._as_of(rhythm)
            self._send([sid], [self._text(lists, lists) for lists in parts], as_of)
        rhythm.told, rhythm.lists = set(sockets), self._lists

    def _send_changes(self, rhythm: _Rhythm, admins: Mapping[str, int]) -> None:
        """Sends these sockets what has changed, each part encoded once."""
        before, changed, as_of = rhythm.lists, rhythm.changed, self._as_of(rhythm)
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
                    self._send([sid], [shared, own], as_of)
                else:
                    others.append(sid)
        self._send(others, [shared], as_of)

    def _changed_text(self, before: Lists, lists: Lists, changed: Set[str]) -> str:
        if before is lists and not changed:
            return ""
        return self._text(
            lists, (id for id, list in lists.items() if list in changed or before.get(id) != list)
        )

    def _text(self, lists: Lists, ids: Iterable[str]) -> str:
        """Returns JSON such as `"v17":5,"v18":0` for the views with a list in Redis."""
        totals = self._lengths.known
        return ",".join(f'"{id}":{totals[lists[id]]}' for id in ids if lists[id] in totals)

    def _as_of(self, rhythm: _Rhythm) -> str:
        """Returns the member with versions; none for a socket of some desks, which must not learn
        how much happens at others."""
        return f',"as_of":{encode(self._lengths.as_of)}' if rhythm.has_versions else ""

    def _send(self, sids: Iterable[str], parts: Iterable[str], as_of: str = "") -> None:
        text = ",".join(filter(None, parts))
        if text:
            data = EncodedJson(f'{{"totals":{{{text}}}{as_of}}}')
            for sid in sids:
                self._emitter.send(sid, "views:totals", data)
