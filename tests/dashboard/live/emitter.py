"""An emitter that keeps what is sent, and acknowledges when the test says so."""

import json
from collections.abc import Callable
from typing import Any


class FakeEmitter:
    """Implements `Emitter`; `aborted` are the sockets that were disconnected."""

    def __init__(self) -> None:
        self.sent: list[tuple[str | None, str, Any]] = []
        self.aborted: list[str] = []
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

    def abort(self, sid):
        self.aborted.append(sid)

    def take(self, event: str, sid: str | None = None) -> list[Any]:
        """Removes and returns the data of an event that were sent (to one socket)."""
        taken = [each for each in self.sent if each[1] == event and sid in (None, each[0])]
        self.sent = [each for each in self.sent if each not in taken]
        return [data for _, _, data in taken]

    def acknowledge(self, sid: str) -> None:
        for acknowledged in self.unacknowledged.pop(sid, []):
            acknowledged()
