"""A supervisor, who may save sorts."""

import pytest


@pytest.fixture
def sue(dashboard):
    """A browser in which Sue, a supervisor, is signed in."""
    return dashboard.sign_in("Sue", "supervisor")
