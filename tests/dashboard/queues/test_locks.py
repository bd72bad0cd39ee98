"""Hand-outs among writes of the same threads, on PostgreSQL."""

import threading
import time

import pytest
from sqlalchemy import delete, event, select, update

from dashboard.db.lists import versions
from dashboard.db.models.queues import queue_entries, queue_lists
from dashboard.db.models.threads import threads
from dashboard.db.queues import definitions
from tests.dashboard.queues.product import ProductDesk
from tests.dashboard.queues.record import Admin, Given, Queue
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

pytestmark = pytest.mark.postgres

#: For how long another transaction holds a lock.
HELD_SECONDS = 0.3


def _locking(id: int):
    return select(threads.c.id).where(threads.c.id == id).with_for_update()


@pytest.fixture
def new_desk(postgres_database):
    def new(mode: str, delay: int = 0) -> ProductDesk:
        queue = Queue(1, frozenset({"help"}), mode, delay=delay)
        return ProductDesk(postgres_database, [queue], [Admin(1, frozenset({"main"}))])

    return new


@pytest.fixture
def held(postgres_database):
    """Holds locks that a function takes, in another transaction; `done` runs before its end."""
    running: list[threading.Thread] = []

    def hold(take, done=lambda connection: None) -> None:
        is_held = threading.Event()

        def write(connection) -> None:
            take(connection)
            is_held.set()
            time.sleep(HELD_SECONDS)
            done(connection)

        running.append(threading.Thread(target=lambda: postgres_database.write(write)))
        running[-1].start()
        assert is_held.wait(10)

    yield hold
    for thread in running:
        thread.join()


@pytest.mark.parametrize("mode", ["push", "pull"])
def test_a_thread_that_is_being_written_goes_out_after_that(new_desk, held, mode):
    """The hand-out waits neither with its locks held, nor does it fail."""
    desk = new_desk(mode)
    desk.come(1, "help", "main")
    held(lambda connection: connection.execute(_locking(1)))
    if mode == "push":
        desk._handing_out.push()
    else:
        desk.pull(1)
    assert desk.log() == [Given(1, 1, 1, mode == "pull")]


def test_filling_and_a_write_of_a_thread_do_not_wait_for_each_other(
    new_desk, held, postgres_database
):
    """A write locks its thread, and then the versions: so does what fills a queue."""
    desk, failed = new_desk("push"), []
    desk.come(1, "help", "main")

    def write(connection) -> None:
        connection.execute(delete(queue_entries))
        connection.execute(update(queue_lists).values(filled_to=0, fill_to=1))

    postgres_database.write(write)
    event.listen(postgres_database.engine, "handle_error", lambda failure: failed.append(failure))

    def goes_on(connection) -> None:
        wait_until(lambda: waits_for_a_lock(postgres_database), what="the filling")
        versions.current(connection, for_writing=True)

    held(lambda connection: connection.execute(_locking(1)), goes_on)
    while desk._handing_out.fill():
        pass
    desk._handing_out.push()
    assert desk.log() == [Given(1, 1, 1)]
    assert failed == []


def test_the_time_of_a_hand_out_is_that_after_its_wait(new_desk, held):
    """A thread that has been there for long enough by then goes out."""
    desk = new_desk("push", delay=30)
    desk.come(1, "help", "main")
    held(definitions.lock, lambda connection: desk.advance(30_000))
    desk._handing_out.push()
    assert desk.log() == [Given(1, 1, 1)]


def test_who_asks_in_vain_takes_no_lock(new_desk, held):
    desk = new_desk("pull")
    held(definitions.lock)
    begun = time.monotonic()
    desk.pull(1)
    assert time.monotonic() - begun < HELD_SECONDS / 2


def test_one_of_all_who_find_a_hand_out_makes_others_wait(new_desk):
    """The next ones find that somebody was first, and look again."""
    desk = new_desk("push")
    desk.come(1, "help", "main")
    found = [desk._handing_out.look() for _ in range(2)]
    assert [one.has_hand_outs for one in found] == [True, True]
    made = [desk._handing_out.push(one.hand_outs) for one in found]
    assert [(len(one.placements), one.is_all) for one in made] == [(1, True), (0, False)]
    desk.come(2, "help", "main")
    desk._hand_outs.turn()
    assert desk.log() == [Given(1, 1, 1), Given(2, 1, 1)]


def test_threads_before_one_that_is_being_written_go_out(new_desk, held):
    """Of many threads one is nearly always being written."""
    desk, pushed = new_desk("push"), threading.Event()
    desk.set(1, None, None, 3)
    for id in (1, 2, 3):
        desk.come(id, "help", "main")
        desk.advance(1)
    held(lambda connection: connection.execute(_locking(2)), lambda connection: pushed.wait(10))
    desk._handing_out.push()
    assert desk.log() == [Given(1, 1, 1)], "the third one may not go out before the second one"
    pushed.set()
    desk._hand_outs.turn()
    assert desk.log() == [Given(id, 1, 1) for id in (1, 2, 3)]
