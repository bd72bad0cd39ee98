"""Reconcilers place what two workers store and do not place, without comparing lists."""

import shutil
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import func, select

from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.errors import Problem
from dashboard.ingest.actions import Admin
from dashboard.ordering.placer import placements_everywhere
from scoring.placing import Placement
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock

THREADS = [1, 2, 3]
QUERIES = ("is:waiting", "is:closed", "assigned:anyone is:open")

#: Ticks of all reconcilers after which every thread is placed, whatever happened before.
TICKS_MAX = 60
CHATBOT_ACTS = ("close", "reopen")
ADMIN_ACTS = ("claim", "release")

#: The fates of a placement after its commit.
fates = st.sampled_from(["placed", "placed", "lost", "waits"])
roles = st.sampled_from(["client", "bot", "admin"])
processes = st.integers(0, 1)
thread_ids = st.sampled_from(THREADS)
numbers = st.integers(0, 9)


class Worker:
    """A process whose placements wait for the test, and whose reconciler compares no lists."""

    def __init__(self, database: Database, client: redis.Redis, clock: SettableClock, name: int):
        self.order = Order(database, client, clock, count=name * 1_000_000)
        self.waiting: list[Sequence[Placement]] = []
        self._place = self.order.placer.place
        self.order.placer.place = self.waiting.append  # type: ignore[method-assign, assignment]
        diff = self.order.reconciler._diff
        diff.differing_in_next_slice = lambda states: set()  # type: ignore[method-assign]
        diff.stale_ids = lambda states: set()  # type: ignore[method-assign]
        diff.differing_in_heads = set  # type: ignore[method-assign]

    def end(self, fate: str) -> None:
        """Decides the fate of the last placement."""
        if fate == "placed":
            self.place(-1)
        elif fate == "lost" and self.waiting:
            self.waiting.pop()

    def place(self, number: int) -> None:
        if self.waiting:
            self._place(self.waiting.pop(number % len(self.waiting)))


class DeathsMachine(RuleBasedStateMachine):
    head: Path
    folder: Path
    client: redis.Redis
    examples: Iterator[int]

    @initialize(queries=st.sampled_from([(), QUERIES]))
    def begin(self, queries):
        self.client.flushall()
        # A file of its own: a failed run may still have the last one open.
        path = shutil.copy(self.head, self.folder / f"{next(self.examples)}.sqlite")
        self.database = Database(f"sqlite:///{path}")
        self.clock = SettableClock()
        self.names = count(1)
        self.admin = Admin(new_admin(self.database, "Linh"), "Linh")
        for query in queries:
            listed = ListedQuery(query, "arrival", "UTC")
            self.database.write(lambda connection, each=listed: query_lists.keep(connection, each))
        self.workers = [self._started() for _ in range(2)]
        self.workers[0].order.tick()
        for thread in THREADS:
            self.a_message_comes(0, thread, "placed", "client")
        self.they_come_to_rest()

    def _started(self) -> Worker:
        return Worker(self.database, self.client, self.clock, next(self.names))

    def teardown(self):
        if hasattr(self, "workers"):
            try:
                self.they_come_to_rest()
            finally:
                self.database.close()

    @rule(process=processes, thread=thread_ids, fate=fates, role=roles)
    def a_message_comes(self, process, thread, fate, role):
        self.workers[process].order.post(f"t-{thread}", role=role)
        self.workers[process].end(fate)

    @rule(process=processes, thread=thread_ids, fate=fates, what=st.sampled_from(CHATBOT_ACTS))
    def the_chatbot_acts(self, process, thread, fate, what):
        self.workers[process].order.event(type=f"thread.{what}", thread=f"t-{thread}")
        self.workers[process].end(fate)

    @rule(process=processes, thread=thread_ids, fate=fates, what=st.sampled_from(ADMIN_ACTS))
    def an_admin_acts(self, process, thread, fate, what):
        order = self.workers[process].order
        try:
            order.ingest.act(getattr(order.services.actions, what), self.admin, thread)
        except Problem as problem:
            assert problem.status == 409, problem
        else:
            self.workers[process].end(fate)

    @rule(process=processes, number=numbers)
    def a_placement_reaches_redis(self, process, number):
        self.workers[process].place(number)

    @rule(process=processes)
    def a_worker_is_killed_and_another_started(self, process):
        self.workers[process] = self._started()

    @rule(process=processes, thread=thread_ids, role=roles, next_role=roles)
    def a_worker_dies_after_a_commit(self, process, thread, role, next_role):
        self.a_message_comes(process, thread, "lost", role)
        self.workers[process] = self._started()
        self.a_message_comes(1 - process, thread, "placed", next_role)

    @rule(process=processes)
    def a_reconciler_ticks(self, process):
        self.workers[process].order.tick()

    @rule()
    def they_come_to_rest(self):
        for each in self.workers:
            while each.waiting:
                each.place(0)
        # If two workers placed revisions of one thread in turns, a tick saves those of one.
        for _ in range(TICKS_MAX):
            for each in self.workers:
                each.order.tick()
            if not self.threads_behind():
                break
        assert self.threads_behind() == 0
        self.lists_are_right(self.workers[0].order)

    def threads_behind(self) -> int:
        behind = select(func.count()).where(threads.c.placed_revision != threads.c.revision)
        with self.database.read() as connection:
            return connection.scalar(behind) or 0

    def lists_are_right(self, order: Order):
        """Checks, in one call for many lists, that each thread is on its lists alone."""
        list_ids = order.rebuilder.list_ids()
        found = order.ranking.columns(dict.fromkeys(list_ids, THREADS))
        for each in placements_everywhere(self.database, THREADS, list_ids, self.clock()):
            at = THREADS.index(each.thread_id)
            for list_id in list_ids:
                scores = each.lists[list_id]
                right = [*(scores or [None] * len(found[list_id]))]
                assert [column[at] for column in found[list_id]] == right, (list_id, each)


@pytest.fixture
def machine(sqlite_at_head, tmp_path, redis_server) -> type[DeathsMachine]:
    given = {"head": sqlite_at_head, "folder": tmp_path, "examples": count()}
    given["client"] = redis_server.client()
    return type("HereMachine", (DeathsMachine,), given)


def _run(machine: type[DeathsMachine], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )


@pytest.mark.real_redis
def test_what_a_dead_worker_left_is_placed_whatever_came_after_it(machine):
    _run(machine, examples=6, steps=20)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.real_redis
@pytest.mark.parametrize("half", [1, 2])  # in parallel
def test_what_dead_workers_left_in_many_histories(machine, half):
    _run(machine, examples=125, steps=40)
