"""A dashboard without a server process: the application, and admins who are signed in."""

import itertools
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fakeredis
from argon2 import PasswordHasher
from flask.testing import FlaskClient
from sqlalchemy import select

from dashboard.db.accounts import admins, sources
from dashboard.db.database import Database
from dashboard.db.models.webhooks import outgoing_events
from dashboard.ingest.schema import parse
from dashboard.web.application import create_app
from dashboard.webhooks.dispatcher import WebhookDispatcher
from tests.dashboard.web.answers import CheckingClient
from tests.dashboard.webhooks.fake_poster import FakePoster, run_here
from tests.services import services_over
from tests.support import SettableClock

PORT = 5000
ORIGIN = f"http://localhost:{PORT}"
PASSWORD = "correct horse battery"
#: As cheap as argon2 allows: most tests sign an admin in.
_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


class Browser(CheckingClient):
    """Speaks to the address served, as our own pages do; answers must fit their models."""

    def open(self, *given: Any, **more: Any) -> Any:
        more.setdefault("base_url", ORIGIN)
        return super().open(*given, **more)

    # A cookie is found by the beginning of its name, such as `lineup_session`.

    def get_cookie(self, key: str, domain: str = "localhost", path: str = "/") -> Any:
        return super().get_cookie(self._named(key), domain, path)

    def set_cookie(self, key: str, *given: Any, **more: Any) -> None:
        super().set_cookie(self._named(key), *given, **more)

    def delete_cookie(self, key: str, **more: Any) -> None:
        super().delete_cookie(self._named(key), **more)

    def _named(self, key: str) -> str:
        names = [cookie.key for cookie in (self._cookies or {}).values()]
        return next((name for name in names if name.startswith(f"{key}_")), key)


class ApplicationDriver:
    """The application with everything real but Redis; `redis` may be disconnected."""

    def __init__(self, database: Database, clock: SettableClock, folder: Path, **environment: str):
        self.database = database
        self.clock = clock
        self.server = fakeredis.FakeServer()
        self.redis = fakeredis.FakeRedis(server=self.server)
        self.poster = FakePoster()
        self.services = services = services_over(
            database,
            self.redis,
            clock,
            {"LINEUP_FILES": str(folder / "files"), "LINEUP_ASSETS": "source"} | environment,
        )
        services.poster = self.poster
        services.dispatcher = WebhookDispatcher(
            database,
            clock,
            self.poster,
            spawn=run_here,
            jitter=lambda: 0,
            for_chatbots=services.file_addresses.for_chatbots,
        )
        self.ranking, self.rebuilder = services.ranking, services.rebuilder
        self.state, self.recorder = services.ordering_status, services.recorder
        self.ingest, self.webhooks = services.ingest, services.webhooks
        self.dispatcher = services.dispatcher
        self.presence_service = services.presence_service
        self.bot_presence = services.bot_presence
        #: Lists that production would build at once; tests build them by `rebuild`.
        self.begun: list[str] = []
        services.list_builder = SimpleNamespace(build=self.begun.append)
        self.app = create_app(services, PORT, with_sockets=False)
        self._numbers = itertools.count(1)
        self.rebuild()

    def rebuild(self) -> None:
        """Builds the lists that are not there, such as those of a new admin."""
        states = self.ranking.states(self.rebuilder.list_ids())
        self.rebuilder.rebuild([id for id, state in states.items() if state.epoch is None])

    def client(self) -> FlaskClient:
        """A browser without a session."""
        self.app.test_client_class = Browser
        client = self.app.test_client()
        client.environ_base["HTTP_ORIGIN"] = ORIGIN
        return client

    def create_admin(self, name: str, role: str = "admin") -> int:
        email = f"{name.lower()}@example.com"
        made = self.database.write(
            lambda connection: admins.create(connection, email, name, role, _HASH, self.clock())
        )
        self.rebuild()
        return made

    def sign_in(self, name: str, role: str = "admin") -> FlaskClient:
        """Returns a browser in which a new admin is signed in."""
        self.create_admin(name, role)
        client = self.client()
        given = {"email": f"{name.lower()}@example.com", "password": PASSWORD}
        assert client.post("/login", json=given).status_code == 204
        return client

    def say(
        self, thread: str, body: str = "hello", role: str = "client", customer: str | None = None
    ) -> int:
        """Posts a chatbot's message; returns the thread's id."""
        whose = {"id": customer or f"c-{thread}", "name": f"Customer {thread}"}
        return self.happens("message", thread, customer=whose, role=role, body=body)

    def happens(self, type: str, thread: str, **more: Any) -> int:
        """Posts a chatbot's event; returns the thread's id."""
        self.clock.advance(1000)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock() / 1000))
        event = {
            "id": f"m-{next(self._numbers)}",
            "type": type,
            "thread": thread,
            "occurred_at": at,
        } | more
        source_id = self.database.write(lambda c: sources.ensure(c, "shop", self.clock()))
        return self.ingest.accept(source_id, [parse(event)])[0].thread_id

    def outgoing_types(self) -> list[str]:
        """The types of all events for chatbots, in the order in which they were written."""
        with self.database.read() as connection:
            return list(
                connection.scalars(select(outgoing_events.c.type).order_by(outgoing_events.c.id))
            )
