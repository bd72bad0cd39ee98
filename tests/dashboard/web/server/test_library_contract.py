"""The installed eventlet and gevent have every undocumented name that the servers use."""

import socket

import gevent.socket
import pytest
from eventlet import greenio, patcher
from gevent import monkey

from dashboard.errors import StartError
from dashboard.web.server import eventlet_server, gevent_server
from dashboard.web.server.state import ServerState


@pytest.fixture
def listener():
    with socket.socket() as opened:
        yield opened


def test_green_sockets_send_without_waiting(listener):
    green = greenio.GreenSocket(listener)
    assert isinstance(green.fd, socket.socket) and green.fd.gettimeout() == 0
    with gevent.socket.socket() as opened:
        assert callable(opened._sock.send) and opened._sock.gettimeout() == 0


def test_polls_do_not_switch_to_another_green_thread():
    assert eventlet_server.poll is patcher.original("select").poll
    assert gevent_server.poll is monkey.get_original("select", "poll")


@pytest.mark.parametrize("kind", [eventlet_server, gevent_server])
def test_without_the_name_nothing_is_served(kind, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)
    monkeypatch.setattr(eventlet_server.green_socket, "getaddrinfo", socket.getaddrinfo)
    with pytest.raises(StartError, match="install another one"):
        kind.start(lambda *ignored: [], object(), ServerState(), 75)
