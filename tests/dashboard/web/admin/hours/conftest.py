"""A supervisor, who may save opening hours and policies."""

import pytest


@pytest.fixture
def sue(dashboard):
    """A browser in which Sue, a supervisor, is signed in."""
    return dashboard.sign_in("Sue", "supervisor")
