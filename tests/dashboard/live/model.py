"""A whole Lineup in one process, with time, network and Redis in the test's hands."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Any

import redis

from dashboard.db.lists.named_lists import ListName, find
from dashboard.db.threads import threads
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.live.broadcaster import Broadcaster
from dashboard.live.handlers import ListHandlers
from dashboard.live.live_lists import LiveLists
from dashboard.live.reads import Reads
from dashboard.live.status import Status
from dashboard.transport.caller import Caller
from dashboard.transport.packets import EncodedJson
from scoring.ranking import RankingLost
from scoring.rebuilding import RebuildLost
from scoring.sorts import SORTS
from scoring.views import FILTERS, VIEWS
from tests.dashboard.live.emitter import Network, Wire
from tests.dashboard.ordering.order import Order
from tests.drivers.replay import Replay

#: More than any round trip takes.
ROUNDS_MAX = 60
#: Small, so that heads are shorter than lists.
OPEN_LIMIT = 4
#: The sorts in which lists with each filter are opened in any case: each one is built.
NARROWED_SORTS = ("arrival", "priority")


class AtOnce:
    """Builds a list before it answers, instead of beside it."""

    def __init__(self, order: Order):
        self._order = order

    def build(self, list_id: str) -> Event:
        rebuilder, ranking = self._order.rebuilder, self._order.ranking
        epoch = rebuilder.epochs([list_id]).get(list_id)
        with suppress(redis.RedisError, RankingLost, RebuildLost):
            held = ranking.states([list_id])[list_id].epoch
            if epoch is None or held != epoch:
                rebuilder.rebuild([list_id], seen={list_id: held})
        ended = Event()
        ended.set()
        return ended


class Worker:
    """The pushing part of a web process over an order: one broadcaster with its sockets.

    `monotonic` is the clock by which calls wait for lists that Redis does not hold.
    """

    def __init__(self, order: Order, monotonic: Callable[[], float] = time.monotonic):
        reads = Reads(order.database, order.clock)
        self.network = Network()
        status = Status(lambda: order.state.late_since, order.clock, self.network)
        self.broadcaster = Broadcaster(order.ranking, reads, status, self.network, order.monotonic)
        services = order.services
        self.live_lists = LiveLists(
            order.ranking,
            reads,
            self.broadcaster,
            self.network,
            services.list_keeper,
            services.list_builder,
            monotonic,
        )
        totals = self.live_lists.view_totals
        totals._monotonic = totals._lengths._monotonic = order.monotonic
        handlers = ListHandlers(order.ranking, reads, self.broadcaster, self.live_lists)
        self.on_ready = handlers.on_ready
        self.handlers = handlers.calls()

    def call(self, caller: Caller, name: str, given: dict[str, Any]) -> dict[str, Any]:
        answer = self.handlers[name](caller, (given,))
        return json.loads(answer) if isinstance(answer, EncodedJson) else {"ok": True, **answer}


class Browser:
    """A dashboard on all lists of views, with the state of the real reducer."""

    def __init__(self, name: str, admin_id: int, worker: Worker, replay: Replay):
        self.name, self.admin_id = name, admin_id
        self._worker, self._replay = worker, replay
        self._connections = 0
        self.stale: set[tuple[str, str, str]] = set()
        self.connect()
        for view in VIEWS:
            for sort in SORTS:
                for filter in FILTERS if sort in NARROWED_SORTS else ("all",):
                    self.stale.add((view, sort, filter))
        self._opened: set[tuple[str, str, str]] = set()
        self._lost: set[tuple[str, str, str]] = set()

    def connect(self) -> None:
        self._connections += 1
        sid = f"{self.name}-{self._connections}"
        self.caller = Caller(sid, self.admin_id)
        self.wire = self._worker.network.wires.setdefault(sid, Wire())
        self._worker.on_ready(self.caller)

    def disconnect(self) -> None:
        """Breaks the socket: what was under way is lost."""
        self._worker.network.wires.pop(self.caller.sid, None)
        self._worker.broadcaster.drop(self.caller.sid)

    def reconnect(self, worker: Worker | None = None) -> None:
        """A new socket, at the same worker or another one: every list is synced."""
        self.disconnect()
        self._worker = worker or self._worker
        self.connect()
        self.stale |= self._opened

    def is_at(self, worker: Worker) -> bool:
        return self._worker is worker

    def key(self, list: tuple[str, str, str]) -> str:
        return "/".join((self.name, *list))

    def ask(self, list: tuple[str, str, str], call: str, **given: Any) -> dict[str, Any]:
        view, sort, filter = list
        asked = {"view": view, "sort": sort, "filter": filter, **given}
        return self._worker.call(self.caller, f"list:{call}", asked)

    def deliver(self, place: int = 0, acknowledge: bool = True) -> None:
        """Delivers one of the frames that are under way, not always the first."""
        frame, acknowledged = self.wire.frames[place]
        del self.wire.frames[place]
        self.apply(frame)
        if acknowledge and acknowledged is not None:
            acknowledged()

    def apply(self, frame: dict[str, Any]) -> None:
        list = frame["view"], frame["sort"], frame["filter"]
        if list in self._opened and self.do("frame", list, frame=frame) == "sync":
            self.stale.add(list)

    def lose(self, place: int) -> None:
        """Loses a frame. The next frame shows the gap; without one, the connection that lost it
        ends, and `notice_losses` is called."""
        frame, acknowledged = self.wire.frames[place]
        del self.wire.frames[place]
        self._lost.add((frame["view"], frame["sort"], frame["filter"]))
        if acknowledged is not None:
            acknowledged()

    def notice_losses(self) -> None:
        """Reads the lists of lost frames again, as after a reconnection."""
        self.stale |= self._lost & self._opened
        self._lost = set()

    def freshen(self, list: tuple[str, str, str]) -> None:
        """Opens or syncs a list, as the page does."""
        self.stale.discard(list)
        state = self._replay.do("dump", self.key(list)) if list in self._opened else None
        if state is not None and state["epoch"]:
            answer = self.ask(list, "sync", epoch=state["epoch"], version=state["version"])
            result = self.do("sync", list, answer=answer)
            if result in ("applied", "old"):
                return
        answer = self.ask(list, "open", limit=OPEN_LIMIT)
        if answer.get("building"):
            self.stale.add(list)
            return
        self.do("open", list, answer=answer)
        self._opened.add(list)
        if answer.get("late"):
            self.stale.add(list)

    def scroll(self, list: tuple[str, str, str], limit: int) -> None:
        state = self.dump(list)
        if state["bound"] is not None and state["epoch"]:
            answer = self.ask(list, "more", after=state["bound"], limit=limit)
            if answer["epoch"] and self.do("more", list, answer=answer) == "sync":
                self.stale.add(list)

    def dump(self, list: tuple[str, str, str]) -> dict[str, Any]:
        return self._replay.do("dump", self.key(list))

    def do(self, op: str, list: tuple[str, str, str], **given: Any) -> str:
        return self._replay.do(op, self.key(list), **given)["result"]

    @property
    def told(self) -> dict[str, dict[str, int]]:
        """Filter to the totals of the built-in views."""
        return self._worker.network.pages[self.caller.sid]

    @property
    def opened(self) -> set[tuple[str, str, str]]:
        return set(self._opened)


class ListsModel:
    """An order, some workers on it, and browsers on these."""

    def __init__(self, order: Order, replay: Replay, workers: int = 2):
        self.order = order
        order.services.list_builder = AtOnce(order)  # type: ignore[assignment]
        self.actions = Actions(order.database, order.clock)
        self.admins = [Admin(1, "Mai"), Admin(2, "Ken", "supervisor")]
        self.workers = [Worker(order) for _ in range(workers)]
        order.tick()
        self.browsers = [
            Browser(f"b{number}", admin.id, self.workers[number % workers], replay)
            for number, admin in enumerate(self.admins)
        ]

    def act(self, admin: Admin, action: str, thread_id: int, *given: Any) -> None:
        self.order.clock.advance(1_000)
        self.order.ingest.act(getattr(self.actions, action), admin, thread_id, *given)

    def reply(self, admin: Admin, thread_id: int, token: str, private: bool) -> None:
        self.act(admin, "reply", thread_id, Reply("Xin chờ", token, private, confirm=True))

    def turn(self, worker: Worker, is_notified: bool = True) -> None:
        """Runs a turn of a broadcaster, after 60 ms, with its notification received or lost."""
        self.order.seconds += 0.06
        if is_notified:
            worker.broadcaster.notify(None)
        worker.live_lists.renew()
        worker.broadcaster.turn()

    def settle(self) -> None:
        """Runs until nothing is under way any more; a healthy Redis is a precondition."""
        for _ in range(ROUNDS_MAX):
            right = self.order.tick()
            for worker in self.workers:
                self.order.seconds += 2
                self.turn(worker)
            moved = [self._bring_up_to_date(browser) for browser in self.browsers]
            if right and not any(moved):
                return
        raise AssertionError("the lists do not settle")

    def check(self) -> None:
        """Checks that a browser's state = a fresh open = Redis = SQL, on every list."""
        for browser in self.browsers:
            self._check_totals(browser)
            for list in sorted(browser.opened):
                self._check_list(browser, list)

    def _bring_up_to_date(self, browser: Browser) -> bool:
        browser.notice_losses()
        moved = bool(browser.wire.frames or browser.stale)
        while browser.wire.frames:
            browser.deliver()
        for list in sorted(browser.stale):
            browser.freshen(list)
        return moved

    def _check_totals(self, browser: Browser) -> None:
        with self.order.database.read() as connection:
            in_sql = {
                filter: {
                    view: threads.total(connection, view, filter, browser.admin_id)
                    for view in VIEWS
                }
                for filter in FILTERS
            }
        assert browser.told == in_sql, f"{browser.name} has been told other totals"

    def _check_list(self, browser: Browser, list: tuple[str, str, str]) -> None:
        view, sort, filter = list
        with self.order.database.read() as connection:
            sql = threads.listed(connection, view, filter, browser.admin_id, sort, 500)
            named = find(connection, ListName(view, sort, filter), browser.admin_id)
        list_id = view if filter == "all" else named.query_list.id
        in_redis = self.order.ranking.head(list_id, sort, 500)
        fresh = browser.ask(list, "open", limit=500)
        assert in_redis.entries == sql, f"{list}: Redis differs from SQL"
        assert [*zip(fresh["ids"], fresh["scores"], strict=True)] == sql, f"{list}: a fresh open"
        held = browser.dump(list)
        entries = [*zip(held["ids"], held["scores"], strict=True)]
        assert held["total"] == len(sql), f"{list}: {browser.name} has another total"
        assert entries == [tuple(entry) for entry in sql[: len(entries)]], f"{list}: {browser.name}"
        assert len(entries) == len(sql) or held["bound"] is not None, f"{list}: an end too early"
