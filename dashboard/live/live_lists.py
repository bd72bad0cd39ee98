"""Lists of queries on sockets: kept and built while an admin looks, followed if views change."""

import threading
import time

from redis.exceptions import RedisError

from dashboard.db.lists.named_lists import ListName, NamedList, Stamp
from dashboard.db.lists.query_lists import QueryList
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live.broadcaster import Broadcaster
from dashboard.live.reads import Reads
from dashboard.live.view_totals import DeskTotals, FilteredLists, FilterTotals, Lengths, ViewTotals
from dashboard.ordering.list_keeper import ListBuilder, ListKeeper, TooManyLists
from dashboard.rate_limits import NEW_LISTS, RateLimiter
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.queries import invalid_query
from scoring.conditions.language.errors import QueryError
from scoring.keys import is_query_list
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Head
from scoring.sorts import SORTS

#: How long an answer waits for a list that is being built.
WAIT_SECONDS = 0.25
#: Interval of looking which lists must be kept longer.
RENEW_SECONDS = 5.0
#: Lists that are read from Redis at once. When thousands of dashboards reconnect, the others wait
#: here, and not in front of the connections and the turns that accepting events needs.
READS_AT_ONCE = 16
#: Lists of queries that one admin may have open, in all windows.
LISTS_MAX = 50


