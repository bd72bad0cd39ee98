"""Uploads, as the page makes them."""

from typing import Any

from werkzeug.test import TestResponse

from dashboard.files.store import OWNER
from tests.dashboard.web.admin.calls import API

TYPE = "application/octet-stream"


def upload(client, thread_id: int, content: Any = b"hello", name: str = "a.txt") -> TestResponse:
    """Uploads `content`, bytes or a file object; returns the answer."""
    given = {"query_string": {"name": name}, "content_type": TYPE}
    if not isinstance(content, bytes):
        given["environ_overrides"] = {"wsgi.input": content, "wsgi.input_terminated": True}
    else:
        given["data"] = content
    return client.post(f"{API}/threads/{thread_id}/files", **given)


def uploaded(client, thread_id: int, content: bytes = b"hello", name: str = "a.txt") -> str:
    """Uploads a file; returns its id."""
    answer = upload(client, thread_id, content, name)
    assert answer.status_code == 201, answer.json
    return answer.json["file"]["id"]


def stored(site) -> list[str]:
    """The names of all that is on disk, without folders and the name of the folder's owner."""
    folder = site.services.settings.files
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != OWNER)
