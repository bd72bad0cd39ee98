"""Admins and a chatbot that work through the threads of queues while servers fail under them."""

import contextlib
import random
import threading
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import requests
import socketio
from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.queues import queue_admins
from dashboard.db.models.threads import threads
from dashboard.errors import StorageUnavailable
from tests.servers.lineup import LiveServer, cookie_of
from tests.support import now_ms

#: Seconds that a call waits for an answer.
CALL_SECONDS = 10.0
#: What an admin does with a thread: answers it, closes it, gives it back, or snoozes it.
ACTS = ("reply",) * 9 + ("close",) * 8 + ("release", "snooze")
#: One of so many given threads is not opened in time.
LAPSES = 60
#: The pause between two steps of an admin, and the chance that one without work asks for a thread.
STEP_SECONDS, ASKS = (0.1, 0.4), 0.3
#: An admin goes away about every so many seconds, for up to so many.
STAYS_SECONDS, AWAY_SECONDS = 25.0, 4.0
#: One of so many threads gets its tags by a second call.
TAGGED_LATER = 8


class Looker(threading.Thread):
    """Reads every `pause_seconds` which threads each admin has, as a page would show them."""

    def __init__(self, database: Database, pause_seconds: float = 0.1):
        super().__init__(daemon=True)
        self.mine: dict[int, list[Any]] = {}
        self.accepting: set[int] = set()
        #: The open threads that wait for an answer, whoever has them.
        self.waiting = 0
        self._database = database
        self._pause_seconds = pause_seconds
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(self._pause_seconds):
            with contextlib.suppress(StorageUnavailable):
                self.look()

    def look(self) -> None:
        columns = (threads.c[name] for name in ("id", "assignee_id", "waiting_since", "take_until"))
        statement = select(*columns).where(
            threads.c.closed.is_(False), threads.c.snoozed_until.is_(None)
        )
        mine: dict[int, list[Any]] = {}
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
            for row in rows:
                mine.setdefault(row.assignee_id or 0, []).append(row)
            accepts = select(queue_admins.c.admin_id).where(queue_admins.c.accepting.is_(True))
            self.accepting = set(connection.scalars(accepts))
        self.mine = mine
        self.waiting = sum(row.waiting_since is not None for row in rows)

    def end(self) -> None:
        self.ended.set()
        self.join(CALL_SECONDS)


