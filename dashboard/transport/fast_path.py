"""Two ways of sending to a socket: Socket.IO's `emit`, and a direct one that bypasses its queue.

`emit` makes a packet for each socket, puts it into a queue, wakes a green thread that writes, and
parses each acknowledgement like a call. At a hundred dashboards that costs more CPU time than
reading and encoding the frame.
"""

import re
from collections.abc import Sequence

from engineio import packet as engine_packet
from socketio import Server

from dashboard.transport import internals
from dashboard.transport.emitter import Acknowledged, Message
from dashboard.transport.packets import NAMESPACE, EncodedJson
from dashboard.transport.websocket import WebSocket

#: An acknowledgement. What it carries means nothing for a message of this path.
_ACKNOWLEDGEMENT = re.compile(rf"43{NAMESPACE},([0-9]{{1,15}})\[(.*)\]", re.DOTALL)
#: Beginnings of a packet: the type for Engine.IO; and then the type and namespace for Socket.IO.
_MESSAGE = "4"
_EVENT = f"{_MESSAGE}2{NAMESPACE},"


class EmitPath:
    """Sends with `emit`: for releases of Socket.IO that lack a name of `internals`."""

    def __init__(self, server: Server, sid: str):
        self._server = server
        self._sid = sid

    def send(self, messages: Sequence[Message]) -> None:
        """Queues the messages in this order."""
        for event, data, acknowledged in messages:
            self._server.emit(event, data, to=self._sid, namespace=NAMESPACE, callback=acknowledged)

    def close(self) -> None:
        """Does nothing: this path holds nothing."""


class FastPath:
    """Writes to the socket at once if it is free, and else uses Socket.IO's queue, in one order."""

    def __init__(self, server: Server, sid: str, websocket: WebSocket):
        self._engine = internals.engine_socket(server, sid)
        self._websocket = websocket
        #: Functions to call, by the number that the acknowledgement will have.
        self._unacknowledged: dict[int, Acknowledged] = {}
        self._enqueue = self._engine.send
        # Answers to calls are sent this way, too; the library has no option for that.
        self._engine.send = self._send_packet  # type: ignore[method-assign]
        websocket.intercept = self._intercept

    def close(self) -> None:
        """Breaks the reference cycle: a closed socket is freed without the garbage collector."""
        del self._engine.send
        self._websocket.intercept = None

    def send(self, messages: Sequence[Message]) -> None:
        """Writes the messages in this order in one piece, or queues them; never waits."""
        if self._engine.closed:
            return
        packets = [self._packet(*message) for message in messages]
        if not self._offer(packets):
            for packet in packets:
                text = packet.decode().removeprefix(_MESSAGE)
                self._enqueue(engine_packet.Packet(engine_packet.MESSAGE, text))

    def _send_packet(self, packet: engine_packet.Packet) -> None:
        # Pings stay in the queue: Engine.IO closes a socket if its queue is empty for too long.
        is_message = packet.packet_type == engine_packet.MESSAGE
        if self._engine.closed or not is_message or not self._offer([packet.encode().encode()]):
            self._enqueue(packet)

    def _offer(self, packets: Sequence[bytes]) -> bool:
        """Writes now; returns False if a write is under way or queued, or the buffer is full."""
        return self._engine.queue.empty() and self._websocket.offer(packets)

    def _packet(self, event: str, data: EncodedJson, acknowledged: Acknowledged | None) -> bytes:
        number = "" if acknowledged is None else self._expect(acknowledged)
        return f'{_EVENT}{number}["{event}",'.encode() + data.utf8 + b"]"

    def _expect(self, acknowledged: Acknowledged) -> int:
        """Returns the lowest free number for an acknowledgement: short numbers save bytes."""
        number = 1
        while number in self._unacknowledged:
            number += 1
        self._unacknowledged[number] = acknowledged
        return number

    def _intercept(self, message: str) -> bool:
        """Handles an acknowledgement; returns False for every other message."""
        match = _ACKNOWLEDGEMENT.fullmatch(message)
        if match is None:
            return False
        acknowledged = self._unacknowledged.pop(int(match[1]), None)
        if acknowledged is not None:
            acknowledged()
        return acknowledged is not None or not match[2]
