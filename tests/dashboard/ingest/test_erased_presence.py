"""A deleted person is not brought back by what a chatbot and webhooks still send. (H30)"""

from typing import Any

import pytest
from redis.exceptions import RedisError

from dashboard.errors import CustomerErased, NotFound
from dashboard.presence.bots import CustomerWrote
from dashboard.presence.erasing import REPORTED_SECONDS
from presence.people import Connection
from tests.dashboard.ingest.test_traces import rows_with
from tests.dashboard.ordering.order import Order

NAME = "zanzibar-7"
PERSON = f"shop/{NAME}"


@pytest.fixture
def order(any_database, client, clock) -> Order:
    opened = Order(any_database, client, clock)
    opened.tick()
    opened.post("t", customer={"id": NAME, "name": "Zanzibar"})
    opened.event(type="thread.handoff", thread="nobodys")
    beat(opened)
    assert opened.erase(NAME) is not None
    return opened


def beat(order: Order) -> None:
    order.services.bot_presence.beat("shop", [(NAME, "phone", "mobile", True)])


def status(order: Order) -> str:
    return str(order.services.bot_presence.look_up("shop", [NAME])[NAME]["status"])


def keys(order: Order) -> list[Any]:
    """Every key of Redis that contains the person, as a member or a field."""
    found = []
    for key in order.client.keys("*"):
        kind = order.client.type(key)
        held = {
            b"hash": order.client.hgetall,
            b"zset": lambda name: order.client.zrange(name, 0, -1),
            b"stream": order.client.xrange,
        }.get(kind, order.client.get)(key)
        if "zanzibar" in f"{key}{held}".lower():
            found.append(key)
    return found


def test_a_heartbeat_that_goes_on_does_not_bring_them_back(order):
    assert keys(order) == []
    for _ in range(3):
        beat(order)
        order.clock.advance(30_000)
    assert (status(order), keys(order), rows_with(order)) == ("offline", [], [])
    order.services.bot_presence.beat("shop", [("somebody", "phone", "mobile", True)])
    state = order.services.bot_presence.look_up("shop", ["somebody"])["somebody"]
    assert state["status"] == "online"


def test_a_message_that_was_to_be_reported_as_a_sign_of_life_is_not(order):
    order.services.bot_presence.enqueue([CustomerWrote("shop", NAME)])
    order.services.bot_presence.flush_pending()
    assert (status(order), keys(order)) == ("offline", [])


@pytest.mark.parametrize("thread", ["t", "nobodys"])
def test_typing_does_not_bring_them_back(order, thread):
    with pytest.raises(NotFound):
        order.services.bot_presence.typing(order.source_id, "shop", thread, NAME)
    assert (keys(order), rows_with(order)) == ([], [])


def test_settings_are_refused_until_they_write_again(order):
    set_customer = order.services.presence_service.set_customer
    with pytest.raises(CustomerErased):
        set_customer(order.source_id, "shop", NAME, {"text": "zanzibarstatus"})
    assert (keys(order), rows_with(order)) == ([], [])
    order.post("t-2", customer={"id": NAME})
    set_customer(order.source_id, "shop", NAME, {"text": "back"})
    beat(order)
    assert status(order) == "online"


def test_a_sign_of_life_that_was_under_way_is_forgotten_too(order):
    order.post("t-2", customer={"id": NAME})

    waited = []

    def report(seconds: float) -> None:
        waited.append(seconds)
        order.services.presence_service.customers.open(Connection(f"shop/{NAME}", "phone"))

    assert order.erase(NAME, report) is not None
    assert waited == [REPORTED_SECONDS]
    assert keys(order) == []


def test_a_customer_is_deleted_while_redis_is_away(order, monkeypatch):
    order.post("t-2", customer={"id": NAME})

    def fails(*arguments) -> None:
        raise RedisError("gone")

    monkeypatch.setattr(order.services.presence_service, "forget_customer", fails)
    deleted = order.erase(NAME)
    assert deleted is not None and not deleted.is_forgotten
    assert rows_with(order) == []
