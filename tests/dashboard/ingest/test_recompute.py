"""Threads follow policies, calendars and the clock, whoever writes, and wherever it is read."""

import random
import threading

import pytest

from dashboard.db import policies
from dashboard.ingest.due import Recompute
from dashboard.ordering import pace
from tests.dashboard.ordering.hours_driver import HoursDriver
from tests.dashboard.web.admin.hours.calls import ALWAYS, OFFICE

MINUTE = 60_000
NIGHTS = {"mon": [["22:00", "06:00"]], "sat": [["00:00", "24:00"]], "wed": [["08:00", "20:00"]]}


@pytest.fixture
def hours(any_database, clock) -> HoursDriver:
    return HoursDriver(any_database, clock)


def test_threads_lists_and_chatbots_follow_policies(hours):
    """W41, W43, W45, and W24: one `thread.due` for each wait."""
    always = hours.save_calendar("Always", ALWAYS)
    for name in ("a", "b"):
        hours.order.post(name)
    late, soon = hours.keep("is:late"), hours.keep("due:<30m -is:late")
    assert hours.row("a")["due_at"] is None
    policy = hours.save_policy("All", "", always, first=40)
    assert hours.recompute.turn() == 2
    since = hours.row("a")["waiting_since"]
    assert hours.row("a")["due_at"] == since + 40 * MINUTE
    hours.order.post("b", role="admin")
    assert hours.row("b")["due_at"] is None
    hours.order.post("b")
    assert hours.row("b")["due_at"] == hours.row("b")["waiting_since"] + 60 * MINUTE
    assert (hours.on(late), hours.on(soon)) == ([], [])
    hours.set_clock(since + 10 * MINUTE + 1)
    assert hours.due.turn() == 1
    assert (hours.on(late), hours.on(soon)) == ([], [1])
    hours.set_clock(since + 40 * MINUTE)
    assert hours.due.turn() == 2
    assert (hours.on(late), hours.on(soon)) == ([1], [2])
    [told] = hours.told()
    assert (told["due_at"], told["waiting_since"]) == (since + 40 * MINUTE, since)
    assert (told["policy"], told["target"], told["by"]) == ("All", "first_reply", None)
    hours.save_policy("All", "", always, first=5, next=1)
    assert hours.recompute.turn() == 2
    assert hours.due.turn() == 1
    assert [each["target"] for each in hours.told()] == ["first_reply", "next_reply"]
    assert hours.on(late) == [2, 1]
    assert hours.due.turn() == 0
    hours.assert_all_follow()
    hours.remove(policy)
    assert hours.recompute.turn() == 2
    assert hours.on(late) == []
    hours.assert_all_follow()


def test_time_alone_changes_which_policy_counts(hours):
    """W44."""
    always = hours.save_calendar("Always", ALWAYS)
    hours.save_policy("Long waits", "waits:>10m", always, first=15)
    hours.save_policy("All", "", always, first=60)
    hours.order.post("a")
    since = hours.row("a")["waiting_since"]
    assert hours.row("a")["due_at"] == since + 60 * MINUTE
    hours.set_clock(since + 10 * MINUTE)
    assert hours.due.turn() == 0
    hours.clock.advance(1)
    assert hours.due.turn() == 1
    assert hours.row("a")["due_at"] == since + 15 * MINUTE
    hours.set_clock(since + 9 * MINUTE)
    hours.order.post("a")
    assert hours.row("a")["due_at"] == since + 15 * MINUTE, "a clock that was set back changes none"
    hours.set_clock(since + 20 * MINUTE)
    assert hours.due.turn() == 1
    assert [each["policy"] for each in hours.told()] == ["Long waits"]


def test_a_promise_of_old_policies_is_not_announced(hours):
    """W24: a change that makes threads due later counts before the moment that it replaces."""
    always = hours.save_calendar("Always", ALWAYS)
    hours.save_policy("All", "", always, first=10)
    hours.order.post("a")
    hours.save_policy("All", "", always, first=20)
    hours.clock.advance(15 * MINUTE)
    hours.due.turn()
    assert hours.told() == []
    hours.clock.advance(5 * MINUTE)
    assert hours.due.turn() == 1
    assert len(hours.told()) == 1


def test_a_wait_that_turns_out_to_be_longer_is_not_announced_again(hours):
    """W24: a message that comes late begins the same wait earlier."""
    hours.save_policy("All", "", hours.save_calendar("Always", ALWAYS), first=10)
    hours.order.post("a")
    since = hours.row("a")["waiting_since"]
    hours.clock.advance(10 * MINUTE)
    assert hours.due.turn() == 1
    hours.order.post("a", occurred_at="2020-01-01T00:00:00Z")
    assert hours.row("a")["waiting_since"] < since
    assert hours.due.turn() == 0
    assert len(hours.told()) == 1


