"""Socket.IO packets are events, acks, or refused."""

import json

import pytest
from socketio import packet

from dashboard.live.packets import MALFORMED, Fragment, SplicingJson, StrictPacket

GARBAGE = [
    "2[]",
    '2{"a":1}',
    '2"s"',
    "2null",
    "27",
    "2[1]",
    '2[["x"]]',
    '2["e",',
    '9["e"]',
    "!",
    '51-["a",{"_placeholder":true,"num":-1}]',
    '51-["a",{"_placeholder":true,"num":99}]',
    '59999999999-["a"]',
    '2/admin,["connect",{}]',
    '2/admin,["disconnect","x"]',
    "2" + "[" * 60_000,
    "2/admin," + "1" * 120 + '["x"]',
    "3/admin,0[]",
    "3/admin,[]",
    "3/admin,5",
    '4{"message":"no"}',
    '0/admin,"text"',
]


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[:40])
def test_garbage_becomes_a_malformed_event(text):
    decoded = StrictPacket(encoded_packet=text)
    assert (decoded.packet_type, decoded.data, decoded.id) == (packet.EVENT, [MALFORMED], None)


@pytest.mark.parametrize("value", [{"a": 1}, [1], 5], ids=str)
def test_what_is_no_text_becomes_a_malformed_event(value):
    assert StrictPacket(encoded_packet=value).data == [MALFORMED]


def test_a_call_is_an_event():
    decoded = StrictPacket(encoded_packet='2/admin,7["list:open",{"page":"arrival"}]')
    assert decoded.packet_type == packet.EVENT
    assert (decoded.namespace, decoded.id) == ("/admin", 7)
    assert decoded.data == ["list:open", {"page": "arrival"}]


def test_an_acknowledgement_is_one():
    decoded = StrictPacket(encoded_packet="3/admin,12[]")
    assert (decoded.packet_type, decoded.id, decoded.data) == (packet.ACK, 12, [])


def test_a_fragment_goes_out_as_it_is():
    fragment = Fragment('{"total":1,"set":[[1,2]]}')
    text = StrictPacket(packet.EVENT, ["list:order", fragment], "/admin", 3).encode()
    assert text == f'2/admin,3["list:order",{fragment}]'
    assert json.loads(SplicingJson.dumps([fragment])) == [{"total": 1, "set": [[1, 2]]}]


def test_no_text_of_a_client_is_a_fragment():
    assert SplicingJson.dumps(["e", '{"a":1}']) == '["e","{\\"a\\":1}"]'
