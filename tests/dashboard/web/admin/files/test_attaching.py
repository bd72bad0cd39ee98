"""Replies and notes with files, and the way of the files to chatbots."""

from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from dashboard.db.accounts import api_keys, sources
from dashboard.db.models.threads import files
from dashboard.files import addresses
from tests.dashboard.files import samples
from tests.dashboard.web.admin.calls import API, reply
from tests.dashboard.web.admin.files.calls import stored, uploaded
from tests.dashboard.web.answers import is_problem
from tests.drivers.application import ORIGIN
from tests.drivers.audit import OPERATOR


@pytest.fixture
def thread(dashboard) -> int:
    return dashboard.say("t-1")


@pytest.fixture
def chatbot(dashboard):
    """Reads the events as a chatbot does; returns those of messages."""

    def make(connection) -> str:
        source_id = sources.ensure(connection, "shop", 0)
        return api_keys.create(connection, source_id, api_keys.SCOPES, None, 0)

    headers = {"Authorization": f"Bearer {dashboard.database.write(make)}"}

    def read():
        events = dashboard.client().get("/api/v1/events", headers=headers).json["events"]
        return [each for each in events if each["type"] == "message.created"]

    return read


def fetch(dashboard, url: str, **headers: str):
    """Fetches a file as a program without a session."""
    return dashboard.client().get(urlsplit(url).path, headers=headers)


def attached(message) -> list[tuple[str, str]]:
    return [(each["name"], each["type"]) for each in message["attachments"]]


def test_a_reply_takes_files_in_the_order_in_which_it_names_them(dashboard, mai, thread):
    note, picture = uploaded(mai, thread), uploaded(mai, thread, samples.picture(), "b.png")
    dashboard.clock.advance(1000)
    answer = reply(mai, thread, "", files=[picture, note])
    message = answer.json["message"]
    assert answer.status_code == 201 and message["body"] == ""
    assert attached(message) == [("b.png", "image/png"), ("a.txt", "text/plain")]
    assert message["attachments"][1]["url"] == f"{API}/files/{note}"
    assert mai.get(f"{API}/threads/{thread}/messages").json["messages"][-1] == message
    found = mai.get(f"{API}/search?q=a.txt").json["results"]
    assert [each["row"]["id"] for each in found] == [thread]


@pytest.mark.parametrize("is_note", [False, True])
def test_a_thread_has_a_file_when_it_is_sent_and_not_when_it_is_uploaded(mai, thread, is_note):
    def found() -> list[int]:
        asked = {"query": "has:file", "sort": "arrival"}
        rows = mai.post(f"{API}/views/preview", json=asked).json["rows"]
        return [row["id"] for row in rows]

    file = uploaded(mai, thread)
    assert found() == []
    assert reply(mai, thread, "", files=[file], private=is_note).status_code == 201
    assert found() == [thread]


def test_a_message_without_text_and_files_is_refused(mai, thread):
    answer = reply(mai, thread, " ", files=[])
    assert is_problem(answer, 422, "empty_text")
    assert answer.json["errors"][0]["pointer"] == "/body"


def test_files_that_do_not_wait_for_the_message_are_refused_by_their_places(dashboard, mai, thread):
    ken, other = dashboard.sign_in("Ken"), dashboard.say("t-2")
    good, of_ken = uploaded(mai, thread), uploaded(ken, thread)
    of_other_thread, sent = uploaded(mai, other), uploaded(mai, thread)
    assert reply(mai, thread, files=[sent]).status_code == 201
    wrong = [good, of_ken, of_other_thread, sent, "0" * 32, "../etc/passwd", "\x00", good]
    answer = reply(mai, thread, files=wrong)
    assert is_problem(answer, 422, "unknown_file")
    assert [each["pointer"] for each in answer.json["errors"]] == [
        f"/files/{at}" for at in range(1, 8)
    ]
    assert reply(mai, thread, files=[good]).status_code == 201, "it waits as before"


def test_a_reply_has_up_to_ten_files(mai, thread):
    ids = [uploaded(mai, thread) for _ in range(11)]
    answer = reply(mai, thread, files=ids)
    assert is_problem(answer, 422, "too_long")
    assert answer.json["errors"][0]["pointer"] == "/files"
    assert len(reply(mai, thread, files=ids[:10]).json["message"]["attachments"]) == 10


def test_the_same_token_is_the_same_message_and_another_one_a_conflict(mai, thread):
    first, second = uploaded(mai, thread), uploaded(mai, thread)
    sent = reply(mai, thread, token="k", files=[first])
    again = reply(mai, thread, token="k", files=[first])
    assert (sent.status_code, again.status_code) == (201, 200)
    assert again.json["message"]["attachments"] == sent.json["message"]["attachments"]
    for files_of_another in ([], [second], [first, second]):
        answer = reply(mai, thread, token="k", files=files_of_another)
        assert is_problem(answer, 409, "event_id_conflict")
    assert reply(mai, thread, files=[second]).status_code == 201


