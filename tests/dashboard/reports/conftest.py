"""A desk for tests of reports."""

import pytest

from tests.drivers.application import ApplicationDriver


@pytest.fixture
def app(any_database, clock, tmp_path) -> ApplicationDriver:
    return ApplicationDriver(any_database, clock, tmp_path)


@pytest.fixture
def sue(app):
    """A supervisor's browser."""
    return app.sign_in("Sue", "supervisor")
