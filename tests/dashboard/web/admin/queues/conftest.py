"""A supervisor, who may save queues."""

import pytest


@pytest.fixture
def sue(dashboard):
    """A browser in which Sue, a supervisor with the id 1, is signed in."""
    return dashboard.sign_in("Sue", "supervisor")
