"""Saved views by COUNT and SELECT; see bench/counting/server.py."""

from pathlib import Path
from typing import Any

import requests

from bench.processes import BenchError
from bench.sides.side import Setting, Side
from tests.servers.ports import free_port


class Counting(Side):
    name = kind = "counting"

    def __init__(
        self, setting: Setting, folder: Path, views: tuple[int, int], pauses: tuple[float, float]
    ):
        """`views`: the number of views, and of those on screens; `pauses` in seconds: between two
        selections of a list, and between two counts of a badge."""
        super().__init__(setting, folder)
        self._views, self._on_screens = views
        self._pauses = pauses

    def start(self) -> None:
        setting = self.setting
        list_seconds, badge_seconds = self._pauses
        self.start_python(
            "bench.counting.server",
            free_port(),
            *("--database", self.folder / "counting.sqlite", "--views", self._views),
            *("--threads", setting.threads, "--newest-ms", setting.newest_ms),
            *("--list-seconds", list_seconds, "--badge-seconds", badge_seconds),
        )

    def dashboard_settings(self) -> dict[str, Any]:
        return super().dashboard_settings() | {"on_screens": self._on_screens}

    def wrong_badges(self) -> dict[str, float]:
        """Returns how many badges differ from a count made now, and the number of badges."""
        return requests.get(f"{self.url}/wrong-badges", timeout=300).json()

    def check(self, held: dict[str, Any]) -> None:
        if held["problems"]:
            raise BenchError(f"dashboards: {held['problems']}")
