"""A dashboard without a server process: the application, and admins who are signed in."""

import itertools
import time
from pathlib import Path
from typing import Any

import fakeredis
from flask.testing import FlaskClient

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.config import Settings
from dashboard.delivery.courier import Courier
from dashboard.delivery.desk import WebhookDesk
from dashboard.intake.actions import Actions
from dashboard.intake.intake import Intake
from dashboard.intake.order_state import OrderState
from dashboard.intake.place import Placer
from dashboard.intake.rebuild import Rebuilder
from dashboard.intake.record import Recorder
from dashboard.intake.schema import parse
from dashboard.store import admins, sources
from dashboard.store.database import Database
from dashboard.store.passwords import hashed
from dashboard.web.application import create_app
from dashboard.web.parts import Parts
from scoring.ranking import Ranking
from tests.delivery.stand_in import StandIn, run_here
from tests.live_server import SECRET_KEY
from tests.support import SettableClock

PORT = 5000
ORIGIN = f"http://localhost:{PORT}"
PASSWORD = "correct horse battery"
_HASH = hashed(PASSWORD)


class Browser(FlaskClient):
    """Speaks to the address served, as our own pages do."""

    def open(self, *given: Any, **more: Any) -> Any:
        more.setdefault("base_url", ORIGIN)
        return super().open(*given, **more)


class Dashboard:
    """The application with everything real but Redis; `redis` may be disconnected."""

    def __init__(self, database: Database, clock: SettableClock, folder: Path, **environment: str):
        self.database = database
        self.clock = clock
        self.server = fakeredis.FakeServer()
        self.redis = fakeredis.FakeRedis(server=self.server)
        self.ranking = Ranking(self.redis)
        self.state = OrderState(clock)
        placer = Placer(self.ranking, database, self.state)
        self.rebuilder = Rebuilder(database, self.ranking, placer)
        self.recorder = Recorder(database, clock)
        self.intake = Intake(self.recorder, placer)
        self.poster = StandIn()
        self.webhooks = WebhookDesk(database, clock, self.poster)
        self.courier = Courier(database, clock, self.poster, spawn=run_here, jitter=lambda: 0)
        self.attendance = Attendance(self.redis, database, clock)
        self.chatbots = Chatbots(self.attendance, database, clock)
        self.app = create_app(
            Parts(
                settings=Settings.from_environment(
                    {"LINEUP_SECRET_KEY": SECRET_KEY} | environment, folder
                ),
                database=database,
                redis=self.redis,
                ranking=self.ranking,
                intake=self.intake,
                actions=Actions(database, clock),
                order=self.state,
                attendance=self.attendance,
                chatbots=self.chatbots,
                clock=clock,
                port=PORT,
                root=Path(__file__).parents[2],
                webhooks=self.webhooks,
            )
        )
        self._numbers = itertools.count(1)
        self.rebuild()

    def rebuild(self) -> None:
        self.rebuilder.rebuild(self.rebuilder.tags())

    def client(self) -> FlaskClient:
        """A browser in which nobody is signed in."""
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
        """A browser in which a new admin is signed in."""
        self.create_admin(name, role)
        client = self.client()
        given = {"email": f"{name.lower()}@example.com", "password": PASSWORD}
        assert client.post("/login", json=given).status_code == 204
        return client

    def say(
        self, thread: str, body: str = "hello", role: str = "client", customer: str | None = None
    ) -> int:
        """A message of a chatbot; the thread's id."""
        whose = {"id": customer or f"c-{thread}", "name": f"Customer {thread}"}
        return self.happens("message", thread, customer=whose, role=role, body=body)

    def happens(self, type: str, thread: str, **more: Any) -> int:
        """An event of a chatbot; the thread's id."""
        self.clock.advance(1000)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock() / 1000))
        event = {
            "id": f"m-{next(self._numbers)}",
            "type": type,
            "thread": thread,
            "occurred_at": at,
        } | more
        source_id = self.database.write(lambda c: sources.ensure(c, "shop", self.clock()))
        return self.intake.accept(source_id, [parse(event)])[0].thread_id
