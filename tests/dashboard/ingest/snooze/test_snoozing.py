"""Threads are snoozed, and wake: at their moment, with the customer's message, by an admin."""

from datetime import UTC, datetime

import pytest

from dashboard.errors import Problem
from dashboard.validation.field_errors import Invalid
from tests.dashboard.ingest.snooze.driver import MINUTE_MS, SnoozeDriver

WAITING = {"arrival", "not_respond"}


@pytest.fixture
def driver(any_database, clock) -> SnoozeDriver:
    return SnoozeDriver(any_database, clock)


def facts(driver: SnoozeDriver) -> dict:
    """The facts that a snooze must not change."""
    names = ("waiting_since", "unanswered", "recent_at", "score_longest_wait", "score_arrival")
    return {name: driver.columns()[name] for name in names}


def test_a_snoozed_thread_leaves_and_comes_back_at_its_moment_once(driver):
    """It is where it would be without the snooze, and the row and the acts say why (W1 to W3,
    W10)."""
    before = facts(driver)
    assert driver.views() == WAITING
    driver.snooze(60)
    until, mai = driver.clock() + 60 * MINUTE_MS, {"id": driver.mai.id, "name": "Mai"}
    assert driver.views() == set()
    assert driver.row()["snooze"] == {"until": until, "wake": "reply", "by": mai}
    assert driver.pass_minutes(59.99) == 0
    assert driver.pass_minutes(0.01) == 1
    assert driver.views() == WAITING
    assert facts(driver) == before
    assert driver.row()["snooze"] is None
    assert driver.row()["woken"] == {"at": until, "reason": "time", "by": mai}
    assert driver.pass_minutes(600) == 0
    assert driver.said() == [
        ("thread.snoozed", {"by": mai, "until": until, "wake": "reply"}),
        ("thread.woken", {"by": None, "reason": "time"}),
    ]


def test_it_woke_at_its_moment_however_late_that_is_taken_up(driver):
    """As if no process had run meanwhile (W3, W22)."""
    driver.snooze(60)
    until = driver.clock() + 60 * MINUTE_MS
    assert driver.pass_minutes(600) == 1
    assert driver.row()["woken"]["at"] == until


def test_the_customers_next_message_wakes_it_however_old_its_time_is(driver):
    """A message of the chatbot that comes late was read by nobody (W4)."""
    driver.snooze(60)
    driver.order.post("t", occurred_at="2020-01-01T00:00:00Z")
    assert driver.views() == WAITING
    assert (driver.row()["snooze"], driver.row()["woken"]["reason"]) == (None, "reply")
    assert driver.said()[-1] == ("thread.woken", {"by": None, "reason": "reply"})
    assert driver.pass_minutes(600) == 0


def test_a_handoff_wakes_it_too(driver):
    """The chatbot asks for a person (W4)."""
    driver.snooze(60)
    driver.order.event(type="thread.handoff", thread="t")
    assert driver.views() == WAITING


def test_with_never_only_its_moment_or_an_admin_wakes_it(driver):
    """The customer's message is stored, and waits (W4)."""
    driver.snooze(60, "never")
    driver.order.post("t")
    driver.order.event(type="thread.handoff", thread="t")
    assert driver.views() == set()
    assert driver.row()["unanswered"] == 2
    assert driver.wake(by=driver.ken) is not None
    woken = driver.row()["woken"]
    assert (woken["reason"], woken["by"]["name"]) == ("admin", "Mai")
    assert driver.said()[-1][1]["by"]["name"] == "Ken"
    assert driver.wake() is None, "it is awake"
    assert driver.views() == WAITING


def test_what_is_no_call_of_the_customer_wakes_nothing(driver):
    """The chatbot, notes, replies, priorities and claims (W5)."""
    driver.snooze(60)
    driver.order.post("t", role="bot")
    driver.reply(private=True)
    driver.act(driver.services.actions.claim, 1)
    driver.act(driver.services.actions.set_priority, 1, "high")
    driver.reply()
    assert driver.views() == set()
    assert driver.row()["snooze"] is not None
    driver.pass_minutes(60)
    assert driver.views() == {"arrival"}, "it was answered meanwhile"


