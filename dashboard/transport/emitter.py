"""Interfaces for sending to the sockets of this worker; other packages use only these."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from dashboard.transport.packets import EncodedJson

#: Called when the browser acknowledges a message.
Acknowledged = Callable[..., None]


class Message(NamedTuple):
    """An event for one socket; `acknowledged` is called when the browser acknowledges it."""

    event: str
    data: EncodedJson
    acknowledged: Acknowledged | None = None


class Sender(Protocol):
    """Sends one event to one socket."""

    def send(
        self, sid: str, event: str, data: EncodedJson, acknowledged: Acknowledged | None = None
    ) -> None: ...


class Emitter(Sender, Protocol):
    """Sends to sockets; implemented by `Sockets`. Sending to a closed socket does nothing."""

    def send_together(self, sid: str, messages: Sequence[Message]) -> None:
        """Sends the messages in this order, in one write if the connection is free."""

    def broadcast(self, event: str, data: EncodedJson) -> None:
        """Sends an event to every socket that is ready."""

    def abort(self, sid: str) -> None:
        """Ends the connection of a socket that does not read, without a closing handshake."""


class BatchedEmitter:
    """Collects the messages of each socket, and sends them together."""

    def __init__(self, emitter: Emitter):
        self._emitter = emitter
        self._messages: dict[str, list[Message]] = {}

    def send(
        self, sid: str, event: str, data: EncodedJson, acknowledged: Acknowledged | None = None
    ) -> None:
        """Keeps the message until `flush` or `flush_all`."""
        self._messages.setdefault(sid, []).append(Message(event, data, acknowledged))

    def flush(self, sid: str) -> None:
        """Sends the messages collected for this socket."""
        if messages := self._messages.pop(sid, None):
            self._emitter.send_together(sid, messages)

    def flush_all(self) -> None:
        """Sends the messages collected for all sockets."""
        for sid in tuple(self._messages):
            self.flush(sid)
