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
    """One connected socket. What goes out keeps its order with all that Socket.IO sends."""

    def __init__(self, server: Server, sid: str, websocket: WebSocket):
        self._sid = sid
        self._manager = server.manager
        self._engine = server.eio.sockets[server.manager.eio_sid_from_sid(sid, NAMESPACE)]
        self._websocket = websocket
        websocket.settles = self._settles

    def send(self, messages: Sequence[Message]) -> None:
        if self._engine.closed:
            return
        packets = [self._packet(*message) for message in messages]
        if self._engine.queue.empty() and self._websocket.offer([f"4{each}" for each in packets]):
            return
        # Somebody is writing, or the connection is full: they take their turn.
        for packet in packets:
            self._engine.send(engine_packet.Packet(engine_packet.MESSAGE, packet))

    def _packet(self, event: str, data: Fragment, acknowledged: Acknowledged | None) -> str:
        id = self._manager._generate_ack_id(self._sid, acknowledged) if acknowledged else ""
        return f'2{NAMESPACE},{id}["{event}",{data}]'

    def _settles(self, message: str) -> bool:
        found = _ACKNOWLEDGEMENT.fullmatch(message)
        if found:
            self._manager.trigger_callback(self._sid, int(found[1]), [])
        return found is not None
