"""Attacks over HTTP with one connection."""

import json
import socket
import threading
import time
from contextlib import suppress

from tests.attack.attacks import attack
from tests.attack.target import Target

#: Requests that are written at once.
_PIPELINED = 200


def _drain(connection: socket.socket) -> None:
    with suppress(OSError):
        while connection.recv(1 << 20):
            pass


def flood(connection: socket.socket, data: bytes, until: float) -> bool:
    """Sends `data` repeatedly and discards the answers; returns False if the server hung up."""
    reader = threading.Thread(target=_drain, args=[connection], daemon=True)
    reader.start()
    try:
        while time.monotonic() < until:
            connection.sendall(data)
    except OSError:
        return False
    finally:
        connection.close()
    return True


def _keep_flooding(target: Target, data: bytes, until: float) -> None:
    while time.monotonic() < until:
        try:
            connection = target.connect()
        except OSError:
            time.sleep(0.05)
            continue
        flood(connection, data, until)


@attack("pipelined-healthz", "one connection pipelines GET /healthz")
def pipelined_healthz(target: Target, until: float) -> None:
    _keep_flooding(target, target.request("GET /healthz") * _PIPELINED, until)


@attack("pipelined-pages", "one connection pipelines the sign-in page and /metrics")
def pipelined_pages(target: Target, until: float) -> None:
    pages = target.request("GET /login") + target.request("GET /metrics")
    _keep_flooding(target, pages * (_PIPELINED // 2), until)


@attack("pipelined-posts", "one connection pipelines POSTs that are refused")
def pipelined_posts(target: Target, until: float) -> None:
    post = target.request("POST /api/v1/events", ("Content-Type: application/json",), b"{}")
    _keep_flooding(target, post * _PIPELINED, until)


@attack("small-chunks", "bodies of 1 MiB in chunks of one byte")
def small_chunks(target: Target, until: float) -> None:
    headers = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    data = target.request("POST /login", headers) + b"1\r\nx\r\n" * (1 << 20) + b"0\r\n\r\n"
    _keep_flooding(target, data, until)


@attack("large-json", "bodies of 1 MiB of JSON to the sign-in")
def large_json(target: Target, until: float) -> None:
    body = b"[" + b",".join([b'{"a":1}'] * 120_000) + b"]"
    data = target.request("POST /login", ("Content-Type: application/json",), body)
    _keep_flooding(target, data, until)


@attack("cookies", "one connection pipelines requests with thousands of cookies")
def cookies(target: Target, until: float) -> None:
    flood_of_cookies = "Cookie: " + "; ".join(f"c{number}=1" for number in range(800))
    _keep_flooding(target, target.request("GET /login", (flood_of_cookies,)) * 50, until)


@attack("queries", "one connection pipelines requests with thousands of parameters")
def queries(target: Target, until: float) -> None:
    query = "&".join(f"%e2%80%8b{number}=%ff" for number in range(400))
    pages = target.request(f"GET /login?{query}") + target.request(f"GET /readyz?{query}")
    _keep_flooding(target, pages * 50, until)


@attack("ranges", "one connection pipelines requests for hundreds of ranges of a file")
def ranges(target: Target, until: float) -> None:
    asked = "Range: bytes=" + ",".join(f"{at}-{at}" for at in range(0, 4000, 4))
    tags = "If-None-Match: " + ", ".join(f'"{number}"' for number in range(500))
    files = [
        target.request("GET /static/i18n/en.json", (header,)) for header in (asked[:7000], tags)
    ]
    _keep_flooding(target, b"".join(files) * 50, until)


@attack("forms", "one connection pipelines forms and compressed bodies to the sign-in")
def forms(target: Target, until: float) -> None:
    form = ("Content-Type: application/x-www-form-urlencoded",)
    zipped = ("Content-Type: application/json", "Content-Encoding: gzip")
    posts = target.request("POST /login", form, b"a=1&" * 3_000)
    posts += target.request("POST /login", zipped, b"\x1f\x8b\x08" + b"\x00" * 12_000)
    _keep_flooding(target, posts * 20, until)


@attack("bad-batches", "batches of 1 MB in which everything is wrong", "key")
def bad_batches(target: Target, until: float) -> None:
    wrong = {f"field-{number}": [{}] for number in range(90)}
    body = json.dumps({"events": [wrong] * 500}).encode()
    headers = ("Content-Type: application/json", f"Authorization: Bearer {target.key}")
    _keep_flooding(target, target.request("POST /api/v1/events", headers, body[: 1 << 20]), until)
