"""Attacks over one signed-in socket."""

import json
import time
from contextlib import suppress

import websocket

from tests.attack.attacks import attack
from tests.attack.over_http import flood
from tests.attack.target import BINARY, CONTINUATION, PING, TEXT, Target, frame

#: Frames that are written at once.
_TOGETHER = 500


def _keep_flooding(target: Target, data: bytes, until: float) -> None:
    while time.monotonic() < until:
        try:
            opened = target.socket()
        except Exception:
            time.sleep(0.05)
            continue
        with suppress(OSError):
            flood(opened.sock, data, until)


def _call(event: str, argument: object) -> bytes:
    return frame(f"42/admin,1{json.dumps([event, argument])}".encode())


@attack("socket-calls", "calls over one socket, faster than they are answered", "cookie")
def calls(target: Target, until: float) -> None:
    call = _call("list:close", {"view": "arrival", "sort": "arrival"})
    _keep_flooding(target, call * _TOGETHER, until)


@attack("socket-opens", "one socket opens a list of 500 again and again", "cookie")
def opens(target: Target, until: float) -> None:
    call = _call("list:open", {"view": "arrival", "sort": "arrival", "limit": 500})
    _keep_flooding(target, call * 20, until)


@attack("socket-pings", "WebSocket pings over one socket", "cookie")
def pings(target: Target, until: float) -> None:
    _keep_flooding(target, frame(b"x" * 100, PING) * _TOGETHER, until)


@attack("socket-pongs", "Engine.IO pongs over one socket", "cookie")
def pongs(target: Target, until: float) -> None:
    _keep_flooding(target, frame(b"3") * _TOGETHER, until)


@attack("socket-unknown", "unknown events over one socket", "cookie")
def unknown(target: Target, until: float) -> None:
    _keep_flooding(target, _call("no:such", {}) * _TOGETHER, until)


@attack("socket-binary", "binary frames over one socket", "cookie")
def binary(target: Target, until: float) -> None:
    _keep_flooding(target, frame(b"\x00" * 1000, BINARY) * 100, until)


@attack("socket-deep", "deeply nested JSON over one socket", "cookie")
def deep(target: Target, until: float) -> None:
    _keep_flooding(target, frame(b'42/admin,1["list:open",' + b"[" * 60_000) * 4, until)


@attack("socket-large", "messages of 60 KB of small objects over one socket", "cookie")
def large(target: Target, until: float) -> None:
    _keep_flooding(target, _call("list:open", [{}] * 15_000) * 4, until)


@attack("socket-acks", "acknowledgements of nothing over one socket", "cookie")
def acknowledgements(target: Target, until: float) -> None:
    _keep_flooding(target, frame(b"43/admin,123456[]") * _TOGETHER, until)


@attack("socket-fragments", "one message in empty fragments, without an end", "cookie")
def fragments(target: Target, until: float) -> None:
    data = frame(b"", CONTINUATION, final=False) * _TOGETHER
    while time.monotonic() < until:
        opened = target.socket()
        with suppress(OSError):
            opened.sock.sendall(frame(b"4", TEXT, final=False))
            flood(opened.sock, data, until)


@attack("socket-watch", "one socket watches 500 other people with each call", "cookie")
def watch(target: Target, until: float) -> None:
    def people(start: int) -> bytes:
        names = [f"shop/{start}-{number}" for number in range(500)]
        add = _call("presence:watch", {"kind": "customer", "add": names})
        return add + _call("presence:watch", {"kind": "customer", "del": names})

    _keep_flooding(target, b"".join(people(start) for start in range(4)), until)


@attack("socket-mode", "one socket changes what it does in a thread with each call", "cookie")
def mode(target: Target, until: float) -> None:
    data = _call("thread:mode", {"id": 1, "mode": "viewing"}) + _call(
        "thread:mode", {"id": 1, "mode": "typing", "cursor": {"field": "reply", "position": 1}}
    )
    _keep_flooding(target, data * 100, until)


@attack("socket-joins", "one socket joins and leaves the namespace again and again", "cookie")
def joins(target: Target, until: float) -> None:
    _keep_flooding(target, (frame(b"41/admin,") + frame(b"40/admin,")) * 100, until)


@attack("socket-large-acks", "acknowledgements of 60 KB over one socket", "cookie")
def large_acknowledgements(target: Target, until: float) -> None:
    data = json.dumps(["x" * 100] * 500).encode()
    _keep_flooding(target, frame(b"43/admin,123456" + data) * 4, until)


@attack("socket-syncs", "one socket syncs, searches through and reads a list without end", "cookie")
def syncs(target: Target, until: float) -> None:
    listed = {"view": "arrival", "sort": "arrival"}
    data = _call("list:sync", listed | {"epoch": "none", "version": 0})
    data += _call("list:more", listed | {"after": [0, 0], "limit": 500})
    data += _call("list:more", listed | {"after": [0, 0], "through": 2**50})
    data += _call("threads:watch", {"add": list(range(1, 201))})
    data += _call("thread:open", {"id": 1})
    _keep_flooding(target, data * 20, until)


@attack("socket-abandoned", "sockets that are opened and never join, one after the other", "cookie")
def abandoned(target: Target, until: float) -> None:
    opened: list[websocket.WebSocket] = []
    while time.monotonic() < until:
        try:
            opened.append(target.upgraded())
        except Exception:
            time.sleep(0.05)
        while len(opened) > 500:
            opened.pop(0).shutdown()
