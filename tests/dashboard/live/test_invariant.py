"""The invariant of docs/protocol.md: a browser's list = a fresh open = Redis = SQL."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fakeredis
import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dashboard.db.accounts import admins
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.errors import Problem
from scoring.sorts import SORTS
from scoring.views import FILTERS, VIEWS
from tests.dashboard.live.model import ListsModel
from tests.dashboard.ordering.order import Order
from tests.drivers.replay import Replay
from tests.servers.redis import RedisServer
from tests.support import SettableClock, examples

THREADS = st.integers(1, 7)
LISTS = st.tuples(st.sampled_from(VIEWS), st.sampled_from([*SORTS]), st.sampled_from(FILTERS))
BROWSERS = st.integers(0, 1)


class FakeServer:
    """fakeredis that can be stopped, empty when it starts again."""

    def __init__(self) -> None:
        self._server = fakeredis.FakeServer()
        self.client: redis.Redis = fakeredis.FakeRedis(server=self._server)

    def stop(self) -> None:
        self._server.connected = False

    def start(self) -> None:
        self._server.connected = True
        self.client.flushall()


class RealServer:
    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self.client = server.client()
        self.client.flushall()

    def stop(self) -> None:
        self._server.kill()

    def start(self) -> None:
        self._server.start()


class ListsMachine(RuleBasedStateMachine):
    """Events, admins, a bad network and a bad Redis, in any order."""

    server: Any
    template: Path
    replay: Replay

    @initialize()
    def open_lists(self) -> None:
        path = self.template.with_name("example.sqlite")
        shutil.copy(self.template, path)
        self.database = Database(f"sqlite:///{path}")
        self.redis = self.server()
        self.redis_is_up = True
        order = Order(self.database, self.redis.client, SettableClock())
        self.lists = ListsModel(order, self.replay)
        self.tokens = 0

    @rule(
        thread=THREADS,
        role=st.sampled_from(["client", "client", "client", "admin", "bot"]),
        private=st.booleans(),
        status=st.integers(-1, 5),
        back=st.integers(0, 40),
    )
    def message(self, thread, role, private, status, back):
        self.lists.order.clock.advance(500)
        at = self.lists.order.clock() - back * 1_000
        self.lists.order.event(
            type="message",
            occurred_at=_iso(at),
            thread=f"t-{thread}",
            role=role,
            private=private,
            body="…",
            customer={"id": f"c-{thread % 3}", "member_status": status},
        )

    @rule(
        thread=THREADS,
        kind=st.sampled_from(["close", "reopen", "handoff"]),
        back=st.integers(0, 40),
    )
    def thread_event(self, thread, kind, back):
        at = self.lists.order.clock() - back * 1_000
        event = {"type": f"thread.{kind}", "occurred_at": _iso(at)}
        self.lists.order.event(thread=f"t-{thread}", **event)

    @rule(thread=THREADS, priority=st.sampled_from(["urgent", "high", "normal", "low"]))
    def priority(self, thread, priority):
        self.lists.order.event(type="thread.priority", thread=f"t-{thread}", priority=priority)

    @rule(
        who=BROWSERS,
        thread=THREADS,
        action=st.sampled_from(["claim", "claim", "release", "close", "reopen", "reply", "note"]),
    )
    def admin_acts(self, who, thread, action):
        admin = self.lists.admins[who]
        self.tokens += 1
        try:
            if action in ("reply", "note"):
                self.lists.reply(admin, thread, f"token-{self.tokens}", action == "note")
            else:
                self.lists.act(admin, action, thread)
        except Problem as problem:
            assert problem.status in (404, 409), problem

    @rule(worker=st.integers(0, 1), is_notified=st.booleans())
    def broadcaster_turns(self, worker, is_notified):
        """Runs a turn of each broadcaster, with its notification received or lost."""
        self.lists.turn(self.lists.workers[worker], is_notified)

    @rule(who=BROWSERS, list=LISTS)
    def open_or_sync(self, who, list):
        self.lists.browsers[who].freshen(list)

    @rule(who=BROWSERS, list=LISTS, limit=st.integers(1, 9))
    def scroll(self, who, list, limit):
        if list in self.lists.browsers[who].opened:
            self.lists.browsers[who].scroll(list, limit)

    @rule(who=BROWSERS, place=st.integers(0, 30), fate=st.sampled_from(["", "", "lost", "twice"]))
    def network(self, who, place, fate):
        """Delivers a frame: in another order, twice, or not at all."""
        browser = self.lists.browsers[who]
        if not browser.wire.frames:
            return
        place %= len(browser.wire.frames)
        if fate == "lost":
            browser.lose(place)
            return
        frame, _ = browser.wire.frames[place]
        browser.deliver(place)
        if fate == "twice":
            browser.apply(frame)

    @rule(who=BROWSERS)
    def reconnect(self, who):
        self.lists.browsers[who].reconnect()

    @precondition(lambda self: self.redis_is_up)
    @rule()
    def flush_redis(self):
        self.redis.client.flushall()

    @rule()
    def stop_or_start_redis(self):
        if self.redis_is_up:
            self.redis.stop()
        else:
            self.redis.start()
        self.redis_is_up = not self.redis_is_up

    @rule(seconds=st.sampled_from([0.5, 2, 10]))
    def reconcile(self, seconds):
        self.lists.order.tick(seconds=seconds)

    @precondition(lambda self: self.redis_is_up)
    @rule()
    def come_to_rest(self):
        self.lists.settle()
        self.lists.check()

    def teardown(self):
        if not hasattr(self, "lists"):
            return
        try:
            if not self.redis_is_up:
                self.redis.start()
            self.come_to_rest()
        finally:
            self.database.close()


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    started = Replay()
    yield started
    started.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two admins, copied for each example."""
    path = tmp_path_factory.mktemp("template") / "template.sqlite"
    database = Database(f"sqlite:///{path}")
    bring_to_head(database)
    for name in ("mai", "ken"):
        database.write(
            lambda connection, name=name: admins.create(
                connection, f"{name}@example.com", name, "admin", "", 0
            )
        )
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path


def test_the_invariant_on_fakeredis(template, replay):
    _run(template, replay, FakeServer, examples=2, steps=30)


@pytest.mark.slow
@pytest.mark.cpu_bound
def test_the_invariant_on_fakeredis_for_long(template, replay):
    _run(template, replay, FakeServer, examples=60, steps=30)


@pytest.mark.real_redis
def test_the_invariant_on_a_real_redis(template, replay, redis_server):
    _run(template, replay, lambda: RealServer(redis_server), examples=examples(6, gate=3), steps=30)


def _run(template: Path, replay: Replay, server: Any, examples: int, steps: int) -> None:
    machine = type(
        "Machine",
        (ListsMachine,),
        {"template": template, "replay": replay, "server": staticmethod(server)},
    )
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )


def _iso(at_ms: int) -> str:
    seconds, ms = divmod(at_ms, 1_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms:03d}Z"