class LiveLists(RunsTask):
    """The lists of queries that sockets of this worker have open.

    Every worker with a subscriber keeps a list; any of them builds it.
    """

    def __init__(
        self,
        ranking: Ranking,
        reads: Reads,
        broadcaster: Broadcaster,
        emitter: Emitter,
        keeper: ListKeeper,
        builder: ListBuilder,
    ):
        self._ranking = ranking
        self._reads = reads
        self._broadcaster = broadcaster
        self._emitter = emitter
        self._keeper = keeper
        self._builder = builder
        admins = broadcaster.admins
        filtered = FilteredLists(reads, keeper, builder.build)
        self.view_totals = ViewTotals(
            Lengths(ranking),
            reads,
            emitter,
            keeper,
            admins,
            FilterTotals(filtered, emitter, admins),
            DeskTotals(filtered, emitter, admins),
        )
        self._limits = RateLimiter(time.monotonic)
        #: Held while a list is read from Redis.
        self.reading = threading.BoundedSemaphore(READS_AT_ONCE)
        self._stamps: dict[str, Stamp] = {}
        self._task = PeriodicTask(
            "keeping lists of queries",
            self.renew,
            interval_seconds=RENEW_SECONDS,
            expected=(StorageUnavailable,),
        )

    def open(self, caller: Caller, list: ListName, limit: int) -> tuple[str, Head | float] | None:
        """The list id, and the head of the list or how far (0 to 1) the building of it is; None
        where it must be read from SQL. A socket that is told how far gets a frame at the end.

        Raises Problem and StorageUnavailable.
        """
        named = self._reads.named(list, caller.admin_id)
        if self._broadcaster.status.is_unreadable or not self.keep(caller, list, named):
            return None
        list_id = named.query_list.id
        try:
            return list_id, self._head(named.query_list, limit)
        except RedisError:
            # All sockets get the status now and at the end; then they open their lists again.
            self._broadcaster.status.read_failed()
            self._broadcaster.notify(None)
            return None

    def named(self, caller: Caller, list: ListName) -> NamedList:
        """The list that goes by this name, to read more of it. Raises Problem."""
        return self._reads.named(list, caller.admin_id)

    def keep(self, caller: Caller, list: ListName, named: NamedList) -> bool:
        """Keeps a list in order for a socket; False where there are too many lists of all sockets.

        Raises Problem and StorageUnavailable.
        """
        list_id = named.query_list.id
        others = self._open_to(caller.admin_id) - {list_id}
        if len(others) >= LISTS_MAX:
            detail = f"You may have {LISTS_MAX} lists of queries open at once; close one first."
            raise Problem(429, "rate_limited", detail)
        if self._keeper.is_kept(list_id):
            return True
        if named.epoch is None:
            self._limits.require(NEW_LISTS, caller.admin_id)
        try:
            self._keeper.keep(list_id, named.listed, others)
        except TooManyLists:
            return False
        except QueryError as error:
            # Its sort was deleted just now.
            raise invalid_query(error) from error
        return True

    def _open_to(self, admin_id: int) -> set[str]:
        """The lists of queries that an admin has open."""
        return {
            list_id
            for sid, id in self._broadcaster.admins
            if id == admin_id
            for list, list_id in self._broadcaster.subscriptions.lists_of(sid).items()
            if not list.is_built_in
        }

    def subscribe(
        self, caller: Caller, list: ListName, list_id: str, epoch: str = "", version: int = 0
    ) -> None:
        """Sends the socket frames of a list from this version on; without one, when it is there."""
        self._broadcaster.subscriptions.subscribe(list_id, caller.sid, list, epoch, version)
        self._broadcaster.notify([list_id])

    def drop(self, sid: str) -> None:
        """Forgets a closed socket."""
        self.view_totals.filters.drop(sid)

    def renew(self) -> None:
        """Keeps the lists of all subscribers longer. Raises StorageUnavailable."""
        looked_at = [id for id in self._broadcaster.subscriptions if is_query_list(id)]
        self._keeper.renew([*looked_at, *self.view_totals.looked_at])

    def views_changed(self, admin_id: int | None) -> None:
        """Views of this admin have changed, or everybody's: what they mean now goes on screens.

        Raises StorageUnavailable; then call it again.
        """
        self.view_totals.views_changed()
        concerned = [
            (Caller(sid, id), list, list_id)
            for sid, id in self._broadcaster.admins
            if admin_id in (None, id)
            for list, list_id in self._broadcaster.subscriptions.lists_of(sid).items()
            if not list.is_built_in
        ]
        view_ids = {list.view for _, list, _ in concerned if list.view}
        stamps = self._reads.view_stamps(view_ids)
        changed = {id for id in view_ids if id not in stamps or self._stamps.get(id) != stamps[id]}

        def means_another(list: ListName) -> bool:
            # The rules of a saved sort may have changed, too.
            return list.view in changed or list.sort not in SORTS

        for caller, list, list_id in concerned:
            if means_another(list):
                self._follow(caller, list, list_id)
        self.view_totals.filters.views_changed(means_another)
        self._stamps |= stamps

    def _follow(self, caller: Caller, list: ListName, list_id: str) -> None:
        """Moves a subscription to the list that its name means now, or ends it."""
        try:
            named = self._reads.named(list, caller.admin_id)
            if named.query_list.id == list_id:
                return
            is_kept = self.keep(caller, list, named)
        except StorageUnavailable:
            raise
        except Problem as problem:
            self._broadcaster.subscriptions.unsubscribe(caller.sid, list)
            gone = EncodedJson(encode(list.to_json() | {"problem": problem.body()}))
            self._emitter.send(caller.sid, "list:gone", gone)
            return
        self._broadcaster.subscriptions.unsubscribe(caller.sid, list)
        if is_kept:
            self._builder.build(named.query_list.id)
            self.subscribe(caller, list, named.query_list.id)

    def _head(self, query_list: QueryList, limit: int) -> Head | float:
        """The head of a list that is kept, or how far it is. Raises RedisError and
        StorageUnavailable."""
        found = self._read_head(query_list, limit)
        if found is None:
            self._builder.build(query_list.id).wait(WAIT_SECONDS)
            found = self._read_head(query_list, limit)
        if found is not None:
            return found
        return self._ranking.progress(query_list.id) or 0.0

    def _read_head(self, query_list: QueryList, limit: int) -> Head | None:
        """None where Redis does not hold the list of the epoch that SQL names."""
        epoch = self._reads.epoch_of(query_list.id)
        if epoch is None:
            return None
        try:
            with self.reading:
                head = self._ranking.head(query_list.id, query_list.sort, limit)
        except RankingLost:
            return None
        return head if head.epoch == epoch else None
