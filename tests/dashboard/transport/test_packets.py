"""Socket.IO packets are events, acknowledgements, or malformed."""

import json

import pytest
from socketio import packet

from dashboard.transport.packets import MALFORMED, EncodedJson, SplicingJson, StrictPacket

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
    '2["e",{"a":1,"a":2}]',
    '3/admin,1[{"a":1,"a":2}]',
    '0/admin,{"a":1,"a":2}',
    '2/admin,"s"',
    "2/admin,",
    "2/admin," + "1" * 120 + '["x"]',
    "3/admin,0[]",
    '2/admin,\u0661["e"]',
    '2/admin,\xb2["e"]',
    "3/admin,\u0661[]",
    '5\u0661-/admin,["e"]',
    "3/admin,[]",
    "3/admin,5",
    '4{"message":"no"}',
    '0/admin,"text"',
]


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[:40])
def test_garbage_becomes_a_malformed_event(text):
    decoded = StrictPacket(encoded_packet=text)
    assert (decoded.packet_type, decoded.data, decoded.id) == (packet.EVENT, [MALFORMED], None)


@pytest.mark.parametrize(
    "data, code",
    [
        ('{"a":1,"a":2}', "duplicate_key"),
        ('{"b":[{"a":1,"\\u0061":2}]}', "duplicate_key"),
        ('{"a":NaN}', "not_finite"),
        ('{"a":1e400}', "not_finite"),
        ("[" * 32 + "]" * 32, "too_deep"),
    ],
)
def test_a_call_that_could_be_read_in_two_ways_is_answered_with_what_is_wrong(data, code):
    """H9: a key that is there twice, and everything else for which a body of HTTP is refused."""
    decoded = StrictPacket(encoded_packet=f'2/admin,7["list:open",{data}]')
    assert (decoded.packet_type, decoded.namespace, decoded.id) == (packet.EVENT, "/admin", 7)
    event, problem = decoded.data
    assert (event, problem.status, problem.code) == (MALFORMED, 400, code)


@pytest.mark.parametrize("value", [{"a": 1}, [1], 5], ids=str)
def test_a_value_that_is_no_text_becomes_a_malformed_event(value):
    assert StrictPacket(encoded_packet=value).data == [MALFORMED]


def test_a_call_is_an_event():
    decoded = StrictPacket(encoded_packet='2/admin,7["list:open",{"page":"arrival"}]')
    assert decoded.packet_type == packet.EVENT
    assert (decoded.namespace, decoded.id) == ("/admin", 7)
    assert decoded.data == ["list:open", {"page": "arrival"}]


def test_an_acknowledgement_is_decoded():
    decoded = StrictPacket(encoded_packet="3/admin,12[]")
    assert (decoded.packet_type, decoded.id, decoded.data) == (packet.ACK, 12, [])


def test_encoded_json_is_sent_as_it_is():
    encoded = EncodedJson('{"total":1,"set":[[1,2]]}')
    text = StrictPacket(packet.EVENT, ["list:order", encoded], "/admin", 3).encode()
    assert text == f'2/admin,3["list:order",{encoded}]'
    assert json.loads(SplicingJson.dumps([encoded])) == [{"total": 1, "set": [[1, 2]]}]


def test_text_that_looks_like_json_is_encoded():
    assert SplicingJson.dumps(["e", '{"a":1}']) == '["e","{\\"a\\":1}"]'


@pytest.mark.parametrize("data", ["Unable to connect", {"message": "Unable to connect"}])
def test_a_refusal_to_connect_has_a_message(data):
    """The clients show `message`."""
    encoded = StrictPacket(packet.CONNECT_ERROR, data, "/other").encode()
    assert encoded == '4/other,{"message":"Unable to connect"}'
