"""Whatever a socket sends, the others are served, and nothing of it stays in memory."""

import json
import struct
import time

import pytest
import requests
import websocket

from tests.servers.process import Process
from tests.support import wait_until

pytestmark = pytest.mark.slow

CROWD = 30


def connected(lineup):
    """A raw socket that is one of ours."""
    raw = lineup.raw_socket()
    raw.send("40/admin,")
    wait_until(lambda: raw.recv().startswith("40/admin,"), what="the namespace")
    return raw


def asked(raw, text):
    """Sends a call with the id 7 and returns its acknowledgement."""
    raw.send(text)
    while True:
        answer = raw.recv()
        if answer == "2":
            raw.send("3")
        if answer.startswith("43/admin,7"):
            return json.loads(answer.removeprefix("43/admin,7"))[0]


CLOSE_LIST = '42/admin,7["list:close",{"view":"arrival","sort":"arrival"}]'


def is_answered(raw):
    assert asked(raw, CLOSE_LIST) == {"ok": True}


def closing_code(raw):
    """Returns the code with which the server closes; None if it just hangs up."""
    try:
        while True:
            opcode, data = raw.recv_data()
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return struct.unpack("!H", data[:2])[0]
    except (websocket.WebSocketConnectionClosedException, OSError):
        return None


def server_process(lineup):
    return Process(lineup.server.process.pid)


IGNORED = [
    '42/admin,["connect",{"sid":"x"}]',
    '42/admin,["disconnect","x"]',
    "42/admin,[]",
    '42/admin,{"a":1}',
    '42/admin,"s"',
    "42/admin,null",
    "42/admin,7",
    "42/admin,[1]",
    '42/admin,[["x"]]',
    '42/admin,["e",',
    '49["x"]',
    "8",
    "9x",
    "2probe",
    "4",
    "4{}",
    "4[1,2]",
    "4" + "[" * 50_000,
    "bAAAA",
    "43/admin,0[]",
    "43/admin,99[]",
    "43/admin,[]",
    "44/admin,{}",
    '451-/admin,["a",{"_placeholder":true,"num":-1}]',
    '451-/admin,["a",{"_placeholder":true,"num":99}]',
    '459999999999-/admin,["a"]',
    '42["list:open",{}]',
    '42/other,["x"]',
]


@pytest.mark.parametrize("text", IGNORED, ids=lambda text: text[:36])
def test_what_makes_no_sense_is_ignored(lineup, text):
    raw = connected(lineup)
    raw.send(text)
    is_answered(raw)
    raw.close()


def test_binary_messages_are_ignored_and_eat_nothing(lineup):
    raw = connected(lineup)
    raw.send_binary(b"\x00\xff")
    raw.send('451-/admin,["a",{"_placeholder":true,"num":0}]')
    is_answered(raw)
    raw.close()


def test_what_makes_no_sense_is_counted(lineup):
    def counted():
        text = requests.get(f"{lineup.server.url}/metrics", timeout=5).text
        [line] = [line for line in text.splitlines() if line.startswith("lineup_bad_calls_total ")]
        return float(line.split()[1])

    raw = connected(lineup)
    before = counted()
    for text in IGNORED[:4]:
        raw.send(text)
    is_answered(raw)
    assert counted() == before + 4
    raw.close()


def test_no_stack_trace_is_written_for_garbage(lineup):
    raw = connected(lineup)
    for text in IGNORED[:15]:
        raw.send(text)
    is_answered(raw)
    assert not [line for line in lineup.server.log if "Traceback" in line]
    raw.close()


def test_an_unknown_call_is_refused_with_its_code(lineup):
    raw = connected(lineup)
    answer = asked(raw, '42/admin,7["subscribe",{}]')
    assert (answer["ok"], answer["problem"]["code"]) == (False, "unknown_event")
    is_answered(raw)
    raw.close()


@pytest.mark.parametrize(
    "given, code",
    [
        ('{"view":"arrival","view":"history","sort":"arrival"}', "duplicate_key"),
        ('{"view":"arrival","sort":"arrival","limit":1e400}', "not_finite"),
        ('{"view":"arrival","sort":"arrival","limit":NaN}', "not_finite"),
        ("[" * 40 + "]" * 40, "too_deep"),
    ],
)
def test_a_call_that_could_be_read_in_two_ways_is_refused(lineup, given, code):
    """H9: a call over a socket is read as strictly as the body of a request."""
    raw = connected(lineup)
    answer = asked(raw, f'42/admin,7["list:open",{given}]')
    assert (answer["ok"], answer["problem"]["code"]) == (False, code)
    is_answered(raw)
    raw.close()


@pytest.mark.parametrize("given", ["", ",1,2,3,4,5,6,7,8,9", ',"x"', ",null", ",[]"])
def test_a_call_takes_one_object(lineup, given):
    raw = connected(lineup)
    answer = asked(raw, f'42/admin,7["list:open"{given}]')
    assert answer["problem"]["code"] == "wrong_type"
    raw.close()