class Person(threading.Thread):
    """An admin with one window, at one of the servers; another one after the window was cut.

    `only_opens` is set for a desk at rest: threads are opened, and nothing else is done. Who no
    longer `returns` stays away once the window is cut.
    """

    def __init__(self, id: int, session: requests.Session, servers: Sequence[LiveServer], looker):
        super().__init__(daemon=True)
        self.id = id
        self.told: list[tuple[float, int, int]] = []
        self.unexpected: list[str] = []
        self.only_opens = False
        self.returns = True
        self._cookie = cookie_of(session)
        self._servers = servers
        self._server = servers[id % len(servers)]
        self._looker = looker
        self._client: socketio.Client | None = None
        self._random = random.Random(id)
        self._open: dict[int, float] = {}
        self._lapsing: set[int] = set()
        self._http = requests.Session()
        self._http.headers["Cookie"] = self._cookie
        self._leaves_at = time.monotonic() + self._random.uniform(5, STAYS_SECONDS)
        self._comes_at = 0.0
        self.ended = threading.Event()

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.connected

    def run(self) -> None:
        while not self.ended.wait(self._random.uniform(*STEP_SECONDS)):
            try:
                self._step()
            except (requests.RequestException, socketio.exceptions.SocketIOError, OSError):
                self._server = self._random.choice(self._servers)
                self.ended.wait(0.2)
        self._leave()

    def end(self) -> None:
        self.ended.set()
        self.join(2 * CALL_SECONDS)

    def call(self, method: str, path: str, body: dict[str, Any]) -> requests.Response:
        """Calls `/admin/api`; notes an answer that no admin should get."""
        url = f"{self._server.url}/admin/api/{path}"
        headers = {"Origin": self._server.url}
        answer = self._http.request(method, url, json=body, headers=headers, timeout=CALL_SECONDS)
        if answer.status_code not in (200, 201, 204, 404, 409, 429, 503):
            self.unexpected.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def _step(self) -> None:
        now = time.monotonic()
        if not self.only_opens and now > self._leaves_at:
            self._leave()
            self._comes_at = now + self._random.uniform(0.2, AWAY_SECONDS)
            self._leaves_at = self._comes_at + self._random.uniform(0.3, 1) * STAYS_SECONDS
        if now < self._comes_at or not (self.returns or self.is_connected):
            return
        if not self.is_connected:
            self._connect()
        if self.id not in self._looker.accepting and self._random.random() < 0.2:
            self.call("PUT", "me/accepting", {"accepting": True, "capacity": None})
        self._open_given()
        if not self.only_opens:
            self._work()

    def _work(self) -> None:
        waiting = [one for one in self._looker.mine.get(self.id, ()) if one.waiting_since]
        waiting = [one for one in waiting if one.id not in self._lapsing or not one.take_until]
        if waiting:
            self._act(self._random.choice(waiting).id)
        elif self._random.random() < ASKS:
            self.call("POST", "queues/next", {})

    def _act(self, id: int) -> None:
        act = self._random.choice(ACTS)
        if act == "reply":
            reply = {"body": "Here you are.", "token": uuid.uuid4().hex, "confirm": True}
            self.call("POST", f"threads/{id}/replies", reply)
        elif act == "snooze":
            until = now_ms() + 3_600_000
            self.call("POST", f"threads/{id}/snooze", {"until": _rfc3339(until)})
        else:
            self.call("POST", f"threads/{id}/{act}", {})

    def _open_given(self) -> None:
        """Opens what a queue gave, except for a few that go back."""
        for id in list(self._open):
            self._open.pop(id)
            if not self.only_opens and self._random.randrange(LAPSES) == 0:
                self._lapsing.add(id)
                continue
            assert self._client is not None
            given = {"id": id}
            self._client.call("thread:open", given, namespace="/admin", timeout=CALL_SECONDS)

    def _connect(self) -> None:
        self._server = self._random.choice(self._servers)
        client = socketio.Client(reconnection=False, handle_sigint=False)
        client.on("queue:given", self._on_given, namespace="/admin")
        client.on("presence:ping", self._on_ping, namespace="/admin")
        client.connect(
            self._server.url,
            namespaces=["/admin"],
            transports=["websocket"],
            headers={"Cookie": self._cookie, "Origin": self._server.url},
            wait_timeout=CALL_SECONDS,
        )
        self._client = client

    def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):
                client.disconnect()

    def _on_given(self, data: dict[str, Any]) -> None:
        self.told.append((time.time() * 1000, data["thread_id"], data["until"]))
        self._lapsing.discard(data["thread_id"])
        self._open[data["thread_id"]] = time.monotonic()

    def _on_ping(self, *_: Any) -> None:
        if self._client is not None:
            seen = {"visible": True, "idle_ms": 0}
            self._client.emit("presence:pong", seen, namespace="/admin")


class Chatbot:
    """Posts threads, and further messages of their customers; tries again until accepted."""

    def __init__(self, key: str, servers: Sequence[LiveServer], tags: Sequence[str], seed: int = 1):
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {key}"
        self._servers = servers
        self._tags = tags
        self._random = random.Random(seed)
        self.threads: dict[str, int] = {}
        self.tries = 0

    def begin(self, count: int, tag: str | None = None) -> None:
        """Posts new threads in one call, some of them without their tag, which comes later; `tag`:
        the tag of all, by default any."""
        names = [f"t-{len(self.threads) + number}" for number in range(count)]
        events, later = [], []
        for name in names:
            events.append(self._message(name))
            add = [tag or self._random.choice(self._tags)]
            tags = _event("thread.tags", name) | {"add": add}
            is_late = tag is None and self._random.randrange(TAGGED_LATER) == 0
            (later if is_late else events).append(tags)
        self._post(events)
        if later:
            time.sleep(self._random.uniform(0, 0.5))
            self._post(later)

    def write_again(self, count: int) -> None:
        """Has some customers write again."""
        names = self._random.choices([*self.threads], k=count)
        self._post([self._message(name) for name in names])

    def _message(self, name: str) -> dict[str, Any]:
        customer = {"id": f"c-{name}", "name": f"Customer {name}"}
        return _event("message", name) | {"role": "client", "body": "Hello?", "customer": customer}

    def _post(self, events: list[dict[str, Any]]) -> None:
        while True:
            self.tries += 1
            server = self._random.choice(self._servers)
            url = f"{server.url}/api/v1/events"
            with contextlib.suppress(requests.RequestException):
                answer = self._session.post(url, json={"events": events}, timeout=CALL_SECONDS)
                assert answer.status_code in (200, 503), answer.text
                if answer.status_code == 200:
                    results = answer.json()["results"]
                    break
            time.sleep(0.05)
        for event, result in zip(events, results, strict=True):
            assert result["status"] != "rejected", result
            self.threads[event["thread"]] = result["thread_id"]


def _event(kind: str, thread: str) -> dict[str, Any]:
    event = {"id": uuid.uuid4().hex, "type": kind, "thread": thread}
    return event | {"occurred_at": _rfc3339(now_ms())}


def _rfc3339(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
