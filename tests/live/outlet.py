"""An outlet that keeps what would be sent, and acknowledges when told."""

import json
from collections.abc import Callable
from typing import Any


class FakeOutlet:
    def __init__(self) -> None:
        self.sent: list[tuple[str | None, str, Any]] = []
        self.hung_up: list[str] = []
        self.unacknowledged: dict[str, list[Callable[..., None]]] = {}

    def send(self, sid, event, data, acknowledged=None):
        self.sent.append((sid, event, json.loads(data)))
        if acknowledged is not None:
            self.unacknowledged.setdefault(sid, []).append(acknowledged)

    def send_together(self, sid, messages):
        for message in messages:
            self.send(sid, *message)

    def broadcast(self, event, data):
        self.sent.append((None, event, json.loads(data)))

    def hang_up(self, sid):
        self.hung_up.append(sid)

    def take(self, event: str, sid: str | None = None) -> list[Any]:
        """What was sent of an event (to a socket), which is then forgotten."""
        taken = [each for each in self.sent if each[1] == event and sid in (None, each[0])]
        self.sent = [each for each in self.sent if each not in taken]
        return [data for _, _, data in taken]

    def acknowledge(self, sid: str) -> None:
        for acknowledged in self.unacknowledged.pop(sid, []):
            acknowledged()
