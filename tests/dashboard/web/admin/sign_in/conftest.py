"""An account with a second factor, and a browser that signs in to it."""

import pytest

from tests.dashboard.web.admin.profile.app import App


@pytest.fixture
def app(dashboard):
    return App(dashboard, dashboard.sign_in("Mai"))


@pytest.fixture
def client(dashboard, app):
    """A browser without a session, of a device that is not known."""
    return dashboard.client()
