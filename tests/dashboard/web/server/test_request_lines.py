"""Odd request lines and headers get an exact answer from a real process of each kind."""

import json
import socket

import pytest

from tests.dashboard.web.server.test_server import exchange, refused, request
from tests.servers.lineup import LiveServer

pytestmark = [pytest.mark.live, pytest.mark.real_redis]


@pytest.fixture(scope="module", params=["eventlet", "gevent"])
def server(request, tmp_path_factory, redis_server):
    url = f"sqlite:///{tmp_path_factory.mktemp(request.param) / 'lineup.sqlite'}"
    with LiveServer(url, redis_server.url, async_mode=request.param) as started:
        yield started


def told(server, line: str, headers=()) -> tuple[int, str | None]:
    """The status and the code of an answer that is no redirect, and names no host."""
    status, found, body = exchange(server, request(server, line, headers))
    assert "location" not in found and b"evil" not in body
    if found["content-type"] == "application/problem+json":
        return status, json.loads(body)["code"]
    return status, None


@pytest.mark.parametrize("path", ["//api//v1//events", "/api//v1/events", "/static//js/main.js"])
def test_doubled_slashes_are_not_found(server, path):
    """H17: and not redirected."""
    status, code = told(server, f"GET {path} HTTP/1.1")
    assert (status, code) == (404, "not_found")


def test_doubled_slashes_carry_no_host_of_the_caller(server):
    """H17"""
    given = b"GET //api//v1//events HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    status, headers, body = exchange(server, given)
    assert status in (400, 404) and "location" not in headers
    assert b"evil" not in body and headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["get", "Get", "post", "gET"])
def test_a_method_in_small_letters_is_another_method(server, method):
    """H17"""
    assert told(server, f"{method} /healthz HTTP/1.1") == (501, "method_not_implemented")


@pytest.mark.parametrize("path", ["/healthz", "/login", "/api/v1/events"])
def test_an_absolute_uri_of_another_host_is_misdirected(server, path):
    """H17: whatever the header `Host` says."""
    line = f"GET http://evil.example{path} HTTP/1.1"
    assert told(server, line) == (421, "misdirected_request")
    given = f"{line}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode()
    assert exchange(server, given)[0] == 421


@pytest.mark.parametrize("uri", ["http://[::1", "http://", "x:y", "*", "http:///healthz"])
def test_what_is_no_address_is_refused(server, uri):
    """H17"""
    assert told(server, f"GET {uri} HTTP/1.1")[0] in (400, 404, 421)


def test_an_absolute_uri_of_our_own_is_served(server):
    """H17"""
    own = f"http://127.0.0.1:{server.port}"
    assert told(server, f"GET {own}/healthz HTTP/1.1")[0] == 200
    assert told(server, f"GET {own}/login HTTP/1.1")[0] == 200


@pytest.mark.parametrize(
    "header",
    [
        "Transfer-Encoding : chunked",
        "TE : trailers",
        "Content-Length : 5",
        "Transfer-Encoding\t: chunked",
        "Transfer(Encoding: chunked",
        "X\x0bY: 1",
        ": no name",
        "no colon",
    ],
)
def test_a_header_that_cannot_be_read_closes_the_connection(server, header):
    """H17: another server might read it, and see another body."""
    line = "POST /api/v1/events HTTP/1.1"
    given = request(server, line, [header, "Authorization: Bearer x"], b"0\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(given)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.") == 1
    assert refused(server, given) == (400, "bad_request")


@pytest.mark.parametrize("value", ["a\x00b", "\x1b[2J", "a\x7f"])
def test_a_header_holds_no_control_characters(server, value):
    """H17: a program behind this one may end the value there."""
    assert told(server, "GET /healthz HTTP/1.1", [f"X-Any: {value}"]) == (400, "bad_request")


def test_a_large_body_that_cannot_be_read_leaves_no_stack_trace(server):
    """H9: it is parsed in a thread, and the pool of threads prints what is raised in it."""
    key = server.create_key("strict")
    body = b"[" * 100_000
    headers = [f"Authorization: Bearer {key}", "Content-Type: application/json"]
    headers.append(f"Content-Length: {len(body)}")
    given = request(server, "POST /api/v1/events HTTP/1.1", headers, body)
    status, _, answer = exchange(server, given)
    assert (status, json.loads(answer)["code"]) == (400, "too_deep")
    assert not any("Traceback" in line for line in server.log)
