"""Limits of HTTP requests, and the problems of requests beyond a limit."""

from dashboard.errors import Problem

#: Request line: method, URL and version.
REQUEST_LINE_BYTES = 16 * 1024
HEADER_LINE_BYTES = 32 * 1024
#: All header lines together; the same for the trailers of a chunked body.
HEADERS_BYTES = 64 * 1024
HEADERS = 100
BODY_BYTES = 1024 * 1024
#: The line before a chunk: its size, and extensions, which this server ignores.
CHUNK_LINE_BYTES = 4 * 1024
#: All extensions of a body together.
EXTENSIONS_BYTES = 16 * 1024

#: Longest time from the first to the last byte of a request's head; the same for its body.
REQUEST_SECONDS = 30
#: The rest of a refused request is read for this time and up to this size: a client that is still
#: sending would not read the answer.
DRAIN_SECONDS = 1
#: The same if the rest of a body is still to come.
DRAIN_BODY_SECONDS = 5
DRAIN_BYTES = 16 * BODY_BYTES


def bad_request(detail: str) -> Problem:
    return Problem(400, "bad_request", detail)


def broken_off() -> Problem:
    return bad_request("The request broke off.")


def headers_too_large() -> Problem:
    return Problem(431, "headers_too_large", "The headers of the request are too large.")


def url_too_long() -> Problem:
    return Problem(414, "url_too_long", "The URL is too long.")


def payload_too_large() -> Problem:
    return Problem(413, "payload_too_large", "The body may have up to 1 MiB.")


def request_timeout() -> Problem:
    return Problem(408, "request_timeout", "The request took too long to arrive.")
