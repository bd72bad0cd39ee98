"""The payloads received by the dashboards of one process."""

from collections.abc import Callable
from typing import Any


class Payloads:
    """Received payloads, each kept once for all dashboards: [thread, at] pairs or one time."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self._known: dict[bytes, int] = {}

    def index(self, key: bytes, read: Callable[[], Any]) -> int:
        if key not in self._known:
            self._known[key] = len(self.seen)
            self.seen.append(read())
        return self._known[key]

    def clear(self) -> None:
        self.seen.clear()
        self._known.clear()
