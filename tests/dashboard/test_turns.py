"""Turns: a working caller goes on, one that has used up its share goes behind the others, and time
is processor time."""

import threading

import greenlet
import pytest

from dashboard.turns import (
    ALONE_SECONDS,
    BURST_SECONDS,
    PAUSE_SECONDS_MAX,
    REQUEST_SECONDS_MAX,
    SHARE,
    SHARES_MAX,
    SLICED_SECONDS,
    STEP_ITEMS,
    STEP_SECONDS,
    TURNS_MAX,
    GreenClock,
    Pace,
    Turns,
    counted,
)
from tests.support import wait_until

ANY = ("admin", 1)
OTHER = ("admin", 2)


class Worker:
    """A clock and a processor that are moved by hand, and green threads that take turns."""

    def __init__(self):
        self.now = self.processor = 0.0
        self.done = []
        self.turns = Turns(lambda: self.now, GreenClock(lambda: self.processor), self._wait)
        self.turns._give_turn = lambda: self.done.append("turn")
        self.while_waiting = lambda: None

    def _wait(self, lock, seconds):
        self.done.append("wait")
        self.now += seconds
        self.while_waiting()

    def works(self, seconds):
        """Uses the processor in the green thread that calls."""
        self.processor += seconds
        self.now += seconds

    def taken(self):
        """Returns the events since the last call."""
        taken, self.done = self.done, []
        return taken

    def use_up(self, caller):
        with self.turns.working(caller):
            self.works(BURST_SECONDS + 0.1)
        assert self.turns.share(caller).debt_seconds > 0

    def at_work(self, caller):
        """Starts a green thread with a request under way; switch to it again to end the request."""

        def run():
            with self.turns.working(caller):
                greenlet.getcurrent().parent.switch()

        green = greenlet.greenlet(run)
        green.switch()
        return green


@pytest.fixture
def worker():
    found = Worker()
    before = greenlet.settrace(found.turns._clock._switched)
    yield found
    greenlet.settrace(before)


def test_each_green_thread_is_charged_what_it_has_used_itself(worker):
    """However they alternate; a clock that goes on meanwhile costs nothing."""
    main = greenlet.getcurrent()
    used = []

    def run(each):
        meter = worker.turns._clock.meter()
        for _ in range(3):
            worker.works(each)
            worker.now += 100
            main.switch()
        used.append((each, round(worker.turns._clock.meter().used, 6), meter.used))

    greens = [greenlet.greenlet(run) for _ in range(2)]
    for _ in range(4):
        for green, each in zip(greens, (0.001, 0.02), strict=True):
            green.switch(*([each] if not green else []))
            worker.works(7)
    assert [(each, all_of_it) for each, all_of_it, _ in used] == [(0.001, 0.003), (0.02, 0.06)]


def test_who_is_alone_gets_everything(worker):
    for _ in range(100):
        with worker.turns.working():
            worker.turns.known_as(ANY)
            for _ in range(10):
                worker.works(STEP_SECONDS * 1.01)
                worker.turns.step()
    assert "wait" not in worker.done
    assert worker.done.count("turn") == 1_000


def test_nobody_yields_before_5_ms_of_work(worker):
    with worker.turns.working(ANY):
        worker.works(STEP_SECONDS * 0.51)
        worker.turns.step()
        assert worker.done == []
        worker.works(STEP_SECONDS * 0.51)
        worker.turns.step()
        worker.turns.step()
        assert worker.done == ["turn"]


def test_who_has_used_up_a_share_works_once_the_others_are_done(worker):
    worker.use_up(ANY)
    other = worker.at_work(OTHER)
    worker.while_waiting = lambda: other and other.switch()
    with worker.turns.working():
        worker.turns.known_as(ANY)
        assert worker.taken() == ["wait", "turn"], "and goes on when they are"
        worker.works(STEP_SECONDS * 1.01)
        other = worker.at_work(OTHER)
        worker.turns.step()
        assert worker.taken() == ["wait", "turn", "turn"], "until none of them can run"
        worker.now += SLICED_SECONDS * 2
        worker.works(STEP_SECONDS * 1.01)
        worker.turns.step()
        assert worker.taken() == ["turn"]


def test_who_has_a_share_left_never_waits(worker):
    worker.use_up(OTHER)
    others = [worker.at_work(OTHER) for _ in range(3)]
    with worker.turns.working():
        worker.turns.known_as(ANY)
        worker.works(BURST_SECONDS / 2)
        worker.turns.step()
    assert "wait" not in worker.done
    for other in others:
        other.switch()


def test_beside_others_who_always_work_one_gets_a_fifth_of_the_processor(worker):
    """Their requests are always new; nobody waits for the end of a long one."""
    worker.use_up(ANY)
    busy = [worker.at_work(OTHER)]

    def next_request():
        busy.append(worker.at_work(OTHER))
        busy.pop(0).switch()

    worker.while_waiting = next_request
    used = 0.0
    with worker.turns.working():
        worker.turns.known_as(ANY)
        begun = worker.now
        while worker.now < begun + 60:
            worker.works(0.003)
            used += 0.003
            worker.turns.turn(worker.turns.share(ANY))
            next_request()
    assert used == pytest.approx(60 * SHARE, rel=0.05)
    busy.pop().switch()


