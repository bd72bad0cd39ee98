"""The HTTP server of a real process: limits, slow and broken clients, ports and signals."""

import json
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from dashboard.web.http import limits
from tests.servers.lineup import ROOT, START_SECONDS, LiveServer
from tests.servers.ports import free_port, is_taken
from tests.support import wait_until

live = pytest.mark.live

#: What the impatient server gives the head and the body of a request: a tenth of the usual time.
PATIENCE_SECONDS = 3


@pytest.fixture(scope="module", params=["eventlet", "gevent"])
def server(request, tmp_path_factory, redis_server):
    url = f"sqlite:///{tmp_path_factory.mktemp(request.param) / 'lineup.sqlite'}"
    with LiveServer(url, redis_server.url, async_mode=request.param) as started:
        yield started


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


def exchange(server, request: bytes, seconds: float = 10) -> tuple[int, dict[str, str], bytes]:
    """Sends bytes and reads until the server hangs up: status, headers, body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
            if is_whole(answer):
                break
    return parsed(answer)


def is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(end and lengths) and len(body) >= int(lengths[0].split(b":")[1])


def parsed(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(status.split()[1]), {name.lower(): headers[name] for name in headers}, body


def request(server, line="GET /healthz HTTP/1.1", headers=(), body=b"") -> bytes:
    lines = [line, f"Host: 127.0.0.1:{server.port}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def refused(server, given: bytes) -> tuple[int, str]:
    status, headers, body = exchange(server, given)
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    assert json.loads(body)["status"] == status
    return status, json.loads(body)["code"]


@pytest.mark.slow
@live
def test_a_header_of_64_kib_is_too_large(server):
    given = request(server, headers=["X: " + "x" * 65536])
    assert refused(server, given) == (431, "headers_too_large")


@live
def test_a_key_of_10_kib_is_an_unknown_key(server):
    given = request(
        server, "GET /api/v1/threads/x HTTP/1.1", ["Authorization: Bearer " + "x" * 10_240]
    )
    assert exchange(server, given)[0] == 401


@live
def test_200_headers_are_too_many(server):
    given = request(server, headers=[f"X-{number}: x" for number in range(200)])
    assert refused(server, given) == (431, "headers_too_large")


@live
def test_headers_of_64_kib_together_are_too_large(server):
    given = request(server, headers=[f"X-{number}: " + "x" * 9000 for number in range(9)])
    assert refused(server, given) == (431, "headers_too_large")


@live
def test_a_url_of_16_kib_is_too_long(server):
    given = request(server, f"GET /{'x' * 16384} HTTP/1.1")
    assert refused(server, given) == (414, "url_too_long")


@live
def test_a_url_of_15_kib_is_not_found(server):
    given = request(server, f"GET /api/{'x' * 15000} HTTP/1.1")
    assert exchange(server, given)[0] == 404


SMUGGLED = [
    ["Content-Length: -1"],
    ["Content-Length: abc"],
    ["Content-Length: 5, 5"],
    ["Content-Length: 5", "Content-Length: 5"],
    ["Content-Length: +5"],
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Host: evil.example"],
    ["Content-Type: application/json", "Content-Type: text/plain"],
    ["X: a", " b"],
]


@live
@pytest.mark.parametrize("headers", SMUGGLED, ids=" + ".join)
def test_a_request_that_two_servers_could_read_differently_is_refused(server, headers):
    given = request(server, "POST /api/v1/events HTTP/1.1", headers, b"hello")
    assert refused(server, given) == (400, "bad_request")


@live
@pytest.mark.parametrize("line", ["nonsense", "GET", "GET / HTTP/9.9", "GET / / HTTP/1.1"])
def test_a_request_line_that_is_not_http_is_refused(server, line):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request(server, line))
        answer = connection.recv(65536)
    assert b" 400 " in answer.split(b"\r\n")[0] or b" 505 " in answer.split(b"\r\n")[0]


@live
def test_a_large_body_is_refused_before_it_is_sent(server):
    given = request(
        server,
        "POST /api/v1/events HTTP/1.1",
        ["Content-Type: application/json", "Content-Length: 2000000"],
    )
    started = time.monotonic()
    assert refused(server, given) == (413, "payload_too_large")
    assert time.monotonic() - started < 2


@live
@pytest.mark.parametrize("kind", ["length", "chunked"])
def test_a_large_body_that_is_sent_gets_its_answer(server, kind):
    body = b"x" * 2_000_000
    if kind == "length":
        headers = [f"Content-Length: {len(body)}"]
    else:
        headers = ["Transfer-Encoding: chunked"]
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    given = request(server, "POST /api/v1/events HTTP/1.1", headers, body)
    assert refused(server, given) == (413, "payload_too_large")


@live
def test_a_chunked_body_is_read(server):
    body = b'{"email": "a@example.com", "password": "x"}'
    given = request(
        server,
        "POST /login HTTP/1.1",
        ["Content-Type: application/json", "Transfer-Encoding: chunked", f"Origin: {server.url}"],
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
    )
    assert exchange(server, given)[0] == 401


@live
@pytest.mark.parametrize(
    "tail",
    [
        (["Content-Length: 1000"], b"only this"),
        (["Transfer-Encoding: chunked"], b"zz\r\nhello\r\n"),
        (["Transfer-Encoding: chunked"], b"50\r\nhello"),
    ],
    ids=["cut", "no chunk", "cut chunk"],
)
def test_a_body_that_breaks_off_is_refused(server, tail):
    headers, body = tail
    given = request(server, "POST /api/v1/events HTTP/1.1", headers, body)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(given)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65536).split(b"\r\n")[0].split()[1] == b"400"


@live
def test_several_requests_go_over_one_connection(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        for _ in range(3):
            body = b"{}"
            headers = [f"Content-Length: {len(body)}", "Content-Type: application/json"]
            connection.sendall(request(server, "POST /api/v1/events HTTP/1.1", headers, body))
            answer = b""
            while not is_whole(answer):
                answer += connection.recv(65536)
            assert parsed(answer)[0] == 401


@pytest.mark.slow
@live
def test_slow_senders_delay_no_other_request_and_are_disconnected(impatient):
    """One byte a second, in the head and in the body; both at once, for it takes its time."""
    assert limits.REQUEST_SECONDS == 10 * PATIENCE_SECONDS
    slow = [
        b"GET /healthz HTTP/1.1\r\n" + b"x" * 1000,
        request(impatient, "POST /login HTTP/1.1", ["Content-Length: 1000"], b"x" * 1000),
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
        assert exchange(impatient, request(impatient))[0] == 200
    assert len(ended) == 2
    assert PATIENCE_SECONDS - 1 < time.monotonic() - started < PATIENCE_SECONDS + 10
    assert all(not answer or b" 408 " in answer for answer in ended.values())
    for connection, _ in connections.values():
        connection.close()


@pytest.mark.slow
@live
def test_the_whole_head_has_one_limit_of_time(impatient):
    """H18: byte by byte, its request line and its headers together."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=1) as connection:
        try:
            for byte in request(impatient, "GET /healthz HTTP/1.1", ["X: " + "x" * 1000]):
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
                if time.monotonic() - started > 3 * PATIENCE_SECONDS:
                    break
        except OSError:
            pass
    assert PATIENCE_SECONDS - 1 < time.monotonic() - started < 2 * PATIENCE_SECONDS
