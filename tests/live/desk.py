"""A served desk, and browsers that follow its lists as the page does."""

import copy
import itertools
import threading
import time
import uuid
from typing import Any

import requests
import socketio
import websocket

from dashboard.store import threads
from dashboard.store.database import Database
from tests.live_server import LiveServer, cookie_of
from tests.redis_server import RedisServer
from tests.support import now_ms, wait_until

NAMESPACE = "/admin"


class Desk:
    """A server with one admin, Mai, and one chatbot."""

    def __init__(self, server: LiveServer, redis_server: RedisServer):
        self.server = server
        self.redis = redis_server
        self.bot = server.bot(server.create_key())
        self.mai = server.sign_in(server.create_admin("Mai"))
        self.database = Database(server.environment["LINEUP_DATABASE_URL"])
        self._numbers = itertools.count(1)

    def at(self, server: LiveServer) -> "Desk":
        """The same desk at another server: the same chatbot, and Mai signed in there, too."""
        other = copy.copy(self)
        other.server = server
        other.mai = server.sign_in("mai@example.com")
        return other

    def say(self, thread: str, role: str = "client", at_ms: int | None = None, **more: Any) -> int:
        """Posts a message; the thread's id."""
        at = (at_ms or now_ms()) / 1000
        stamp = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03}Z"
        )
        event = {
            "id": uuid.uuid4().hex,
            "type": "message",
            "thread": thread,
            "occurred_at": stamp,
            "customer": {"id": f"c-{thread}", "name": f"Customer {thread}"},
            "role": role,
            "body": f"message {next(self._numbers)}",
        }
        answer = self.bot.post(f"{self.server.url}/api/v1/events", json=event | more)
        assert answer.status_code == 201, answer.text
        return answer.json()["thread_id"]

    def close(self, thread: str) -> None:
        event = {
            "id": uuid.uuid4().hex,
            "type": "thread.close",
            "thread": thread,
            "occurred_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1)),
        }
        answer = self.bot.post(f"{self.server.url}/api/v1/events", json=event)
        assert answer.status_code == 201, answer.text

    def in_sql(self, page: str, sort: str, filter: str = "all", admin_id: int = 0) -> list[int]:
        """The list as SQL orders it."""
        with self.database.read() as connection:
            entries = threads.listed(connection, page, filter, admin_id, sort, 1000)
        return [entry.id for entry in entries]

    def browser(self, session: requests.Session | None = None) -> "Browser":
        return Browser(self.server, session or self.mai)

    def raw(self, session: requests.Session | None = None) -> websocket.WebSocket:
        """A WebSocket in the middle of nothing: Engine.IO is open, the namespace is not."""
        opened = websocket.create_connection(
            self.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
            cookie=cookie_of(session or self.mai),
            origin=self.server.url,
            timeout=15,
        )
        assert opened.recv().startswith("0{")
        return opened


class Browser:
    """Holds lists as a page does: applies frames in order, syncs after a gap, acknowledges."""

    def __init__(self, server: LiveServer, session: requests.Session):
        self.events: list[tuple[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.lists: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.may_acknowledge = threading.Event()
        self.may_acknowledge.set()
        self._turn = threading.Lock()
        self.client = socketio.Client(reconnection=False)
        self.client.on("*", self._take, namespace=NAMESPACE)
        self.client.on("list:order", self._take_frame, namespace=NAMESPACE)
        self.client.connect(
            server.url,
            namespaces=[NAMESPACE],
            transports=["websocket"],
            headers={"Cookie": cookie_of(session), "Origin": server.url},
            wait_timeout=10,
        )

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *error: object) -> None:
        self.may_acknowledge.set()
        self.client.disconnect()

    def call(self, name: str, *given: Any) -> dict[str, Any]:
        data = given[0] if len(given) == 1 else tuple(given)
        return self.client.call(name, data, namespace=NAMESPACE, timeout=10)

    def open(self, page: str, sort: str, filter: str = "all", limit: int = 500) -> dict[str, Any]:
        named = {"page": page, "sort": sort, "filter": filter}
        with self._turn:
            answer = self.call("list:open", named | {"limit": limit})
            assert answer["ok"], answer
            scores = dict(zip(answer["ids"], answer["scores"], strict=True))
            self.lists[page, sort, filter] = {**answer, "held": scores}
        return answer

    def sync(self, page: str, sort: str, filter: str = "all") -> None:
        """Asks for all that changed since; opens anew where the server says so."""
        named = {"page": page, "sort": sort, "filter": filter}
        with self._turn:
            list = self.lists[page, sort, filter]
            answer = self.call(
                "list:sync", named | {"epoch": list["epoch"], "version": list["version"]}
            )
            if not answer["resync"]:
                self._take_over(list, answer)
        if answer["resync"]:
            self.open(page, sort, filter)

    def ids(self, page: str, sort: str, filter: str = "all") -> list[int]:
        """The list as it is held."""
        held = self.lists[page, sort, filter]["held"]
        return sorted(held, key=lambda id: (held[id], id))

    def of(self, name: str) -> list[Any]:
        return [data for event, data in list(self.events) if event == name]

    def wait_for(self, name: str, matches=lambda data: True, timeout_seconds: float = 15) -> Any:
        def found():
            return [data for data in self.of(name) if matches(data)]

        return wait_until(found, timeout_seconds, f"{name} among {self.events[-5:]}")[0]

    def _take(self, event: str, *data: Any) -> None:
        self.events.append((event, data[0] if data else None))

    def _take_frame(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        self.may_acknowledge.wait(60)
        threading.Thread(target=self._apply, args=[frame]).start()

    def _apply(self, frame: dict[str, Any]) -> None:
        key = frame["page"], frame["sort"], frame["filter"]
        with self._turn:
            list = self.lists.get(key)
            if list is None or list.get("late") or self._take_over(list, frame):
                return
        self.sync(*key)

    def _take_over(self, list: dict[str, Any], frame: dict[str, Any]) -> bool:
        if frame["epoch"] != list["epoch"] or frame["from"] > list["version"]:
            return False
        if frame["version"] > list["version"]:
            list |= {"version": frame["version"], "total": frame["total"]}
            for id in frame["del"]:
                list["held"].pop(id, None)
            list["held"] |= dict(frame["set"])
        return True
