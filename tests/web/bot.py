"""A chatbot at the bot API: an application of the parts that it touches, and verbs to call it."""

from itertools import count
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.store import keys, sources
from dashboard.store.keys import KeyRing
from dashboard.web import bot_api, bot_presence, openapi, probes, problems
from dashboard.web.bot_presence import BotPresence
from dashboard.web.callers import Callers
from dashboard.web.metrics import Metrics
from dashboard.web.quota import Quotas
from tests.intake.order import Order

ROOT = Path(__file__).parents[2]
EVENTS = "/api/v1/events"
_numbers = count(1)


class Bot:
    """Calls with its own key; `order` is what stands behind the API."""

    def __init__(self, order: Order):
        self.order = order
        self.metrics = Metrics()
        self.attendance = Attendance(
            order.client, order.database, order.clock, monotonic=order.monotonic
        )
        self.chatbots = Chatbots(self.attendance, order.database, order.clock, order.monotonic)
        self.redis_is_there = True
        self.app = self._app()
        self.http: FlaskClient = self.app.test_client()
        self.key = self.new_key()

    def new_key(self, source: str = "shop", scopes=keys.SCOPES, rate: int | None = None) -> str:
        def make(connection) -> str:
            source_id = sources.ensure(connection, source, 0)
            return keys.create(connection, source_id, scopes, rate, 0)

        return self.order.database.write(make)

    def headers(self, key: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key if key is None else key}"}

    def post(self, document: Any, key: str | None = None) -> TestResponse:
        return self.http.post(EVENTS, json=document, headers=self.headers(key))

    def post_raw(self, data: bytes, **headers: str) -> TestResponse:
        given = {"Content-Type": "application/json"} | self.headers()
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(EVENTS, data=data, headers=given)

    def get(self, path: str, key: str | None = None, **query: Any) -> TestResponse:
        return self.http.get(f"/api/v1/{path}", query_string=query, headers=self.headers(key))

    def _app(self) -> Flask:
        app = Flask("lineup", root_path=str(ROOT), template_folder="templates")
        problems.install(app)
        order = self.order
        # A clock of the test's: buckets fill and keys are forgotten when it says so.
        callers = Callers(KeyRing(order.database, order.monotonic))
        quotas = Quotas(order.monotonic)
        presence = BotPresence(self.attendance, self.chatbots, callers, self.metrics, order.clock)
        app.register_blueprint(
            bot_api.blueprint(
                order.database,
                order.intake,
                order.ranking,
                callers,
                self.metrics,
                order.clock,
                quotas,
                presence.heard,
            )
        )
        app.register_blueprint(bot_presence.blueprint(presence))
        app.register_blueprint(openapi.blueprint())
        app.register_blueprint(
            probes.blueprint(order.database, lambda: self.redis_is_there, self.metrics)
        )
        return app


def message(**given: Any) -> dict[str, Any]:
    return {
        "id": f"m-{next(_numbers)}",
        "type": "message",
        "thread": "t",
        "occurred_at": "2026-11-20T10:00:00Z",
        "customer": {"id": "c"},
        "role": "client",
        "body": "Xin chào",
    } | given
