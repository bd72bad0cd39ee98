"""Files in requests and answers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO
from urllib.parse import quote

from flask import Response, request
from werkzeug.wsgi import wrap_file

from dashboard.db.files import StoredFile
from dashboard.errors import Problem
from dashboard.files.pictures import TYPES

_CHUNK_BYTES = 64 * 1024
_PICTURES = frozenset(TYPES.values())
#: A file that is opened as a page runs nothing and loads nothing.
_POLICY = "default-src 'none'; sandbox"


def file_response(file: StoredFile, content: BinaryIO) -> Response:
    """Returns the content: pictures, which were encoded again, are shown; others only saved."""
    response = Response(
        wrap_file(request.environ, content, _CHUNK_BYTES),
        mimetype=file.type,
        direct_passthrough=True,
    )
    response.call_on_close(content.close)
    response.content_length = file.size
    if file.type == "text/plain":
        response.mimetype_params["charset"] = "utf-8"
    kind = "inline" if file.type in _PICTURES else "attachment"
    response.headers["Content-Disposition"] = f"{kind}; {_filename(file.name)}"
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Cache-Control"] = "private, no-cache"
    response.set_etag(file.id)
    # The header `nosniff` is set on every answer.
    response.make_conditional(request)
    return response


def _filename(name: str) -> str:
    """Returns the name by RFC 6266: a plain one, and the same in UTF-8 for newer clients."""
    plain = "".join(char if char.isascii() and char not in '"\\%' else "_" for char in name)
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


#: Longest time for the whole body of an upload; a pause in it has the limit of any request.
UPLOAD_SECONDS = 300
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
