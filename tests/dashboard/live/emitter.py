"""Emitters that keep what is sent, and acknowledge when the test says so."""

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.transport.emitter import Acknowledged, Message
from dashboard.transport.packets import EncodedJson


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


@dataclass
class Wire:
    """Frames under way to one socket, and the callbacks that wait for their acknowledgement."""

    frames: deque[tuple[dict[str, Any], Acknowledged | None]] = field(default_factory=deque)


class Network:
    """The emitter of a broadcaster: keeps what was sent until the test delivers it."""

    def __init__(self) -> None:
        self.wires: dict[str, Wire] = {}
        #: Socket to filter to the totals of the built-in views that it has been told.
        self.pages: dict[str, dict[str, dict[str, int]]] = {}
        #: Socket to the totals of saved views that it has been told.
        self.totals: dict[str, dict[str, int]] = {}
        #: Socket to the lists that it was told no longer exist.
        self.gone: dict[str, list[dict[str, Any]]] = {}

    def send(
        self, sid: str, event: str, data: EncodedJson, acknowledged: Acknowledged | None = None
    ) -> None:
        if event == "list:order" and sid in self.wires:
            self.wires[sid].frames.append((json.loads(data), acknowledged))
        elif event == "pages:totals":
            totals = json.loads(data)
            self.pages.setdefault(sid, {})[totals.pop("filter")] = totals
        elif event == "views:totals":
            self.totals.setdefault(sid, {}).update(json.loads(data)["totals"])
        elif event == "list:gone":
            self.gone.setdefault(sid, []).append(json.loads(data))

    def send_together(self, sid: str, messages: Sequence[Message]) -> None:
        for message in messages:
            self.send(sid, *message)

    def broadcast(self, event: str, data: EncodedJson) -> None:
        pass

    def abort(self, sid: str) -> None:
        self.wires.pop(sid, None)
