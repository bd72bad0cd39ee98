"""The short way to a socket and back, for what is pushed to it and acknowledged.

Socket.IO's own way makes a packet for each socket, puts it into a queue, wakes up a green thread
that writes, and takes an acknowledgement apart like a call. At a hundred dashboards that costs
more than all that leads to a frame.
"""

import re
from collections.abc import Sequence

from engineio import packet as engine_packet
from socketio import Server

from dashboard.live.outlet import Acknowledged, Message
from dashboard.live.packets import NAMESPACE, Fragment
from dashboard.live.websocket import WebSocket

#: An acknowledgement that says no more than that; any other one goes Socket.IO's way.
_ACKNOWLEDGEMENT = re.compile(rf"43{NAMESPACE},(\d{{1,15}})\[\]")


class Line:
    """One connected socket: what is pushed to it, and what Socket.IO itself sends, in order."""

    def __init__(self, server: Server, sid: str, websocket: WebSocket):
        self._sid = sid
        self._manager = server.manager
        self._engine = server.eio.sockets[server.manager.eio_sid_from_sid(sid, NAMESPACE)]
        self._websocket = websocket
        self._take_turn = self._engine.send
        # Answers of calls: the library has no other place to say how these go out.
        self._engine.send = self._send_packet
        websocket.settles = self._settles

    def close(self) -> None:
        """Lets go of the socket: nothing of one that has gone waits for a collection of cycles."""
        del self._engine.send
        self._websocket.settles = None

    def send(self, messages: Sequence[Message]) -> None:
        if self._engine.closed:
            return
        packets = [self._packet(*message) for message in messages]
        if not self._offer([f"4{packet}" for packet in packets]):
            for packet in packets:
                self._take_turn(engine_packet.Packet(engine_packet.MESSAGE, packet))

    def _send_packet(self, packet: engine_packet.Packet) -> None:
        # A queue in which for long there was nothing, not even a ping, is taken for a dead end.
        is_message = packet.packet_type == engine_packet.MESSAGE
        if self._engine.closed or not is_message or not self._offer([packet.encode()]):
            self._take_turn(packet)

    def _offer(self, texts: Sequence[str]) -> bool:
        """False where somebody is writing, waits to, or the connection is full."""
        return self._engine.queue.empty() and self._websocket.offer(texts)

    def _packet(self, event: str, data: Fragment, acknowledged: Acknowledged | None) -> str:
        id = self._manager._generate_ack_id(self._sid, acknowledged) if acknowledged else ""
        return f'2{NAMESPACE},{id}["{event}",{data}]'

    def _settles(self, message: str) -> bool:
        found = _ACKNOWLEDGEMENT.fullmatch(message)
        if found:
            self._manager.trigger_callback(self._sid, int(found[1]), [])
        return found is not None
