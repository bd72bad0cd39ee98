"""Answers to the browsers' calls: heads of lists, what follows, what changed, open threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeVar

from redis.exceptions import RedisError

from dashboard.errors import FieldError, Invalid, NotFound
from dashboard.live import frames
from dashboard.live.calls import (
    LIST_CLOSE,
    LIST_MORE,
    LIST_OPEN,
    LIST_SYNC,
    MORE_MAX,
    THREAD,
    THREADS_WATCH,
    Asked,
    ListName,
)
from dashboard.live.hub import CHANGES_MAX, Hub
from dashboard.live.packets import Fragment, encode
from dashboard.live.reads import Reads
from dashboard.live.shelf import Shelf
from dashboard.live.totals import scope_of
from scoring.pages import FILTERS, PAGES
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Entry, Head

MESSAGES = 50
#: A list is loaded so far past the thread that one goes to.
BEYOND = 20
#: How long a list that Redis does not hold is waited for, and in which steps.
LOST_SECONDS = 2.0
LOST_STEP_SECONDS = 0.05

Answer = dict[str, Any] | Fragment
Found = TypeVar("Found")


class Caller(NamedTuple):
    """The socket that calls, and whose it is."""

    sid: str
    admin_id: int
    role: str = "admin"
    #: The socket's name in presence, and the browser's.
    connection: str = ""
    device: str = ""


class Answers:
    """One method a call; `BY_NAME` says which. Each raises Problem where it cannot be done."""

    def __init__(
        self,
        ranking: Ranking,
        reads: Reads,
        hub: Hub,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._monotonic = monotonic
        self._ranking = ranking
        self._reads = reads
        self._hub = hub
        self._shelf = Shelf(ranking, reads)

    def greet(self, caller: Caller) -> None:
        """What every socket is told when its connect is over."""
        self._hub.status.greet(caller.sid)
        self._hub.way_out.greet(caller.sid)
        for filter in FILTERS:
            self._hub.totals.greet(caller.sid, scope_of(filter, caller.admin_id))
        self._hub.ring(PAGES)

    def open_list(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = LIST_OPEN.read(given)
        list, tag = asked.list, asked.list.tag(caller.admin_id)
        head = self._read(lambda: self._ranking.head(tag, list.sort, asked["limit"]))
        if head is None:
            return self._open_late(caller, list, asked["limit"])
        rows = self._shelf.rows(tag, head)
        self._look_at(caller, head.entries)
        self._follow(caller, list, tag, head.epoch, head.version)
        answer = encode({"ok": True, **_described(head)})
        return Fragment(f'{answer[:-1]},"rows":[{",".join(rows)}]}}')

    def more_of_list(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = LIST_MORE.read(given)
        list, tag = asked.list, asked.list.tag(caller.admin_id)
        if (asked["limit"] is None) == (asked["through"] is None):
            error = FieldError("/limit", "missing_field", "Say `limit` or `through`, one of them.")
            raise Invalid([error])
        if asked["through"] is not None:
            return self._through(caller, asked)
        score, id = asked["after"]
        head = self._read(lambda: self._ranking.after(tag, list.sort, score, id, asked["limit"]))
        if head is not None:
            return _described(head)
        return _late(*self._reads.listed(list, caller.admin_id, asked["limit"], (score, id)))

    def sync_list(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = LIST_SYNC.read(given)
        list, tag = asked.list, asked.list.tag(caller.admin_id)
        since = asked["version"]
        changes = self._read(
            lambda: self._ranking.since(tag, [list.sort], asked["epoch"], since, CHANGES_MAX)
        )
        if changes is None:
            return {"resync": True}
        on_screen = self._hub.screens.on_screen(entry.id for entry in changes.sets[list.sort])
        rows = frames.Rows(self._reads.rows(on_screen))
        self._follow(caller, list, tag, changes.epoch, changes.version)
        return frames.order(list, changes, since, rows, ok=True, resync=False)

    def close_list(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        self._hub.boards.leave(caller.sid, LIST_CLOSE.read(given).list)
        return {}

    def watch_threads(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = THREADS_WATCH.read(given)
        self._hub.screens.watch(caller.sid, asked["add"] or (), asked["del"] or ())
        return {}

    def open_thread(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        thread_id = THREAD.read(given)["id"]
        row = self._reads.rows([thread_id]).get(thread_id)
        if row is None:
            raise NotFound("There is no such thread.")
        self._hub.conversations.join(caller.sid, thread_id)
        messages, more = self._reads.messages(thread_id, MESSAGES)
        newest = max((message["id"] for message in messages), default=0)
        self._hub.conversations.has_read(thread_id, newest)
        self._hub.ring(())
        return {
            "thread_id": thread_id,
            "messages": messages,
            "more": more,
            "row": row,
            "viewers": [],
        }

    def close_thread(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        self._hub.conversations.leave(caller.sid, THREAD.read(given)["id"])
        return {}

    def calls(self) -> dict[str, Callable[[Caller, tuple[Any, ...]], Answer]]:
        """Each call by its name."""
        return {name: partial(answer, self) for name, answer in self.BY_NAME.items()}

    BY_NAME: ClassVar[dict[str, Callable[[Answers, Caller, tuple[Any, ...]], Answer]]] = {
        "list:open": open_list,
        "list:more": more_of_list,
        "list:sync": sync_list,
        "list:close": close_list,
        "threads:watch": watch_threads,
        "thread:open": open_thread,
        "thread:close": close_thread,
    }

    def _open_late(self, caller: Caller, list: ListName, limit: int) -> Answer:
        entries, total = self._reads.listed(list, caller.admin_id, limit)
        rows = self._reads.rows([entry.id for entry in entries])
        self._look_at(caller, entries)
        return _late(entries, total) | {
            "rows": [rows[entry.id] for entry in entries if entry.id in rows]
        }

    def _look_at(self, caller: Caller, entries: list[Entry]) -> None:
        """The first rows are those on screen: of too many, they are kept."""
        self._hub.screens.watch(caller.sid, (entry.id for entry in reversed(entries)))

    def _through(self, caller: Caller, asked: Asked) -> Answer:
        list, tag = asked.list, asked.list.tag(caller.admin_id)
        score, id = asked["after"]
        found = self._read(
            lambda: self._ranking.through(tag, list.sort, score, id, asked["through"], BEYOND)
        )
        if found is not None:
            return _described(found[0]) | {"rank": found[1]}
        target = asked["through"]
        entries, total = self._reads.listed(list, caller.admin_id, MORE_MAX, (score, id))
        at = next((at for at, entry in enumerate(entries) if entry.id == target), len(entries))
        rank = self._reads.rank(list, caller.admin_id, target)
        return _late(entries[: at + 1 + BEYOND], total) | {"rank": rank}

    def _follow(self, caller: Caller, list: ListName, tag: str, epoch: str, version: int) -> None:
        self._hub.boards.follow(tag, caller.sid, list, epoch, version)
        # It may have changed since it was read.
        self._hub.ring([tag])

    def _read(self, reading: Callable[[], Found]) -> Found | None:
        """What Redis answers; None while it is away: then SQL does."""
        deadline = self._monotonic() + LOST_SECONDS
        while not self._hub.status.is_unread:
            try:
                return reading()
            except RankingLost:
                if self._monotonic() < deadline:
                    # The lists of an admin who is new come within a moment.
                    time.sleep(LOST_STEP_SECONDS)
                    continue
            except RedisError:
                pass
            # Everybody is told, and told again when it is over: then lists are opened anew.
            self._hub.status.could_not_read()
            self._hub.ring(None)
        return None


def _described(head: Head) -> dict[str, Any]:
    return _listed(head.epoch, head.version, head.total, head.entries)


def _late(entries: list[Entry], total: int) -> dict[str, Any]:
    """From SQL: in the same order, but no frames will follow."""
    return _listed(None, 0, total, entries) | {"late": True}


def _listed(epoch: str | None, version: int, total: int, entries: list[Entry]) -> dict[str, Any]:
    return {
        "epoch": epoch,
        "version": version,
        "total": total,
        "ids": [entry.id for entry in entries],
        "scores": [entry.score for entry in entries],
    }
