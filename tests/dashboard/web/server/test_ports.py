"""Ports and signals of the HTTP server."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from dashboard.errors import StartError
from dashboard.web.server.server import bind, check_port, listen
from tests.servers.lineup import ROOT, LiveServer, free_port

live = pytest.mark.live


@pytest.fixture(scope="module")
def server(tmp_path_factory, redis_server):
    url = f"sqlite:///{tmp_path_factory.mktemp('server') / 'lineup.sqlite'}"
    with LiveServer(url, redis_server.url) as started:
        yield started


def test_a_taken_port_is_refused_with_one_sentence():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"Port {port} is taken"):
            check_port("127.0.0.1", port)


def test_a_listening_socket_that_is_inherited_accepts_from_the_same_queue():
    """H33: a client that connects while one of its processes ends is served by another one."""
    with listen("127.0.0.1", 0) as first:
        host, port = first.getsockname()
        second = listen(host, port, inherited=os.dup(first.fileno()))
        with socket.create_connection((host, port)) as client:
            first.close()
            client.sendall(b"hello")
            with second, second.accept()[0] as accepted:
                assert accepted.recv(10) == b"hello"


def test_nobody_waits_on_a_port_before_a_worker_is_ready():
    """Until then a proxy asks another server."""
    with bind("127.0.0.1", 0) as held:
        host, port = held.getsockname()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, port))
        with listen(host, port, inherited=os.dup(held.fileno())) as first:
            with socket.create_connection((host, port)), first.accept()[0]:
                pass
            second = listen(host, port, inherited=os.dup(held.fileno()))
            with second, socket.create_connection((host, port)), second.accept()[0]:
                pass
            with pytest.raises(StartError, match=f"Port {port} is taken"):
                bind(host, port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "8.8.8.8"])
def test_an_address_of_another_computer_is_refused_with_one_sentence(host):
    with pytest.raises(StartError, match="address"):
        check_port(host, 8000)


@pytest.mark.slow
@live
def test_serving_on_a_taken_port_prints_one_sentence(server):
    done = subprocess.run(
        [sys.executable, "app.py", "serve", "--port", str(server.port)],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert f"Port {server.port} is taken" in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@live
@pytest.mark.parametrize(
    ("async_mode", "number"),
    [("eventlet", signal.SIGTERM), ("gevent", signal.SIGTERM), ("eventlet", signal.SIGHUP)],
)
def test_a_signal_stops_the_server_within_seconds(async_mode, number, tmp_path, redis_server):
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    # Also if `nohup` runs the tests: it has the signal ignored, and the server heeds that.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    server = LiveServer(url, redis_server.url, async_mode=async_mode, port=free_port()).start()
    signal.signal(signal.SIGHUP, before)
    with socket.create_connection(("127.0.0.1", server.port)) as idle:
        idle.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        assert idle.recv(100)
        started = time.monotonic()
        server.process.send_signal(number)
        assert server.process.wait(10) == 0, "\n".join(server.log)
    assert time.monotonic() - started < 8
