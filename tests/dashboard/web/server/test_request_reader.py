"""The reader of requests: RFC 9112 to the letter, alike however the bytes are cut, and bounded."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dashboard.errors import Problem
from dashboard.web.http import bodies
from dashboard.web.server.request_reader import BodyReader, RequestHead, RequestReader
from tests.support import examples

TARGETS = ["/", "/a?b=c", "/%C3%A9", "http://desk.test/a", "/a[0]=|^"]
TOKEN = st.text("!#$%&'*+-.^_`|~09azAZ", min_size=1, max_size=8)
VALUE = st.text('\t !azAZ09:;,"\\\x80\xff', max_size=12).map(str.strip)
BLANKS = st.sampled_from(["", " ", " \t"])


class Sender:
    """Gives a reader its input in pieces, and then the end of it; counts what was taken."""

    def __init__(self, pieces):
        self._pieces = iter(pieces)
        self._piece = b""
        self.sent = 0

    def receive(self, size):
        self._piece = self._piece or next(self._pieces, b"")
        taken, self._piece = self._piece[:size], self._piece[size:]
        self.sent += len(taken)
        return taken


def pieces_of(data: bytes, cuts=()) -> list[bytes]:
    places = sorted({0, *cuts, *range(0, len(data), 4096), len(data)})
    return [data[start:end] for start, end in pairwise(places)]


def outcome(data: bytes, cuts=()) -> list:
    """Returns the requests with their bodies, and how they ended, as a caller sees it."""
    reader = RequestReader(Sender(pieces_of(data, cuts)).receive)
    seen: list = []
    try:
        while reader.wait():
            if reader.skip_empty_line() and not reader.wait():
                break
            head = reader.head()
            seen.append((head, BodyReader(reader, head, bodies.BODY_BYTES).whole()))
    except Problem as problem:
        seen.append((problem.status, problem.code, problem.detail))
    return seen


def status_of(data: bytes) -> int:
    """Returns 200 for the only request, or the status with which it is refused."""
    [seen] = outcome(data)
    return 200 if isinstance(seen[0], RequestHead) else seen[0]


def post(body: bytes, *lines: str, first="POST / HTTP/1.1") -> bytes:
    return "\r\n".join([first, "Host: desk.test", *lines, "", ""]).encode("latin-1") + body


def chunked(body: bytes) -> bytes:
    return post(body, "Transfer-Encoding: chunked")


@st.composite
def requests(draw):
    """A request as bytes, with its method, target and body."""
    method = draw(st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS"]))
    target = draw(st.sampled_from(TARGETS))
    lines = [f"X-{draw(TOKEN)}:{draw(BLANKS)}{draw(VALUE)}"]
    body = draw(st.binary(max_size=40))
    if draw(st.booleans()):
        data = post(
            body, *lines, f"Content-Length: {len(body)}", first=f"{method} {target} HTTP/1.1"
        )
        return data, (method, target, body)
    head = post(b"", *lines, "Transfer-Encoding: Chunked", first=f"{method} {target} HTTP/1.1")
    at, content = 0, b""
    while at < len(body):
        size = draw(st.integers(1, len(body) - at))
        extension = draw(st.sampled_from(["", ";a", " ; a=b", ';a="b;\\"c";d', "\t;\ta\t=\tb"]))
        digits = draw(st.sampled_from([f"{size:x}", f"{size:X}", f"{size:016x}"]))
        content += f"{digits}{extension}\r\n".encode() + body[at : at + size] + b"\r\n"
        at += size
    trailers = draw(st.lists(st.sampled_from(["X-Sum: 1\r\n", "x:\r\n"]), max_size=2))
    return head + content + f"0\r\n{''.join(trailers)}\r\n".encode(), (method, target, body)


@settings(max_examples=examples(200))
@given(st.lists(requests(), min_size=1, max_size=3), st.lists(st.integers(1, 400), max_size=8))
def test_what_is_right_is_read_however_it_is_cut(sent, cuts):
    data = b"".join(data for data, _ in sent)
    seen = outcome(data, [cut for cut in cuts if cut < len(data)])
    assert [(head.method, head.target, body) for head, body in seen] == [it for _, it in sent]


MISTAKES = [b"\r", b"\n", b"\0", b" ", b"\t", b":", b";", b"\r\n", b"\x7f", b"\xff", b"0", b"g"]


@settings(max_examples=examples(300))
@given(requests(), st.integers(0, 200), st.sampled_from(MISTAKES), st.booleans())
@example((post(b"", "X: a\rTransfer-Encoding: chunked"), None), 0, b"", False)
def test_what_is_spoilt_has_one_meaning_however_it_is_cut(sent, place, mistake, replaces):
    """Each byte by itself, and all at once: the same requests, or the same refusal."""
    data, _ = sent
    place = min(place, len(data))
    data = data[:place] + mistake + data[place + replaces :]
    whole = outcome(data)
    assert outcome(data, range(len(data))) == whole
    for cut in range(1, len(data)):
        assert outcome(data, [cut]) == whole


@settings(max_examples=examples(300))
@given(st.binary(max_size=60), st.sampled_from([b"", b"GET / HTTP/1.1\r\n", chunked(b"")]))
def test_noise_is_refused_and_never_fails_otherwise(noise, before):
    seen = outcome(before + noise)
    assert all(isinstance(it[0], RequestHead) or it[0] in (400, 431, 501, 505) for it in seen)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        *((f"{method} / HTTP/1.1", 200) for method in ("GET", "PATCH", "OPTIONS", "TRACE")),
        *((f"GET {target} HTTP/1.1", 200) for target in TARGETS),
        ("GET / HTTP/1.0", 200),
        ("GET / HTTP/1.2", 200),  # as 1.1: RFC 9110, section 2.5
        ("OPTIONS * HTTP/1.1", 200),
        *((f"{method} / HTTP/1.1", 501) for method in ("get", "Get", "FOO", "CONNECT", "PROPFIND")),
        *((f"GET / HTTP/{version}", 505) for version in ("2.0", "0.9", "3.1")),
        *((f"GET / HTTP/{version}", 400) for version in ("1.01", "+1.1", "1", "1.", "1.1 ", "1,1")),
        *((f"GET / {name}", 400) for name in ("http/1.1", "HTTPS/1.1", "HTTP 1.1", "")),
        *((f"GET {target} HTTP/1.1", 400) for target in ("a", "*", "a:80", "//x y", "/a#b", "/é")),
        *((f"GET {target} HTTP/1.1", 400) for target in ("ftp://x/", "http://", "http:/a", "\t/")),
        *((line, 400) for line in ("GET /", "GET", " GET / HTTP/1.1", "GET  / HTTP/1.1")),
        *((line, 400) for line in ("GET /  HTTP/1.1", "GET\t/ HTTP/1.1", "G(T / HTTP/1.1", ":")),
        ("GET /\x00 HTTP/1.1", 400),
        ("GET /\x7f HTTP/1.1", 400),
    ],
)
def test_a_request_line_is_exact(line, status):
    """RFC 9112, section 3."""
    assert status_of(post(b"", first=line)) == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *(
            (f"Host: {host}", 200)
            for host in ("a", "a.b:80", "127.0.0.1:1", "[::1]:80", "a_b", "a:")
        ),
        *((f"Host: {host}", 400) for host in ("", "a b", "a,b", "a/b", "a@b", "a:b", "a:1:2", "é")),
        *((f"Host: {host}", 400) for host in ("[::1", "::1", "a:123456", "a?", "a#", "http://a")),
        ("Host: a\r\nHost: a", 400),
        ("Host: a\r\nhOST: b", 400),
        ("Host : a", 400),
        ("X: y", 400),
    ],
)
def test_there_is_exactly_one_host(host, status):
    assert status_of(f"GET / HTTP/1.1\r\n{host}\r\n\r\n".encode("latin-1")) == status


def test_http_1_0_needs_no_host_and_keeps_a_connection_where_it_asks_for_that():
    """A probe of a balancer; RFC 9112, sections 3.2 and 9.3."""
    [(head, _)] = outcome(b"GET / HTTP/1.0\r\n\r\n")
    assert not head.is_kept
    [(head, _)] = outcome(b"GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n")
    assert head.is_kept and head.version == "HTTP/1.0"
    [(head, _)] = outcome(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n")
    assert not head.is_kept


@pytest.mark.parametrize(
    "lines",
    [
        *(["X: a\rb"], ["X: a\r\r"], ["X: a\x00"], ["X: a\x0b"], ["X: \x7f"], ["X: a", " b"]),
        *(
            [" X: a"],
            ["X : a"],
            ["X\t: a"],
            ["X"],
            [": a"],
            ["X(: a"],
            ["X\x80: a"],
            ["X: a\nY: b"],
        ),
        *(["X: a\rHost: evil.test"], ["X: a\rTransfer-Encoding: chunked"]),
        *([f"Content-Length: {value}"] for value in ("", "-1", "+5", "5 5", "5,5", "0x5", "5_0")),
        *(
            [f"Content-Length: {value}"]
            for value in ("٥".encode().decode("latin-1"), "5.0", "9" * 16)
        ),
        *(["Content-Length: 0", "Content-Length: 0"], ["Content-Type: a", "content-type: a"]),
        *(["Content-Length: 0", "Transfer-Encoding: chunked"], ["Transfer-Encoding: identity"]),
        *(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding:"]),
        *([f"Transfer-Encoding: {value}"] for value in ("chunked, gzip", "xchunked", '"chunked"')),
        *(
            [f"Transfer-Encoding: {value}"]
            for value in ("chunked, chunked", "\x0bchunked", ",chunked")
        ),
    ],
    ids=repr,
)
def test_fields_that_two_servers_could_read_differently_are_refused(lines):
    """The body is a whole one in chunks: only the fields are wrong."""
    assert status_of(post(b"0\r\n\r\n", *lines)) == 400


def test_a_coding_that_is_not_undone_is_not_implemented():
    """RFC 9112, section 6.1."""
    assert status_of(post(b"", "Transfer-Encoding: gzip, chunked")) == 501


def test_a_body_in_chunks_is_for_http_1_1():
    data = post(b"0\r\n\r\n", "Transfer-Encoding: chunked", first="POST / HTTP/1.0")
    assert status_of(data) == 400


BAD_SIZES = ["0x5", "+5", "-5", " 5", "5 ", "5\t", "1_5", "5;", "5;=a", "5; a=", "", ";a", "g", "٥"]
BAD_SIZES += ["0" * 16 + "5", '5;a="b', '5;a="\x00"', "5;a\x00", "5 a", "5,a", "5;a ", "5;a=b c"]


@pytest.mark.parametrize("size", BAD_SIZES)
def test_a_size_of_a_chunk_is_hexadecimal_digits(size):
    """RFC 9112, section 7.1."""
    assert status_of(chunked(f"{size}\r\nhello\r\n0\r\n\r\n".encode())) == 400


@pytest.mark.parametrize(
    "body",
    [
        *(b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"5\r\nhello\r\n0\n\r\n"),
        *(b"5;a\nb\r\nhello\r\n0\r\n\r\n", b"5\rhello\r\n0\r\n\r\n", b"5\r\nhello0\r\n\r\n"),
        *(b"5\r\nhelloX\r\n0\r\n\r\n", b"0\r\n\n", b"0\r\nX: a\n\r\n", b"0\r\nX: a\rb\r\n\r\n"),
        *(
            b"0\r\nno colon\r\n\r\n",
            b"0\r\n X: a\r\n\r\n",
            b"0\r\nX : a\r\n\r\n",
            b"0\r\nX: \0\r\n\r\n",
        ),
        *(b"0\r\nHost: a\r\nHost: a\r\n\r\n", b"50\r\nhello", b"5\r\nhello\r\n", b"0\r\n", b"5"),
    ],
)
def test_a_body_in_chunks_is_exact(body):
    assert status_of(chunked(body)) == 400


@pytest.mark.parametrize(
    ("before", "count"),
    [(b"", 1), (b"\r\n", 1), (b"\r\n\r\n", 0), (b"\n", 0), (b"\r", 0), (b" ", 0)],
)
def test_one_empty_line_before_a_request_is_skipped(before, count):
    seen = outcome(before + post(b""))
    assert [isinstance(it[0], RequestHead) for it in seen] == [count == 1]


def test_an_empty_line_and_no_request_is_no_mistake():
    assert len(outcome(post(b"") + b"\r\n")) == 1


@pytest.mark.parametrize("cut", [1, 10, 30])
def test_a_request_that_breaks_off_is_refused(cut):
    assert status_of(post(b"")[:cut]) == 400


ENDLESS = {
    "line": (b"GET /", b"x", 414, bodies.REQUEST_LINE_BYTES),
    "method": (b"", b"G", 414, bodies.REQUEST_LINE_BYTES),
    "header": (post(b"")[:-2] + b"X: ", b"x", 431, bodies.HEADER_LINE_BYTES),
    "name": (post(b"")[:-2], b"x", 431, bodies.HEADER_LINE_BYTES),
    "headers": (post(b"")[:-2], b"X: " + b"x" * 2000 + b"\r\n", 431, bodies.HEADERS_BYTES),
    "small headers": (post(b"")[:-2], b"X:\r\n", 431, bodies.HEADERS * 10),
    "digits": (chunked(b""), b"0", 400, bodies.CHUNK_LINE_BYTES),
    "extension": (chunked(b"5;"), b"x", 400, bodies.CHUNK_LINE_BYTES),
    "extensions": (
        chunked(b""),
        b"1;" + b"x" * 500 + b"\r\nx\r\n",
        400,
        2 * bodies.EXTENSIONS_BYTES,
    ),
    "trailer": (chunked(b"0\r\nX: "), b"x", 431, bodies.HEADER_LINE_BYTES),
    "trailers": (chunked(b"0\r\n"), b"X: " + b"x" * 2000 + b"\r\n", 431, bodies.HEADERS_BYTES),
    "chunks": (chunked(b""), b"ff\r\n" + b"x" * 255 + b"\r\n", 413, 2 * bodies.BODY_BYTES),
    "large chunk": (chunked(b"f" * 16 + b"\r\n"), b"x", 413, 0),
}


@pytest.mark.parametrize("part", ENDLESS)
def test_no_part_of_a_request_is_endless(part):
    """The reader never holds more than the part's limit and one read."""
    first, again, status, most = ENDLESS[part]
    step = max(1, 4096 // len(again))
    sender = Sender([first, *[again * step] * 2000])
    reader = RequestReader(sender.receive)
    with pytest.raises(Problem) as raised:
        reader.wait()
        head = reader.head()
        BodyReader(reader, head, bodies.BODY_BYTES).whole()
    assert raised.value.status == status
    assert sender.sent <= len(first) + most + 2 * 8192
    assert len(reader._buffer) <= bodies.HEADER_LINE_BYTES + 2 * 8192


def test_a_body_of_the_longest_length_is_read_and_one_byte_more_is_not():
    for framed in (
        lambda body: post(body, f"Content-Length: {len(body)}"),
        lambda body: chunked(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)),
    ):
        assert status_of(framed(bytes(bodies.BODY_BYTES))) == 200
        assert status_of(framed(bytes(bodies.BODY_BYTES + 1))) == 413


