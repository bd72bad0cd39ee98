"""Clocks are set back and forth by an hour while snoozes end: each wakes its thread once."""

import shutil
from itertools import count

import fakeredis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.clock import SharedClock
from dashboard.db.database import Database
from dashboard.db.models.threads import thread_acts, threads
from dashboard.ingest.actions import Admin
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.support import examples

MINUTE, HOUR = 60_000, 3_600_000
THREADS = (1, 2, 3)


class Machines:
    """Two workers on machines with clocks of their own, and the clock of the server they share."""

    def __init__(self, database: Database):
        self.database = database
        self.true_ms = 1_790_000_000_000
        self.shared_ahead = 0
        self.own_ahead = [0, 0]
        self.clocks = [self._clock(number) for number in (0, 1)]
        client = fakeredis.FakeRedis()
        self.orders = [Order(database, client, _Settable(self, clock)) for clock in self.clocks]  # type: ignore[arg-type]
        self.mai = Admin(new_admin(database, "Mai"), "Mai")
        self.until: dict[int, list[int]] = {id: [] for id in THREADS}
        for order in self.orders:
            # Lists are placed by revisions, which no clock changes.
            order.placer.place = lambda placements: None  # type: ignore[method-assign]
        for id in THREADS:
            self.orders[0].post(f"t-{id}")

    def _clock(self, number: int) -> SharedClock:
        clock = SharedClock(
            lambda: self.true_ms + self.shared_ahead,
            own=lambda: self.true_ms + self.own_ahead[number],
            ticks=lambda: float(self.true_ms - 1_789_000_000_000),
        )
        clock.adjust()
        return clock

    def snooze(self, worker: int, id: int, minutes: int) -> None:
        until = self.clocks[worker]() + minutes * MINUTE
        order = self.orders[worker]
        act_id = order.ingest.act(order.services.snoozing.snooze, self.mai, id, until, "never")
        if act_id is not None:
            self._forget_snooze(id)
            self.until[id].append(until)

    def _forget_snooze(self, id: int) -> None:
        """When a snooze is changed, only its last moment counts."""
        if len(self.until[id]) > len(self.woken()[id]):
            self.until[id].pop()

    def woken(self) -> dict[int, list[int]]:
        """When each thread woke, by the clock of the worker that did it."""
        found = select(thread_acts.c.thread_id, thread_acts.c.at)
        with self.database.read() as connection:
            acts = connection.execute(
                found.where(thread_acts.c.type == "thread.woken").order_by(thread_acts.c.id)
            ).all()
        return {id: [at for thread_id, at in acts if thread_id == id] for id in THREADS}

    def check(self) -> None:
        """No thread woke twice, nor before its moment."""
        for id, woken in self.woken().items():
            assert len(woken) <= len(self.until[id])
            assert all(at >= until for at, until in zip(woken, self.until[id], strict=False))

    def all_woke(self) -> bool:
        with self.database.read() as connection:
            left = select(threads.c.id).where(threads.c.snoozed_until.is_not(None))
            return not list(connection.scalars(left))


class _Settable:
    """The clock of a worker, as tests of order move it."""

    def __init__(self, machines: Machines, clock: SharedClock):
        self._machines, self._clock = machines, clock

    def __call__(self) -> int:
        return self._clock()

    def advance(self, milliseconds: int) -> None:
        self._machines.true_ms += milliseconds


workers = st.integers(0, 1)
hours = st.sampled_from([-HOUR, HOUR])
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("snooze"), workers, st.sampled_from(THREADS), st.sampled_from([1, 30, 90])
        ),
        st.tuples(st.just("passes"), st.sampled_from([1_000, MINUTE, 29 * MINUTE, 61 * MINUTE])),
        st.tuples(st.just("own"), workers, hours),
        st.tuples(st.just("shared"), hours),
        st.tuples(st.just("reads"), workers),
        st.tuples(st.just("turn"), workers),
    ),
    max_size=25,
)


def does(machines: Machines, what: str, *given: int) -> None:
    if what == "snooze":
        machines.snooze(*given)
    elif what == "passes":
        machines.true_ms += given[0]
    elif what == "own":
        machines.own_ahead[given[0]] += given[1]
    elif what == "shared":
        machines.shared_ahead += given[0]
    elif what == "reads":
        machines.clocks[given[0]].adjust()
    else:
        machines.orders[given[0]].services.due_queue.turn()


def comes_to_its_end(machines: Machines) -> None:
    """All moments are over, by every clock."""
    machines.true_ms += 100 * HOUR
    for clock in machines.clocks:
        clock.adjust()
    for order in machines.orders:
        order.services.due_queue.turn()
    machines.check()
    assert machines.all_woke()
    assert {id: len(at) for id, at in machines.woken().items()} == {
        id: len(until) for id, until in machines.until.items()
    }


@pytest.fixture
def new_database(sqlite_at_head, tmp_path):
    numbers = count()
    return lambda: Database(
        f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / f'{next(numbers)}.sqlite')}"
    )


@settings(max_examples=examples(8))
@given(steps)
def test_whatever_the_clocks_do_each_thread_wakes_once_and_never_early(new_database, steps):
    """W3 and W21."""
    _follows(new_database(), steps)


@pytest.mark.slow
@pytest.mark.cpu_bound
@settings(max_examples=examples(300))
@given(steps)
def test_each_thread_wakes_once_through_many_steps_of_clocks(new_database, steps):
    """W3 and W21."""
    _follows(new_database(), steps)


@pytest.mark.parametrize("ahead", [-HOUR, HOUR])
def test_a_machine_that_is_set_wrong_wakes_threads_at_their_moment(new_database, ahead):
    """Once the server's clock was read, the machine's own clock does not count."""
    machines = Machines(new_database())
    machines.snooze(0, 1, 30)
    machines.own_ahead = [ahead, ahead]
    machines.true_ms += 30 * MINUTE - 1
    assert [order.services.due_queue.turn() for order in machines.orders] == [0, 0]
    machines.true_ms += 1
    assert [order.services.due_queue.turn() for order in machines.orders] == [1, 0]
    machines.database.close()


def _follows(database: Database, steps: list) -> None:
    machines = Machines(database)
    try:
        for what, *given in steps:
            does(machines, what, *given)
            machines.check()
        comes_to_its_end(machines)
    finally:
        database.close()