def test_a_request_that_takes_long_holds_nobody_up(worker):
    worker.use_up(ANY)
    slow = worker.at_work(OTHER)
    worker.now += REQUEST_SECONDS_MAX + 0.01
    worker.use_up(ANY)
    with worker.turns.working():
        worker.turns.known_as(ANY)
    assert worker.done == []
    slow.switch()


def test_a_pause_is_never_longer_than_a_second(worker):
    share = worker.turns.share(ANY)
    share.spend(1_000)
    assert share.debt_seconds <= PAUSE_SECONDS_MAX


def test_a_wait_for_a_turn_that_takes_a_second_is_counted(worker):
    """The others begin new requests all the while; later they end theirs at once."""
    worker.turns.share(ANY).spend(1_000)

    def begin_another():
        worker.at_work(OTHER)

    worker.while_waiting = begin_another
    begin_another()
    with worker.turns.working(ANY):
        worker.turns.pause(worker.turns.share(ANY))
    assert worker.now >= PAUSE_SECONDS_MAX and worker.turns.lost == 1
    worker.while_waiting = lambda: worker.turns._works.clear()
    worker.turns.share(ANY).spend(1_000)
    worker.turns.pause(worker.turns.share(ANY))
    assert worker.turns.lost == 1


def test_beside_others_one_thing_is_done_at_a_time_for_who_is_behind(worker):
    """Four connections of one session are no more than one."""
    worker.use_up(ANY)
    other = worker.at_work(OTHER)
    other.switch()
    first = greenlet.greenlet(lambda: _once(worker, ANY))
    first.switch()
    assert worker.taken() == ["turn"], "the others first"
    second = greenlet.greenlet(lambda: _once(worker, ANY))
    worker.while_waiting = lambda: first.switch() if first else None
    second.switch()
    assert worker.taken() == ["wait"], "until the first is done"
    second.switch()
    assert worker.taken() == ["turn"], "the others first"
    second.switch()


def _once(worker, caller):
    with worker.turns.working():
        worker.turns.known_as(caller)
        greenlet.getcurrent().parent.switch()


def test_what_is_long_is_done_at_once_by_who_is_alone_and_in_slices_beside_others(worker):
    def slices():
        found = []
        with worker.turns.working(ANY):
            for some in worker.turns.slices(range(500), 20):
                found.append(len(some))
                worker.works(0.0005 * len(some))
        assert sum(found) == 500
        return found

    assert slices() == [500]
    worker.at_work(OTHER).switch()
    found = slices()
    assert found[0] == 20 and max(found[1:]) <= 10 and worker.done.count("turn") > 20
    worker.now += SLICED_SECONDS + 0.1
    assert slices() == [500]
    other = worker.at_work(OTHER)
    assert len(slices()) > 10, "while somebody works"
    other.switch()


def test_statements_are_short_beside_others(worker):
    with worker.turns.working(ANY):
        assert worker.turns.step_seconds == ALONE_SECONDS
    worker.at_work(OTHER).switch()
    with worker.turns.working(ANY):
        assert worker.turns.step_seconds == STEP_SECONDS
    assert worker.turns.step_seconds == ALONE_SECONDS, "a task of the worker itself"


def test_between_statements_the_others_run_and_a_caller_with_a_debt_waits(worker):
    with worker.turns.working(ANY):
        worker.turns.give()
        assert worker.done == ["turn"]
    worker.use_up(ANY)
    other = worker.at_work(OTHER)
    worker.while_waiting = lambda: other and other.switch()
    with worker.turns.working():
        worker.turns._works[greenlet.getcurrent()].share = worker.turns.share(ANY)
        worker.turns.give()
    assert worker.done == ["turn", "wait", "turn", "turn"]
    worker.turns.give()
    assert worker.done == ["turn", "wait", "turn", "turn"], "no request"


def test_a_caller_with_a_debt_lets_the_others_run_until_none_of_them_can(worker):
    """Input takes several turns before it is known to be a request."""
    worker.use_up(ANY)
    worker.at_work(OTHER).switch()
    steps = [greenlet.greenlet(lambda: greenlet.getcurrent().parent.switch()) for _ in range(4)]

    def give_turn():
        worker.done.append("turn")
        if steps:
            steps.pop().switch()
            # Back from another green thread, by way of the loop.
            greenlet.greenlet(lambda: None).switch()

    worker.turns._give_turn = give_turn
    with worker.turns.working(ANY):
        worker.turns.turn(worker.turns.share(ANY))
    assert worker.done == ["turn"] * 6, "the fifth one finds nobody"

    steps.extend(greenlet.greenlet(lambda: None) for _ in range(100))
    worker.done.clear()
    worker.use_up(ANY)
    worker.turns.turn(worker.turns.share(ANY))
    assert worker.done.count("turn") == TURNS_MAX + 1, "it does not wait for good"
    steps.clear()
    worker.done.clear()
    worker.now += SLICED_SECONDS + 0.1
    worker.turns.share(ANY).spend(10)
    worker.turns.turn(worker.turns.share(ANY))
    assert worker.done == ["turn"], "nobody else was here"


