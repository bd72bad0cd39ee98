"""Databases of both kinds, and a shop that stores its events in one."""

import pytest

from dashboard.ingest.actions import Actions, Admin
from tests.dashboard.ingest.shop import Shop, new_admin
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
