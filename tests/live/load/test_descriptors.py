"""Without file descriptors the server says so, and goes on when there are some again."""

import contextlib
import resource
import socket

import pytest
import requests

from tests.support import wait_until

pytestmark = pytest.mark.slow

DESCRIPTORS = 160


@contextlib.contextmanager
def few_descriptors(server, count):
    """The process of the server may have no more than so many, for a while."""
    pid = server.process.pid
    old = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, old[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, old)


def crowd(server, count):
    """Connections that say nothing."""
    return [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(count)]


def status(server, session=requests):
    with contextlib.suppress(requests.RequestException):
        return session.get(f"{server.url}/readyz", timeout=5).status_code
    return None


def test_it_answers_503_and_goes_on_when_the_crowd_has_gone(lineup):
    """H8: the accept loop does not end with the descriptors."""
    server = lineup.server
    kept = requests.Session()
    assert status(server, kept) == 200
    with few_descriptors(server, DESCRIPTORS):
        connections = crowd(server, DESCRIPTORS + 100)
        try:
            wait_until(lambda: status(server, kept) == 503, what="it is not ready")
            wait_until(lambda: status(server) == 503, what="new connections are answered")
            assert server.process.poll() is None
        finally:
            for each in connections:
                each.close()
        wait_until(lambda: status(server) == 200, what="it goes on")
    assert lineup.say("after-the-crowd")
    assert status(server, kept) == 200
