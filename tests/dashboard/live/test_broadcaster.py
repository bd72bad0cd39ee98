"""The broadcaster after lost data, while Redis is away, and for open threads."""

import redis

from dashboard.live import broadcaster as broadcaster_module
from dashboard.live.broadcaster import FRAME_SECONDS
from dashboard.live.threads import UNLISTED_SECONDS
from dashboard.live.totals import ALL_THREADS, Scope
from scoring.views import VIEWS


def test_another_epoch_makes_browsers_open_the_list_again(driver):
    driver.place(1, 1)
    driver.subscribe("a")
    driver.rebuild("two")
    driver.broadcaster.notify(None)
    driver.turn()
    [frame] = driver.frames()
    assert (frame["epoch"], frame["set"], frame["del"]) == ("two", [], [])
    assert frame["from"] == frame["version"]


def test_too_many_changes_make_browsers_open_the_list_again(driver, monkeypatch):
    monkeypatch.setattr(broadcaster_module, "CHANGES_MAX", 3)
    driver.subscribe("a")
    for id in range(1, 6):
        driver.place(id, id)
    driver.broadcaster.notify(["arrival"])
    driver.turn()
    [frame] = driver.frames()
    assert frame["set"] == [] and frame["from"] == frame["version"]


def test_a_lost_list_is_late_until_it_is_rebuilt(driver):
    driver.subscribe("a")
    driver.client.flushall()
    driver.broadcaster.totals.subscribe("a", ALL_THREADS)
    driver.broadcaster.notify(None)
    driver.turn()
    assert [status["late"] for status in driver.emitter.take("order:status")] == [True]
    assert driver.frames() == []
    driver.rebuild("two")
    driver.turn(broadcaster_module.RETRY_SECONDS)
    assert [status["late"] for status in driver.emitter.take("order:status")] == [False]
    assert driver.frames()[0]["epoch"] == "two"


def test_while_redis_is_away_lists_are_late_and_no_change_is_lost(driver, monkeypatch):
    driver.subscribe("a")
    driver.place(1, 1)

    def away(*given):
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(driver.ranking, "since_all", away)
        driver.broadcaster.notify(["arrival"])
        driver.turn()
        assert [status["late"] for status in driver.emitter.take("order:status")] == [True]
        driver.turn(FRAME_SECONDS)
    driver.turn(broadcaster_module.RETRY_SECONDS)
    assert [status["late"] for status in driver.emitter.take("order:status")] == [False]
    assert driver.frames()[0]["set"] == [[1, 1]]


def test_the_unconditional_poll_finds_changes_without_a_notification(driver):
    driver.subscribe("a")
    driver.place(1, 1)
    driver.turn(broadcaster_module.SLOW_TICK_SECONDS)
    assert driver.frames()[0]["set"] == [[1, 1]]


def test_totals_come_with_the_change_that_made_them(driver):
    driver.broadcaster.totals.subscribe("a", ALL_THREADS)
    driver.broadcaster.notify(None)
    driver.turn()
    driver.emitter.sent.clear()
    driver.push(1, 1)
    assert driver.emitter.take("pages:totals") == [
        {"filter": "all", "arrival": 1, "not_respond": 0, "history": 0}
    ]


def test_a_socket_gets_versions_as_soon_as_it_asks_for_them(driver):
    driver.broadcaster.totals.subscribe("a", ALL_THREADS)
    driver.broadcaster.notify(None)
    driver.turn()
    driver.emitter.sent.clear()
    driver.broadcaster.send_versions("a")
    [sent] = driver.emitter.take("pages:totals")
    assert sent.keys() == {"filter", *VIEWS, "as_of"}


def test_counts_that_another_program_changed_are_read_anew(driver):
    driver.place(1, 1)
    driver.broadcaster.totals.subscribe("a", Scope("unassigned"))
    driver.broadcaster.notify(None)
    driver.turn()
    assert driver.emitter.take("pages:totals")[0]["arrival"] == 1
    driver.client.hset(driver.ranking.keys.meta("arrival"), "of:0", 5)
    driver.broadcaster.notify(None)
    driver.turn(FRAME_SECONDS)
    assert driver.emitter.take("pages:totals") == [], "what has not changed costs nothing"
    driver.turn(broadcaster_module.SLOW_TICK_SECONDS)
    driver.turn(broadcaster_module.TOTALS_SECONDS)
    assert driver.emitter.take("pages:totals")[0]["arrival"] == 5


