"""A strict reader of HTTP/1.1 requests (RFC 9112): heads, and bodies of either framing.

It takes bytes from a function and knows no socket, so eventlet and gevent read alike. Every part
has a bound in bytes; the caller bounds the time. A request that two servers could read differently
is refused: a proxy in front may be the other one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dashboard.errors import Problem
from dashboard.web.http import bodies

#: `receive(size)` waits for input and returns up to `size` bytes, none at its end.
Receive = Callable[[int], bytes]

#: Bytes of one read of lines: parsing them takes some ms if each chunk has one byte.
_LINES_BYTES = 8 * 1024
#: Bytes of one read of content.
_CONTENT_BYTES = 64 * 1024
#: The methods of RFC 9110 that an origin server may know, PATCH and QUERY. A resource that does not
#: take one of them answers 405 with `Allow`, and 501 says that none does.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"})
#: Headers that may be given once: a proxy may read a repeated one differently.
_ONCE = frozenset({"host", "content-length", "content-type", "transfer-encoding"})

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
#: A target holds visible characters of ASCII, and no fragment.
_REQUEST_LINE = re.compile(rf'({_TOKEN}) ([!"$-~]++) HTTP/([0-9])\.([0-9])')
_ABSOLUTE = re.compile(r"https?://[^/?]++", re.IGNORECASE)
#: No value has a control character but the tab (RFC 9110, section 5.5).
_FIELD = re.compile(rf"({_TOKEN}):[ \t]*+([^\x00-\x08\x0a-\x1f\x7f]*+)")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
#: A name or an address, and a port. Host names have no signs such as the comma.
_HOST = re.compile(r"(?:[0-9A-Za-z._~-]++|\[[0-9A-Fa-f:.]++\])(?::[0-9]{0,5})?")
_LENGTH = re.compile(r"[0-9]{1,15}")
#: Codings with a meaning, which this server does not decode.
_OTHER_CODINGS = frozenset({"gzip", "x-gzip", "compress", "x-compress", "deflate"})
_QUOTED = r'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*+"'
_CHUNK_LINE = re.compile(
    r"([0-9A-Fa-f]{1,16}+)"
    rf"((?:[ \t]*+;[ \t]*+{_TOKEN}(?:[ \t]*+=[ \t]*+(?:{_TOKEN}|{_QUOTED}))?+)*+)"
)


@dataclass(slots=True)
class RequestHead:
    """A request without its body. `headers` has names in lower case; `version` is 1.0 or 1.1."""

    method: str
    target: str
    version: str
    headers: dict[str, str]
    #: Bytes of the body; None if it is chunked.
    length: int | None
    #: Whether the client accepts another answer on this connection.
    is_kept: bool

    @property
    def has_body(self) -> bool:
        return self.length != 0

    @property
    def awaits_continue(self) -> bool:
        """Whether the client waits for "100 Continue" before it sends the body."""
        expects = self.headers.get("expect", "").lower() == "100-continue"
        return expects and self.has_body and self.version == "HTTP/1.1"


class RequestReader:
    """Reads the requests of one connection, one after the other."""

    def __init__(self, receive: Receive):
        self._receive = receive
        self._buffer = bytearray()
        #: Everything before this place in the buffer has been read.
        self._at = 0

    @property
    def holds_input(self) -> bool:
        """Whether input was received that is not read yet."""
        return self._at < len(self._buffer)

    def wait(self) -> bool:
        """Waits for the first byte of a request; returns False at the end of the input."""
        if not self.holds_input:
            self._add(self._receive(_LINES_BYTES))
        return self.holds_input

    def skip_empty_line(self) -> bool:
        """Skips an empty line, which some clients send after a body; returns whether it did."""
        if self._buffer[self._at] != 0x0D:
            return False
        return not self.line(len("\r\n"), _bad_line)

    def head(self) -> RequestHead:
        """Reads the next head. Raises Problem: 400, 414, 431, 501, 505."""
        line = self.line(bodies.REQUEST_LINE_BYTES, bodies.url_too_long)
        match = _REQUEST_LINE.fullmatch(line)
        if match is None:
            raise bodies.bad_request("The first line is not a request line of HTTP/1.1.")
        method, target, major, minor = match.groups()
        if major != "1":
            raise Problem(505, "version_not_supported", "This server speaks HTTP/1.1.")
        if method not in _METHODS:
            raise Problem(501, "method_not_implemented", "This server knows no such method.")
        is_path = target[0] == "/" or (target == "*" and method == "OPTIONS")
        if not (is_path or _ABSOLUTE.match(target)):
            raise bodies.bad_request("The target of a request is a path or an http URI.")
        version = "HTTP/1.0" if minor == "0" else "HTTP/1.1"
        headers = self.fields()
        _check_host(headers.get("host"), version)
        length = _length(headers, version)
        return RequestHead(method, target, version, headers, length, _is_kept(headers, version))

    def fields(self) -> dict[str, str]:
        """Reads the fields of a head, or the trailers of a body, up to an empty line."""
        fields: dict[str, str] = {}
        count = size = 0
        while line := self.line(bodies.HEADER_LINE_BYTES, bodies.headers_too_large):
            count += 1
            size += len(line)
            if count > bodies.HEADERS or size > bodies.HEADERS_BYTES:
                raise bodies.headers_too_large()
            match = _FIELD.fullmatch(line)
            if match is None:
                raise _bad_field(line)
            name = match[1].lower()
            value = match[2].rstrip(" \t")
            if name in fields:
                if name in _ONCE:
                    raise bodies.bad_request(f"The header {name} is given more than once.")
                value = f"{fields[name]}{'; ' if name == 'cookie' else ','}{value}"
            fields[name] = value
        return fields

    def chunk_line(self) -> tuple[int, int]:
        """Reads the size of the next chunk, and the number of bytes of its extensions."""
        match = _CHUNK_LINE.fullmatch(self.line(bodies.CHUNK_LINE_BYTES, _bad_chunk))
        if match is None:
            raise _bad_chunk()
        return int(match[1], 16), len(match[2])

    def line(self, most: int, too_long: Callable[[], Problem]) -> str:
        """Reads the next line, without its end; raises `too_long()` above `most` bytes."""
        scanned = 0
        while (end := self._buffer.find(b"\n", self._at + scanned)) < 0:
            scanned = len(self._buffer) - self._at
            if scanned > most:
                raise too_long()
            self._receive_more(_LINES_BYTES)
        if end + 1 - self._at > most:
            raise too_long()
        line = self._buffer[self._at : end].decode("latin-1")
        if line[-1:] != "\r":
            raise _bad_line()
        self._at = end + 1
        return line[:-1]

    def content(self, most: int) -> bytes:
        """Reads some of the content: at least one byte, at most `most`."""
        if not self.holds_input:
            self._receive_more(max(_LINES_BYTES, min(most, _CONTENT_BYTES)))
        content = bytes(self._buffer[self._at : self._at + most])
        self._at += len(content)
        return content

    def _receive_more(self, size: int) -> None:
        data = self._receive(size)
        if not data:
            raise bodies.broken_off()
        self._add(data)

    def _add(self, data: bytes) -> None:
        del self._buffer[: self._at]
        self._at = 0
        self._buffer += data


class BodyReader:
    """Reads the body of one request in pieces; `most` is its longest length, None for any.

    `ask` is called before the first byte is read, if the client waits for it.
    """

    def __init__(
        self,
        reader: RequestReader,
        head: RequestHead,
        most: int | None = None,
        ask: Callable[[], object] = lambda: None,
    ):
        self._reader = reader
        self._ask = ask
        self._is_awaited = head.awaits_continue
        #: Whether nothing of the body is left on the connection.
        self.is_at_end = not head.has_body
        self._is_chunked = head.length is None
        #: Bytes that are left of the body, or of the chunk.
        self._left = head.length or 0
        #: Bytes that chunks may still have, and bytes that their extensions may still have.
        self._chunks_left = most
        self._extensions_left = bodies.EXTENSIONS_BYTES
        if most is not None and self._left > most:
            raise bodies.payload_too_large()

    def read(self, size: int) -> bytes:
        """Returns at most `size` bytes; none at the end. Raises Problem: 400, 413, 431."""
        if self._is_awaited:
            self._is_awaited = False
            if not self._reader.holds_input:
                self._ask()
        if self._is_chunked and not self._left and not self.is_at_end:
            self._begin_chunk()
        if self.is_at_end:
            return b""
        content = self._reader.content(min(size, self._left))
        self._left -= len(content)
        if not self._left:
            self._end()
        return content

    def whole(self) -> bytes:
        """Returns all of the body. Raises the errors of `read`."""
        body = bytearray()
        while content := self.read(_CONTENT_BYTES):
            body += content
        return bytes(body)

    def _begin_chunk(self) -> None:
        self._left, extensions = self._reader.chunk_line()
        self._extensions_left -= extensions
        if self._extensions_left < 0:
            raise bodies.bad_request("The extensions of the chunks are too long.")
        if not self._left:
            self._reader.fields()
            self.is_at_end = True
        elif self._chunks_left is not None:
            self._chunks_left -= self._left
            if self._chunks_left < 0:
                raise bodies.payload_too_large()

    def _end(self) -> None:
        if not self._is_chunked:
            self.is_at_end = True
        else:
            # The only line of two bytes is the empty one.
            self._reader.line(len("\r\n"), _bad_chunk)


def _check_host(host: str | None, version: str) -> None:
    if host is None:
        if version != "HTTP/1.0":
            raise bodies.bad_request("The header host is missing.")
    elif not _HOST.fullmatch(host):
        raise bodies.bad_request("The header host is not the name or address of a host.")


def _length(headers: dict[str, str], version: str) -> int | None:
    """Returns the body's bytes; None if it is chunked. Raises Problem: 400, 501."""
    length, coding = headers.get("content-length"), headers.get("transfer-encoding")
    if coding is None:
        if length is None:
            return 0
        if not _LENGTH.fullmatch(length):
            raise bodies.bad_request("Content-Length is not a number of bytes.")
        return int(length)
    if length is not None or version == "HTTP/1.0":
        raise bodies.bad_request("Transfer-Encoding is for HTTP/1.1, without a Content-Length.")
    *others, last = (part.strip(" \t") for part in coding.lower().split(","))
    if last == "chunked" and not others:
        return None
    if last == "chunked" and _OTHER_CODINGS.issuperset(others):
        raise Problem(501, "coding_not_implemented", "Only the coding chunked is accepted.")
    raise bodies.bad_request("Transfer-Encoding must be chunked.")


def _is_kept(headers: dict[str, str], version: str) -> bool:
    options = {option.strip() for option in headers.get("connection", "").lower().split(",")}
    return "close" not in options and (version == "HTTP/1.1" or "keep-alive" in options)


def _bad_field(line: str) -> Problem:
    if _CONTROL.search(line) or line[0] in " \t":
        return bodies.bad_request(
            "A header holds a control character, or is continued on another line."
        )
    return bodies.bad_request("A line of the headers cannot be read.")


def _bad_line() -> Problem:
    return bodies.bad_request("A line of the request does not end with CR LF.")


def _bad_chunk() -> Problem:
    return bodies.bad_request("A chunk of the body cannot be read.")
