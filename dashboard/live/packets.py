"""Socket.IO packets, decoded so that whatever a client sends is an event, an ack, or refused."""

import json
from typing import Any

from socketio import packet

NAMESPACE = "/admin"
#: The event that refused packets become: a name that no client can send.
MALFORMED = "\x00malformed"
#: Names that the library itself fires; a client that sends them is not connecting again.
_RESERVED = frozenset({"connect", "connect_error", "disconnect", "disconnecting", MALFORMED})
_ACK_IDS_MAX = 2**53
_BROKEN = (ValueError, TypeError, IndexError, KeyError, RecursionError)


class Fragment(str):
    """JSON that was encoded already, once for all sockets."""

    __slots__ = ()


class SplicingJson:
    """The `json` of the packets: puts fragments in as they are."""

    @staticmethod
    def loads(text: str, **options: Any) -> Any:
        try:
            return json.loads(text, **options)
        except RecursionError:
            # Engine.IO expects nothing but ValueError, and would leave the socket half open.
            raise ValueError("nested too deeply") from None

    @staticmethod
    def dumps(value: Any, **options: Any) -> str:
        if isinstance(value, list) and len(value) == 2 and isinstance(value[1], Fragment):
            return f"[{json.dumps(value[0])},{value[1]}]"
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Fragment):
            return f"[{value[0]}]"
        return encode(value)


class StrictPacket(packet.Packet):
    """A packet whose data are what the library takes them for; it checks nothing itself."""

    json = SplicingJson
    uses_binary_events = False

    def decode(self, encoded_packet: Any) -> int:
        try:
            attachments = super().decode(encoded_packet)
            is_good = not attachments and self._is_good()
        except _BROKEN:
            is_good = False
        if not is_good:
            self._become_malformed()
        return 0

    def _is_good(self) -> bool:
        data, kind = self.data, self.packet_type
        if kind == packet.EVENT:
            is_event = isinstance(data, list) and bool(data) and isinstance(data[0], str)
            return is_event and data[0] not in _RESERVED
        if kind == packet.ACK:
            return isinstance(data, list) and 0 < (self.id or 0) < _ACK_IDS_MAX
        return kind == packet.DISCONNECT or (
            kind == packet.CONNECT and (data is None or isinstance(data, dict))
        )

    def _become_malformed(self) -> None:
        self.packet_type = packet.EVENT
        self.namespace = NAMESPACE
        self.data = [MALFORMED]
        self.id = None


def encode(value: Any) -> str:
    """JSON as it goes on the wire."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