def test_a_refused_reply_leaves_its_files_waiting(dashboard, mai, thread):
    id = uploaded(mai, thread)
    dashboard.say("t-1", "one more")
    refused = reply(mai, thread, seen_message_id=1, files=[id])
    assert is_problem(refused, 409, "conversation_moved")
    assert reply(mai, thread, files=[id]).status_code == 201


def test_a_sent_file_is_no_longer_discarded_or_counted(dashboard, mai, thread):
    id = uploaded(mai, thread)
    reply(mai, thread, files=[id])
    assert is_problem(mai.delete(f"{API}/files/{id}"), 404, "not_found")
    assert stored(dashboard) == [id]
    assert dashboard.services.uploads is not None
    with dashboard.database.read() as connection:
        assert connection.scalar(select(files.c.event_id)) is not None


def test_chatbots_get_signed_addresses_by_cursor_and_by_webhook(dashboard, mai, thread, chatbot):
    dashboard.webhooks.create(OPERATOR, "shop", "https://bot.example/hook", None)
    reply(mai, thread, files=[uploaded(mai, thread, samples.PDF, "Hóa đơn.pdf")])
    [event] = chatbot()
    dashboard.dispatcher.turn()
    [posted] = [each for each in dashboard.poster.bodies() if each["type"] == "message.created"]
    for document in (event, posted):
        [given] = document["data"]["attachments"]
        assert (given["name"], given["type"]) == ("Hóa đơn.pdf", "application/pdf")
        assert given["url"].startswith(f"{ORIGIN}/files/")
        answer = fetch(dashboard, given["url"])
        assert (answer.status_code, answer.data) == (200, samples.PDF)
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert "H%C3%B3a%20%C4%91%C6%A1n.pdf" in answer.headers["Content-Disposition"]


def test_files_of_notes_go_to_no_chatbot(mai, thread, chatbot):
    assert reply(mai, thread, private=True, files=[uploaded(mai, thread)]).status_code == 201
    assert chatbot() == []


def test_a_signed_address_ends_after_seven_days_and_is_made_anew(dashboard, mai, thread, chatbot):
    reply(mai, thread, files=[uploaded(mai, thread)])
    [first] = chatbot()
    url = first["data"]["attachments"][0]["url"]
    dashboard.clock.advance(addresses.GOOD_MS - 1)
    assert fetch(dashboard, url).status_code == 200
    dashboard.clock.advance(1)
    over = fetch(dashboard, url)
    assert (over.status_code, over.get_json(force=True)["code"]) == (410, "address_expired")
    [later] = chatbot()
    assert fetch(dashboard, later["data"]["attachments"][0]["url"]).status_code == 200


def test_a_forged_address_leads_nowhere(dashboard, mai, thread):
    id = uploaded(mai, thread)
    reply(mai, thread, files=[id])
    good = urlsplit(dashboard.services.file_addresses.signed(id)).path
    other = addresses.FileAddresses("another secret key", dashboard.clock, lambda: "")
    for path in (good[:-1], f"{good}x", f"/files/{id}", "/files/x" * 2, other.signed(id)):
        assert fetch(dashboard, path).status_code == 404, path
    cursor = dashboard.services.cursors.encode("events", [id, 9_999_999_999_999])
    assert fetch(dashboard, f"/files/{cursor}").status_code == 404
    assert fetch(dashboard, good).status_code == 200


def test_a_file_that_is_in_no_message_has_no_address_for_others(dashboard, mai, thread):
    id = uploaded(mai, thread)
    assert fetch(dashboard, dashboard.services.file_addresses.signed(id)).status_code == 404


def test_where_a_customer_is_deleted_files_of_their_threads_go(dashboard, mai, thread):
    other = dashboard.say("t-2")
    sent, waiting, kept = uploaded(mai, thread), uploaded(mai, thread), uploaded(mai, other)
    reply(mai, thread, files=[sent])
    url = dashboard.services.file_addresses.signed(sent)
    dashboard.services.erasing._wait = lambda seconds: None
    dashboard.services.erasing.erase(OPERATOR, "shop", "c-t-1")
    assert stored(dashboard) == [kept]
    with dashboard.database.read() as connection:
        assert list(connection.scalars(select(files.c.id))) == [kept]
    assert fetch(dashboard, url).status_code == 404
    assert mai.get(f"{API}/files/{waiting}").status_code == 404