def test_what_a_process_leaves_another_one_goes_on_with(hours, monkeypatch):
    """W45: progress is what SQL says; threads that do not wait are skipped."""
    for number in range(30):
        hours.order.post(f"t-{number}")
    hours.order.post("t-0", role="admin")
    hours.save_policy("All", "", hours.save_calendar("Always", ALWAYS))

    class Killed(Exception):
        pass

    def place(placements):
        raise Killed

    monkeypatch.setattr(hours.order.placer, "place", place)
    monkeypatch.setattr(pace, "SLICE", 10)
    with pytest.raises(Killed):
        Recompute(hours.database, hours.order.placer, hours.clock).turn()
    monkeypatch.undo()
    with hours.database.read() as connection:
        progress = policies.progress(connection)
    assert progress["of"] == 29
    assert 9 <= progress["done"] <= 10
    assert hours.recompute.turn() == 29 - progress["done"]
    hours.assert_all_follow()
    hours.order.tick(3)
    assert hours.order.differences() == []


def test_pauses_grow_while_the_process_is_busy(hours, monkeypatch):
    """A pause that ends late shows that events wait for the processor."""
    for number in range(4):
        hours.order.post(f"t-{number}")
    hours.save_policy("All", "", hours.save_calendar("Always", ALWAYS))
    late_seconds = iter([0.0, 0.05, 1.0, 0.0])
    now, pauses = 0.0, []

    def sleep(seconds: float) -> None:
        nonlocal now
        pauses.append(seconds)
        now += seconds + next(late_seconds)

    monkeypatch.setattr(pace, "SLICE", 1)
    monkeypatch.setattr(pace, "SLICE_MAX", 1)
    worker = Recompute(
        hours.database, hours.order.placer, hours.clock, monotonic=lambda: now, sleep=sleep
    )
    assert worker.turn() == 4
    assert pauses == pytest.approx([0.0, 0.0, 0.2, 1.0])


@pytest.mark.parametrize("seed", [1, 2])
def test_any_history_with_several_workers_gives_what_the_pure_function_gives(hours, seed):
    """W43 and W45: policies and calendars are edited while events come."""
    chance = random.Random(seed)
    workers = [Recompute(hours.database, hours.order.placer, hours.clock) for _ in range(3)]
    week = chance.choice([ALWAYS, OFFICE, NIGHTS])
    calendar_ids = [
        hours.save_calendar("One", week, "Asia/Kathmandu"),
        hours.save_calendar("Two", NIGHTS),
    ]
    late = hours.keep("is:late")
    for _ in range(6):
        for _ in range(5):
            happen(hours, chance)
        edit(hours, chance, calendar_ids)
        running = [threading.Thread(target=worker.turn) for worker in workers]
        for each in running:
            each.start()
        happen(hours, chance)
        for each in running:
            each.join()
        hours.clock.advance(chance.choice([0, 1_000, 4 * MINUTE, 60 * MINUTE]))
        hours.due.turn()
        hours.recompute.turn()
        hours.assert_all_follow()
    hours.order.tick(3)
    hours.on(late)


def edit(hours, chance, calendar_ids):
    """Something that a supervisor does."""
    kind = chance.random()
    known = [policy.id for policy in hours.policies()]
    if kind < 0.25 and known:
        hours.put_in_order(chance.sample(known, len(known)))
    elif kind < 0.35 and known:
        hours.remove(chance.choice(known))
    elif kind < 0.6:
        zone = chance.choice(["Europe/Berlin", "America/St_Johns", "Asia/Tokyo"])
        closed = [{"date": "2026-09-22", "intervals": []}] if chance.random() < 0.5 else []
        hours.save_calendar("One", chance.choice([ALWAYS, OFFICE, NIGHTS]), zone, closed)
    else:
        query = chance.choice(
            ["", "priority:urgent", "waits:>5m", "-is:answered", "source:shop quiet:<20m"]
        )
        first, next = (chance.choice([None, 1, 10, 600]) for _ in range(2))
        hours.save_policy(f"p-{query}", query, chance.choice(calendar_ids), first, next)


def happen(hours, chance):
    """Something that a customer, an admin or the chatbot does."""
    thread = f"t-{chance.randrange(12)}"
    hours.order.post(thread, role=chance.choice(["client", "client", "admin"]))
    kind = chance.random()
    if kind < 0.2:
        hours.order.event(type="thread.close", thread=thread)
    elif kind < 0.4:
        hours.order.event(type="thread.priority", thread=thread, priority="urgent")
