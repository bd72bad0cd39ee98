"""An epoch has one history, whatever dump Redis comes back from, and when."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from dashboard.db.accounts import admins
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.db.threads import threads
from scoring.sorts import SORTS
from scoring.views import VIEWS
from tests.dashboard.live.epochs.dumps import FakeRedisWithDumps, RealRedisWithDumps
from tests.dashboard.live.model import Browser, Worker
from tests.dashboard.ordering.order import Order
from tests.drivers.replay import Replay
from tests.support import SettableClock

PROCESSES = 2
BROWSERS = 3
#: The lists that a page shows; few, so that one step costs little.
SHOWN = [("arrival", "arrival", "all"), ("not_respond", "longest_wait", "all")]
#: Rounds of one second each in which everything must be right.
ROUNDS_MAX = 40

processes = st.integers(0, PROCESSES - 1)
browsers = st.integers(0, BROWSERS - 1)


class EpochsMachine(RuleBasedStateMachine):
    """Several processes on one Redis that comes back from dumps, and dashboards at any version."""

    server: Any
    template: Path
    replay: Replay

    @initialize()
    def begin(self) -> None:
        path = self.template.with_name("example.sqlite")
        shutil.copy(self.template, path)
        self.database = Database(f"sqlite:///{path}")
        self.redis = self.server()
        self.clock = SettableClock()
        self.started = itertools.count()
        self.orders: list[Order] = []
        self.workers: list[Worker] = []
        for number in range(PROCESSES):
            self.start(number)
        self.dashboards = [
            Browser(f"b{number}", 1, self.workers[number % PROCESSES], self.replay)
            for number in range(BROWSERS)
        ]
        for browser in self.dashboards:
            browser.stale &= set(SHOWN)
        self.asleep: set[int] = set()
        self.histories: dict[tuple[str, bytes, bytes], list] = {}
        self.dumps: list[Any] = []
        self.events(0, 6, 1)
        self.pages_read()

    def start(self, number: int) -> None:
        """A process that knows nothing yet; it ticks once before it serves."""
        start = next(self.started)
        order = Order(
            self.database,
            self.redis.client,
            self.clock,
            seconds=start * 1e6,
            read_run_id=self.redis.run_id,
            count=start * 1_000_000,
        )
        # A call does not wait for lists that Redis lacks.
        worker = Worker(order, itertools.count(0, 1.5).__next__)
        self.orders[number : number + 1], self.workers[number : number + 1] = [order], [worker]
        order.tick()

    @rule(process=processes, amount=st.sampled_from([1, 1, 2, 3, 8]), first=st.integers(1, 6))
    def events(self, process, amount, first):
        """Posts one event, or a storm of them."""
        for number in range(amount):
            role = "admin" if number % 3 == 2 else "client"
            self.orders[process].post(f"t-{(first + number) % 6}", role=role)
        self.dumps.append(self.redis.dump())

    @rule(process=processes, thread=st.integers(1, 6), kind=st.sampled_from(["close", "reopen"]))
    def closed_or_opened(self, process, thread, kind):
        self.clock.advance(1_000)
        self.orders[process].event(type=f"thread.{kind}", thread=f"t-{thread}")

    @rule()
    def pages_read(self):
        """Pushes due frames; pages apply them, and open or sync their outdated lists."""
        for process in range(PROCESSES):
            self.turn(process)
        for browser in self.awake():
            self.bring_up_to_date(browser)

    @rule(who=browsers)
    def page_freezes(self, who):
        self.asleep.add(who)
        self.dashboards[who].disconnect()

    @rule(who=browsers, process=processes)
    def page_wakes(self, who, process):
        self.asleep.discard(who)
        self.dashboards[who].reconnect(self.workers[process])

    @rule(process=processes)
    def process_restarts(self, process):
        before = self.workers[process]
        self.start(process)
        for who, browser in enumerate(self.dashboards):
            if browser.is_at(before) and who not in self.asleep:
                browser.reconnect(self.workers[process])

    @rule(age=st.integers(0, 8))
    def redis_comes_back_from_a_dump(self, age):
        self.redis.crash(self.dumps[-1 - age] if age < len(self.dumps) else None)

    @rule(age=st.integers(0, 4), process=processes, amount=st.sampled_from([1, 2, 4, 8]))
    def redis_comes_back_into_a_storm(self, age, process, amount):
        """The changes come before anybody has noticed."""
        self.redis.crash(self.dumps[-1 - age % len(self.dumps)])
        self.orders[process].seconds += 2
        self.events(process, amount, 1)

    @rule(process=processes, seconds=st.sampled_from([1, 5]))
    def reconcile(self, process, seconds):
        self.orders[process].tick(seconds=seconds)

    @rule()
    def all_is_right_after_a_while(self):
        for _ in range(ROUNDS_MAX):
            current = [order.tick() for order in self.orders]
            for process in range(PROCESSES):
                self.turn(process)
            moved = [self.bring_up_to_date(each) for each in self.awake()]
            if all(current) and not any(moved):
                break
        else:
            raise AssertionError("the lists do not settle")
        for browser in self.awake():
            for list in sorted(browser.opened):
                self.check(browser, list)

    @invariant()
    def an_epoch_has_one_history(self):
        if not hasattr(self, "histories"):
            return
        for view in VIEWS:
            epoch, version = self.redis.client.hmget(f"{{lineup:{view}}}|meta", "epoch", "version")
            if epoch is None:
                continue
            lists = [
                self.redis.client.zrange(f"{{lineup:{view}}}|{sort}", 0, -1, withscores=True)
                for sort in SORTS
            ]
            held = self.histories.setdefault((view, epoch, version), lists)
            assert held == lists, f"{view} has two states at {epoch!r}, {version!r}"

    def teardown(self):
        if not hasattr(self, "histories"):
            return
        try:
            for who in range(BROWSERS):
                self.page_wakes(who, who % PROCESSES)
            self.all_is_right_after_a_while()
        finally:
            self.database.close()
            self.redis.close()

    def turn(self, process: int) -> None:
        self.orders[process].seconds += 0.06
        self.workers[process].broadcaster.notify(None)
        self.workers[process].broadcaster.turn()

    def awake(self) -> list[Browser]:
        return [each for who, each in enumerate(self.dashboards) if who not in self.asleep]

    def bring_up_to_date(self, browser: Browser) -> bool:
        moved = bool(browser.wire.frames or browser.stale)
        while browser.wire.frames:
            browser.deliver()
        for list in sorted(browser.stale):
            browser.freshen(list)
        return moved

    def check(self, browser: Browser, list: tuple[str, str, str]) -> None:
        view, sort, _ = list
        with self.database.read() as connection:
            sql = threads.listed(connection, view, "all", None, sort, 500)
        held = browser.dump(list)
        entries = [*zip(held["ids"], held["scores"], strict=True)]
        assert held["total"] == len(sql), f"{browser.name}: another total of {list}"
        assert entries == [tuple(each) for each in sql[: len(entries)]], f"{browser.name}: {list}"


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    started = Replay()
    yield started
    started.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one admin, copied for each example."""
    path = tmp_path_factory.mktemp("epochs") / "template.sqlite"
    database = Database(f"sqlite:///{path}")
    bring_to_head(database)
    database.write(lambda sql: admins.create(sql, "mai@example.com", "Mai", "admin", "", 0))
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path


@pytest.mark.parametrize("tells_run_id", [True, False], ids=["INFO", "no INFO"])
def test_an_epoch_has_one_history_on_fakeredis(template, replay, tells_run_id):
    """H1: with INFO, and where an ACL forbids it."""
    run(template, replay, lambda: FakeRedisWithDumps(tells_run_id), examples=2)


@pytest.mark.real_redis
def test_an_epoch_has_one_history_on_a_real_redis(template, replay, redis_server, tmp_path):
    """H1: dumps are RDB files, restarts are kill -9 and start."""
    run(template, replay, lambda: RealRedisWithDumps(redis_server, tmp_path), examples=3)


@pytest.mark.slow
@pytest.mark.real_redis
def test_an_epoch_has_one_history_in_200_rounds(template, replay, redis_server, tmp_path):
    """H1"""
    run(template, replay, lambda: RealRedisWithDumps(redis_server, tmp_path), examples=200)


def run(template: Path, replay: Replay, server: Any, examples: int) -> None:
    machine = type(
        "Machine",
        (EpochsMachine,),
        {"template": template, "replay": replay, "server": staticmethod(server)},
    )
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=25, deadline=None),
    )
