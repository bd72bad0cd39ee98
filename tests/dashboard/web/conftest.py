"""The fixtures of the tests of the web."""

import fakeredis
import pytest

from tests.dashboard.ordering.order import Order
from tests.drivers.application import ApplicationDriver
from tests.drivers.bot import BotDriver


@pytest.fixture
def dashboard(database, clock, tmp_path):
    return ApplicationDriver(database, clock, tmp_path)


@pytest.fixture
def mai(dashboard):
    """A browser in which Mai is signed in."""
    return dashboard.sign_in("Mai")


@pytest.fixture
def bot(database, clock) -> BotDriver:
    """A chatbot, whose lists are up to date."""
    order = Order(database, fakeredis.FakeRedis(), clock)
    order.tick()
    return BotDriver(order)
