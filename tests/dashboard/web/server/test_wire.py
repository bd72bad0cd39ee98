"""Raw bytes against running servers of both kinds: one meaning, and the same answer to the byte."""

import json
import re
import socket
from contextlib import ExitStack

import pytest

from tests.servers.lineup import LiveServer

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

POST = "POST /api/v1/events HTTP/1.1"
UNSIGNED = (401, "unauthorized")
BAD = (400, "bad_request")
CHUNKED = "Transfer-Encoding: chunked"
BIG = b"x" * 2_000_000


@pytest.fixture(scope="module")
def servers(tmp_path_factory, redis_server):
    """A server under eventlet and one under gevent."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                LiveServer(
                    f"sqlite:///{tmp_path_factory.mktemp(kind) / 'lineup.sqlite'}",
                    redis_server.url,
                    async_mode=kind,
                    LINEUP_KEY_PREFIX=kind,
                )
            )
            for kind in ("eventlet", "gevent")
        ]


def exchange(server, data: bytes, *, ends: bool = False) -> bytes:
    """Sends bytes, and reads until the server hangs up."""
    answer = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(data)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def same(servers, data: bytes, **how) -> bytes:
    """Returns the one answer of both servers, without its dates."""
    eventlet, gevent = (
        re.sub(rb"\r\nDate: [^\r]+", b"", exchange(server, data, **how)) for server in servers
    )
    assert eventlet == gevent
    return eventlet


def request(line="GET /healthz HTTP/1.1", *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([line, "Host: 127.0.0.1", *headers, "", ""]).encode("latin-1") + body


LAST = request("GET /healthz HTTP/1.1", "Connection: close")


def results(answers: bytes) -> list[tuple[int, str | None]]:
    """Status and code of each answer."""
    seen = []
    while answers:
        head, _, rest = answers.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        is_problem = b"application/problem+json" in head
        code = json.loads(rest[:size])["code"] if is_problem else None
        seen.append((int(head.split()[1]), code))
        answers = rest[size:]
    return seen


def post(*headers: str, body: bytes = b"") -> bytes:
    return request(POST, *headers, body=body)


def chunks(body: bytes) -> bytes:
    return post(CHUNKED, body=body)


def raw(text: str) -> bytes:
    return text.encode("latin-1")


REFUSED = {
    # The request line
    "no version": (raw("GET /healthz\r\nHost: a\r\n\r\n"), BAD),
    "version 0.9": (request("GET / HTTP/0.9"), (505, "version_not_supported")),
    "version 2": (raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), (505, "version_not_supported")),
    **{f"HTTP/{it}": (request(f"GET / HTTP/{it}"), BAD) for it in ("1.01", "+1.1", "1.1 ", "1")},
    **{
        f"method {it}": (request(f"{it} /healthz HTTP/1.1"), (501, "method_not_implemented"))
        for it in ("get", "Get", "pOST", "BREW", "CONNECT")
    },
    **{
        f"line {it}": (request(it), BAD)
        for it in ("nonsense", "GET", "GET / / HTTP/1.1", "GET\t/ HTTP/1.1", " GET / HTTP/1.1")
    },
    **{
        f"target {it}": (request(f"GET {it} HTTP/1.1"), BAD)
        for it in ("healthz", "*", "x:y", "http://", "http:///healthz", "/a#b", "/\x80", "?")
    },
    "LF alone": (raw("GET /healthz HTTP/1.1\nHost: a\n\n"), BAD),
    "LF in the head": (raw("GET /healthz HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"), BAD),
    "CR in the line": (raw("GET /\rhealthz HTTP/1.1\r\nHost: a\r\n\r\n"), BAD),
    "two empty lines": (b"\r\n\r\n" + request(), BAD),
    "noise": (b"\x16\x03\x01\x02\x00\x01\x00\n", BAD),
    "long URL": (request(f"GET /{'x' * 16384} HTTP/1.1"), (414, "url_too_long")),
    # Host
    "no host": (raw("GET /healthz HTTP/1.1\r\n\r\n"), BAD),
    "two hosts": (request("GET /healthz HTTP/1.1", "Host: evil.example"), BAD),
    **{
        f"host {it}": (raw(f"GET /healthz HTTP/1.1\r\nHost: {it}\r\n\r\n"), BAD)
        for it in ("", "a b", "a/b", "a,b", "a@b", "a:b", "[::1", "a\rb")
    },
    # Fields
    **{
        f"field {it!r}": (post(it, body=b"0\r\n\r\n"), BAD)
        for it in (
            *("Transfer-Encoding : chunked", "TE : trailers", "Content-Length : 5", ": no name"),
            *(
                "Transfer-Encoding\t: chunked",
                "Transfer(Encoding: chunked",
                "X\x0bY: 1",
                "no colon",
            ),
            *("X: a\x00b", "X: \x1b[2J", "X: a\x7f", "X: a\rTransfer-Encoding: chunked"),
            *("X: a\rHost: evil.example", "X: a\r\n b", "X: a\nY: b", "\tX: a", "X: a\r"),
        )
    },
    "long header": (request("GET / HTTP/1.1", "X: " + "x" * 65536), (431, "headers_too_large")),
    "many headers": (request("GET / HTTP/1.1", *["X: x"] * 200), (431, "headers_too_large")),
    "large headers": (
        request("GET / HTTP/1.1", *["X: " + "x" * 9000] * 9),
        (431, "headers_too_large"),
    ),
    # The length of the body
    **{
        f"lengths {it}": (post(*it, body=b"hello"), BAD)
        for it in (
            *(("Content-Length: -1",), ("Content-Length: abc",), ("Content-Length: 5, 5",)),
            *(("Content-Length: +5",), ("Content-Length: 5", "Content-Length: 5")),
            *(("Content-Length: 5", CHUNKED), ("Transfer-Encoding: xchunked",), (CHUNKED, CHUNKED)),
            *(("Content-Length: 0x5",), ("Content-Length: 5 5",), ("Content-Length:",)),
            ("Content-Type: application/json", "Content-Type: text/plain"),
        )
    },
    "gzip": (post("Transfer-Encoding: gzip, chunked"), (501, "coding_not_implemented")),
    "chunks of 1.0": (request("POST / HTTP/1.0", CHUNKED, body=b"0\r\n\r\n"), BAD),
    # Chunks
    **{
        f"size {it!r}": (chunks(raw(f"{it}\r\nhello\r\n0\r\n\r\n")), BAD)
        for it in ("0x5", "+5", "-5", " 5", "5 ", "1_5", "5;", "0" * 17, "5;a\nb", "5 5", "zz", "")
    },
    **{
        f"chunk {it!r}": (chunks(it), BAD)
        for it in (
            *(b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"5\r\nhelloo\r\n0\r\n\r\n"),
            *(b"0\r\n\n", b"0\r\nX: a\n\r\n", b"0\r\n X: a\r\n\r\n", b"0\r\nnone\r\n\r\n"),
            *(b"0\r\nX: a\rb\r\n\r\n", b"0\r\nX : a\r\n\r\n", b"0\r\nX: \x00\r\n\r\n"),
        )
    },
    "endless digits": (chunks(b"0" * 100_000), BAD),
    "endless extension": (chunks(b"5;a" + b"x" * 100_000), BAD),
    "endless extensions": (chunks(b"1;a=%b\r\nx\r\n" % (b"x" * 900) * 100), BAD),
    "endless trailer": (chunks(b"0\r\nX: " + b"x" * 100_000), (431, "headers_too_large")),
    "endless trailers": (chunks(b"0\r\n" + b"X: y\r\n" * 10_000), (431, "headers_too_large")),
    "large": (post("Content-Length: 2000000", body=BIG), (413, "payload_too_large")),
    "large chunk": (chunks(b"%x\r\n%b\r\n0\r\n\r\n" % (len(BIG), BIG)), (413, "payload_too_large")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_the_last_thing_on_its_connection(servers, name):
    """H17: a proxy in front might read it differently, and see another request behind it."""
    data, result = REFUSED[name]
    answer = same(servers, data + LAST)
    assert results(answer) == [result]
    assert b"\r\nConnection: close\r\n" in answer and b"evil" not in answer


CHUNK = b"2\r\n{}\r\n0\r\n"
SERVED = {
    "one empty line": (b"\r\n" + request(), (200, None)),
    "a later version": (request("GET /healthz HTTP/1.2"), (200, None)),
    "tabs and blanks": (request("GET /healthz HTTP/1.1", "X:\t y \t"), (200, None)),
    "letters beyond ASCII": (request("GET /healthz HTTP/1.1", "X: \xe9"), (200, None)),
    "a URL of 15 kB": (request(f"GET /api/{'x' * 15000} HTTP/1.1"), (404, "not_found")),
    "a key of 10 kB": (
        request("GET /api/v1/threads/x HTTP/1.1", "Authorization: Bearer " + "x" * 10_240),
        UNSIGNED,
    ),
    "a body": (post("Content-Type: application/json", "Content-Length: 2", body=b"{}"), UNSIGNED),
    "a chunk": (chunks(CHUNK + b"\r\n"), UNSIGNED),
    "extensions": (chunks(b'2;a;b=c ; d="e\\"\r'[:-1] + b'"\r\n{}\r\n0;f\r\n\r\n'), UNSIGNED),
    "trailers": (chunks(CHUNK + b"X: y\r\nContent-Length: 9\r\n\r\n"), UNSIGNED),
    "many digits": (chunks(b"0000000000000002\r\n{}\r\n0000\r\n\r\n"), UNSIGNED),
    "doubled slashes": (request("GET //api//v1//events HTTP/1.1"), (404, "not_found")),
    **{
        f"method {it}": (request(f"{it} /healthz HTTP/1.1"), (405, "method_not_allowed"))
        for it in ("QUERY", "TRACE", "DELETE")
    },
    "another path twice": (request("GET /static//js/main.js HTTP/1.1"), (404, "not_found")),
    **{
        f"another host {path}": (
            request(f"GET http://evil.example{path} HTTP/1.1"),
            (421, "misdirected_request"),
        )
        for path in ("/healthz", "/login", "/api/v1/events")
    },
}


@pytest.mark.parametrize("name", SERVED)
def test_what_is_read_is_answered_alike_and_so_is_what_follows(servers, name):
    """H17: and no answer is a redirect, or names the caller's host."""
    data, result = SERVED[name]
    answer = same(servers, data + LAST)
    assert results(answer) == [result, (200, None)]
    assert b"Location" not in answer and b"evil" not in answer


