"""Requests with a file as body: which requests these are, and their limits."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from flask import request

from dashboard.errors import Problem

#: Longest time for the whole body of an upload; a pause in it has the limit of any request.
UPLOAD_SECONDS = 300
_CHUNK_BYTES = 64 * 1024
_PATH = re.compile(r"/admin/api/threads/[0-9]+/files")


def is_upload(environ: Mapping[str, Any]) -> bool:
    """Whether the application reads the body of a request while it arrives."""
    is_post = environ.get("REQUEST_METHOD") == "POST"
    return is_post and _PATH.fullmatch(environ.get("PATH_INFO", "")) is not None


def body_chunks(bytes_max: int, too_large: Problem) -> Iterator[bytes]:
    """Yields the request's body in chunks. Raises `too_large` before reading more."""
    if (request.content_length or 0) > bytes_max:
        raise too_large
    # The caller counts the chunks: one byte above the limit must come through.
    request.max_content_length = bytes_max + 1
    while chunk := request.stream.read(_CHUNK_BYTES):
        yield chunk