def test_who_sent_a_request_is_known_by_the_credential_of_an_earlier_one(worker):
    """Finding out takes the processor, too, so it is not done before the others."""
    with worker.turns.working(credential="cookie"):
        worker.turns.known_as(ANY)
        worker.works(BURST_SECONDS + 0.1)
    other = worker.at_work(OTHER)
    worker.while_waiting = lambda: other and other.switch()
    with worker.turns.working(credential="cookie"):
        assert worker.taken() == ["wait", "turn"]
    with worker.turns.working(credential="of nobody yet"):
        assert worker.taken() == []
        worker.turns.known_as(OTHER)
    for number in range(SHARES_MAX):
        with worker.turns.working(credential=str(number)):
            worker.turns.known_as(number)
    with worker.turns.working(credential="cookie"):
        assert worker.taken() == [], "forgotten"


def test_who_holds_a_lock_lets_nobody_run(worker):
    with worker.turns.working(ANY):
        with worker.turns.holding_lock():
            worker.works(STEP_SECONDS * 2)
            worker.turns.step()
            worker.turns.give()
        assert worker.taken() == []
        worker.turns.step()
        assert worker.taken() == ["turn"]
    with worker.turns.holding_lock():
        pass


def test_a_transaction_within_a_lock_does_not_end_it(worker):
    with worker.turns.working(ANY), worker.turns.holding_lock():
        with worker.turns.holding_lock():
            pass
        worker.works(STEP_SECONDS * 2)
        worker.turns.step()
        assert worker.taken() == []


def test_a_low_share_that_is_not_used_up_yet_goes_behind_nobody_and_after_everybody(worker):
    with worker.turns.working(ANY):
        worker.works(BURST_SECONDS * 0.6)
    worker.at_work(OTHER).switch()
    assert worker.turns.share(ANY).debt_seconds == 0
    first = greenlet.greenlet(lambda: _once(worker, ANY))
    first.switch()
    assert worker.taken() == ["turn"], "the others first"
    second = greenlet.greenlet(lambda: _once(worker, ANY))
    worker.while_waiting = lambda: first.switch() if first else None
    second.switch()
    assert worker.taken() == ["wait"], "one thing at a time"
    second.switch()
    second.switch()


def test_between_many_quick_items_the_others_run(worker):
    with worker.turns.working(ANY):
        for _ in worker.turns.each(range(STEP_ITEMS * 4)):
            worker.works(STEP_SECONDS / STEP_ITEMS * 1.01)
    assert worker.taken() == ["turn"] * 4
    assert [*worker.turns.each("abc")] == ["a", "b", "c"]


def test_what_runs_beside_the_green_threads_counts_for_who_asked_for_it(worker, monkeypatch):
    monkeypatch.setattr("dashboard.turns.turns", worker.turns)

    def offload(work):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    with worker.turns.working(ANY):
        before = worker.turns._clock.meter().used
        counted(offload)(sum, range(200_000))
        assert worker.turns._clock.meter().used > before


def test_shares_of_callers_who_are_gone_are_forgotten(worker):
    worker.use_up(ANY)
    share = worker.turns.share(ANY)
    for number in range(3 * SHARES_MAX):
        worker.turns.share(("address", number))
    assert worker.turns.share(ANY) is share
    assert len(worker.turns._shares) <= SHARES_MAX + 1


def test_a_connection_that_waited_for_its_client_begins_at_once(worker):
    """H7"""
    pace = Pace(worker.turns.share(ANY), worker.turns)
    pace.step()
    assert worker.done == []
    pace.step()
    assert worker.done == ["turn"], "the second piece of work was there already"
    pace.waited()
    pace.step()
    assert worker.done == ["turn"]


def test_a_flood_of_one_connection_goes_behind_the_others(worker):
    """H7: input that nobody waited for, on all connections of one caller."""
    paces = [Pace(worker.turns.share(ANY), worker.turns) for _ in range(2)]
    paces[0].turn()
    worker.works(BURST_SECONDS)
    other = worker.at_work(OTHER)
    worker.while_waiting = lambda: other.switch() if other else None
    for _ in range(20):
        for pace in paces:
            worker.works(0.001)
            pace.step()
    assert worker.done.count("wait") == 1
    assert paces[0]._share.debt_seconds > 0
    worker.works(0.01)
    assert paces[0].is_overdrawn()


def test_threads_that_wait_are_woken_when_others_are_done():
    """With the locks of threads, as a worker has them."""
    turns = Turns()
    turns._give_turn = lambda: None
    turns.share(ANY).spend(BURST_SECONDS + 0.1)
    done = []

    def behind():
        with turns.working():
            turns.known_as(ANY)
            done.append(True)

    with turns.working(OTHER):
        waiting = threading.Thread(target=behind, daemon=True)
        waiting.start()
        wait_until(lambda: turns._waiting or done)
        assert not done
    wait_until(lambda: done)
    waiting.join()