def test_an_absolute_uri_of_our_own_is_served(servers):
    """H17"""
    for server in servers:
        own = f"127.0.0.1:{server.port}"
        head = f"GET http://{own}/healthz HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n"
        assert results(exchange(server, head.encode())) == [(200, None)]


@pytest.mark.parametrize(
    "body", [b"only this", b"50\r\nhello", b"5\r\nhello\r\n", b"0\r\n", b"5"], ids=repr
)
def test_a_request_that_breaks_off_is_refused(servers, body):
    framing = CHUNKED if body[:1].isdigit() else "Content-Length: 1000"
    assert results(same(servers, post(framing, body=body), ends=True)) == [BAD]
    assert results(same(servers, post(framing)[:30], ends=True)) == [BAD]


def test_a_connection_that_asks_nothing_gets_nothing(servers):
    assert same(servers, b"", ends=True) == same(servers, b"\r\n", ends=True) == b""


def test_http_1_0_gets_one_answer_or_keeps_the_connection(servers):
    """Probes of balancers."""
    probe = b"GET /healthz HTTP/1.0\r\n\r\n"
    assert results(same(servers, probe + LAST)) == [(200, None)]
    kept = b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    answer = same(servers, kept + probe)
    assert results(answer) == [(200, None)] * 2
    assert b"\r\nKeep-Alive: timeout=75\r\n" in answer


