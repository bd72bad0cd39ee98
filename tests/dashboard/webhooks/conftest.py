"""The fixtures of the tests of webhooks."""

import pytest

from tests.dashboard.webhooks.webhook_driver import WebhookDriver


@pytest.fixture
def driver(any_database, clock) -> WebhookDriver:
    return WebhookDriver(any_database, clock)
