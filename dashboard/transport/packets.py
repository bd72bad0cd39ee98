"""Socket.IO packets, decoded strictly: each is an event, an acknowledgement, or malformed."""

import json
import re
from typing import Any

from socketio import packet

from dashboard.errors import Problem
from dashboard.validation import strict_json

NAMESPACE = "/admin"
#: The event that malformed packets become; a packet that names it is malformed itself. If it is
#: known why the data are wrong, the event has the problem as argument, to answer the call with.
MALFORMED = "\x00malformed"
#: Events that the library fires itself: a client must not be able to trigger their handlers.
_RESERVED = frozenset({"connect", "connect_error", "disconnect", "disconnecting", MALFORMED})
_ACK_IDS_MAX = 2**53
#: Finds digits that are not ASCII before the data: the library accepts the digits of every script.
_OTHER_DIGITS = re.compile(r'[^\[{"]*[^\x00-\x7f]')
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_BEGINNINGS = ("[", "{")
_BROKEN = (ValueError, TypeError, IndexError, KeyError, RecursionError)


class Unreadable(ValueError):
    """The data of a packet are not JSON, or JSON that two readers could read differently."""

    def __init__(self, problem: Problem):
        super().__init__(problem.detail)
        self.problem = problem


class EncodedJson(str):
    """JSON text, encoded once and sent to many sockets."""

    __slots__ = ("_utf8",)
    _utf8: bytes

    @property
    def utf8(self) -> bytes:
        """The text as bytes, encoded once."""
        try:
            return self._utf8
        except AttributeError:
            self._utf8 = self.encode()
            return self._utf8


class SplicingJson:
    """The `json` module for packets: inserts `EncodedJson` unchanged."""

    @staticmethod
    def loads(text: str, **options: Any) -> Any:
        """Decodes as strictly as bodies of HTTP requests. Raises Unreadable and ValueError."""
        if text[:1] not in _BEGINNINGS:
            # Engine.IO first tries to read every packet as JSON.
            raise ValueError("the data of a packet are a list or an object")
        try:
            return strict_json.loads_text(text)
        except Problem as problem:
            # Engine.IO catches only ValueError; another error would leave the socket half open.
            raise Unreadable(problem) from None

    @staticmethod
    def dumps(value: Any, **options: Any) -> str:
        if isinstance(value, list) and len(value) == 2 and isinstance(value[1], EncodedJson):
            return f"[{json.dumps(value[0])},{value[1]}]"
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], EncodedJson):
            return f"[{value[0]}]"
        return encode(value)


class StrictPacket(packet.Packet):
    """A packet with data of the types that the library assumes without checking."""

    json = SplicingJson
    uses_binary_events = False
    data: Any

    def encode(self) -> Any:
        """Encodes like the library, but sends a refusal to connect as an object, as specified."""
        if self.packet_type == packet.CONNECT_ERROR and isinstance(self.data, str):
            self.data = {"message": self.data}
        return super().encode()

    def decode(self, encoded_packet: Any) -> int:
        try:
            if isinstance(encoded_packet, str) and _OTHER_DIGITS.match(encoded_packet):
                raise ValueError("numbers have ASCII digits")
            attachments = super().decode(encoded_packet)
            is_valid = not attachments and self._is_valid()
        except Unreadable as error:
            if error.problem.code != "malformed_json" and self._is_call():
                self.data = [MALFORMED, error.problem]
                return 0
            is_valid = False
        except _BROKEN:
            is_valid = False
        if not is_valid:
            self._become_malformed()
        return 0

    def _is_valid(self) -> bool:
        data, kind = self.data, self.packet_type
        if kind == packet.EVENT:
            is_event = isinstance(data, list) and bool(data) and isinstance(data[0], str)
            return is_event and data[0] not in _RESERVED
        if kind == packet.ACK:
            return isinstance(data, list) and 0 < (self.id or 0) < _ACK_IDS_MAX
        return kind == packet.DISCONNECT or (
            kind == packet.CONNECT and (data is None or isinstance(data, dict))
        )

    def _is_call(self) -> bool:
        return self.packet_type == packet.EVENT and self.namespace == NAMESPACE

    def _become_malformed(self) -> None:
        self.packet_type = packet.EVENT
        self.namespace = NAMESPACE
        self.data = [MALFORMED]
        self.id = None


def encode(value: Any) -> str:
    """Returns compact JSON text, with characters beyond ASCII unescaped."""
    return _ENCODER.encode(value)