def test_twenty_bad_calls_a_minute_end_the_connection(lineup):
    raw = connected(lineup)
    for _ in range(19):
        asked(raw, '42/admin,7["nonsense",{}]')
    is_answered(raw)
    raw.send('42/admin,["nonsense"]')
    assert closing_code(raw) in (None, 1000)


@pytest.mark.parametrize("namespace", ["/", "/other", "/admin/x"])
def test_other_namespaces_are_refused(lineup, namespace):
    raw = lineup.raw_socket()
    raw.send("40" if namespace == "/" else f"40{namespace},")
    beginning = "44" if namespace == "/" else f"44{namespace},"
    assert raw.recv() == beginning + '{"message":"Unable to connect"}'
    raw.close()


def test_who_never_connects_is_hung_up_on(lineup):
    raw = lineup.raw_socket()
    started = time.monotonic()
    closing_code(raw)
    assert time.monotonic() - started < 10


def test_who_was_refused_is_hung_up_on(lineup):
    raw = lineup.raw_socket()
    raw.send("40/other,")
    started = time.monotonic()
    closing_code(raw)
    assert time.monotonic() - started < 10


def test_a_message_of_65_kib_is_too_big(lineup):
    raw = connected(lineup)
    raw.send("4" * 65 * 1024)
    assert closing_code(raw) == 1009


def test_many_pieces_of_one_message_are_too_big(lineup):
    raw = connected(lineup)
    first = websocket.ABNF(0, 0, 0, 0, websocket.ABNF.OPCODE_TEXT, 1, b"4" * 30_000)
    more = websocket.ABNF(0, 0, 0, 0, websocket.ABNF.OPCODE_CONT, 1, b"4" * 30_000)
    for frame in (first, more, more):
        raw.send_frame(frame)
    assert closing_code(raw) == 1009


def test_a_frame_of_300_mb_costs_no_memory(lineup):
    raw = connected(lineup)
    before = server_process(lineup).memory_bytes()
    raw.sock.sendall(b"\x81" + bytes([0x80 | 127]) + struct.pack("!Q", 300_000_000) + b"\0" * 4)
    with pytest.raises(OSError):
        for _ in range(3000):
            raw.sock.sendall(b"x" * 100_000)
    assert server_process(lineup).memory_bytes() - before < 10_000_000


def test_a_deflated_message_is_a_protocol_error(lineup):
    raw = connected(lineup)
    raw.send_frame(websocket.ABNF(1, 1, 0, 0, websocket.ABNF.OPCODE_TEXT, 1, b"bomb"))
    assert closing_code(raw) == 1002


def test_what_is_no_utf8_is_refused(lineup):
    raw = connected(lineup)
    raw.send_frame(websocket.ABNF(1, 0, 0, 0, websocket.ABNF.OPCODE_TEXT, 1, b"42\xff\xfe"))
    assert closing_code(raw) == 1007


def test_a_flood_of_calls_is_slowed_down(lineup):
    raw = connected(lineup)
    for _ in range(300):
        raw.send('42/admin,7["threads:watch",{"add":[1]}]')
    answers = []
    while len(answers) < 300:
        text = raw.recv()
        if text.startswith("43/admin,7"):
            answers.append(json.loads(text.removeprefix("43/admin,7"))[0])
    assert {each["problem"]["code"] for each in answers if not each["ok"]} == {"rate_limited"}
    raw.close()


def test_nothing_is_left_of_sockets_that_have_gone(lineup):
    process = server_process(lineup)

    def crowd():
        raws = [connected(lineup) for _ in range(CROWD)]
        assert process.connections(lineup.server.port) >= CROWD
        for raw in raws:
            raw.send('42/admin,8["list:open",{"view":"arrival","sort":"arrival","limit":9}]')
        for raw in raws:
            answer = asked(raw, CLOSE_LIST)
            assert answer["ok"] or answer["problem"]["code"] == "rate_limited"
        for raw in raws[::2]:
            raw.close()
        for raw in raws[1::2]:
            raw.shutdown()

    def all_have_gone():
        return process.connections(lineup.server.port) <= before

    def descriptors():
        # Not counting the pool of Redis: 0 to 5 more connections were seen after later crowds.
        return process.descriptors() - len(redis.client_list())

    redis = lineup.redis.client()
    before = process.connections(lineup.server.port)
    # The pool of connections to SQL grows with the first crowds.
    for _ in range(3):
        crowd()
    wait_until(all_have_gone, 20, "the sockets being closed")
    warm = descriptors()
    memory = process.memory_bytes()
    for _ in range(4):
        crowd()
    wait_until(all_have_gone, 20, "the sockets being closed")
    wait_until(lambda: descriptors() <= warm * 1.1, 20, "the descriptors being closed")
    assert process.memory_bytes() <= memory * 1.1
