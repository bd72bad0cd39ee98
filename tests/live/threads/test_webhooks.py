"""Webhooks of real servers: kill -9 in the middle of a delivery loses nothing."""

import json
import threading

import pytest

from tests.conftest import MODES
from tests.dashboard.webhooks.receiver import Receiver, answer
from tests.drivers.lineup import running_lineup
from tests.servers.lineup import LiveServer
from tests.support import wait_until

pytestmark = pytest.mark.slow


class SlowReceiver:
    """Answers nothing until it is released."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.receiver = Receiver(self._behave)

    def _behave(self, connection, request) -> None:
        if self.go.is_set():
            answer("204 No Content")(connection, request)
        else:
            connection.recv(1)

    def bodies(self) -> list[dict]:
        return [json.loads(each.partition(b"\r\n\r\n")[2]) for each in self.receiver.requests]


@pytest.fixture(params=MODES)
def server(request, tmp_path):
    options = {"async_mode": request.param, "LINEUP_WEBHOOK_PRIVATE": "1", "workers": 2}
    with running_lineup(tmp_path, **options) as lineup:
        yield lineup.server


def say(server: LiveServer, key: str, thread: str) -> int:
    event = {
        "id": f"m-{thread}",
        "type": "message",
        "thread": thread,
        "occurred_at": "2026-11-20T10:00:00Z",
        "customer": {"id": "c"},
        "role": "client",
        "body": "hello",
    }
    posted = server.bot(key).post(f"{server.url}/api/v1/events", json=event)
    assert posted.status_code == 201, posted.text
    return posted.json()["thread_id"]


def test_a_delivery_survives_kill_9_and_private_addresses_need_the_setting(server):
    slow = SlowReceiver()
    key = server.create_key()
    server.command("create-webhook", "--source", "shop", "--url", slow.receiver.url)
    mai = server.sign_in(server.create_admin("Mai"))
    ids = [say(server, key, name) for name in ("one", "two", "three")]
    for number, id in enumerate(ids):
        path = f"{server.url}/admin/api/threads/{id}/replies"
        said = {"body": f"reply {number}", "token": f"tok-{number}", "confirm": True}
        assert mai.post(path, json=said).status_code == 201
    wait_until(lambda: len(slow.bodies()) == 3, 10, "three deliveries under way")
    server.kill()
    slow.go.set()
    server.start()
    wait_until(lambda: len(slow.bodies()) == 6, 20, "the deliveries being taken over")
    names = [body["id"] for body in slow.bodies()]
    assert sorted(names[:3]) == sorted(names[3:])
    session = server.sign_in("mai@example.com")

    def states() -> set[str]:
        found = [
            session.get(f"{server.url}/admin/api/threads/{id}/messages").json()["messages"][-1]
            for id in ids
        ]
        return {message["delivery"]["state"] for message in found}

    wait_until(lambda: states() == {"delivered"}, 10, "all being delivered")
    assert "0 waiting\tactive" in server.command("list-webhooks")
    assert len(slow.bodies()) == 6


def test_without_the_setting_no_private_address_is_called(tmp_path):
    slow = SlowReceiver()
    slow.go.set()
    with running_lineup(tmp_path) as lineup:
        server = lineup.server
        key = server.create_key()
        port = slow.receiver.port
        id = server.command(
            "create-webhook", "--source", "shop", "--url", f"http://localhost:{port}/"
        ).split()[0]
        chief = server.sign_in(server.create_admin("Chief", "supervisor"))
        thread = say(server, key, "one")
        said = {"body": "reply", "token": "tok", "confirm": True}
        chief.post(f"{server.url}/admin/api/threads/{thread}/replies", json=said)
        log = f"{server.url}/admin/api/webhooks/{id}/log"
        attempts = wait_until(lambda: chief.get(log).json()["attempts"], 10, "a try")
        assert attempts[0]["error"] == "private_address"
        assert slow.bodies() == []
