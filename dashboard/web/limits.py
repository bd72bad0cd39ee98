"""What a request may be, before any application sees it, and how the server itself refuses."""

import json
from dataclasses import dataclass
from email.message import Message

from dashboard.errors import Problem

#: Request line: method, URL and version.
REQUEST_LINE_BYTES = 16 * 1024
HEADER_LINE_BYTES = 32 * 1024
HEADERS_BYTES = 64 * 1024
#: The library's own limit; one more is refused.
HEADERS = 100
BODY_BYTES = 1024 * 1024

#: Head and body of a request must each be there so long after they have begun.
REQUEST_SECONDS = 30
#: A connection that is kept alive may be silent for so long.
KEEPALIVE_SECONDS = 60
#: How long, and how much, of a refused body is read, for who still writes reads no answer.
DRAIN_SECONDS = 5
DRAIN_BYTES = 16 * BODY_BYTES

#: Said twice they mean two things to two servers: the door of request smuggling.
_ONCE = ("host", "content-length", "content-type", "transfer-encoding")


@dataclass
class Refused(Exception):
    """The request is no good HTTP: answered by the server, and the connection closed."""

    problem: Problem

    def response(self) -> bytes:
        """The whole answer, status line and all."""
        body = self.problem.body()
        content = json.dumps(body).encode()
        head = (
            f"HTTP/1.1 {body['status']} {body['title']}\r\n"
            "Content-Type: application/problem+json\r\n"
            f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + content


def bad_request(detail: str = "This is no HTTP request.") -> Refused:
    return Refused(Problem(400, "bad_request", detail))


def headers_too_large() -> Refused:
    return Refused(Problem(431, "headers_too_large", "The headers of the request are too large."))


def url_too_long() -> Refused:
    return Refused(Problem(414, "url_too_long", "The URL is too long."))


def request_timeout() -> Problem:
    return Problem(408, "request_timeout", "The request took too long to arrive.")


def check_headers(headers: Message) -> None:
    """Raises Refused for headers that are too large, or that two servers could read differently."""
    sizes = [len(name) + len(value) for name, value in headers.items()]
    if len(sizes) > HEADERS or sum(sizes) > HEADERS_BYTES:
        raise headers_too_large()
    if max(sizes, default=0) > HEADER_LINE_BYTES:
        raise headers_too_large()
    for name in _ONCE:
        if len(headers.get_all(name, ())) > 1:
            raise bad_request(f"The header {name} stands there twice.")
    if any("\r" in value or "\n" in value for value in headers.values()):
        raise bad_request("A header goes on on another line.")
    _check_length(headers.get("content-length"), headers.get("transfer-encoding"))


def _check_length(length: str | None, encoding: str | None) -> None:
    if length is not None and not (length.isascii() and length.isdigit() and len(length) < 16):
        raise bad_request("Content-Length is not a number of bytes.")
    if encoding is not None and (length is not None or encoding.lower() != "chunked"):
        raise bad_request("Transfer-Encoding may be chunked, without a Content-Length.")
