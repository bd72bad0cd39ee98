"""Access to files, and the headers with which they are served."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admin_desks
from dashboard.db.models.accounts import admins
from dashboard.errors import NotFound
from dashboard.files.uploads import Uploader
from tests.dashboard.files import samples
from tests.dashboard.web.admin.calls import API, reply
from tests.dashboard.web.admin.files.calls import stored, uploaded
from tests.dashboard.web.answers import is_problem


@pytest.fixture
def thread(dashboard) -> int:
    return dashboard.say("t-1")


@pytest.fixture
def billing(dashboard) -> str:
    """Another desk."""
    dashboard.database.write(lambda connection: admin_desks.add(connection, "billing", 0))
    return "billing"


def put_at(dashboard, name: str, *its_desks: str) -> None:
    """Sets the desks of an admin."""

    def write(connection) -> None:
        id = connection.scalar(select(admins.c.id).where(admins.c.name == name))
        admin_desks.save(connection, id, its_desks)

    dashboard.database.write(write)


@pytest.mark.parametrize(
    ("content", "name", "type"),
    [
        (samples.HTML, "page.html", "text/plain; charset=utf-8"),
        (samples.SVG, "picture.svg", "text/plain; charset=utf-8"),
        (samples.PDF, "a.pdf", "application/pdf"),
        (samples.bomb(), "bomb.png", "application/octet-stream"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "report.exe", "application/octet-stream"),
    ],
)
def test_what_is_no_picture_is_only_to_be_saved(mai, thread, content, name, type):
    answer = mai.get(f"{API}/files/{uploaded(mai, thread, content, name)}")
    assert (answer.status_code, answer.data) == (200, content)
    assert answer.headers["Content-Type"] == type
    assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="{name}"')


def test_a_picture_is_shown_and_holds_nothing_but_its_pixels(mai, thread):
    answer = mai.get(f"{API}/files/{uploaded(mai, thread, samples.photo(), 'x.html')}")
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Content-Disposition"].startswith("inline")
    assert samples.PLACE not in answer.data and samples.HTML not in answer.data


@pytest.mark.parametrize("content", [samples.HTML, samples.picture()])
def test_no_file_is_guessed_at_or_runs_anything(mai, thread, content):
    answer = mai.get(f"{API}/files/{uploaded(mai, thread, content)}")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize("name", ['a"; x=y.txt', "Hóa đơn 100%.txt", "a;b\\c.txt", "é" * 120])
def test_a_name_cannot_leave_its_header(mai, thread, name):
    answer = mai.get(f"{API}/files/{uploaded(mai, thread, b'x', name)}")
    header = answer.headers["Content-Disposition"]
    assert header.isascii() and header.count('"') == 2 and "\r" not in header


def test_a_file_that_the_browser_has_is_not_sent_again_but_asked_for(mai, thread):
    url = f"{API}/files/{uploaded(mai, thread)}"
    first = mai.get(url)
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = mai.get(url, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_colleagues_read_what_was_sent_and_not_what_waits(dashboard, mai, thread):
    ken, boss = dashboard.sign_in("Ken"), dashboard.sign_in("Boss", "supervisor")
    url = f"{API}/files/{uploaded(mai, thread)}"
    assert mai.get(url).status_code == 200
    for client in (ken, boss):
        assert is_problem(client.get(url), 404, "not_found")
    reply(mai, thread, files=[url.rpartition("/")[2]])
    assert (ken.get(url).status_code, boss.get(url).status_code) == (200, 200)
    assert is_problem(dashboard.client().get(url), 401, "unauthorized")


def test_who_does_not_see_the_desk_of_a_thread_reads_none_of_its_files(
    dashboard, mai, thread, billing
):
    ken = dashboard.sign_in("Ken")
    put_at(dashboard, "Mai", "main", "billing")
    put_at(dashboard, "Ken", "main")
    id = uploaded(mai, thread)
    reply(mai, thread, files=[id])
    url = f"{API}/files/{id}"
    assert ken.get(url).status_code == 200
    given = {"admin_id": None, "desk": billing}
    assert mai.post(f"{API}/threads/{thread}/assign", json=given).status_code == 200
    assert mai.get(url).status_code == 200
    cached = {"If-None-Match": f'"{id}"'}
    for answer in (ken.get(url), ken.get(url, headers=cached), ken.delete(url)):
        assert is_problem(answer, 404, "not_found")
    assert ken.get(url).json == ken.get(f"{API}/files/{'0' * 32}").json | {"instance": url}


def test_nothing_is_uploaded_or_sent_for_a_thread_of_another_desk(dashboard, mai, thread, billing):
    put_at(dashboard, "Mai", "main")
    waiting = uploaded(mai, thread)
    dashboard.happens("thread.handoff", "t-1", desk=billing)
    url = f"{API}/threads/{thread}/files?name=a"
    answer = mai.post(url, data=b"x", content_type="application/octet-stream")
    assert is_problem(answer, 404, "not_found")
    assert is_problem(reply(mai, thread, files=[waiting]), 404, "not_found")
    assert is_problem(mai.get(f"{API}/files/{waiting}"), 404, "not_found")


@pytest.mark.parametrize("id", ["..", "%2e%2e", "0" * 31, "G" * 32, "0" * 31 + "%00", "x" * 5_000])
def test_nothing_else_than_an_id_is_looked_for(mai, id):
    assert mai.get(f"{API}/files/{id}").status_code == 404


def test_a_thread_that_leaves_the_desk_during_an_upload_gets_no_file(
    dashboard, mai, thread, billing
):
    put_at(dashboard, "Mai", "main")

    def chunks():
        yield b"half"
        dashboard.happens("thread.handoff", "t-1", desk=billing)
        yield b"more"

    uploader = Uploader(1, frozenset({"main"}))
    with pytest.raises(NotFound):
        dashboard.services.uploads.receive(uploader, thread, "a.txt", chunks())
    assert stored(dashboard) == []
