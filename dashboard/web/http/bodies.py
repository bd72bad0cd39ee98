"""Bodies of requests, their limits and problems, and the check that a call is from our own page."""

from collections.abc import Callable
from typing import Any, TypeVar

from flask import current_app, request
from pydantic import BaseModel

from dashboard.errors import Problem
from dashboard.validation import strict_json
from dashboard.validation.field_errors import validated
from dashboard.web.http.origins import Origins

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


Model = TypeVar("Model", bound=BaseModel)
Result = TypeVar("Result")

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Parsing a larger body would delay other requests too long.
_LARGE_BYTES = 64 * 1024
#: The key, in an application's configuration, of the function that runs work beside others.
OFFLOAD = "LINEUP_OFFLOAD"
#: The media type of requests with a file as body.
FILE_TYPE = "application/octet-stream"
_CHARSETS = frozenset({"utf-8", "utf8"})


def is_json() -> bool:
    """Whether the request declares its body as JSON in UTF-8."""
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    return request.mimetype == "application/json" and charset in _CHARSETS


def require_json() -> None:
    """Raises Problem (415) for all other bodies; an HTML form cannot send JSON."""
    _require_no_encoding()
    if not is_json():
        raise Problem(
            415, "unsupported_media_type", "Send JSON in UTF-8: Content-Type: application/json."
        )


def require_file() -> None:
    """Raises Problem (415) unless it is application/octet-stream, which no HTML form can send."""
    _require_no_encoding()
    if request.mimetype != FILE_TYPE:
        raise Problem(
            415, "unsupported_media_type", f"Send the file as it is: Content-Type: {FILE_TYPE}."
        )


def require_own_page(origins: Origins) -> None:
    """Raises Problem (403) for a request from another origin that changes something."""
    if request.method not in _SAFE_METHODS:
        origins.check_origin(request.environ)


def require_type(takes_file: bool = False) -> None:
    """Raises Problem (415) for a request that changes something and is not JSON.

    With `takes_file` it must be a file instead. A DELETE needs no body, and no form sends one.
    """
    if takes_file:
        require_file()
    elif request.method not in _SAFE_METHODS and (
        request.method != "DELETE" or request.content_length
    ):
        require_json()


def _require_no_encoding() -> None:
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise Problem(
            415, "unsupported_content_encoding", "Send the body without Content-Encoding."
        )


def document(bytes_max: int = BODY_BYTES) -> Any:
    """Returns the body's JSON value. Raises Problem (400, 413, 415)."""
    require_json()
    request.max_content_length = bytes_max
    return beside_others(strict_json.loads, request.get_data())


def beside_others(work: Callable[..., Result], *arguments: Any) -> Result:
    """Returns the result of `work`, or raises its error; a large body is handled in a thread.

    `work` may only compute: it must use no connection, and nothing of the request.
    """
    if len(request.get_data()) > _LARGE_BYTES and OFFLOAD in current_app.config:
        return current_app.config[OFFLOAD](work, *arguments)
    return work(*arguments)


def document_or_empty(bytes_max: int = BODY_BYTES) -> Any:
    """Reads the body like `document`; an empty body counts as `{}`."""
    request.max_content_length = bytes_max
    return document(bytes_max) if request.get_data() else {}


def read_body(model: type[Model], bytes_max: int = BODY_BYTES) -> Model:
    """Returns the body as a model; an empty one counts as `{}`. Raises Problem and Invalid."""
    return validated(model, document_or_empty(bytes_max))
