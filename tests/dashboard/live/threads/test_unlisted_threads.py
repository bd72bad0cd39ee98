"""Events of threads on no view, the snoozed ones and those of the archive, are pushed to the
sockets that have them open."""

import pytest
import redis

from dashboard.live.broadcaster import SLOW_TICK_SECONDS


def note(id):
    return {"id": id, "thread_id": 1, "body": f"note {id}"}


def open_snoozed(driver):
    """Thread 1 is on no view, and open at a socket that has all of it."""
    driver.place(1, 1)
    driver.place(1, 1, enter=(), leave=("arrival",))
    driver.broadcaster.conversations.join("a", 1)
    driver.broadcaster.conversations.has_read(1, 0, 0)
    driver.broadcaster.notify(None)
    driver.turn()
    driver.emitter.take("thread:message")


def pushed(driver):
    return [each["message"]["id"] for each in driver.emitter.take("thread:message")]


def add_note(driver, id):
    driver.reads.stored.append(note(id))
    driver.place(1, 1, enter=())


def test_a_note_is_pushed_when_it_is_notified(driver):
    open_snoozed(driver)
    add_note(driver, 5)
    driver.broadcaster.notify_unlisted()
    driver.turn()
    assert pushed(driver) == [5]
    add_note(driver, 6)
    driver.broadcaster.notify_unlisted()
    driver.turn()
    assert pushed(driver) == [6]
    driver.broadcaster.notify_unlisted()
    driver.turn()
    assert pushed(driver) == []


def test_a_note_whose_notification_was_lost_is_pushed_with_the_next_slow_tick(driver):
    open_snoozed(driver)
    add_note(driver, 5)
    driver.turn(SLOW_TICK_SECONDS)
    assert pushed(driver) == [5]


def test_a_note_is_pushed_after_notifications_were_lost(driver):
    """As after a reconnection of the listener."""
    open_snoozed(driver)
    add_note(driver, 5)
    driver.broadcaster.notify(None)
    driver.turn()
    assert pushed(driver) == [5]


def test_of_the_open_threads_those_are_read_that_have_changed(driver, monkeypatch):
    open_snoozed(driver)
    driver.broadcaster.conversations.join("a", 2)
    driver.broadcaster.conversations.has_read(2, 0, 0)
    driver.turn()
    read, messages_after = [], driver.reads.messages_after
    monkeypatch.setattr(
        driver.reads,
        "messages_after",
        lambda id, after: read.append(id) or messages_after(id, after),
    )
    for number in (5, 6):
        add_note(driver, number)
        driver.broadcaster.notify_unlisted()
        driver.turn()
    assert (pushed(driver), read) == ([5, 6], [1, 1])


def test_redis_is_not_asked_while_it_is_away(driver, monkeypatch):
    """Each question would wait for a timeout; open threads are read from SQL meanwhile."""
    open_snoozed(driver)
    driver.late_since = 1
    driver.turn()
    monkeypatch.setattr(driver.ranking, "unlisted_since", lambda number: pytest.fail("asked"))
    driver.broadcaster.notify_unlisted()
    driver.turn()


def test_a_note_is_read_again_where_redis_did_not_answer(driver, monkeypatch):
    open_snoozed(driver)
    add_note(driver, 5)
    driver.broadcaster.notify_unlisted()
    with monkeypatch.context() as patched:

        def away(number):
            raise redis.ConnectionError("away")

        patched.setattr(driver.ranking, "unlisted_since", away)
        driver.turn()
    assert pushed(driver) == []
    driver.turn()
    assert pushed(driver) == [5]


def test_a_note_is_pushed_after_redis_was_emptied(driver):
    open_snoozed(driver)
    driver.client.flushall()
    driver.rebuild("two")
    add_note(driver, 5)
    driver.broadcaster.notify_unlisted()
    driver.turn()
    assert pushed(driver) == [5]
