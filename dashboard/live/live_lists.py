"""Lists open on sockets: keeps, builds and reads them, and follows changes of views."""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from redis.exceptions import RedisError

from dashboard.db.lists.named_lists import ListName, NamedList, Stamp
from dashboard.errors import Problem, StorageUnavailable
from dashboard.live.broadcaster import Broadcaster
from dashboard.live.reads import Reads
from dashboard.live.view_totals import Lengths, ListTotals, ViewTotals
from dashboard.ordering.list_keeper import ListBuilder, ListKeeper, TooManyLists
from dashboard.rate_limits import NEW_LISTS, RateLimiter
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.field_errors import invalid_query
from scoring.conditions.language.query import QueryError
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Head
from scoring.sorts import SORTS

#: How long an answer waits for a list that is being built.
WAIT_SECONDS = 0.25
#: Interval of checks which lists must be kept longer.
RENEW_SECONDS = 5.0
#: Lists that are read from Redis at once. When thousands of dashboards reconnect, other reads wait
#: here, and leave connections and turns for accepting events.
READS_AT_ONCE = 16
#: Lists of queries that one admin may have open on one worker, in all windows.
LISTS_MAX = 50


#: How long a call waits for a list that is missing in Redis, and the interval of its attempts.
MISSING_LIST_SECONDS = 2.0
MISSING_LIST_STEP_SECONDS = 0.05

Found = TypeVar("Found")


class Target(NamedTuple):
    """The list that a name means for a caller; `named` is None if Redis always holds the list."""

    list_id: str
    named: NamedList | None


