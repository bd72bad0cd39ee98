"""What the tests of the web may ask for."""

import pytest

from tests.web.dashboard import Dashboard


@pytest.fixture
def dashboard(database, clock, tmp_path):
    return Dashboard(database, clock, tmp_path)


@pytest.fixture
def mai(dashboard):
    """A browser in which Mai is signed in."""
    return dashboard.sign_in("Mai")
