"""The bodies of uploads are read as they come, within limits of time and length."""

import contextlib
import io

import pytest

from dashboard.errors import Problem
from dashboard.web.http.files.requests import UPLOAD_SECONDS, is_upload
from dashboard.web.server.body_reader import BodyReader
from dashboard.web.server.upload_reader import UploadStream
from dashboard.wsgi_keys import CLOSE

PATH = "/admin/api/threads/7/files"


@contextlib.contextmanager
def no_limit(seconds):
    yield


def environ_of(body: bytes, length: int | None, **more) -> dict:
    found = {"REQUEST_METHOD": "POST", "PATH_INFO": PATH, "wsgi.input": io.BytesIO(body)}
    if length is None:
        found["HTTP_TRANSFER_ENCODING"] = "chunked"
    else:
        found["CONTENT_LENGTH"] = str(length)
    return found | more


def answer(app, environ) -> tuple[str, bytes]:
    """Status and content, as the server would send them."""
    seen = []
    content = b"".join(BodyReader(app, no_limit)(environ, lambda *given: seen.append(given)))
    return seen[0][0], content


@pytest.mark.parametrize("length", [3_000_000, None])
def test_an_upload_is_read_by_the_application_and_may_be_large(length):
    def app(environ, start_response):
        body = b"".join(iter(lambda: environ["wsgi.input"].read(65_536), b""))
        start_response("201 Created", [])
        return [str(len(body)).encode()]

    closed = []
    environ = environ_of(bytes(3_000_000), length, **{CLOSE: lambda: closed.append(1)})
    assert answer(app, environ) == ("201 Created", b"3000000")
    assert closed == [], "the connection goes on"


def test_where_the_answer_comes_first_the_rest_is_read_away_and_the_connection_ends():
    def app(environ, start_response):
        start_response("401 Unauthorized", [])
        return [b"no"]

    closed, body = [], io.BytesIO(bytes(3_000_000))
    environ = environ_of(b"", 3_000_000, **{CLOSE: lambda: closed.append(1)})
    environ["wsgi.input"] = body
    assert answer(app, environ) == ("401 Unauthorized", b"no")
    assert closed == [1] and body.read() == b""


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", PATH),
        ("POST", f"{PATH}/"),
        ("POST", f"/x{PATH}"),
        ("POST", "/admin/api/threads/x/files"),
        ("POST", "/admin/api/threads/1/replies"),
        ("POST", f"{PATH}\n"),
    ],
)
def test_nothing_else_is_an_upload(method, path):
    assert not is_upload({"REQUEST_METHOD": method, "PATH_INFO": path})


def test_a_body_that_breaks_off_is_refused():
    stream = UploadStream(io.BytesIO(b"abc"), 5, no_limit)
    assert stream.read(10) == b"abc"
    with pytest.raises(Problem) as raised:
        stream.read(10)
    assert raised.value.status == 400 and not stream.is_at_end


def test_a_body_takes_five_minutes_at_most():
    now = [0.0]
    stream = UploadStream(io.BytesIO(bytes(100)), 100, no_limit, lambda: now[0])
    now[0] = UPLOAD_SECONDS - 1
    assert stream.read(10)
    now[0] = UPLOAD_SECONDS
    with pytest.raises(Problem) as raised:
        stream.read(10)
    assert raised.value.status == 408


def test_a_pause_is_no_longer_than_for_any_request():
    limits = []

    @contextlib.contextmanager
    def over(seconds):
        limits.append(seconds)
        raise TimeoutError
        yield

    with pytest.raises(Problem) as raised:
        UploadStream(io.BytesIO(b"x"), 1, over).read(1)
    assert raised.value.status == 408 and limits == [30]