def test_who_waits_for_it_is_asked_for_the_body_once():
    asked = []
    for expect, body, times in (("100-Continue", b"hello", 1), ("other", b"hello", 0)):
        head = post(b"", f"Expect: {expect}", f"Content-Length: {len(body)}")
        reader = RequestReader(Sender([head, *(bytes([byte]) for byte in body)]).receive)
        reader.wait()
        read = BodyReader(reader, reader.head(), ask=lambda: asked.append(1))
        assert (read.whole(), len(asked)) == (body, times)
        asked.clear()


def test_nobody_is_asked_for_a_body_that_is_here_or_that_is_too_large():
    asked = []
    for length, body in ((5, b"hello"), (bodies.BODY_BYTES + 1, b"")):
        data = post(body, "Expect: 100-continue", f"Content-Length: {length}")
        reader = RequestReader(Sender([data]).receive)
        reader.wait()
        head = reader.head()
        try:
            BodyReader(reader, head, bodies.BODY_BYTES, lambda: asked.append(1)).whole()
        except Problem as problem:
            assert problem.status == 413
    assert asked == []


def test_repeated_fields_are_one_list_and_cookies_one_cookie():
    [(head, _)] = outcome(post(b"", "X-A: 1", "x-a:2 ", "Cookie: a=1", "Cookie: b=2", "X_A: 3"))
    assert (head.headers["x-a"], head.headers["cookie"]) == ("1,2", "a=1; b=2")
