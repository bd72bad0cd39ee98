"""SIGTERM under load: nothing that was read is lost, and every socket is told."""

import http.client
import json
import signal
import struct
import threading
import time
import uuid

import pytest
import websocket

from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

SENDERS = 8
SOCKETS = 12
STOPS = 2


class Sender(threading.Thread):
    """A chatbot that keeps its connection until an answer says that it is the last one."""

    def __init__(self, lineup):
        super().__init__(daemon=True)
        self.lineup = lineup
        self.name = uuid.uuid4().hex[:8]
        self.answered = 0
        self.is_last = False
        self.error = None

    def run(self):
        port = self.lineup.server.port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"Content-Type": "application/json"} | dict(self.lineup.bot.headers)
        try:
            while not self.is_last:
                event = self.lineup.message_event(f"s-{self.name}", at_ms=now_ms())
                connection.request("POST", "/api/v1/events", json.dumps(event), headers)
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 201
                self.answered += 1
                self.is_last = answer.getheader("Connection") == "close"
        except Exception as error:
            self.error = error


def closing_code(raw):
    """Returns the code with which the server closes; None if it just hangs up."""
    try:
        while True:
            opcode, data = raw.recv_data(control_frame=True)
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return struct.unpack("!H", data[:2])[0]
    except (websocket.WebSocketException, OSError):
        return None


def sockets(lineup):
    opened = [lineup.raw_socket() for _ in range(SOCKETS)]
    for raw in opened:
        raw.send("40/admin,")
        wait_until(lambda raw=raw: raw.recv().startswith("40/admin,"), what="the namespace")
    return opened


@pytest.mark.parametrize("stop", range(STOPS))
def test_a_stop_answers_what_was_read_and_tells_every_socket(lineup, stop):
    """H22"""
    process = lineup.server.process
    if process.poll() is not None:
        lineup.server.start()
        process = lineup.server.process
    opened = sockets(lineup)
    senders = [Sender(lineup) for _ in range(SENDERS)]
    for each in senders:
        each.start()
    wait_until(lambda: all(each.answered > 3 for each in senders), what="events are taken")
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    codes = [closing_code(raw) for raw in opened]
    assert process.wait(15) == 0
    assert time.monotonic() - started < 10, "a stop is quick"
    for each in senders:
        each.join(20)
    assert [each.error for each in senders] == [None] * SENDERS, "an answer was cut off"
    assert all(each.is_last for each in senders)
    assert set(codes) <= {1001, 1012}, codes
    assert "Traceback" not in "\n".join(lineup.server.log)


def test_after_the_stop_every_answered_event_is_stored(lineup):
    """H22: and no other event, since each sender read all its answers."""
    if lineup.server.process.poll() is not None:
        lineup.server.start()
    sender = Sender(lineup)
    sender.start()
    wait_until(lambda: sender.answered > 3)
    lineup.server.process.send_signal(signal.SIGTERM)
    sender.join(20)
    assert sender.error is None
    lineup.server.process.wait(15)
    lineup.server.start()
    row = f"{lineup.server.url}/api/v1/threads/s-{sender.name}"
    assert lineup.bot.get(row).json()["unanswered"] == sender.answered
