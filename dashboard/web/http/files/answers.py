"""Answers that hold a file of an admin."""

from typing import BinaryIO
from urllib.parse import quote

from flask import Response, request
from werkzeug.wsgi import wrap_file

from dashboard.db.files import StoredFile
from dashboard.files.pictures import TYPES

_CHUNK_BYTES = 64 * 1024
_PICTURES = frozenset(TYPES.values())
#: A file that is opened as a page runs nothing and loads nothing.
_POLICY = "default-src 'none'; sandbox"


def file_response(file: StoredFile, content: BinaryIO) -> Response:
    """Returns the content: pictures, which were encoded anew, are shown; others only saved."""
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
    plain = "".join(each if each.isascii() and each not in '"\\%' else "_" for each in name)
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