class LiveLists(RunsTask):
    """The lists that sockets of this worker have open.

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
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._ranking = ranking
        self._reads = reads
        self._broadcaster = broadcaster
        self._emitter = emitter
        self._keeper = keeper
        self._builder = builder
        admins = broadcaster.admins
        self.view_totals = ViewTotals(
            Lengths(ranking, monotonic),
            reads,
            emitter,
            keeper,
            admins,
            ListTotals(reads, emitter, keeper, builder.build, admins),
            monotonic,
        )
        self._limits = RateLimiter(time.monotonic)
        self._monotonic = monotonic
        #: Held while a list is read from Redis.
        self._reading = threading.BoundedSemaphore(READS_AT_ONCE)
        self._stamps: dict[str, Stamp] = {}
        self._task = PeriodicTask(
            "keeping lists of queries",
            self.renew,
            interval_seconds=RENEW_SECONDS,
            expected=(StorageUnavailable,),
        )

    def find(self, caller: Caller, list: ListName) -> Target:
        """Finds the list that the name means. Raises Problem and StorageUnavailable."""
        if list.standing_id is not None:
            return Target(list.standing_id, None)
        named_list = self._reads.named(list, caller.admin_id)
        return Target(named_list.list_id, named_list)

    def open(
        self, caller: Caller, list: ListName, target: Target, limit: int
    ) -> Head | float | None:
        """Returns the head of the list, or the progress (0 to 1) of building it; None: it must be
        read from SQL. After a progress the caller must subscribe, to get a frame at the end.

        Raises Problem and StorageUnavailable.
        """
        if self._broadcaster.status.is_unreadable or not self.keep(caller, target):
            return None
        head = self._head(target, list.sort, limit)
        if head is None and target.named is not None:
            self._builder.build(target.list_id).wait(WAIT_SECONDS)
            head = self._head(target, list.sort, limit)
            if head is None:
                return self._attempt(target, lambda: self._ranking.progress(target.list_id) or 0.0)
        return head

    def read(self, target: Target, reading: Callable[[], Found]) -> Found | None:
        """Returns the result of `reading` this list; None if it must be read from SQL, because
        Redis is away or lacks the list. Raises StorageUnavailable."""
        if target.named is not None and self._reads.epoch_of(target.list_id) is None:
            return None
        return self._attempt(target, reading)

    def keep(self, caller: Caller, target: Target) -> bool:
        """Keeps a list in order for a socket; False if it must be read from SQL, see TooManyLists.

        Raises Problem and StorageUnavailable.
        """
        list_id, named_list = target
        if named_list is None:
            return True
        others = self._open_to(caller.admin_id) - {list_id}
        if len(others) >= LISTS_MAX:
            detail = f"You may have {LISTS_MAX} lists of queries open at once; close one first."
            raise Problem(429, "rate_limited", detail)
        if self._keeper.is_kept(list_id):
            return True
        if named_list.epoch is None:
            self._limits.require(NEW_LISTS, caller.admin_id)
        try:
            self._keeper.keep(list_id, named_list.query, others)
        except TooManyLists:
            return False
        except QueryError as error:
            # Its sort was deleted just now.
            raise invalid_query(error) from error
        return True

    def _open_to(self, admin_id: int) -> set[str]:
        """Returns the lists of queries that an admin has open on this worker."""
        return {
            list_id
            for sid, id in self._broadcaster.admins
            if id == admin_id
            for list, list_id in self._broadcaster.subscriptions.lists_of(sid).items()
            if list.standing_id is None
        }

    def subscribe(
        self, caller: Caller, list: ListName, list_id: str, epoch: str = "", version: int = 0
    ) -> None:
        """Sends the socket frames from this version on; without a version, once the list exists."""
        self._broadcaster.subscriptions.subscribe(list_id, caller.sid, list, epoch, version)
        self._broadcaster.notify([list_id])

    def drop(self, sid: str) -> None:
        """Forgets a closed socket."""
        self.view_totals.drop(sid)

    def renew(self) -> None:
        """Keeps the lists of all subscribers longer. Raises StorageUnavailable."""
        self._keeper.renew([*self._broadcaster.subscriptions, *self.view_totals.looked_at])

    def views_changed(self, admin_id: int | None) -> None:
        """Shows sockets their new lists after the views of this admin (None: any) have changed.

        Raises StorageUnavailable; then call it again.
        """
        self.view_totals.views_changed()
        concerned = [
            (Caller(sid, id), list, list_id)
            for sid, id in self._broadcaster.admins
            if admin_id in (None, id)
            for list, list_id in self._broadcaster.subscriptions.lists_of(sid).items()
            if list.standing_id is None
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
        self.view_totals.list_totals.views_changed(means_another)
        self._stamps |= stamps

    def _follow(self, caller: Caller, list: ListName, list_id: str) -> None:
        """Moves a subscription to the list that its name means now, or ends it."""
        gone, is_kept = None, False
        try:
            target = self.find(caller, list)
            if target.list_id == list_id:
                return
            is_kept = self.keep(caller, target)
        except StorageUnavailable:
            raise
        except Problem as problem:
            gone = EncodedJson(encode(list.to_json() | {"problem": problem.body()}))
        subscriptions = self._broadcaster.subscriptions
        if subscriptions.lists_of(caller.sid).get(list) != list_id:
            return  # Closed, or opened again, meanwhile.
        subscriptions.unsubscribe(caller.sid, list)
        if gone is not None:
            self._emitter.send(caller.sid, "list:gone", gone)
        elif is_kept:
            self._builder.build(target.list_id)
            self.subscribe(caller, list, target.list_id)

    def _head(self, target: Target, sort: str, limit: int) -> Head | None:
        """Reads the head; None if Redis is away or does not hold the list of the epoch in SQL."""
        epoch = None if target.named is None else self._reads.epoch_of(target.list_id)
        if target.named is not None and epoch is None:
            return None
        head = self._attempt(target, lambda: self._ranking.head(target.list_id, sort, limit))
        return None if head is None or epoch not in (None, head.epoch) else head

    def _attempt(self, target: Target, reading: Callable[[], Found]) -> Found | None:
        """Returns the result of `reading`; None if Redis is away or has no such list.

        Waits for a list that Redis always holds: if Redis is empty, as at the first start, the list
        is built within a second.
        """
        deadline = self._monotonic() + MISSING_LIST_SECONDS
        while not self._broadcaster.status.is_unreadable:
            try:
                with self._reading:
                    return reading()
            except RankingLost:
                if target.named is not None:
                    return None
                if self._monotonic() < deadline:
                    time.sleep(MISSING_LIST_STEP_SECONDS)
                    continue
            except RedisError:
                pass
            # All sockets get the status now, and when reading works again: then they open lists.
            self._broadcaster.status.read_failed()
            self._broadcaster.notify(None)
        return None
