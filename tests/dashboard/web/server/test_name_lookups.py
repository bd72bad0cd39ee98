"""Looking names up stops no other green thread."""

import socket
import subprocess
import sys

import pytest

from dashboard.web.server import eventlet_server
from tests.servers.lineup import ROOT

#: A green thread looks a name up, by a system that answers once another one has run.
_PROGRAM = """
import app
import socket, sys
import eventlet
from dashboard.web.server import eventlet_server
from dashboard.web.server.state import ServerState

assert "dns" not in sys.modules, "eventlet's own resolver is loaded"
listener = eventlet.listen(("127.0.0.1", 0))
eventlet_server.start(lambda environ, start_response: [], listener, ServerState(), 75)
another_ran = eventlet.patcher.original("threading").Event()
look_up = eventlet_server._look_up

def slow_system(host, *rest):
    if host != "some.name":
        return look_up(host, *rest)
    if rest[-1] & socket.AI_NUMERICHOST:
        raise socket.gaierror
    assert another_ran.wait(30), "nothing else ran meanwhile"
    return look_up("127.0.0.1", *rest)

eventlet_server._look_up = slow_system
eventlet.spawn_after(0, another_ran.set)
with socket.create_connection(("some.name", listener.getsockname()[1])) as connection:
    print(connection.getpeername()[0])
"""


def looked_up(host):
    return eventlet_server.getaddrinfo(host, 80, type=socket.SOCK_STREAM)


def test_a_serving_process_goes_on_while_a_name_is_looked_up():
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout) == (0, "127.0.0.1\n"), run.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", None])
def test_addresses_are_read_without_a_thread(monkeypatch, host):
    monkeypatch.setattr(eventlet_server, "offload", lambda *given: pytest.fail("a thread"))
    assert looked_up(host) == socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM)


def test_names_are_looked_up_as_the_system_does():
    assert looked_up("localhost") == socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
    with pytest.raises(socket.gaierror):
        looked_up("name.invalid")
