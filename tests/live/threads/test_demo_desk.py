"""The demo as a newcomer finds it: a desk with colleagues, and a log for people."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.servers.lineup import ROOT, START_SECONDS
from tests.servers.ports import free_port
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: `app.py`, with what it keeps in a folder of the test.
_PROGRAM = """
import sys, pathlib, app
from dashboard.cli import context
context.ROOT = pathlib.Path(sys.argv[1])
sys.exit(app.main(sys.argv[2:]))
"""


COLLEAGUES = {"Kenji Sato", "Linh Nguyễn", "Emma Clarke", "Minh Trần"}


class Demo:
    """A demo that runs, and the demo admin's session."""

    def __init__(self, folder: Path, redis_url: str):
        self.url = f"http://localhost:{(port := free_port())}"
        self.log_path = folder / "demo.log"
        self.database = folder / "instance/lineup.sqlite"
        words = ["demo", "--port", str(port), "--threads", "400", "--rate", "4"]
        environment = {name: text for name, text in os.environ.items() if "LINEUP" not in name}
        with self.log_path.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(folder), *words],
                cwd=ROOT,
                env=environment | {"LINEUP_REDIS_URL": redis_url, "PYTHONUNBUFFERED": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(lambda: self._said("key") or self._ended(), START_SECONDS, "the demo's start")
        self.bot = requests.Session()
        self.bot.headers["Authorization"] = f"Bearer {self._said('key')}"
        self.admin = requests.Session()
        self.admin.headers["Origin"] = self.url
        account = {"email": self._said("email"), "password": self._said("password")}
        assert self.admin.post(f"{self.url}/login", json=account).status_code == 204

    def get(self, path: str) -> Any:
        return self.admin.get(f"{self.url}/admin/api/{path}").json()

    def events(self) -> list[dict[str, Any]]:
        return self.bot.get(f"{self.url}/api/v1/events?limit=500").json()["events"]

    def answers(self) -> list[dict[str, Any]]:
        """What colleagues have answered."""
        return [
            event["data"]
            for event in self.events()
            if event["type"] == "message.created" and event["data"]["author"]["name"] != "Demo"
        ]

    def inside(self) -> list[str]:
        """Who has a thread open."""
        return [each["name"] for each in self.get("team")["team"] if each["threads"]]

    def list(self, name: str) -> dict[str, Any]:
        return self.bot.get(f"{self.url}/api/v1/lists/{name}?limit=1").json()

    def delivery_of(self, message: dict[str, Any]) -> str | None:
        found = self.get(f"threads/{message['thread_id']}/messages?limit=100")["messages"]
        (one,) = [each for each in found if each["id"] == message["id"]]
        return one["delivery"] and one["delivery"]["state"]

    def _said(self, name: str) -> str:
        found = re.search(rf"^{name}: (.+)$", self.log_path.read_text(), re.M)
        return found[1] if found else ""

    def _ended(self) -> bool:
        assert self.process.poll() is None, self.log_path.read_text()
        return False


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo")
    redis = start_redis(folder)
    made = Demo(folder, redis.url)
    yield made
    made.process.send_signal(signal.SIGTERM)
    made.process.wait(30)
    redis.close()


def test_the_demo_is_a_desk_with_colleagues(demo):
    """Replies get delivered; colleagues are here, take threads and answer by name."""
    assert len(demo.get("canned")["canned"]) >= 5
    taken = [event for event in demo.events() if event["type"] == "thread.assigned"]
    takers = {event["data"]["by"]["name"] for event in taken}
    assert {"Demo", *COLLEAGUES} <= takers
    entry = demo.list("not_respond/longest_wait")["threads"][0]
    sent = demo.admin.post(
        f"{demo.url}/admin/api/threads/{entry['id']}/replies",
        json={"body": "Here I am.", "token": "t-1", "private": False},
    ).json()["message"]
    wait_until(lambda: demo.delivery_of(sent) in ("delivered", "read"), 120, "its delivery")
    wait_until(demo.answers, 120, "an answer of a colleague")
    wait_until(lambda: demo.delivery_of(demo.answers()[0]) != "queued", 60, "its delivery")
    inside = wait_until(demo.inside, 60, "a colleague in a thread")
    assert "Demo" not in inside
    assert 20 <= demo.list("not_respond/arrival")["total"] <= 200
    comes_back_after_the_sessions_ended(demo)
    # A webhook may lead to this machine, without a setting.
    webhook = {"source": "demo", "url": "http://127.0.0.1:9/hook"}
    made = demo.admin.post(f"{demo.url}/admin/api/webhooks", json=webhook)
    assert made.status_code == 201, made.text


def comes_back_after_the_sessions_ended(demo: Demo) -> None:
    """The colleagues' sockets are closed, and their old sessions open nothing any more."""
    with sqlite3.connect(demo.database, timeout=10) as connection:
        colleagues = "SELECT id FROM admins WHERE name != 'Demo'"
        ended = connection.execute(f"DELETE FROM sessions WHERE admin_id IN ({colleagues})")
        assert ended.rowcount == 4
    before = {answer["id"] for answer in demo.answers()}
    wait_until(lambda: {each["id"] for each in demo.answers()} - before, 120, "another answer")
    seen: set[str] = set()
    wait_until(lambda: seen.update(demo.inside()) or seen >= COLLEAGUES, 120, "all colleagues")


def test_its_log_speaks_to_people(demo):
    text = demo.log_path.read_text()
    for wanted in (demo.url, f"{demo.url}/api/docs", "Ctrl+C", "README.md", "demo@lineup.example"):
        assert wanted in text
    for line in text.splitlines():
        with pytest.raises(ValueError):
            json.loads(line)
    assert "WARNING" not in text and "Traceback" not in text, text
