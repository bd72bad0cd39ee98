"""A Lineup with sign-in by a provider, which the test plays."""

import pytest
import requests

from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from tests.dashboard.web.admin.sign_in.oidc.fake_provider import ENVIRONMENT, FakeProvider, person
from tests.drivers.application import ApplicationDriver


class ProviderDriver:
    """The application, the provider, and browsers."""

    def __init__(self, application: ApplicationDriver, provider: FakeProvider):
        self.application = application
        self.provider = provider

    def begin(self, client, next: str = "/") -> str:
        """Begins a sign-in; returns the address at the provider."""
        answer = client.get("/login/oidc", query_string={"next": next})
        assert answer.status_code == 303, answer.text
        return answer.headers["Location"]

    def come_back(self, client, url: str, **more: str):
        """Comes back from the provider, which has let somebody in."""
        state = url.partition("state=")[2].partition("&")[0]
        given = {"code": self.provider.code_for(url), "state": state} | more
        return client.get(
            "/login/oidc/callback", query_string=given, headers={"Accept": "text/html"}
        )

    def sign_in(self, subject: str, groups: list[str], **claims):
        """Signs somebody in; returns their browser and the answer."""
        self.provider.claims = person(subject, groups, **claims)
        client = self.application.client()
        return client, self.come_back(client, self.begin(client))


@pytest.fixture
def away(monkeypatch):
    """Keeps all requests in this process: they reach only the `adapter` that is set."""

    class Wire:
        adapter: FakeProvider

    wire = Wire()
    monkeypatch.setattr(
        requests.Session, "get_adapter", lambda session, url: wire.adapter, raising=True
    )
    return wire


@pytest.fixture
def provider(away, clock) -> FakeProvider:
    away.adapter = FakeProvider(clock)
    return away.adapter


@pytest.fixture
def make_driver(clock, tmp_path, provider):
    def make(database: Database, **environment: str) -> ProviderDriver:
        driver = ApplicationDriver(database, clock, tmp_path, **ENVIRONMENT, **environment)
        for name in ("sales", "billing"):
            database.write(lambda connection, name=name: admin_desks.add(connection, name, clock()))
        return ProviderDriver(driver, provider)

    return make


@pytest.fixture
def driver(make_driver, database) -> ProviderDriver:
    return make_driver(database)


@pytest.fixture
def stored(make_driver, any_database) -> ProviderDriver:
    """A driver on both databases, for tests of what is stored."""
    return make_driver(any_database)
