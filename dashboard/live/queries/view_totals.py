"""How many threads the saved views have, sent to whoever sees them when a number changes."""

import logging
from collections.abc import Collection, Iterable, Mapping

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.seen_lists import Lists, SeenLists
from dashboard.errors import StorageUnavailable
from dashboard.live.queries.desk_totals import DeskTotals
from dashboard.live.queries.filter_totals import FilterTotals
from dashboard.live.queries.lengths import Lengths
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.ordering.keeping import ListKeeper
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson

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
        #: The admins of whose views these are the lists, each with the desks that the admin sees;
        #: None where views have changed since.
        self._whose: frozenset[tuple[int, Desks]] | None = None
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
        self._whose = None

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
        whose = frozenset(admins.items())
        if self._whose is not None and self._whose >= whose:
            return
        self._whose = whose
        try:
            lists = self._reads.seen_lists(admins)
            self._keeper.keep_many(lists.temporary)
        except BaseException:
            self._whose = None
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
        """`"v17":5,"v18":0` of those views whose lists are there."""
        totals = self._lengths.known
        return ",".join(f'"{id}":{totals[lists[id]]}' for id in ids if lists[id] in totals)

    def _send(self, sids: Iterable[str], parts: Iterable[str]) -> None:
        text = ",".join(filter(None, parts))
        if text:
            data = EncodedJson(f'{{"totals":{{{text}}}}}')
            for sid in sids:
                self._emitter.send(sid, "views:totals", data)
