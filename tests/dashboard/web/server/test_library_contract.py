"""The installed eventlet and gevent have every undocumented name that the servers use."""

import io
import json
import socket
import subprocess
import sys
import threading

import gevent.socket
import pytest
from eventlet import greenio, patcher, wsgi
from gevent import monkey, pywsgi

from dashboard.web.http import limits
from dashboard.web.server import body_reader, eventlet_server, gevent_server
from dashboard.web.server.body_reader import BodyReader
from dashboard.wsgi_keys import CLOSE
from tests.servers.lineup import ROOT, START_SECONDS, free_port, is_taken
from tests.support import wait_until


@pytest.fixture
def listener():
    with socket.socket() as opened:
        yield opened


def test_no_name_of_eventlet_is_missing(listener):
    assert eventlet_server.missing_names(greenio.GreenSocket(listener)) == []


def test_no_name_of_gevent_is_missing():
    with gevent.socket.socket() as listener:
        assert gevent_server.missing_names(listener) == []


def test_eventlet_reads_its_limits_from_the_module():
    assert limits.HEADER_LINE_BYTES == wsgi.MAX_HEADER_LINE
    assert limits.url_too_long().response() == wsgi.RESPONSE_414


def test_gevent_reads_its_limit_from_the_module():
    assert limits.REQUEST_LINE_BYTES == pywsgi.MAX_REQUEST_LINE


def test_green_sockets_send_without_waiting(listener):
    green = greenio.GreenSocket(listener)
    assert isinstance(green.fd, socket.socket) and green.fd.gettimeout() == 0
    with gevent.socket.socket() as opened:
        assert callable(opened._sock.send) and opened._sock.gettimeout() == 0


def test_polls_do_not_switch_to_another_green_thread():
    assert eventlet_server.poll is patcher.original("select").poll
    assert gevent_server.poll is monkey.get_original("select", "poll")


@pytest.mark.parametrize(
    "stream",
    [wsgi.Input(io.BytesIO(), 10, None), pywsgi.Input(io.BytesIO(), 10)],
    ids=["eventlet", "gevent"],
)
def test_a_body_that_was_ended_is_read_no_further(stream):
    assert all(hasattr(stream, name) for name in body_reader.INPUT_NAMES)
    body_reader._end(stream)
    assert stream.read() == b""
    assert (stream.content_length, stream.chunked_input) == (0, False)


def test_without_a_name_of_eventlet_it_is_reported(monkeypatch, listener):
    monkeypatch.delattr(wsgi, "STATE_IDLE")
    monkeypatch.delattr(wsgi.HttpProtocol, "_read_request_line")
    missing = eventlet_server.missing_names(greenio.GreenSocket(listener))
    assert missing == ["wsgi.STATE_IDLE", "HttpProtocol._read_request_line"]
    assert eventlet_server.missing_names(threading.Lock()) == [
        *missing,
        "GreenSocket.fd",
        "GreenSocket._read_trampoline",
    ]


def test_without_a_name_of_gevent_it_is_reported(monkeypatch):
    monkeypatch.delattr(pywsgi, "MAX_REQUEST_LINE")
    monkeypatch.delattr(pywsgi.WSGIHandler, "_handle_client_error")
    with gevent.socket.socket() as listener:
        missing = gevent_server.missing_names(listener)
    assert missing == ["WSGIHandler._handle_client_error", "pywsgi.MAX_REQUEST_LINE"]


def test_a_body_is_refused_without_the_names_of_the_server():
    """With the library's own protocol there is no `CLOSE`, and perhaps another `wsgi.input`."""
    environ = {
        "REQUEST_METHOD": "POST",
        "CONTENT_LENGTH": str(limits.BODY_BYTES + 1),
        "wsgi.input": io.BytesIO(b"x"),
    }
    assert CLOSE not in environ
    started = []
    reader = BodyReader(lambda *ignored: pytest.fail("called"), eventlet_server.time_limit)
    answer = b"".join(reader(environ, lambda status, headers: started.append(status)))
    assert json.loads(answer)["code"] == "payload_too_large"
    assert started[0].startswith("413 ")


@pytest.mark.live
@pytest.mark.parametrize("kind", ["eventlet", "gevent"])
def test_without_a_name_the_library_serves_after_one_warning(kind):
    port = free_port()
    command = [sys.executable, "-m", "tests.dashboard.web.server.impatient_server"]
    process = subprocess.Popen(
        [*command, kind, str(port), "5", "renamed"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: is_taken(port), START_SECONDS, "the server's start")
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 200")
    finally:
        process.terminate()
        log = process.communicate(timeout=10)[1]
    warnings = [line for line in log.splitlines() if "lacks" in line]
    assert len(warnings) == 1 and "renamed" in warnings[0] and kind in warnings[0]
