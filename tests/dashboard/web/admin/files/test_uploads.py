"""Admins upload files for messages: types, names, limits, and the remains of a failure."""

import errno
import io
import os
import stat

import pytest

from dashboard.errors import StorageUnavailable
from dashboard.files import pictures, store, uploads
from dashboard.web.http.bodies import request_timeout
from tests.dashboard.files import samples
from tests.dashboard.web.admin.calls import API
from tests.dashboard.web.admin.files.calls import TYPE, stored, upload, uploaded
from tests.dashboard.web.answers import is_problem


@pytest.fixture
def thread(dashboard) -> int:
    return dashboard.say("t-1")


def test_an_upload_answers_id_name_type_and_size(dashboard, mai, thread):
    answer = upload(mai, thread, b"hello", "../notes.txt")
    file = answer.json["file"]
    assert answer.status_code == 201
    assert file == {"id": file["id"], "name": "notes.txt", "type": "text/plain", "size": 5}
    assert store.ID.fullmatch(file["id"]) and stored(dashboard) == [file["id"]]


@pytest.mark.parametrize(
    ("content", "name", "type"),
    [
        (samples.HTML, "cat.png", "text/plain"),
        (samples.SVG, "cat.svg", "text/plain"),
        (samples.picture(), "page.html", "image/png"),
        (samples.bomb(), "cat.png", "application/octet-stream"),
        (samples.photo(), "photo", "image/jpeg"),
    ],
)
def test_the_type_is_that_of_the_content(mai, thread, content, name, type):
    assert upload(mai, thread, content, name).json["file"]["type"] == type


def test_a_large_picture_is_encoded_beside_the_requests_of_others(mai, thread, monkeypatch):
    beside = []

    def encode_beside(source, target):
        beside.append(source.name)
        return pictures.reencode(source, target)

    monkeypatch.setattr(pictures, "encode_beside", encode_beside)
    assert upload(mai, thread, samples.picture(), "small.png").json["file"]["type"] == "image/png"
    assert beside == []
    large = upload(mai, thread, samples.picture(size=(1100, 1000)), "large.png")
    assert (large.json["file"]["type"], beside) == ("image/png", ["received"])


def test_contents_are_their_owners_alone(dashboard, mai, thread):
    uploaded(mai, thread)
    uploaded(mai, thread, samples.picture())
    folder = dashboard.services.settings.files
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.glob("*")]}
    assert (modes, folders) == ({0o600}, {0o700})


@pytest.mark.parametrize("size", [uploads.FILE_BYTES, uploads.FILE_BYTES + 1])
def test_a_file_has_up_to_ten_mebibytes(dashboard, mai, thread, size):
    answer = upload(mai, thread, bytes(size), "zeros")
    if size == uploads.FILE_BYTES:
        assert answer.json["file"]["size"] == size
    else:
        assert is_problem(answer, 413, "payload_too_large") and stored(dashboard) == []


class Endless(io.RawIOBase):
    """A body that does not declare its length."""

    given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.given += len(buffer)
        return len(buffer)


def test_a_body_without_length_is_not_read_beyond_the_limit(dashboard, mai, thread):
    endless = Endless()
    assert is_problem(upload(mai, thread, endless, "zeros"), 413, "payload_too_large")
    assert endless.given < uploads.FILE_BYTES + 256 * 1024 and stored(dashboard) == []


class Slow(Endless):
    """A body that takes too long to arrive."""

    def readinto(self, buffer) -> int:
        raise request_timeout()


def test_a_body_that_takes_too_long_is_refused(dashboard, mai, thread):
    answer = upload(mai, thread, Slow(), "zeros")
    assert is_problem(answer, 408, "request_timeout") and stored(dashboard) == []


def test_an_empty_file_is_refused(dashboard, mai, thread):
    assert is_problem(upload(mai, thread, b""), 422, "empty_file") and stored(dashboard) == []


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", ""])
def test_what_a_form_could_send_is_refused(dashboard, mai, thread, kind):
    url = f"{API}/threads/{thread}/files?name=a"
    answer = mai.post(url, data=b"hello", content_type=kind)
    assert is_problem(answer, 415, "unsupported_media_type") and stored(dashboard) == []


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
def test_another_origin_is_refused(dashboard, mai, thread, origin):
    url = f"{API}/threads/{thread}/files?name=a"
    answer = mai.post(url, data=b"hello", content_type=TYPE, headers={"Origin": origin})
    assert is_problem(answer, 403, "csrf_failed") and stored(dashboard) == []


def test_a_file_is_no_way_around_json_for_other_calls(mai, thread):
    answer = mai.post(f"{API}/threads/{thread}/claim", data=b"{}", content_type=TYPE)
    assert is_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(("query", "code"), [("", "missing_field"), ("name=", "empty_text")])
def test_a_file_has_a_name(mai, thread, query, code):
    answer = mai.post(f"{API}/threads/{thread}/files?{query}", data=b"x", content_type=TYPE)
    assert is_problem(answer, 422, code) and answer.json["errors"][0]["pointer"] == "/name"


def test_nobody_uploads_without_a_session_or_for_a_thread_that_is_not_there(dashboard, mai, thread):
    assert is_problem(upload(mai, 999), 404, "not_found")
    assert is_problem(upload(dashboard.client(), thread), 401, "unauthorized")
    assert stored(dashboard) == []


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 507), (errno.EIO, 503)])
def test_a_full_or_broken_disk_is_said_and_leaves_nothing(
    dashboard, mai, thread, monkeypatch, number, status
):
    def fail(*given) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(store.os, "write", fail)
        code = "storage_full" if status == 507 else "storage_unavailable"
        assert is_problem(upload(mai, thread), status, code)
    with monkeypatch.context() as patched:
        patched.setattr(pictures, "_encode", fail)
        assert is_problem(upload(mai, thread, samples.picture()), status, code)
    assert stored(dashboard) == []


def test_where_sql_is_away_nothing_is_left(dashboard, mai, thread, monkeypatch):
    def fail(*given):
        raise StorageUnavailable()

    monkeypatch.setattr(uploads.files, "add", fail)
    assert is_problem(upload(mai, thread), 503, "storage_unavailable")
    assert stored(dashboard) == []


def test_what_waits_for_no_message_is_limited_for_each_admin_and_for_all(
    dashboard, mai, thread, monkeypatch
):
    monkeypatch.setattr(uploads, "ADMIN_BYTES", 10)
    monkeypatch.setattr(uploads, "ALL_BYTES", 15)
    ken = dashboard.sign_in("Ken")
    first = uploaded(mai, thread, b"12345678")
    assert is_problem(upload(mai, thread, b"abc"), 413, "upload_quota")
    assert upload(mai, thread, b"ab").status_code == 201
    assert is_problem(upload(mai, thread, b"a"), 413, "upload_quota")
    assert is_problem(upload(ken, thread, b"123456"), 507, "storage_full")
    assert upload(ken, thread, b"12345").status_code == 201
    assert mai.delete(f"{API}/files/{first}").status_code == 204
    assert upload(mai, thread, b"again").status_code == 201
    assert len(stored(dashboard)) == 3


def test_an_admin_discards_a_file_of_their_own_alone(dashboard, mai, thread):
    ken = dashboard.sign_in("Ken")
    id = uploaded(mai, thread)
    assert is_problem(ken.delete(f"{API}/files/{id}"), 404, "not_found")
    assert stored(dashboard) == [id]
    assert mai.delete(f"{API}/files/{id}").status_code == 204
    assert stored(dashboard) == []
    assert is_problem(mai.delete(f"{API}/files/{id}"), 404, "not_found")
