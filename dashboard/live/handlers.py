"""Handles the calls about lists and open threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.named_lists import ListName
from dashboard.errors import FieldError, Invalid, NotFound
from dashboard.group_commit import GroupCommit
from dashboard.live import frames
from dashboard.live.broadcaster import CHANGES_MAX, Broadcaster
from dashboard.live.live_lists import LiveLists, Target
from dashboard.live.reads import HeadName, Reads
from dashboard.live.requests import (
    MORE_MAX,
    ListMoreRequest,
    ListOpenRequest,
    ListRequest,
    ListSyncRequest,
    NoticesRequest,
    ThreadRequest,
    TotalsRequest,
    WatchThreadsRequest,
)
from dashboard.live.totals import scope_of
from dashboard.transport.caller import Answer, Caller
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.field_errors import read_call
from scoring.ranking import Ranking
from scoring.reading import Entry, Head
from scoring.sorts import ANY_SORT
from scoring.views import FILTERS, VIEWS

#: Maximum number of lists with cached rows (the least recently used is dropped), and of their rows.
LIST_IDS_MAX = 32
ROWS_MAX = 2_000
#: With more changed threads, the cached rows of the list are dropped.
CACHED_CHANGES_MAX = 1_000


@dataclass
class _CachedRows:
    """Rows of a list id, each as it was at this version or later."""

    epoch: str
    version: int
    rows: dict[int, str] = field(default_factory=dict)


class RowCache:
    """Caches the rows of a list id until its change log names their threads."""

    def __init__(self, ranking: Ranking, reads: Reads):
        self._ranking = ranking
        self._reads = reads
        self._cached: OrderedDict[tuple[str, Desks], _CachedRows] = OrderedDict()

    def rows(self, list_id: str, head: Head, desks: Desks = None) -> list[str]:
        """Returns the rows of a list's head as JSON, in its order, for an admin who sees these
        desks. Raises StorageUnavailable.
        """
        ids = [entry.id for entry in head.entries]
        cached = self._up_to_date(list_id, desks, head)
        version = cached.version
        missing = [id for id in ids if id not in cached.rows]
        new_rows = {id: encode(row) for id, row in self._reads.rows(missing, desks).items()}
        rows = cached.rows | new_rows
        if cached.version == version and len(rows) <= ROWS_MAX:
            cached.rows = rows
        elif cached.version == version:
            cached.rows = new_rows
        return [rows[id] for id in ids if id in rows]

    def _up_to_date(self, list_id: str, desks: Desks, head: Head) -> _CachedRows:
        cached = self._cached.pop((list_id, desks), None)
        if cached is None or not self._advance(cached, list_id, head):
            cached = _CachedRows(head.epoch, head.version)
        self._cached[list_id, desks] = cached
        while len(self._cached) > LIST_IDS_MAX:
            self._cached.popitem(last=False)
        return cached

    def _advance(self, cached: _CachedRows, list_id: str, head: Head) -> bool:
        """Drops rows that changed up to the head's version; False if the changes are unknown."""
        if cached.epoch != head.epoch:
            return False
        if cached.version >= head.version:
            return True
        try:
            changes = self._ranking.since(
                list_id, [ANY_SORT], cached.epoch, cached.version, CACHED_CHANGES_MAX
            )
        except RedisError:
            return False
        if changes is None:
            return False
        changed = {entry.id for entry in changes.sets[ANY_SORT]} | set(changes.gone)
        cached.rows = {id: row for id, row in cached.rows.items() if id not in changed}
        cached.version = max(cached.version, changes.version)
        return True


#: Messages in the answer to `thread:open`.
MESSAGES = 50
#: Threads that are loaded beyond the one that the browser scrolls to.
THREADS_BEYOND = 20
#: Maximum number of callers that share one read of a list from SQL.
SHARED_READ_MAX = 10_000


