"""One connection: its requests are answered in turn, and an unreadable one ends it."""

import contextlib
import json
import os
import socket
import threading

import pytest

from dashboard.errors import Problem
from dashboard.web.http import bodies
from dashboard.web.http.files import UPLOAD_SECONDS, is_upload
from dashboard.web.server import http_connection
from dashboard.web.server.connections import Connection
from dashboard.web.server.http_connection import PIECE_BYTES, HttpServer, Upload, first_bytes
from dashboard.web.server.request_reader import BodyReader, RequestHead, RequestReader
from dashboard.web.server.state import ServerState

GET = b"GET / HTTP/1.1\r\nHost: desk.test\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: desk.test\r\nConnection: close\r\n\r\n"
UPLOAD = b"POST /admin/api/threads/7/files HTTP/1.1\r\nHost: desk.test\r\n"


class Served:
    """An application behind a server; `ask` returns all the answers of a connection."""

    def __init__(self):
        self.state = ServerState()
        self.turns = 0
        self.environs = []
        self.headers = [("Content-Type", "text/plain")]
        self.status = "200 OK"
        self.body = [b"small"]
        self.server = HttpServer(self._app, ("127.0.0.1", 8000), self.state, 75, {})

    def _app(self, environ, start_response):
        self.environs.append(environ)
        start_response(self.status, self.headers)
        return self.body(environ) if callable(self.body) else self.body

    def _turn(self):
        self.turns += 1

    def ask(self, sent: bytes) -> bytes:
        """Sends this, and then nothing more; returns all that a client reads."""
        client, green = socket.socketpair()
        raw = socket.socket(fileno=os.dup(green.fileno()))
        raw.setblocking(False)
        answers: list[bytes] = []

        def talk():
            with contextlib.suppress(OSError):
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
            answers.extend(iter(lambda: client.recv(1 << 16), b""))

        with client, green, raw:
            thread = threading.Thread(target=talk)
            thread.start()
            self.server.serve(Connection(green, raw, ("10.0.0.1", 5)))
            green.shutdown(socket.SHUT_WR)
            thread.join()
        return b"".join(answers)


@pytest.fixture
def served():
    return Served()


