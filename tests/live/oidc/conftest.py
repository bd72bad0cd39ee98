"""A Lineup and a real provider of OpenID Connect beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.conftest import MODES
from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import running_lineup
from tests.servers.lineup import LiveServer
from tests.servers.oidc_provider import OidcProvider, PersonDriver
from tests.servers.ports import free_port


class OidcDriver:
    """People who sign in to a Lineup by a provider."""

    def __init__(self, server: LiveServer, provider: OidcProvider):
        self.server = server
        self.provider = provider

    def sign_in(self, subject: str) -> tuple[PersonDriver, requests.Session, requests.Response]:
        """Signs somebody in; returns the person, their session here, and the last answer."""
        session = requests.Session()
        session.headers.update({"Origin": self.server.url, "Accept": "text/html"})
        person = PersonDriver(self.provider, subject)
        answer = self.come_back(session, person.sign_in(self.begin(session)))
        return person, session, answer

    def begin(self, session: requests.Session) -> str:
        """Begins a sign-in; returns the address at the provider."""
        begun = session.get(f"{self.server.url}/login/oidc", allow_redirects=False)
        assert begun.status_code == 303, begun.text
        return begun.headers["Location"]

    def come_back(self, session: requests.Session, url: str) -> requests.Response:
        return session.get(url, allow_redirects=False)

    def dashboard(self, session: requests.Session) -> DashboardDriver:
        return DashboardDriver(self.server, session)


@pytest.fixture(scope="module", params=MODES)
def oidc(request, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OidcDriver]:
    """A Lineup of two workers, which also lets people in by password."""
    folder: Path = tmp_path_factory.mktemp("oidc")
    port = free_port()
    with OidcProvider(folder, f"http://127.0.0.1:{port}") as provider:
        options = {"async_mode": request.param, "workers": 2, "port": port}
        with running_lineup(folder, **options, **provider.environment()) as lineup:
            yield OidcDriver(lineup.server, provider)
