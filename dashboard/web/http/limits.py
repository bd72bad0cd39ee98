"""Limits of HTTP requests that are checked before the application runs, and their refusals."""

import re
from dataclasses import dataclass
from email.message import Message

from dashboard.errors import Problem
from dashboard.web.http.problems import json_problem

#: Request line: method, URL and version.
REQUEST_LINE_BYTES = 16 * 1024
HEADER_LINE_BYTES = 32 * 1024
HEADERS_BYTES = 64 * 1024
#: Most header lines of a request; the standard library's parser has the same limit.
HEADERS = 100
BODY_BYTES = 1024 * 1024

#: Longest time from the first to the last byte of a request's head; the same for its body.
REQUEST_SECONDS = 30
#: A kept-alive connection is closed after this time without a request.
KEEPALIVE_SECONDS = 60
#: A refused body is read for this time and up to this size: a client that still writes would not
#: read the answer.
DRAIN_SECONDS = 5
DRAIN_BYTES = 16 * BODY_BYTES

#: Headers that may be given once: a proxy may read a repeated one differently, which allows
#: request smuggling.
_ONCE = ("host", "content-length", "content-type", "transfer-encoding")
#: A token (RFC 9110, section 5.6.2).
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
#: No field value has these (RFC 9110, section 5.5).
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass
class Refused(Exception):
    """A request that the server refuses itself; the connection is closed afterwards."""

    problem: Problem

    def response(self) -> bytes:
        """The whole answer with its status line."""
        answer = json_problem(self.problem)
        answer.headers["Connection"] = "close"
        return f"HTTP/1.1 {answer.status}\r\n{answer.headers}".encode() + answer.data


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
    if headers.defects or not all(map(_HEADER_NAME.fullmatch, headers.keys())):
        # The parser stops at a line that it cannot read, such as one with a space before the colon.
        raise bad_request("A line of the headers cannot be read.")
    for name in _ONCE:
        if len(headers.get_all(name, ())) > 1:
            raise bad_request(f"The header {name} is given more than once.")
    if any(map(_CONTROL.search, headers.values())):
        raise bad_request("A header holds a control character, or is continued on another line.")
    _check_length(headers.get("content-length"), headers.get("transfer-encoding"))


def _check_length(length: str | None, encoding: str | None) -> None:
    if length is not None and not (length.isascii() and length.isdigit() and len(length) < 16):
        raise bad_request("Content-Length is not a number of bytes.")
    if encoding is not None and (length is not None or encoding.lower() != "chunked"):
        raise bad_request("Transfer-Encoding may be chunked, without a Content-Length.")
