import pytest

from tests.dashboard.ordering.lists import Lists
from tests.dashboard.ordering.order import Order


@pytest.fixture
def lists(database, client, clock) -> Lists:
    order = Order(database, client, clock)
    order.tick()
    for thread in ("t-1", "t-2", "t-3"):
        order.post(thread)
    return Lists(order)
