"""The dispatcher posts due deliveries, retries failed ones, and keeps the order of a thread."""

import pytest
from sqlalchemy import delete, select

from dashboard.db.models.webhooks import delivery_attempts, outgoing_events
from dashboard.webhooks.dispatcher import WAITS_SECONDS
from dashboard.webhooks.http_client import Answer
from tests.dashboard.webhooks.webhook_driver import OTHER_URL, URL
from tests.drivers.audit import OPERATOR

LOST = Answer(None, "timeout")


def test_an_event_is_posted_once_as_the_outbox_shows_it(driver):
    driver.webhook()
    id = driver.reply("Hello")
    assert driver.delivery(id) == ("queued", "bot")
    driver.settle()
    (body,) = driver.poster.bodies(URL)
    assert (body["type"], body["thread"], body["seq"]) == ("message.created", "t", 1)
    assert (body["data"]["id"], body["data"]["body"]) == (id, "Hello")
    assert driver.poster.got[0][1].headers["webhook-id"] == body["id"]
    assert driver.delivery(id) == ("delivered", "bot")
    driver.settle()
    assert len(driver.poster.got) == 1


def test_a_webhook_gets_later_events_of_its_source_and_types(driver):
    driver.reply("Too early")
    driver.settle()
    driver.webhook()
    driver.webhook(OTHER_URL, ["thread.assigned"])
    driver.webhooks.create(OPERATOR, "else", "https://else.example/", None)
    driver.reply("Hello")
    driver.actions.claim(driver.linh, driver.thread())
    driver.settle()
    assert driver.said() == ["Hello", "thread.assigned"]
    assert driver.said(OTHER_URL) == ["thread.assigned"]
    assert driver.poster.bodies("https://else.example/") == []


def test_a_failed_delivery_is_retried_at_growing_intervals(driver):
    """All attempts have one id; after the last one it fails. (case F3)"""
    driver.webhook()
    driver.poster.will_answer(URL, *[LOST, Answer(500, None)] * 5)
    id = driver.reply("Hello")
    driver.settle()
    for number, seconds in enumerate(WAITS_SECONDS, 1):
        assert len(driver.poster.got) == number
        assert driver.delivery(id) == ("queued", "bot")
        driver.later(seconds * 1000 - 1)
        assert len(driver.poster.got) == number
        driver.later(1)
    assert len(driver.poster.got) == 10
    assert len({body["id"] for body in driver.poster.bodies()}) == 1
    assert len({request.body for _, request in driver.poster.got}) == 1
    assert driver.delivery(id) == ("failed", "bot")
    driver.later(100 * 86_400_000)
    assert len(driver.poster.got) == 10


def test_failed_deliveries_do_not_change_the_thread(driver):
    """An answer to a webhook only confirms receipt; the chatbot's reply is an event. (case F6)"""
    driver.webhook()
    driver.poster.will_answer(URL, *[LOST] * 3)
    driver.reply("Hello")
    before = driver.shop.row()
    driver.settle()
    for seconds in WAITS_SECONDS[:3]:
        driver.later(seconds * 1000)
    assert len(driver.poster.got) == 4
    after = driver.shop.row()
    assert {**after, "rev": 0} == {**before, "rev": 0}
    assert (after["open"], after["waiting_since"], after["unanswered"]) == (True, None, 0)


def test_events_of_a_thread_wait_for_the_failed_one_before_them(driver):
    driver.webhook()
    driver.poster.will_answer(URL, LOST)
    driver.reply("first", "slow")
    driver.settle()
    driver.reply("second", "slow")
    driver.reply("elsewhere", "quick")
    driver.settle()
    assert driver.said() == ["first", "elsewhere"]
    driver.later(5_000)
    assert driver.said() == ["first", "elsewhere", "first", "second"]


def test_after_a_failed_delivery_the_next_event_of_the_thread_is_due(driver):
    driver.webhook()
    driver.poster.will_answer(URL, *[LOST] * 10)
    driver.reply("lost")
    driver.reply("next")
    for seconds in (0, *WAITS_SECONDS):
        driver.later(seconds * 1000)
    assert driver.said() == ["lost"] * 10 + ["next"]


def test_retry_after_is_respected(driver):
    driver.webhook()
    driver.poster.will_answer(URL, Answer(429, None, "", "120"))
    driver.reply("Hello")
    driver.settle()
    driver.later(119_999)
    assert len(driver.poster.got) == 1
    driver.later(1)
    assert len(driver.poster.got) == 2


@pytest.mark.parametrize("status", [301, 307, 400, 404, 500, 199])
def test_any_status_but_2xx_is_retried(driver, status):
    driver.webhook()
    driver.poster.will_answer(URL, status)
    driver.reply("Hello")
    driver.settle()
    driver.later(5_000)
    assert len(driver.poster.got) == 2
    assert driver.states() == ["done"]


def test_410_disables_the_webhook_and_fails_its_deliveries(driver):
    id = driver.webhook()
    driver.poster.will_answer(URL, 410)
    first = driver.reply("Hello")
    second = driver.reply("more")
    driver.settle()
    assert len(driver.poster.got) == 1
    assert driver.delivery(first) == driver.delivery(second) == ("failed", "bot")
    ((webhook, waiting),) = driver.webhooks.listing()
    assert (webhook.disabled_why, waiting) == ("gone", 0)
    driver.reply("even more")
    driver.settle()
    assert len(driver.poster.got) == 1
    driver.webhooks.enable(OPERATOR, id)
    driver.clock.advance(10)
    assert driver.webhooks.replay(OPERATOR, id, from_ms=0, to_ms=driver.clock()) == 3
    driver.settle()
    assert driver.said()[1:] == ["Hello", "more", "even more"]


def test_a_source_is_failing_until_a_delivery_succeeds(driver):
    driver.webhook()
    assert driver.failing() == {}
    driver.poster.will_answer(URL, LOST, LOST)
    driver.reply("Hello")
    driver.settle()
    since = driver.clock()
    driver.later(5_000)
    assert driver.failing() == {"shop": since}
    driver.later(300_000)
    assert driver.failing() == {}


def test_of_a_delivery_whose_person_is_deleted_meanwhile_nothing_is_kept(driver, caplog):
    """H30: neither the receiver's answer, nor a stack trace in the log."""
    driver.webhook()
    driver.reply("Hello")

    def erase_and_answer(url, request):
        with driver.database.engine.begin() as connection:
            connection.execute(delete(outgoing_events))
        return Answer(200, None, text="zanzibar")

    driver.poster.post = erase_and_answer
    driver.settle()
    with driver.database.read() as connection:
        assert connection.execute(select(delivery_attempts)).all() == []
    assert "failed" not in caplog.text
