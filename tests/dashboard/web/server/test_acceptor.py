"""Accepting many connections lets the open ones be served meanwhile."""

import errno
import socket

import eventlet
import gevent
import pytest
from eventlet.green import socket as eventlet_socket
from gevent import socket as gevent_socket

from dashboard.web.server.acceptor import ACCEPTED_TOGETHER, Acceptor, Green
from dashboard.web.server.state import ServerState

#: The module of sockets, and the arguments of an acceptor, for each kind of green threads.
GREEN = {
    "eventlet": (eventlet_socket, Green(eventlet.spawn, eventlet.sleep, lambda sock: sock.fd)),
    "gevent": (gevent_socket, Green(gevent.spawn, gevent.sleep, lambda sock: sock._sock)),
}
MANY = 3 * ACCEPTED_TOGETHER


class Listener:
    """A listener with a client always waiting, so that `accept` returns at once."""

    def __init__(self, have_gone=False):
        self.accepted = []
        self._have_gone = have_gone
        self._others = []

    def accept(self):
        if len(self.accepted) == MANY:
            raise OSError(errno.EBADF, "closed")
        here, there = socket.socketpair()
        self.accepted.append(here)
        self._others.append(there)
        if self._have_gone:
            there.close()
        return here, ("127.0.0.1", len(self.accepted))

    def close(self):
        for each in self.accepted + self._others:
            each.close()


class Crowd:
    """The fate of MANY connections: `served` of them, with so many `turns` of the others."""

    def __init__(self, have_gone):
        self.served, self.turns, self.longest = 0, 0, 0
        self._waiting = 0
        self.listener = Listener(have_gone)
        green = Green(self._spawn, self._give_turn, lambda accepted: accepted)
        Acceptor(self.listener, lambda connection: None, green, ServerState())
        self.longest = max(self.longest, self._waiting)
        self.listener.close()

    def _spawn(self, work, *arguments):
        if arguments:
            self.served += 1
            self._waiting += 1
        else:
            work()

    def _give_turn(self):
        self.turns += 1
        self.longest, self._waiting = max(self.longest, self._waiting), 0


def test_who_connects_without_end_keeps_nobody_from_their_turn():
    """H7: a green `accept` does not let others run where a connection waits already."""
    crowd = Crowd(have_gone=False)
    assert crowd.served == len(crowd.listener.accepted) == MANY
    assert 0 < crowd.longest <= ACCEPTED_TOGETHER


def test_who_has_gone_before_being_accepted_costs_next_to_nothing():
    """H7: otherwise those who wait behind them are dropped by the kernel, and wait for seconds."""
    crowd = Crowd(have_gone=True)
    assert (crowd.served, len(crowd.listener.accepted)) == (0, MANY)
    assert crowd.turns == 0, "many of them count as one"
    assert all(each.fileno() == -1 for each in crowd.listener.accepted), "closed"


@pytest.mark.parametrize("kind", GREEN)
def test_who_has_connected_when_the_server_stops_is_served(kind):
    """H22: and nobody after that; the connection is a green one."""
    sockets, green = GREEN[kind]
    listener = sockets.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    address = listener.getsockname()
    served = []

    def serve(connection):
        served.append(connection.green.recv(10))

    acceptor = Acceptor(listener, serve, green, ServerState())
    with socket.create_connection(address) as client:
        client.sendall(b"hello")
        acceptor.stop_accepting()
        acceptor.finish(30)
    assert served == [b"hello"]
    with pytest.raises(OSError):
        socket.create_connection(address)
