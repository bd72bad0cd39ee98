"""The HTTP server of a real process: clients that send slowly."""

import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from dashboard.web.http import bodies
from tests.dashboard.web.server.test_wire import LAST, exchange, request
from tests.servers.lineup import ROOT, START_SECONDS
from tests.servers.ports import free_port, is_taken
from tests.support import wait_until

live = pytest.mark.live

#: The impatient server's time for the head and the body of a request: a tenth of the usual.
PATIENCE_SECONDS = 3


@pytest.fixture(params=["eventlet", "gevent"])
def impatient(request):
    """The HTTP server alone, with less time for each request."""
    port = free_port()
    command = [sys.executable, "-m", "tests.dashboard.web.server.impatient_server"]
    process = subprocess.Popen(
        [*command, request.param, str(port), str(PATIENCE_SECONDS)], cwd=ROOT
    )
    try:
        wait_until(lambda: is_taken(port), START_SECONDS, "the impatient server")
        yield SimpleNamespace(port=port)
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
@live
def test_slow_senders_delay_no_other_request_and_are_disconnected(impatient):
    """One byte a second, in the head and in the body; both at once, for it takes its time."""
    assert bodies.REQUEST_SECONDS == 10 * PATIENCE_SECONDS
    slow = [
        b"GET /healthz HTTP/1.1\r\n" + b"x" * 1000,
        request("POST /login HTTP/1.1", "Content-Length: 1000", body=b"x" * 1000),
    ]
    started = time.monotonic()
    ended = {}
    connections = {}
    for text in slow:
        at = 30 if text.startswith(b"GET") else text.index(b"\r\n\r\n") + 4
        connection = socket.create_connection(("127.0.0.1", impatient.port), timeout=5)
        connection.sendall(text[:at])
        connections[text] = connection, at
    while len(ended) < 2 and time.monotonic() - started < PATIENCE_SECONDS + 15:
        for text, (connection, at) in list(connections.items()):
            if text in ended:
                continue
            connection.settimeout(0.5)
            try:
                connection.sendall(text[at : at + 1])
                connections[text] = connection, at + 1
                answer = connection.recv(1000)
                ended[text] = answer
            except TimeoutError:
                pass
            except OSError:
                ended[text] = b""
        assert exchange(impatient, LAST).startswith(b"HTTP/1.1 200 ")
    assert len(ended) == 2
    assert PATIENCE_SECONDS - 1 < time.monotonic() - started < PATIENCE_SECONDS + 10
    assert all(b" 408 " in answer for answer in ended.values())
    for connection, _ in connections.values():
        connection.close()


@pytest.mark.slow
@live
def test_the_whole_head_has_one_limit_of_time(impatient):
    """H18: byte by byte, its request line and its headers together."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=1) as connection:
        try:
            for byte in request("GET /healthz HTTP/1.1", "X: " + "x" * 1000):
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
                if time.monotonic() - started > 3 * PATIENCE_SECONDS:
                    break
        except OSError:
            pass
    assert PATIENCE_SECONDS - 1 < time.monotonic() - started < 2 * PATIENCE_SECONDS
