"""A running Lineup driven from outside: its bot API, its admins, their dashboards."""

import copy
import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import requests
import websocket

from dashboard.db.database import Database
from dashboard.db.threads import threads
from tests.drivers.admin import AdminDriver
from tests.drivers.colleague import ColleagueDriver
from tests.drivers.dashboard import DashboardDriver
from tests.servers.lineup import PASSWORD, LiveServer, cookie_of
from tests.servers.redis import RedisServer, start_redis
from tests.support import now_ms

#: The number of threads that `fill` makes.
THREADS = 200
RANDOM_SEED = 7
SECONDS = 60


def rfc3339(at_ms: int) -> str:
    """Milliseconds since 1970 as the bot API takes them."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")


@contextmanager
def running_lineup(
    folder: Path, redis_program: str | None = None, **options: Any
) -> "Iterator[LineupDriver]":
    """A Lineup with a Redis and an SQLite database of its own in this folder.

    `options` are those of `LiveServer`; `redis_program` is the path of another server than that of
    `tests.servers.redis.redis_program`.
    """
    redis_server = start_redis(folder, program=redis_program)
    url = f"sqlite:///{folder / 'lineup.sqlite'}"
    try:
        with LiveServer(url, redis_server.url, **options) as one:
            yield LineupDriver(one, redis_server)
    finally:
        redis_server.close()


class LineupDriver:
    """A server with the admin Mai, who is signed in, and a chatbot of the source `shop`.

    `mai` is Mai's HTTP session, `bot` the chatbot's; `redis` is the server's Redis where a test
    may stop it.
    """

    #: The threads that `fill` makes.
    names = tuple(f"t-{number}" for number in range(THREADS))

    def __init__(self, server: LiveServer, redis: RedisServer | None = None):
        self.server = server
        self._redis = redis
        self.mai_email = server.create_admin("Mai")
        self.mai = server.sign_in(self.mai_email)
        self.bot = server.bot(server.create_key())
        self.database = Database(server.environment["LINEUP_DATABASE_URL"])
        self.shown = 0  # id of the thread that screenshots show
        self._numbers = itertools.count(1)
        self._colleagues: dict[str, ColleagueDriver] = {}

    @property
    def redis(self) -> RedisServer:
        assert self._redis is not None, "this Lineup shares its Redis with other tests"
        return self._redis

    @cached_property
    def ken_email(self) -> str:
        """The address of a second admin, Ken."""
        return self.server.create_admin("Ken")

    def at(self, server: LiveServer) -> "LineupDriver":
        """The same Lineup through another of its servers; Mai signs in there, too."""
        other = copy.copy(self)
        other.server = server
        other.mai = server.sign_in(self.mai_email)
        return other

    @contextmanager
    def second(self, **options: Any) -> "Iterator[LineupDriver]":
        """The same Lineup through a second server on the same database and Redis."""
        url = self.server.environment["LINEUP_DATABASE_URL"]
        with LiveServer(url, self.redis.url, **options) as server:
            yield self.at(server)

    def disconnect(self) -> None:
        """Disconnects all colleagues."""
        for colleague in self._colleagues.values():
            colleague.disconnect()

    # Acts of the chatbot

    def seed(self, count: int) -> None:
        """Fills the database with so many threads of the demo."""
        self.server.command("seed", "--threads", str(count), "--random-seed", str(RANDOM_SEED))

    def fill(self) -> None:
        """A client message in each thread of `names`, 1 ms apart: the last name is the newest."""
        first_ms = now_ms() - len(self.names)
        self.post(
            *[
                self.message_event(name, at_ms=first_ms + number)
                for number, name in enumerate(self.names)
            ]
        )

    def say(self, thread: str, body: str | None = None, **more: Any) -> int:
        """Posts one message; the thread's id. Arguments as for `message_event`."""
        return self._post_one(self.message_event(thread, body, **more))

    def close_thread(self, thread: str) -> None:
        self._post_one(self.close_event(thread))

    def post(self, *events: dict[str, Any]) -> list[int]:
        """Posts events as one batch; the ids of their threads."""
        answer = self._post({"events": events})
        assert answer.status_code == 200, answer.text
        return [result["thread_id"] for result in answer.json()["results"]]

    def message_event(
        self, thread: str, body: str | None = None, at_ms: int | None = None, **more: Any
    ) -> dict[str, Any]:
        """A message of the thread's customer; `more` replaces fields.

        `name` and `customer_id` name another customer, `role` another author.
        """
        customer = {
            "id": more.pop("customer_id", f"c-{thread}"),
            "name": more.pop("name", f"Customer {thread}"),
        }
        content = {
            "role": "client",
            "body": body or f"message {next(self._numbers)}",
            "customer": customer,
        }
        return self._event("message", thread, at_ms or now_ms()) | content | more

    def suggest(self, thread: str, body: str, for_message: str | int) -> str:
        """Posts a suggestion; returns its id."""
        event = self._event("thread.suggestion", thread, now_ms())
        self._post_one(event | {"body": body, "for_message": for_message})
        return event["id"]

    def summarise(self, thread: str, body: str, through: str | int) -> None:
        event = self._event("thread.summary", thread, now_ms())
        self._post_one(event | {"body": body, "through": through})

    def close_event(self, thread: str, at_ms: int | None = None) -> dict[str, Any]:
        # Ahead of its arrival, so that its rank is the time at which the server receives it.
        return self._event("thread.close", thread, at_ms or now_ms() + 1000)

    def customer_online(self, customer: str, **settings: Any) -> None:
        """A heartbeat of the customer's phone, and their presence settings."""
        beat = {"customer": customer, "device": "phone", "type": "mobile"}
        self._call("POST", "presence", {"beats": [beat]})
        if settings:
            self._call("PUT", f"presence/{customer}", settings)

    def customer_offline(self, customer: str) -> None:
        devices = [{"customer": customer, "device": each} for each in ("phone", "messages")]
        self._call("POST", "presence/offline", {"devices": devices})

    def customer_types(self, thread: str, customer: str) -> None:
        self._call("POST", "typing", {"thread": thread, "customer": customer})

    # Its admins

    def dashboard(self, session: requests.Session | None = None) -> DashboardDriver:
        """A connected dashboard; Mai's unless another admin's session is given."""
        return DashboardDriver(self.server, session or self.mai)

    def admin(self, email: str) -> AdminDriver:
        return AdminDriver(self.server.url, self.server.sign_in(email))

    def colleague(self, name: str) -> ColleagueDriver:
        """Returns an admin who is online from now on; the same one for the same name."""
        if name not in self._colleagues:
            session = self.server.sign_in(self.server.create_admin(name))
            self._colleagues[name] = ColleagueDriver(self.server, session)
        return self._colleagues[name]

    def end_sessions_of_mai(self) -> None:
        """A new password, equal to the old one, ends all sessions of Mai; `mai` is a new one."""
        words = ("set-password", "--email", self.mai_email, "--password-stdin")
        self.server.command(*words, stdin=PASSWORD + "\n")
        self.mai = self.server.sign_in(self.mai_email)

    def raw_socket(self, session: requests.Session | None = None) -> websocket.WebSocket:
        """A WebSocket on which Engine.IO is open and no namespace is connected."""
        opened = websocket.create_connection(
            self.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
            cookie=cookie_of(session or self.mai),
            origin=self.server.url,
            timeout=60,
        )
        assert str(opened.recv()).startswith("0{")
        return opened

    # Stored state

    @cached_property
    def ids(self) -> dict[str, int]:
        """The thread ids of `names`."""
        row = f"{self.server.url}/api/v1/threads/"
        return {name: self.bot.get(row + name).json()["id"] for name in self.names}

    def in_sql(self, view: str, sort: str, filter: str = "all", admin_id: int = 0) -> list[int]:
        """The thread ids of a list as SQL orders it."""
        with self.database.read() as connection:
            entries = threads.listed(connection, view, filter, admin_id, sort, 1000)
        return [entry.id for entry in entries]

    def _event(self, kind: str, thread: str, at_ms: int) -> dict[str, Any]:
        event = {"id": uuid.uuid4().hex, "type": kind, "thread": thread}
        return event | {"occurred_at": rfc3339(at_ms)}

    def _post(self, body: dict[str, Any]) -> requests.Response:
        return self.bot.post(f"{self.server.url}/api/v1/events", json=body, timeout=SECONDS)

    def _post_one(self, event: dict[str, Any]) -> int:
        answer = self._post(event)
        assert answer.status_code == 201, answer.text
        return answer.json()["thread_id"]

    def _call(self, method: str, path: str, body: dict[str, Any]) -> None:
        url = f"{self.server.url}/api/v1/{path}"
        answer = self.bot.request(method, url, json=body, timeout=SECONDS)
        assert answer.status_code == 200, answer.text
