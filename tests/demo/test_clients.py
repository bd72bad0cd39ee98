"""The simulator's client of the bot API: the calls that it repeats, and its reports."""

import socket
import threading
import time
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from demo import clients
from demo.clients import BotClient, CallError, DashboardClient, DashboardError, Stopped
from tests.demo.server import Reply, serving

EVENT = {"id": "e-1", "type": "thread.close", "thread": "t-1"}
CREATED = Reply(201, {"status": "created", "id": "e-1"})


class Waits(list):
    """Keeps the seconds of each wait, and stops after `most` waits."""

    def __init__(self, most: int = 100):
        super().__init__()
        self.most = most

    def __call__(self, seconds: float) -> bool:
        self.append(seconds)
        return len(self) >= self.most


def client_of(url: str, waits: Waits, reports: list[str]) -> BotClient:
    return BotClient(url, "lu_key", wait=waits, report=reports.append, random=Random(1))


def test_it_repeats_the_same_events_until_the_server_can_take_them():
    waits, reports, replies = Waits(), [], [Reply(503, {"code": "storage_unavailable"})] * 3
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        answer = client_of(server.url, waits, reports).post("/api/v1/events", EVENT)
    assert answer.status == 201
    assert [call.document for call in server.calls] == [EVENT] * 4
    assert all(wait <= 0.1 * 2**tries for tries, wait in enumerate(waits)) and len(waits) == 3
    assert ["storage_unavailable" in text for text in reports] == [True, False]
    assert reports[1].endswith("is back.")


def test_it_waits_as_long_as_the_server_asks_for():
    waits, replies = Waits(), [Reply(429, {}, {"Retry-After": "7"})]
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        client_of(server.url, waits, []).post("/api/v1/events", EVENT)
    assert waits == [7.0]


def test_a_connection_that_ends_without_an_answer_is_made_anew_with_the_same_events():
    waits, replies = Waits(), [Reply(None)] * 2
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        answer = client_of(server.url, waits, []).post("/api/v1/events", EVENT)
    assert answer.status == 201
    assert [call.document for call in server.calls] == [EVENT] * 3


def test_one_connection_is_kept_for_all_calls():
    with serving(lambda call: CREATED) as server:
        client = client_of(server.url, Waits(), [])
        for _ in range(3):
            client.post("/api/v1/events", EVENT)
        client.close()
    assert len({call.client_port for call in server.calls}) == 1


def test_an_idle_connection_that_the_server_ended_is_not_reported():
    waits, reports, replies = Waits(), [], [CREATED._replace(then_close=True), CREATED]
    with serving(lambda call: replies.pop(0)) as server:
        client = client_of(server.url, waits, reports)
        assert [client.post("/api/v1/events", EVENT).status for _ in range(2)] == [201, 201]
    assert (waits, reports) == ([], [])


def test_it_stops_while_the_server_is_away():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = client_of(f"http://127.0.0.1:{port}", Waits(most=3), reports := [])
    with pytest.raises(Stopped):
        client.post("/api/v1/events", EVENT)
    assert len(reports) == 1


def test_a_wrong_key_ends_it_with_one_sentence():
    problem = {"code": "unauthorized", "detail": "No such key."}
    with (
        serving(lambda call: Reply(401, problem)) as server,
        pytest.raises(CallError, match=r"does not take this key \(unauthorized: No such key"),
    ):
        client_of(server.url, Waits(), []).get("/api/v1/lists/arrival/arrival")
    assert server.calls[0].authorization == "Bearer lu_key"


@pytest.mark.parametrize("url", ["localhost:5000", "ftp://host", "http://", "", "http://host:x"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(CallError):
        client_of(url, Waits(), [])


def test_a_refusal_is_an_answer():
    with serving(lambda call: Reply(409, {"code": "event_id_conflict"})) as server:
        assert client_of(server.url, Waits(), []).post("/api/v1/events", EVENT).status == 409


class FakeSocket:
    """A socket of the library whose server answers nothing, and which waits for it at the end."""

    def __init__(self, **options: Any):
        self.options = options
        self.handlers: dict[str, Any] = {}
        self.emitted: list[str] = []
        self.answer: Any = {"ok": True}
        self.released = threading.Event()
        self.ended = threading.Event()

    def on(self, name: str, handler: Any, namespace: str) -> None:
        self.handlers[name] = handler

    def connect(self, url: str, *, headers: dict[str, str], **more: Any) -> None:
        self.cookie = headers["Cookie"]

    def emit(self, name: str, *more: Any) -> None:
        self.emitted.append(name)

    def call(self, *given: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def disconnect(self) -> None:
        self.released.wait(10)
        self.ended.set()


@pytest.fixture
def window(monkeypatch):
    """A window, and the sockets that it makes."""
    sockets: list[FakeSocket] = []

    def made(**options: Any) -> FakeSocket:
        sockets.append(FakeSocket(**options))
        return sockets[-1]

    monkeypatch.setattr(clients.socketio, "Client", made)
    numbers = iter(range(10))
    url = "http://127.0.0.1:1"
    opened = DashboardClient(url, url, lambda: f"session={next(numbers)}", "device")
    opened.connect()
    yield SimpleNamespace(client=opened, sockets=sockets)
    for one in sockets:
        one.released.set()


def test_a_window_is_left_at_once_although_its_server_is_stalled(window):
    """The library waits for its own threads; a colleague then opens a new session."""
    window.client.connect()
    first, second = window.sockets
    assert not first.ended.is_set()
    assert (first.cookie, second.cookie) == ("session=0", "session=1")
    assert first.options["reconnection"] is False, "beside the new one it would stay online"
    first.released.set()
    assert first.ended.wait(10)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (clients.SocketIOError("gone"), "disconnected"),
        (OSError("gone"), "disconnected"),
        (None, "no_answer"),
        ({"ok": False, "problem": {"code": "not_found"}}, "not_found"),
    ],
)
def test_a_call_that_fails_says_why(window, answer, code):
    window.sockets[0].answer = answer
    with pytest.raises(DashboardError, match=code):
        window.client.call("thread:open", {"id": 1})


def test_a_window_that_nobody_uses_is_not_active(window, monkeypatch):
    [opened] = window.sockets
    opened.handlers["presence:ping"]()
    assert opened.emitted == ["presence:pong"]
    later = time.monotonic() + clients.UNUSED_SECONDS
    monkeypatch.setattr(clients.time, "monotonic", lambda: later)
    opened.handlers["presence:ping"]()
    assert opened.emitted == ["presence:pong"]
    window.client.call("thread:open", {"id": 1})
    opened.handlers["presence:ping"]()
    assert opened.emitted == ["presence:pong"] * 2
