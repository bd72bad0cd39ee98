"""What came to the dashboards of one process."""

from collections.abc import Callable
from typing import Any


class Payloads:
    """What came, each once, however many dashboards got it: [thread, at] pairs or one time."""

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