def parsed(answer: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return status, dict(line.split(": ", 1) for line in lines), body


def test_requests_of_a_connection_are_answered_in_their_order(served):
    served.body = lambda environ: [environ["QUERY_STRING"].encode()]
    asked = [b"GET /?%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(5)]
    answers = served.ask(b"".join(asked) + LAST).split(b"HTTP/1.1 200 OK")
    assert b"".join(answer[-1:] for answer in answers) == b"01234\n"
    assert b"Connection: close" in answers[-1]


def test_the_application_is_told_of_the_request_as_wsgi_has_it(served):
    body = b'{"a": 1}'
    head = (
        b"POST /a%20b/%C3%A9?c=d HTTP/1.1\r\nHost: desk.test\r\nContent-Type: a/b\r\nX-One: 1\r\n"
        b"x-one: 2\r\nX_One: 3\r\nContent_Length: 9\r\nContent-Length: 8\r\n\r\n"
    )
    served.ask(head + body)
    [environ] = served.environs
    assert environ["wsgi.input"].read() == body
    told = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/a b/Ã©",
        "QUERY_STRING": "c=d",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "REMOTE_ADDR": "10.0.0.1",
        "CONTENT_TYPE": "a/b",
        "CONTENT_LENGTH": "8",
        "HTTP_HOST": "desk.test",
        "HTTP_X_ONE": "1,2",
    }
    assert told.items() <= environ.items()
    assert "HTTP_CONTENT_LENGTH" not in environ


def test_a_body_in_chunks_has_a_length_for_the_application(served):
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    served.ask(head + b"2\r\nab\r\n1\r\nc\r\n0\r\nX: y\r\n\r\n")
    [environ] = served.environs
    assert (environ["wsgi.input"].read(), environ["CONTENT_LENGTH"]) == (b"abc", "3")
    assert "HTTP_TRANSFER_ENCODING" not in environ and "HTTP_X" not in environ


@pytest.mark.parametrize("bad", [b"GET / HTTP/1.1\nHost: a\r\n\r\n", GET[:-2] + b"X\r\n\r\n"])
def test_nothing_behind_a_request_that_is_refused_is_answered(served, bad):
    answer = served.ask(GET + bad + GET)
    assert answer.count(b"HTTP/1.1 ") == 2 and len(served.environs) == 1
    _, headers, body = parsed(answer[answer.index(b"HTTP/1.1 400") :])
    assert headers["Connection"] == "close" and "Date" in headers
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["code"] == "bad_request"


def test_a_request_without_an_end_takes_its_time_and_is_refused(served, monkeypatch):
    monkeypatch.setattr(bodies, "REQUEST_SECONDS", 0)
    assert parsed(served.ask(GET[:-2]))[0].startswith("HTTP/1.1 408 ")
    assert served.environs == []


def test_a_list_has_a_length_and_what_comes_bit_by_bit_is_in_chunks(served):
    assert parsed(served.ask(GET))[1]["Content-Length"] == "5"
    served.body = lambda environ: iter([b"a", b"", b"b" * 20])
    _, headers, body = parsed(served.ask(GET))
    assert headers["Transfer-Encoding"] == "chunked"
    assert body == b"1\r\na\r\n14\r\n" + b"b" * 20 + b"\r\n0\r\n\r\n"


def test_http_1_0_gets_no_chunks_and_the_end_of_the_connection(served):
    served.body = lambda environ: iter([b"a", b"b"])
    _, headers, body = parsed(served.ask(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))
    assert headers["Connection"] == "close" and "Transfer-Encoding" not in headers
    assert body == b"ab"


@pytest.mark.parametrize(
    ("method", "status", "length"),
    [("HEAD", "200 OK", "5"), ("GET", "304 NOT MODIFIED", None), ("GET", "204 NO CONTENT", None)],
)
def test_answers_without_content_end_with_their_headers(served, method, status, length):
    served.status = status
    served.headers = [("Content-Length", length)] if length else []
    answer = served.ask(f"{method} / HTTP/1.1\r\nHost: a\r\n\r\n".encode() + LAST)
    first, _, rest = answer.partition(b"\r\n\r\n")
    assert rest.startswith(b"HTTP/1.1 ") and b"Transfer-Encoding" not in first


def test_a_client_that_asks_for_it_is_told_how_long_a_connection_is_kept(served):
    answer = served.ask(GET[:-2] + b"Connection: Keep-Alive\r\n\r\n")
    assert parsed(answer)[1]["Keep-Alive"] == "timeout=75"
    assert "Keep-Alive" not in parsed(served.ask(GET))[1]


def test_what_fails_outside_of_the_application_is_answered_and_logged(served, caplog):
    served.body = lambda environ: 1 // 0
    status, headers, body = parsed(served.ask(GET + GET))
    assert status.startswith("HTTP/1.1 500 ") and json.loads(body)["code"] == "internal_error"
    assert headers["Connection"] == "close" and len(served.environs) == 1
    assert "ZeroDivisionError" in caplog.text


def test_an_answer_that_is_shorter_than_it_says_ends_the_connection(served):
    served.headers = [("Content-Length", "6")]
    assert served.ask(GET + GET).count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb"])
def test_a_header_of_an_answer_is_one_line(value):
    with pytest.raises(ValueError, match="end of a line"):
        first_bytes("200 OK", [("X", value)])


def test_a_large_answer_is_written_in_turns(served, monkeypatch):
    """H11: after each piece of 64 KiB others come first."""
    monkeypatch.setattr(http_connection.turns, "give", served._turn)
    served.body = [b"x" * (3 * PIECE_BYTES + 1), b"y"]
    _, headers, body = parsed(served.ask(GET))
    assert body == b"".join(served.body) and headers["Content-Length"] == str(len(body))
    assert served.turns == 3
    served.turns, served.body = 0, lambda environ: iter([b"x" * 1000] * 200)
    served.ask(GET)
    assert served.turns == 2
    served.turns, served.body = 0, [b"small"]
    served.ask(GET)
    assert served.turns == 0


def test_a_request_is_the_work_of_its_credential_until_it_is_answered(served, monkeypatch):
    """The caller of an earlier request is recognized, and the answer is written in its turns. The
    wish for another protocol changes nothing of it."""
    works = []

    @contextlib.contextmanager
    def working(credential=None):
        works.append(credential)
        yield
        works.append("end")

    def content(environ):
        yield b"x" * (2 * PIECE_BYTES)

    monkeypatch.setattr(http_connection.turns, "working", working)
    monkeypatch.setattr(http_connection.turns, "give", lambda: works.append("turn"))
    served.body = content
    upgrade = GET[:-2] + b"Upgrade: h2c\r\nCookie: a=b\r\n\r\n"
    served.ask(upgrade + GET[:-2] + b"Authorization: Bearer k\r\n\r\n")
    assert works == ["a=b", "turn", "turn", "end", "Bearer k", "turn", "turn", "end"]


def test_while_it_stops_answers_are_the_last_ones_and_no_socket_opens(served):
    """H22"""
    served.state.is_stopping = True
    status, headers, _ = parsed(served.ask(GET + GET))
    assert (status, headers["Connection"]) == ("HTTP/1.1 200 OK", "close")
    upgrade = GET[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert served.ask(upgrade).startswith(b"HTTP/1.1 200 ")
    socket = upgrade.replace(b" / ", b" /socket.io/ ")
    assert served.ask(socket).startswith(b"HTTP/1.1 503 ")
    assert len(served.environs) == 2


@pytest.mark.parametrize("framed", [True, False])
def test_an_upload_is_read_by_the_application_and_may_be_large(served, framed):
    sent = bytes(200_000) * 6

    def app(environ):
        body = b"".join(iter(lambda: environ["wsgi.input"].read(65_536), b""))
        return [str(len(body)).encode()]

    served.body = app
    if framed:
        head = UPLOAD + b"Content-Length: %d\r\n\r\n" % len(sent)
    else:
        head = UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n"
        sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(sent), sent)
    answer = served.ask(head + sent + LAST)
    assert b"\r\n\r\n1200000" in answer
    assert answer.count(b"HTTP/1.1 ") == 2, "the connection goes on"


def test_where_the_answer_comes_first_the_rest_is_read_away_and_the_connection_ends(served):
    served.status = "401 Unauthorized"
    answer = served.ask(UPLOAD + b"Content-Length: 3000000\r\n\r\n" + bytes(3_000_000) + GET)
    status, headers, _ = parsed(answer)
    assert (status, headers["Connection"]) == ("HTTP/1.1 401 Unauthorized", "close")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_an_upload_that_breaks_off_is_refused_where_it_is_read(served):
    def app(environ):
        with pytest.raises(Problem) as raised:
            while environ["wsgi.input"].read(10):
                pass
        return [str(raised.value.status).encode()]

    served.body = app
    assert served.ask(UPLOAD + b"Content-Length: 9\r\n\r\nabc").endswith(b"\r\n400")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/admin/api/threads/7/files"),
        ("POST", "/admin/api/threads/7/files/"),
        ("POST", "/x/admin/api/threads/7/files"),
        ("POST", "/admin/api/threads/x/files"),
        ("POST", "/admin/api/threads/1/replies"),
        ("POST", "/admin/api/threads/7/files\n"),
    ],
)
def test_nothing_else_is_an_upload(method, path):
    assert not is_upload({"REQUEST_METHOD": method, "PATH_INFO": path})


class Timed:
    """A connection that notes how long input is waited for."""

    def __init__(self):
        self.now, self.waits = 0.0, []
        self.read_within = self.waits.append

    def upload(self, receive=lambda size: bytes(size)):
        reader = RequestReader(receive)
        head = RequestHead("POST", "/", "HTTP/1.1", {}, 100, True)
        return Upload(self, BodyReader(reader, head), lambda: self.now)


def test_a_pause_in_an_upload_is_no_longer_than_for_any_request_and_all_of_it_takes_five_minutes():
    timed = Timed()
    upload = timed.upload()
    assert upload.read(10)
    timed.now = UPLOAD_SECONDS - 1
    assert upload.read(10)
    assert timed.waits == [bodies.REQUEST_SECONDS, 1]


def test_an_upload_that_takes_too_long_is_refused():
    def receive(size):
        raise TimeoutError

    with pytest.raises(Problem) as raised:
        Timed().upload(receive).read(10)
    assert raised.value.status == 408
