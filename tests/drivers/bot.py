"""A chatbot at the bot API: an application of the parts that it touches, and verbs to call it."""

from itertools import count
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from dashboard.db.accounts import api_keys, sources
from dashboard.db.models.threads import events
from dashboard.web.application import new_flask, register_bot_api
from dashboard.web.server.gate import probes
from tests.dashboard.ordering.order import Order
from tests.dashboard.web.answers import CheckingClient

EVENTS = "/api/v1/events"
BEAT = {"customer": "c", "device": "d", "type": "web", "active": True}
_numbers = count(1)


class BotDriver:
    """Calls with its own key; `order` has the services behind the API."""

    def __init__(self, order: Order):
        self.order = order
        self.services = order.services
        self.metrics = self.services.metrics
        self.presence_service = self.services.presence_service
        self.bot_presence = self.services.bot_presence
        self.redis_is_there = True
        self.app = self._app()
        self.http: FlaskClient = self.app.test_client()
        self.key = self.new_key()

    def new_key(self, source: str = "shop", scopes=api_keys.SCOPES, rate: int | None = None) -> str:
        def make(connection) -> str:
            source_id = sources.ensure(connection, source, 0)
            return api_keys.create(connection, source_id, scopes, rate, 0)

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

    def stored(self) -> int:
        """The number of events in SQL."""
        with self.order.database.read() as connection:
            return connection.scalar(select(func.count()).select_from(events)) or 0

    def send(self, method: str, path: str, document: Any, key: str | None = None) -> TestResponse:
        return self.http.open(
            f"/api/v1/{path}", method=method, json=document, headers=self.headers(key)
        )

    def beat(self, *customers: str, key: str | None = None, **more: Any) -> None:
        beats = [{"customer": one, "device": "d", "type": "web"} | more for one in customers]
        answer = self.send("POST", "presence", {"beats": beats}, key)
        assert answer.status_code == 200, answer.json
        assert answer.json == {"accepted": len(customers)}

    def set(self, customer: str, **changes: Any) -> dict[str, Any]:
        """Changes a customer's presence settings; returns all of them."""
        answer = self.send("PUT", f"presence/{customer}", changes)
        assert answer.status_code == 200, answer.json
        return answer.json

    def states(self, *customers: str, key: str | None = None) -> dict[str, dict[str, Any]]:
        answer = self.get("presence", key, customer=customers)
        assert answer.status_code == 200, answer.json
        return answer.json["presence"]

    def state(self, customer: str, key: str | None = None) -> dict[str, Any]:
        return self.states(customer, key=key)[customer]

    def _app(self) -> Flask:
        app = new_flask()
        app.jinja_env.globals["asset"] = "/static/{}".format  # the files do not matter here
        app.test_client_class = CheckingClient
        register_bot_api(app, self.services)
        app.register_blueprint(
            probes(
                self.order.database,
                lambda: self.redis_is_there,
                self.metrics,
                self.services.shared_clock,
            )
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