def test_totals_with_a_filter_come_at_once_where_a_view_that_is_open_has_changed(driver):
    driver.broadcaster.totals.subscribe("a", Scope("unassigned"))
    driver.subscribe("a")
    driver.emitter.sent.clear()
    assert len(driver.push(1, 1, enter=("arrival", "not_respond"))) == 1
    assert [each["not_respond"] for each in driver.emitter.take("pages:totals")] == [1]
    driver.emitter.acknowledge("a")
    assert len(driver.push(1, 2, leave=("not_respond",))) == 1
    assert driver.emitter.take("pages:totals") == []
    driver.emitter.acknowledge("a")
    driver.turn(broadcaster_module.TOTALS_SECONDS)
    assert [each["not_respond"] for each in driver.emitter.take("pages:totals")] == [0]


def message(id, thread_id=1):
    return {"id": id, "thread_id": thread_id, "body": f"message {id}"}


def test_a_message_of_an_open_thread_is_pushed_once(driver):
    driver.place(1, 1)
    driver.broadcaster.conversations.join("a", 1)
    driver.broadcaster.conversations.has_read(1, 0, 0)
    driver.turn()
    driver.reads.stored = [message(5), message(6, thread_id=2)]
    driver.push(1, 2)
    driver.push(1, 3)
    pushed = driver.emitter.take("thread:message")
    assert pushed == [{"thread_id": 1, "message": message(5)}]


def test_a_message_stored_while_the_thread_was_being_opened_is_pushed(driver):
    driver.broadcaster.conversations.join("a", 1)
    driver.reads.stored = [message(5)]
    driver.broadcaster.conversations.has_read(1, 4, 0)
    driver.broadcaster.notify(())
    driver.turn()
    assert [each["message"]["id"] for each in driver.emitter.take("thread:message")] == [5]


def test_messages_are_polled_while_redis_is_away(driver):
    driver.broadcaster.conversations.join("a", 1)
    driver.broadcaster.conversations.has_read(1, 0, 0)
    driver.turn()
    driver.late_since = 1
    driver.turn()
    driver.reads.stored = [message(5)]
    driver.turn(UNLISTED_SECONDS)
    assert [each["message"]["id"] for each in driver.emitter.take("thread:message")] == [5]


def test_an_act_on_an_open_thread_is_pushed_once(driver):
    by_ken = {"by": {"id": 2, "name": "Ken"}}
    driver.reads.acts = [{"id": 7, "type": "thread.assigned", **by_ken}]
    driver.place(1, 1)
    driver.broadcaster.conversations.join("a", 1)
    driver.broadcaster.conversations.has_read(1, 0, 7)
    driver.push(1, 2)
    assert driver.emitter.take("thread:act") == [], "it was done before"
    driver.reads.acts.append({"id": 8, "type": "thread.closed", **by_ken})
    driver.push(1, 3)
    driver.push(1, 4)
    done = {"thread_id": 1, "id": 8, "type": "thread.closed", **by_ken}
    assert driver.emitter.take("thread:act") == [done]


def test_nothing_is_kept_for_a_closed_socket(driver):
    driver.subscribe("a")
    driver.broadcaster.visible_rows.watch("a", [1, 2])
    driver.broadcaster.conversations.join("a", 1)
    driver.broadcaster.conversations.has_read(1, 0, 0)
    driver.broadcaster.totals.subscribe("a", ALL_THREADS)
    driver.push(1, 1)
    driver.broadcaster.drop("a")
    assert not list(driver.broadcaster.subscriptions)
    assert not driver.broadcaster.conversations.has_readers
    assert driver.broadcaster.visible_rows.on_screen([1, 2]) == []
    driver.emitter.sent.clear()
    driver.push(2, 2)
    assert driver.emitter.sent == []