class ListHandlers:
    """Handles each call with one method, see `BY_NAME`. A method that refuses raises Problem."""

    def __init__(
        self,
        ranking: Ranking,
        reads: Reads,
        broadcaster: Broadcaster,
        live_lists: LiveLists,
        on_opened: Callable[[int, int], object] = lambda admin_id, thread_id: None,
    ):
        """`on_opened(admin id, thread id)` is called when an admin has opened a thread."""
        self._on_opened = on_opened
        self._live_lists = live_lists
        self._ranking = ranking
        self._reads = reads
        self._broadcaster = broadcaster
        self._row_cache = RowCache(ranking, reads)
        self._sql_heads = GroupCommit(reads.heads, SHARED_READ_MAX)

    def on_ready(self, caller: Caller) -> None:
        """Sends a new socket what it needs before it makes a call."""
        self._broadcaster.admins.add(caller.sid, caller.admin_id, caller.desks)
        self._broadcaster.status.send_to(caller.sid)
        self._broadcaster.delivery_updates.send_to(caller)
        if caller.desks is None:
            for filter in FILTERS:
                self._broadcaster.totals.subscribe(caller.sid, scope_of(filter, caller.admin_id))
        self._broadcaster.notify(VIEWS)

    def open_list(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        request = read_call(ListOpenRequest, arguments)
        list, limit = request.list_of(caller.desks), request.limit
        target = self._live_lists.find(caller, list)
        answer = self._live_lists.open(caller, list, target, limit)
        if answer is None:
            return self._open_from_sql(caller, list, limit)
        if isinstance(answer, Head):
            return self._opened(caller, list, target.list_id, answer)
        self._live_lists.subscribe(caller, list, target.list_id)
        return {"building": True, "progress": answer}

    def more_of_list(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        request = read_call(ListMoreRequest, arguments)
        list = request.list_of(caller.desks)
        target = self._live_lists.find(caller, list)
        limit, through = request.limit, request.through
        if limit is None and through is not None:
            return self._through(caller, request, target, through)
        if limit is None or through is not None:
            error = FieldError("/limit", "missing_field", "Give either `limit` or `through`.")
            raise Invalid([error])
        score, id = request.after
        head = self._live_lists.read(
            target, lambda: self._ranking.after(target.list_id, list.sort, score, id, limit)
        )
        if head is not None:
            return frames.head(head)
        return _from_sql(*self._reads.listed(list, caller.admin_id, limit, (score, id)))

    def sync_list(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        request = read_call(ListSyncRequest, arguments)
        list = request.list_of(caller.desks)
        target = self._live_lists.find(caller, list)
        self._live_lists.keep(caller, target)
        list_id, since = target.list_id, request.version
        changes = self._live_lists.read(
            target,
            lambda: self._ranking.since(list_id, [list.sort], request.epoch, since, CHANGES_MAX),
        )
        if changes is None:
            return {"resync": True}
        on_screen = self._broadcaster.visible_rows.on_screen(
            entry.id for entry in changes.sets[list.sort]
        )
        rows = frames.Rows(self._reads.shared_rows(on_screen))
        self._live_lists.subscribe(caller, list, list_id, changes.epoch, changes.version)
        return frames.order(list, changes, since, rows, ok=True, resync=False)

    def close_list(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        list = read_call(ListRequest, arguments).list_of(caller.desks)
        self._broadcaster.subscriptions.unsubscribe(caller.sid, list)
        self._live_lists.view_totals.list_totals.close(caller.sid, list)
        return {}

    def watch_totals(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        list = read_call(ListRequest, arguments).list_of(caller.desks)
        totals = self._live_lists.view_totals.list_totals
        if list.view in VIEWS:
            # `pages:totals` carries the totals of these views.
            totals.drop(caller.sid)
        elif list not in self._broadcaster.subscriptions.lists_of(caller.sid):
            raise NotFound("This list is not open.")
        else:
            totals.watch(caller.sid, list)
        return {}

    def watch_versions(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        read_call(TotalsRequest, arguments)
        # The socket may have closed while its call waited.
        if caller.sid in self._broadcaster.admins:
            self._broadcaster.send_versions(caller.sid)
            self._live_lists.view_totals.send_versions(caller.sid)
        return {}

    def watch_threads(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        request = read_call(WatchThreadsRequest, arguments)
        add = self._reads.seen_threads(request.add or (), caller.desks)
        self._broadcaster.visible_rows.watch(caller.sid, add, request.remove or ())
        return {}

    def open_thread(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        thread_id = read_call(ThreadRequest, arguments).id
        row = self._reads.rows([thread_id], caller.desks).get(thread_id)
        if row is None:
            raise NotFound("There is no such thread.")
        self._broadcaster.conversations.join(caller.sid, thread_id, caller.desks)
        newest = self._reads.newest(thread_id, MESSAGES)
        newest_id = max((message["id"] for message in newest.messages), default=0)
        self._broadcaster.conversations.has_read(thread_id, newest_id, newest.newest_act_id)
        self._broadcaster.notify(())
        self._on_opened(caller.admin_id, thread_id)
        return {
            "thread_id": thread_id,
            "messages": newest.messages,
            "acts": newest.acts,
            "more": newest.more,
            "row": row,
            "viewers": [],
            "mentions": self._reads.unread_mentions(thread_id, caller.admin_id),
        }

    def close_thread(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        self._broadcaster.conversations.leave(caller.sid, read_call(ThreadRequest, arguments).id)
        return {}

    def notices_since(self, caller: Caller, arguments: tuple[Any, ...]) -> Answer:
        since = read_call(NoticesRequest, arguments).since
        notices, total = self._broadcaster.notices.missed(caller, since)
        return {"notices": [notice.to_json() for notice in notices], "total": total}

    def calls(self) -> dict[str, Callable[[Caller, tuple[Any, ...]], Answer]]:
        """Maps the names of calls to their handlers."""
        return {name: partial(handler, self) for name, handler in self.BY_NAME.items()}

    BY_NAME: ClassVar[dict[str, Callable[[ListHandlers, Caller, tuple[Any, ...]], Answer]]] = {
        "list:open": open_list,
        "list:more": more_of_list,
        "list:sync": sync_list,
        "list:close": close_list,
        "list:totals": watch_totals,
        "views:totals": watch_versions,
        "threads:watch": watch_threads,
        "thread:open": open_thread,
        "thread:close": close_thread,
        "notices:since": notices_since,
    }

    def _opened(self, caller: Caller, list: ListName, list_id: str, head: Head) -> Answer:
        rows = self._row_cache.rows(list_id, head, list.desks)
        self._watch_first(caller, head.entries)
        self._live_lists.subscribe(caller, list, list_id, head.epoch, head.version)
        answer = encode({"ok": True, **frames.head(head)})
        return EncodedJson(f'{answer[:-1]},"rows":[{",".join(rows)}]}}')

    def _open_from_sql(self, caller: Caller, list: ListName, limit: int) -> Answer:
        """Answers from SQL. Callers that ask for a list during a read share the next read."""
        is_own = list.filter == "mine" or list.indexed_view is None
        head = self._sql_heads.do(HeadName(list, caller.admin_id if is_own else 0, limit))
        self._watch_first(caller, head.entries)
        answer = encode({"ok": True, **_from_sql(head.entries, head.total)})
        return EncodedJson(f'{answer[:-1]},"rows":{head.rows}}}')

    def _watch_first(self, caller: Caller, entries: list[Entry]) -> None:
        """Watches the rows of a list's head; if they are too many, the first, visible ones."""
        self._broadcaster.visible_rows.watch(caller.sid, (entry.id for entry in reversed(entries)))

    def _through(
        self, caller: Caller, request: ListMoreRequest, target: Target, thread_id: int
    ) -> Answer:
        list = request.list_of(caller.desks)
        score, id = request.after
        answer = self._live_lists.read(
            target,
            lambda: self._ranking.through(
                target.list_id, list.sort, score, id, thread_id, THREADS_BEYOND
            ),
        )
        if answer is not None:
            return frames.head(answer[0]) | {"rank": answer[1]}
        entries, total = self._reads.listed(list, caller.admin_id, MORE_MAX, (score, id))
        at = next((at for at, entry in enumerate(entries) if entry.id == thread_id), len(entries))
        rank = self._reads.rank(list, caller.admin_id, thread_id)
        return _from_sql(entries[: at + 1 + THREADS_BEYOND], total) | {"rank": rank}


def _from_sql(entries: list[Entry], total: int) -> dict[str, object]:
    """Returns a part of a list read from SQL, in the same order as in Redis; no frames follow."""
    return frames.part(None, 0, total, entries) | {"late": True}


class Dropper(Protocol):
    """An object that keeps state for sockets."""

    def drop(self, sid: str) -> None:
        """Removes everything kept for a closed socket."""


class ListObserver:
    """Sends a new socket its first messages, and drops what was kept for a closed one.

    `send_status(sid)` sends a new socket the messages of other parts.
    """

    def __init__(
        self,
        handlers: ListHandlers,
        droppers: Sequence[Dropper],
        send_status: Callable[[str], object],
    ):
        self._handlers = handlers
        self._droppers = droppers
        self._send_status = send_status

    def on_connect(self, caller: Caller) -> None:
        """Does nothing: nothing is kept for a socket before it opens a list."""

    def on_ready(self, caller: Caller) -> None:
        self._handlers.on_ready(caller)
        self._send_status(caller.sid)

    def on_role(self, caller: Caller) -> None:
        """Does nothing: lists are the same for every role."""

    def on_message(self, sid: str) -> None:
        """Does nothing: lists do not depend on the time of a socket's last call."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        for dropper in self._droppers:
            dropper.drop(sid)