def test_a_snooze_is_changed_by_another_one(driver):
    """The same one again changes nothing; `woken` goes with the next snooze (W6)."""
    first = driver.snooze(60)
    assert first is not None
    assert driver.snooze(60) is None
    assert driver.snooze(60, by=driver.ken) is not None
    assert driver.snooze(30, "never") is not None
    assert driver.pass_minutes(29) == 0
    assert driver.pass_minutes(1) == 1
    assert driver.row()["woken"]["reason"] == "time"
    driver.snooze(5)
    assert driver.row()["woken"] is None


@pytest.mark.parametrize("deals_with_it", ["reply", "close", "close of the chatbot"])
def test_how_it_woke_is_shown_until_somebody_has_dealt_with_it(driver, deals_with_it):
    """A note and a claim are not that yet (W6)."""
    driver.snooze(1)
    driver.pass_minutes(1)
    driver.reply(private=True)
    driver.act(driver.services.actions.claim, 1)
    assert driver.row()["woken"] is not None
    if deals_with_it == "reply":
        driver.reply()
    elif deals_with_it == "close":
        driver.close()
    else:
        driver.order.event(type="thread.close", thread="t", occurred_at="2026-11-20T11:00:00Z")
    assert driver.row()["woken"] is None
    assert driver.columns()["snoozed_by_id"] is None


def test_a_closed_thread_cannot_be_snoozed_and_does_not_wake(driver):
    """Closing keeps the moment; undoing the close brings the snooze back (W7)."""
    driver.snooze(60)
    closed = driver.close()
    assert driver.views() == {"history"}
    assert driver.row()["snooze"] is None
    with pytest.raises(Problem) as refused:
        driver.snooze(30)
    assert (refused.value.status, refused.value.code) == (409, "thread_closed")
    driver.undo(closed)
    assert driver.views() == set()
    assert driver.row()["snooze"]["by"]["name"] == "Mai"
    driver.snooze(5)
    closed = driver.close()
    assert driver.pass_minutes(6) == 0, "of a closed thread it counts for nothing"
    driver.undo(closed)
    assert driver.pass_minutes(0) == 1, "what fell due meanwhile happens at once"
    assert driver.views() == WAITING


@pytest.mark.parametrize("how", ["admin", "customer", "chatbot"])
def test_any_other_reopening_ends_the_snooze(driver, how):
    """By an admin, a message and the chatbot (W7)."""
    driver.snooze(5)
    driver.close()
    driver.clock.advance(1)
    if how == "admin":
        reopened = driver.reopen()
    elif how == "customer":
        driver.order.post("t", occurred_at="2030-01-01T00:00:00Z")
    else:
        driver.order.event(type="thread.reopen", thread="t", occurred_at="2030-01-01T00:00:00Z")
    assert "arrival" in driver.views()
    assert driver.columns()["snoozed_until"] is None
    assert driver.pass_minutes(9) == 0
    if how == "admin":
        driver.undo(reopened)
        assert driver.columns()["snoozed_until"] is not None, "as if it had not been reopened"
        assert driver.views() == {"history"}


@pytest.mark.parametrize(
    ("until", "code"),
    [
        (lambda now: now, "until_in_the_past"),
        (lambda now: now - MINUTE_MS, "until_in_the_past"),
        (lambda now: now + (5 * 366 + 2) * 24 * 60 * MINUTE_MS, "until_too_far"),
    ],
)
def test_a_moment_that_is_past_or_too_far_is_refused(driver, until, code):
    """W8."""
    with pytest.raises(Invalid) as refused:
        driver.act(driver.services.snoozing.snooze, 1, until(driver.clock()), "reply")
    [error] = refused.value.errors
    assert (error.pointer, error.code) == ("/until", code)
    driver.act(
        driver.services.snoozing.snooze, 1, driver.clock() + 5 * 365 * 24 * 60 * MINUTE_MS, "reply"
    )


def test_five_years_are_not_too_far(driver):
    """W8: the same day and time, of years with leap days, too."""
    now = datetime.fromtimestamp(driver.clock() / 1000, UTC)
    latest = round(now.replace(year=now.year + 5).timestamp() * 1000)
    driver.services.snoozing.check_until(latest)
    with pytest.raises(Invalid):
        driver.services.snoozing.check_until(latest + 1)


