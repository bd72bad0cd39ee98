"""A demo as a newcomer starts it."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import requests

from tests.servers.lineup import COMMAND, ROOT, START_SECONDS
from tests.servers.ports import free_port
from tests.support import wait_until


class Demo:
    """A demo that runs, and the demo admin's session; it keeps its files in `folder`."""

    def __init__(self, folder: Path, command: Sequence[str] = COMMAND, **environment: str):
        self.url = f"http://localhost:{(port := free_port())}"
        self.log_path = folder / "demo.log"
        self.database = folder / "instance/lineup.sqlite"
        words = ["demo", "--port", str(port), "--threads", "400", "--rate", "4"]
        own = {name: text for name, text in os.environ.items() if "LINEUP" not in name}
        own |= {"LINEUP_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
        with self.log_path.open("w") as log:
            self.process = subprocess.Popen(
                [*command, *words],
                cwd=ROOT if command is COMMAND else folder,
                env=own | environment,
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

    @property
    def shop(self) -> str:
        """The address of the shop, where one writes as a customer."""
        found = re.search(r"^Write as a customer at (\S+), ", self.log_path.read_text(), re.M)
        assert found is not None
        return found[1]

    def shop_is_open(self) -> bool:
        try:
            return requests.get(self.shop, timeout=5).ok
        except requests.RequestException:
            return False

    def answers_a_customer(self, body: str, answer: str) -> None:
        """A customer writes in the shop, the demo's admin answers, and the customer reads it."""
        wait_until(self.shop_is_open, START_SECONDS, "the shop")
        customer = requests.Session()
        token = customer.get(f"{self.shop}/visitor").text
        customer.headers["Authorization"] = f"Bearer {token}"
        message = {"id": uuid4().hex, "body": body}
        assert customer.post(f"{self.shop}/chat/messages", json=message).status_code == 204
        id = wait_until(lambda: self._thread_of_the_shop(), 20, "the thread")
        reply = {"body": answer, "token": uuid4().hex, "private": False}
        path = f"{self.url}/admin/api/threads/{id}/replies"
        assert self.admin.post(path, json=reply).status_code == 201

        def texts() -> Sequence[str]:
            found = customer.get(f"{self.shop}/chat/conversation").json()["messages"]
            return [each["body"] for each in found]

        wait_until(lambda: texts() == [body, answer], 20, "the answer")

    def _thread_of_the_shop(self) -> int | None:
        rows = self.bot.get(f"{self.url}/api/v1/lists/arrival/arrival?limit=500").json()["threads"]
        return next((row["id"] for row in rows if row["source"] == "shop"), None)

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

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
