"""Files go through a real server, in pieces, and only admins with access may send them."""

import random
import socket
from pathlib import Path

import requests

from dashboard.files.store import OWNER
from tests.dashboard.files import samples
from tests.support import wait_until

HEADERS = {"Content-Type": "application/octet-stream"}


def url_of(lineup, thread: int) -> str:
    return f"{lineup.server.url}/admin/api/threads/{thread}/files"


def stored(lineup) -> list[Path]:
    """Returns everything on disk except the folders by digits and the name of the owner."""
    folder = Path(lineup.server.environment["LINEUP_FILES"])
    found = [path for path in folder.rglob("*") if path.is_file() or path.parent.name == "incoming"]
    return [path for path in found if not path.name.startswith(OWNER)]


def half_upload(lineup, session, thread: int) -> socket.socket:
    """A connection on which the head and some of the body of an upload were sent."""
    cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
    connection = socket.create_connection(("127.0.0.1", lineup.server.port), timeout=60)
    connection.sendall(
        f"POST /admin/api/threads/{thread}/files?name=half HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{lineup.server.port}\r\nOrigin: {lineup.server.url}\r\n"
        f"Cookie: {cookies}\r\nContent-Type: application/octet-stream\r\n"
        "Content-Length: 9000000\r\n\r\n".encode()
        + bytes(300_000)
    )
    return connection


def test_a_large_file_comes_back_as_it_was_and_the_chatbot_reads_it(lineup):
    thread = lineup.say("large-file")
    mai = lineup.server.sign_in(lineup.mai_email)
    content = random.Random(1).randbytes(9_000_000)
    sent = mai.post(url_of(lineup, thread), params={"name": "a.bin"}, data=content, headers=HEADERS)
    assert sent.status_code == 201, sent.text
    id = sent.json()["file"]["id"]
    reply = {"body": "", "token": "large-file", "files": [id]}
    replied = mai.post(url_of(lineup, thread).replace("files", "replies"), json=reply)
    [attachment] = replied.json()["message"]["attachments"]
    assert mai.get(lineup.server.url + attachment["url"]).content == content
    events = lineup.bot.get(f"{lineup.server.url}/api/v1/events").json()["events"]
    [event] = [each for each in events if each["data"].get("id") == replied.json()["message"]["id"]]
    address = event["data"]["attachments"][0]["url"]
    path = address.removeprefix(f"http://localhost:{lineup.server.port}")
    assert path.startswith("/files/")
    assert requests.get(lineup.server.url + path, timeout=60).content == content


def test_a_picture_is_encoded_anew_beside_other_requests(lineup):
    thread = lineup.say("picture")
    mai = lineup.server.sign_in(lineup.mai_email)
    given = {"params": {"name": "a.jpg"}, "headers": HEADERS, "data": samples.photo()}
    sent = mai.post(url_of(lineup, thread), **given)
    assert sent.json()["file"]["type"] == "image/jpeg"
    shown = mai.get(f"{lineup.server.url}/admin/api/files/{sent.json()['file']['id']}")
    assert samples.PLACE not in shown.content and shown.headers["Content-Type"] == "image/jpeg"


def test_too_large_a_body_without_a_length_is_answered(lineup):
    thread = lineup.say("too-large")
    mai = lineup.server.sign_in(lineup.mai_email)
    pieces = (bytes(1_000_000) for _ in range(11))
    given = {"params": {"name": "a"}, "headers": HEADERS, "data": pieces}
    answer = mai.post(url_of(lineup, thread), **given)
    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


def test_who_may_not_upload_is_told_so_before_the_body_is_read(lineup):
    thread = lineup.say("not-allowed")
    with half_upload(lineup, requests.Session(), thread) as connection:
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 401") and b"connection: close" in answer.lower()


def test_an_upload_that_breaks_off_leaves_nothing(lineup):
    thread = lineup.say("half")
    mai = lineup.server.sign_in(lineup.mai_email)
    before = len(stored(lineup))
    connection = half_upload(lineup, mai, thread)
    wait_until(lambda: len(stored(lineup)) > before, what="the file being received")
    connection.close()
    wait_until(lambda: len(stored(lineup)) == before, what="nothing being left")