def test_undoing_a_snooze_brings_back_the_one_before_if_it_is_still_ahead(driver):
    """W9."""
    driver.snooze(10, "never", by=driver.ken)
    second = driver.snooze(60)
    driver.undo(second)
    assert driver.row()["snooze"]["wake"] == "never"
    assert driver.row()["snooze"]["by"]["name"] == "Ken"
    third = driver.snooze(60)
    driver.clock.advance(9 * MINUTE_MS)
    driver.undo(third)
    assert driver.row()["snooze"] is not None
    fourth = driver.snooze(9)
    driver.clock.advance(MINUTE_MS)
    driver.undo(fourth)
    assert (driver.row()["snooze"], driver.row()["woken"]) == (None, None)
    assert driver.views() == WAITING


def test_undoing_a_wake_brings_the_snooze_back_unless_the_customer_wrote(driver):
    """W9: as if the wake had not been."""
    driver.snooze(30)
    woken = driver.wake()
    driver.undo(woken)
    assert (driver.views(), driver.row()["woken"]) == (set(), None)
    woken = driver.wake()
    driver.order.post("t")
    driver.undo(woken)
    assert driver.views() == WAITING
    assert driver.row()["woken"]["reason"] == "reply"


def test_undoing_a_wake_keeps_the_condition_that_only_the_moment_wakes(driver):
    """W9: a message of the customer ends no such snooze."""
    driver.snooze(30, "never")
    woken = driver.wake()
    driver.order.post("t")
    driver.undo(woken)
    assert (driver.views(), driver.row()["snooze"]["wake"]) == (set(), "never")


def test_a_close_that_was_undone_does_not_keep_a_wake_from_being_undone(driver):
    """W9: it is as if the thread had never been closed."""
    driver.snooze(30)
    woken = driver.wake()
    driver.undo(driver.close())
    driver.undo(woken)
    assert driver.views() == set()


def test_a_snooze_that_came_back_while_the_thread_was_closed_outlives_the_close(driver):
    """W7: also where the close took away how the thread woke."""
    driver.snooze(60)
    woken = driver.wake()
    closed = driver.close()
    driver.undo(woken)
    driver.undo(closed)
    assert driver.views() == set()
    assert driver.row()["snooze"]["by"]["name"] == "Mai"


def test_a_snooze_that_was_undone_while_the_thread_was_closed_stays_undone(driver):
    snoozed = driver.snooze(60)
    closed = driver.close()
    driver.undo(snoozed)
    driver.undo(closed)
    assert driver.views() == WAITING
    assert driver.row()["snooze"] is None


@pytest.mark.parametrize("undone", ["close", "reopen"])
def test_a_message_to_a_closed_thread_ends_the_snooze_whatever_is_undone_later(driver, undone):
    """W7: the message is one of the other reopenings; else its customer would be out of sight."""
    driver.snooze(60)
    act = driver.close()
    driver.clock.advance(1)
    if undone == "reopen":
        act = driver.reopen()
    driver.order.post("t", occurred_at="2030-01-01T00:00:00Z")
    driver.undo(act)
    assert driver.views() == WAITING
    assert driver.columns()["snoozed_until"] is None


def test_undoing_a_snooze_that_the_customer_has_ended_takes_its_mark_away(driver):
    """Nobody has decided anything since (W9)."""
    act = driver.snooze(30)
    driver.order.post("t")
    driver.undo(act)
    assert (driver.row()["snooze"], driver.row()["woken"]) == (None, None)
    assert driver.views() == WAITING


def test_what_somebody_set_since_is_not_undone(driver):
    """W9."""
    first = driver.snooze(30)
    driver.snooze(60, by=driver.ken)
    with pytest.raises(Problem) as refused:
        driver.undo(first)
    assert refused.value.code == "done_meanwhile"


def test_undoing_a_close_brings_back_how_the_thread_woke(driver):
    """W9: the close had removed it."""
    driver.snooze(1)
    driver.pass_minutes(1)
    before = driver.row()["woken"]
    act = driver.close()
    driver.undo(act)
    assert driver.row()["woken"] == before