def test_a_hundred_requests_are_pipelined(servers):
    """H7: nothing is lost, also where bodies are among them."""
    each = request() + post("Content-Length: 2", body=b"{}") + chunks(CHUNK + b"\r\n")
    assert results(same(servers, each * 33 + LAST)) == [(200, None), UNSIGNED, UNSIGNED] * 33 + [
        (200, None)
    ]


def test_who_waits_for_it_is_told_to_send_the_body(servers):
    for server in servers:
        head = post("Expect: 100-continue", "Content-Length: 2", "Connection: close")
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(head)
            assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.sendall(b"{}")
            assert connection.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_large_body_is_refused_before_it_is_sent(servers):
    """Nor is it asked for."""
    data = post("Expect: 100-continue", "Content-Length: 2000000")
    for server in servers:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(data)
            assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_another_media_type_is_told_from_a_bad_header(servers):
    """A parser of e-mail finds a defect in a `multipart` without a boundary."""
    for server in servers:
        headers = ["Content-Type: multipart/form-data", "Content-Length: 2", "Connection: close"]
        key = f"Authorization: Bearer {server.create_key('typed')}"
        assert results(exchange(server, post(*headers, body=b"{}"))) == [UNSIGNED]
        answer = exchange(server, post(key, *headers, body=b"{}"))
        assert results(answer) == [(415, "unsupported_media_type")]


def test_a_large_body_that_cannot_be_read_leaves_no_stack_trace(servers):
    """H9: it is parsed in a thread, and the pool of threads prints the errors raised in it."""
    for server in servers:
        body = b"[" * 100_000
        headers = [f"Authorization: Bearer {server.create_key('strict')}", "Connection: close"]
        headers += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        assert results(exchange(server, post(*headers, body=body))) == [(400, "too_deep")]
        assert not any("Traceback" in line for line in server.log)


def test_no_request_on_the_wire_left_a_stack_trace(servers):
    assert not [line for server in servers for line in server.log if "Traceback" in line]
