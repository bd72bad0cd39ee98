"""A Chromium without a driver: its tabs are hidden and frozen as a user's are.

Playwright makes every page believe that it is looked at, and such a page is never frozen.
"""

import itertools
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
import websocket

from tests.servers.chromium import ARGUMENTS, program
from tests.support import wait_until

START_SECONDS = 20
ANSWER_SECONDS = 10


class PlainChromium:
    """Within `with`: a browser whose first tab shows nothing."""

    def __init__(self, folder: Path):
        self._folder = folder
        self.tabs: list[Tab] = []

    def __enter__(self) -> "PlainChromium":
        chromium = program()
        assert chromium is not None, "the fixture `chromium` tells of that"
        command = [chromium, "--headless=new", *ARGUMENTS, "--remote-debugging-port=0"]
        command += [f"--user-data-dir={self._folder}", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        port = self._folder / "DevToolsActivePort"
        lines = wait_until(
            lambda: port.exists() and port.read_text().split(), START_SECONDS, "Chromium's port"
        )
        self._url = f"http://127.0.0.1:{lines[0]}/json"
        return self

    def __exit__(self, *error: object) -> None:
        for tab in self.tabs:
            tab.close()
        self._process.terminate()
        self._process.wait(10)

    def open(self, url: str, cookies: Mapping[str, str]) -> "Tab":
        """A new tab, before all others."""
        made = requests.put(f"{self._url}/new?about:blank", timeout=ANSWER_SECONDS).json()
        tab = Tab(self._url, made)
        self.tabs.append(tab)
        for name, value in cookies.items():
            tab.command("Network.setCookie", name=name, value=value, url=url)
        tab.command("Page.navigate", url=url)
        return tab


class Tab:
    """A tab, controlled over a connection of its own."""

    def __init__(self, url: str, target: Mapping[str, Any]):
        self._activate = f"{url}/activate/{target['id']}"
        self._line = websocket.create_connection(
            target["webSocketDebuggerUrl"], timeout=ANSWER_SECONDS, suppress_origin=True
        )
        self._numbers = itertools.count(1)

    def command(self, method: str, **given: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            answer = json.loads(self._line.recv())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def evaluate(self, expression: str) -> Any:
        found = self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def show(self) -> None:
        """Brings the tab before the others, which are then hidden."""
        requests.get(self._activate, timeout=ANSWER_SECONDS)

    def freeze(self) -> None:
        """Freezes the tab as browsers do to save power: nothing of a hidden page runs any more."""
        self.command("Page.setWebLifecycleState", state="frozen")

    def thaw(self) -> None:
        self.command("Page.setWebLifecycleState", state="active")

    def close(self) -> None:
        self._line.close()
