"""Databases of both kinds, a shop that stores its events in one, and an application over one."""

import pytest

from dashboard.ingest.actions import Actions, Admin
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.drivers.application import ApplicationDriver
from tests.servers.databases import (  # noqa: F401
    any_database,
    empty_url,
    new_postgres_url,
    postgres,
    postgres_database,
    template,
)


@pytest.fixture
def shop(any_database, clock) -> Shop:  # noqa: F811
    return Shop(any_database, clock)


@pytest.fixture
def actions(any_database, clock) -> Actions:  # noqa: F811
    return Actions(any_database, clock)


@pytest.fixture
def linh(any_database) -> Admin:  # noqa: F811
    return Admin(new_admin(any_database, "Linh"), "Linh")


@pytest.fixture
def app(any_database, clock, tmp_path) -> ApplicationDriver:  # noqa: F811
    return ApplicationDriver(any_database, clock, tmp_path)


@pytest.fixture
def sue(app):
    """A supervisor's browser."""
    return app.sign_in("Sue", "supervisor")
