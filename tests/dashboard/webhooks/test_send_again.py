"""An admin sends a message again."""

import pytest

from dashboard.db.outbox import outgoing
from dashboard.errors import Problem
from dashboard.ingest.schema import ParsedEvent, parse
from dashboard.webhooks.http_client import Answer
from tests.dashboard.webhooks.webhook_driver import URL

LOST = Answer(None, "timeout")


def test_sending_again_makes_a_failed_delivery_due_at_once(driver):
    driver.webhook()
    driver.poster.will_answer(URL, LOST, LOST)
    driver.reply("before")
    id = driver.reply("Hello")
    driver.settle()
    driver.later(5_000)
    assert driver.said() == ["before", "before"]
    driver.actions.send_again(driver.linh, driver.thread(), id)
    driver.settle()
    assert driver.said() == ["before", "before", "before", "Hello"]
    assert driver.delivery(id) == ("delivered", "bot")


def test_sending_an_undelivered_message_again_adds_no_event_for_a_polling_chatbot(driver):
    id = driver.reply("Hello")
    driver.actions.send_again(driver.linh, driver.thread(), id)
    driver.settle()
    with driver.database.read() as connection:
        found, _ = outgoing.after(connection, driver.shop.source_id, 0, 10)
    assert [event.data["body"] for event in found] == ["Hello"]


def test_sending_again_after_a_failed_receipt_is_a_new_event(driver):
    driver.webhook()
    id = driver.reply("Hello")
    driver.settle()
    with pytest.raises(Problem, match="already_delivered"):
        driver.actions.send_again(driver.linh, driver.thread(), id)
    driver.shop.send(receipt(id, "failed"))
    assert driver.delivery(id) == ("failed", "customer")
    driver.actions.send_again(driver.linh, driver.thread(), id)
    driver.settle()
    first, second = driver.poster.bodies()
    assert first["id"] != second["id"]
    assert first["data"] == second["data"]
    driver.shop.send(receipt(id, "delivered"))
    assert driver.delivery(id) == ("delivered", "customer")


def receipt(message_id: int, state: str) -> ParsedEvent:
    return parse(
        {
            "id": f"r-{message_id}-{state}",
            "type": "receipt",
            "occurred_at": "2026-09-21T14:00:00Z",
            "message_id": message_id,
            "state": state,
        }
    )
