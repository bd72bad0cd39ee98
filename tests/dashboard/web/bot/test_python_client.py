"""The Python SDK against the bot API: what is sent and what is received, once and in order."""

import io
import json
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from lineup_client import Lineup, Receiver, Refused, Sender, Unavailable, clean_text, work
from lineup_client.storage import remember
from standardwebhooks.webhooks import Webhook

from dashboard.cli.context import operator
from dashboard.db.accounts import api_keys, sources
from tests.drivers.sdk import Network

SECRET = "whsec_" + "A" * 32
MAI = {"id": "c-7", "name": "Mai"}


@pytest.fixture
def network(app):
    return Network(app.app)


def client(app, network, rate=None):
    def make(connection):
        source_id = sources.ensure(connection, "shop", app.clock())
        return api_keys.create(connection, source_id, api_keys.SCOPES, rate, app.clock())

    return Lineup("http://lineup.example", app.database.write(make), transport=network)


@pytest.fixture
def lineup(app, network):
    return client(app, network)


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "bot.sqlite")


def posted(sender, network):
    """Posts until nothing waits, through all failures."""
    for _ in range(50):
        try:
            if not sender.post_next() and not sender.waiting():
                return
        except Unavailable:
            network.is_down = False
    raise AssertionError("something still waits")


def texts(app, sue, thread_id):
    answer = sue.get(f"/admin/api/threads/{thread_id}/messages?limit=100").json
    return [message["body"] for message in answer["messages"]]


def test_messages_arrive_once_and_in_order_through_every_failure(app, lineup, network, file, sue):
    network.is_down = True
    sender = Sender(lineup, file)
    for number in range(3):
        sender.message("t-1", MAI, "client", f"{number}")
    with pytest.raises(Unavailable):
        sender.post_next()
    # The process ends, and another one goes on with the file.
    sender = Sender(lineup, file)
    assert sender.waiting() == 3
    network.is_down, network.lost = False, 1
    sender.message("t-1", MAI, "client", "3")
    posted(sender, network)
    sender.message("t-1", MAI, "client", "4")
    posted(sender, network)
    id = lineup.thread("t-1")["id"]
    assert texts(app, sue, id) == ["0", "1", "2", "3", "4"]


def test_an_event_that_is_sent_twice_is_one(lineup, file):
    sender = Sender(lineup, file)
    assert sender.send("thread.handoff", id="h-1", thread="t-1") == "h-1"
    assert sender.send("thread.handoff", id="h-1", thread="t-1") == "h-1"
    assert sender.waiting() == 1


def test_what_lineup_refuses_is_reported_and_delays_nothing(app, lineup, network, sue):
    refused = []
    sender = Sender(lineup, refused=lambda *given: refused.append(given))
    sender.message("t-1", MAI, "client", "before")
    wrong = sender.send("thread.close", thread="no thread", more=1)
    sender.message("t-1", MAI, "client", "after")
    posted(sender, network)
    [(event, problem)] = refused
    assert event["id"] == wrong and problem["status"] == 422 and problem["errors"]
    assert texts(app, sue, lineup.thread("t-1")["id"]) == ["before", "after"]


def test_an_error_of_the_function_refused_is_logged_and_delays_nothing(lineup, network, caplog):
    def refused(event, problem):
        raise ValueError("no table")

    sender = Sender(lineup, refused=refused)
    sender.send("thread.close", thread="no thread", more=1)
    posted(sender, network)
    assert "no table" in caplog.text


def test_an_edit_of_a_message_that_is_not_stored_yet_is_posted_again_for_an_hour(
    app, lineup, network, sue, monkeypatch
):
    refused, now = [], [0]
    monkeypatch.setattr("lineup_client.sender.monotonic", lambda: now[0])
    sender = Sender(lineup, refused=lambda event, problem: refused.append(event["id"]))
    for message in ("m-1", "m-2"):
        edit = {"thread": "t-1", "message": message, "body": "edited"}
        sender.send("message.edited", id=f"of-{message}", **edit)
    sender.message("t-1", MAI, "client", "other")
    assert sender.post_next() and not sender.post_next()
    assert texts(app, sue, lineup.thread("t-1")["id"]) == ["other"] and sender.waiting() == 2
    other = Sender(lineup)
    other.message("t-1", MAI, "client", "late", id="m-1")
    posted(other, network)
    for seconds in range(30, 3_600, 30):
        now[0] = seconds
        sender.post_next()
    assert texts(app, sue, lineup.thread("t-1")["id"]) == ["other", "edited"] and not refused
    now[0] = 3_600
    sender.post_next()
    assert refused == ["of-m-2"] and sender.waiting() == 0


def test_a_customers_text_is_cleaned_before_it_is_shown_as_said():
    assert clean_text("a\x00b\n\ud83dc \U0001fae8") == "ab\nc \U0001fae8"
    for wrong in ("", " \n", "\x07", "\u200b\ufeff", "\u3164\ufe0f", "\ud83d", "x" * 20_001):
        with pytest.raises(ValueError, match="20000"):
            clean_text(wrong)


def test_a_text_with_half_of_a_character_is_refused_alone(app, lineup, network, sue):
    refused = []
    sender = Sender(lineup, refused=lambda *given: refused.append(given))
    for body in ("before", "half \ud83d", "after"):
        sender.message("t-1", MAI, "client", body)
    posted(sender, network)
    [(event, problem)] = refused
    assert event["body"] == "half \ud83d" and problem["code"] == "invalid_unicode"
    assert texts(app, sue, lineup.thread("t-1")["id"]) == ["before", "after"]


def test_a_batch_that_is_too_large_is_halved(app, lineup, network):
    sender = Sender(lineup)
    for number in range(300):
        sender.message(f"t-{number}", MAI, "client", "x" * 9_000)
    posted(sender, network)
    assert lineup.list("arrival", "arrival", limit=1)["total"] == 300
    statuses = len(network.requests)
    assert 3 < statuses < 40


def test_a_batch_above_the_rate_of_the_key_is_halved_until_lineup_takes_it(app, network):
    sender = Sender(client(app, network, rate=3))
    for number in range(20):
        sender.message("t-1", MAI, "client", f"{number}")
    for _ in range(50):
        with suppress(Unavailable):
            sender.post_next()
        app.clock.advance(1_000)
    assert sender.waiting() == 0


def test_a_proxy_loses_nothing_but_what_is_too_large_for_it(app, lineup, network, sue):
    refused = []
    sender = Sender(lineup, refused=lambda *given: refused.append(given))
    for body in ("1", "2", "x" * 3_000, "3"):
        sender.message("t-1", MAI, "client", body)
    answers = [httpx.Response(status, html="<h1>nginx</h1>") for status in (404, 400, 502, 200)]
    answers += [httpx.Response(status, json={"message": "no route"}) for status in (404, 400)]
    problem = {"Content-Type": "application/problem+json"}
    answers.append(httpx.Response(404, json={"title": "Not Found"}, headers=problem))
    for network.proxy_answer in answers:
        with pytest.raises(Unavailable):
            sender.post_next()
    network.proxy_answer, network.limit = None, 2_000
    posted(sender, network)
    [(event, problem)] = refused
    assert event["body"].startswith("xxx") and problem["status"] == 413
    assert texts(app, sue, lineup.thread("t-1")["id"]) == ["1", "2", "3"]


def test_being_woken_does_not_shorten_the_pause_after_a_failure(monkeypatch):
    waits = []

    class Event(threading.Event):
        def wait(self, seconds):
            waits.append((self.is_set(), seconds))
            worker.stop()

    def fail():
        worker.wake()
        raise Unavailable("busy", retry_after=60)

    monkeypatch.setattr(threading, "Event", Event)
    worker = work.Worker("worker", fail, 5)
    worker._run()
    assert waits == [(False, 60)]


def test_times_never_go_back(lineup, file):
    sender = Sender(lineup, file)
    future = (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds")
    future = future.replace("+00:00", "Z")
    with sender._storage.transaction() as connection:
        row = ("sender.last_at", future)
        connection.execute("INSERT OR REPLACE INTO lineup_state VALUES (?, ?)", row)
    sender.handoff("t-1")
    sender.handoff("t-2")
    # Given times count, too, as times; one that Lineup refuses does not.
    given = ["2099-12-31T23:00:00-02:00", "2026-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "soon"]
    for at in given:
        sender.send("thread.handoff", thread="t-3", occurred_at=at)
    sender.handoff("t-4")
    rows = sender._storage.connection.execute("SELECT event FROM lineup_outbox").fetchall()
    wanted = [future, future, *given, "2100-01-01T01:00:00.000Z"]
    assert [json.loads(text)["occurred_at"] for (text,) in rows] == wanted


def reply(sue, thread_id, body):
    given = {"body": body, "token": body.replace(" ", "-"), "private": False}
    assert sue.post(f"/admin/api/threads/{thread_id}/replies", json=given).status_code == 201


@pytest.fixture
def thread_id(app, lineup, network):
    sender = Sender(lineup)
    sender.message("t-1", MAI, "client", "Where is my parcel?")
    posted(sender, network)
    return lineup.thread("t-1")["id"]


def read_all(receiver):
    while receiver.read_next():
        pass


def test_answers_are_handed_over_once_and_in_order(lineup, file, sue, thread_id):
    got, failures = [], ["first"]
    receiver = Receiver(lineup, SECRET, file)
    receiver.database.execute("CREATE TABLE got (body TEXT)")

    def answered(event):
        body = event["data"]["body"]
        receiver.database.execute("INSERT INTO got VALUES (?)", (body,))
        if failures:
            raise ValueError(failures.pop())
        got.append(body)

    receiver.on("message.created")(answered)
    for number in range(3):
        reply(sue, thread_id, f"answer {number}")
    with pytest.raises(ValueError, match="first"):
        receiver.read_next()
    assert receiver.database.execute("SELECT * FROM got").fetchall() == []
    read_all(receiver)
    assert got == ["answer 0", "answer 1", "answer 2"]
    # Another process, with the file: also if the cursor was signed with an earlier secret.
    receiver = Receiver(lineup, SECRET, file)
    receiver.on("message.created")(answered)
    with receiver._storage.transaction() as connection:
        connection.execute("UPDATE lineup_state SET value = 'old' WHERE name = 'receiver.cursor'")
    reply(sue, thread_id, "answer 3")
    read_all(receiver)
    assert got == ["answer 0", "answer 1", "answer 2", "answer 3"]
    stored = receiver.database.execute("SELECT body FROM got").fetchall()
    assert [body for (body,) in stored] == got


def test_answers_to_a_customer_who_was_deleted_and_is_back_are_handed_over(
    app, lineup, network, file, sue, thread_id
):
    receiver, got = Receiver(lineup, SECRET, file), []
    receiver.on("message.created")(lambda event: got.append((event["seq"], event["data"]["body"])))
    reply(sue, thread_id, "before")
    read_all(receiver)
    app.services.erasing.erase(operator(), "shop", "c-7")
    app.clock.advance(1_000)
    sender = Sender(lineup)
    sender.message("t-1", MAI, "client", "I am back")
    posted(sender, network)
    reply(sue, lineup.thread("t-1")["id"], "after")
    read_all(receiver)
    assert got == [(1, "before"), (1, "after")]


def test_what_a_handler_sends_is_sent_once(app, lineup, file, sue, thread_id, network):
    sender, receiver = Sender(lineup, file), Receiver(lineup, SECRET, file)
    failures = ["first"]

    @receiver.on("message.created")
    def answered(event):
        sender.message("t-1", MAI, "bot", "Did this help?")
        if failures:
            raise ValueError(failures.pop())

    reply(sue, thread_id, "At your door.")
    with pytest.raises(ValueError, match="first"):
        receiver.read_next()
    assert sender.waiting() == 0
    read_all(receiver)
    posted(sender, network)
    wanted = ["Where is my parcel?", "At your door.", "Did this help?"]
    assert texts(app, sue, thread_id) == wanted
    with pytest.raises(ZeroDivisionError), sender.transaction() as database:
        sender.handoff("t-1")
        database.execute("CREATE TABLE own (number)")
        print(1 / 0)
    assert sender.waiting() == 0
    assert not receiver.database.execute("SELECT * FROM sqlite_master WHERE name='own'").fetchall()


def test_a_page_that_was_cut_off_goes_on_where_it_was(lineup, file, sue, thread_id, network):
    got = []
    receiver = Receiver(lineup, SECRET, file)

    @receiver.on("message.created")
    def answered(event):
        got.append(event["data"]["body"])
        if len(got) == 2:
            raise KeyboardInterrupt

    for number in range(4):
        reply(sue, thread_id, f"{number}")
    with pytest.raises(KeyboardInterrupt):
        receiver.read_next()
    read_all(receiver)
    # The one that was cut off came again: what it had written was taken back.
    assert got == ["0", "1", "1", "2", "3"]


def signed(event, secret=SECRET, at=None, id="evt_1"):
    body = json.dumps(event)
    at = at or datetime.now(UTC)
    headers = {
        "webhook-id": id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(id, at, body),
    }
    return headers, body.encode()


TYPING = {"id": "evt_1", "type": "admin.typing", "thread": "t-1", "data": {}}


def by_wsgi(receiver, headers, body, method="POST"):
    environ = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body))}
    environ |= {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    statuses = []
    list(
        receiver.wsgi(
            environ | {"wsgi.input": io.BytesIO(body)}, lambda *given: statuses.append(given[0])
        )
    )
    return int(statuses[0].split()[0])


def by_asgi(receiver, headers, body, method="POST"):
    pairs = [(name.encode(), text.encode()) for name, text in headers.items()]
    parts, sent = [body[5:], body[:5]], []

    async def receive():
        part = parts.pop()
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "headers": pairs}
    # Nothing in it waits. In a process of the gate playwright has a loop that runs, beside which no
    # other one may.
    with pytest.raises(StopIteration):
        receiver.asgi(scope, receive, send).send(None)
    return sent[0]["status"]


@pytest.mark.parametrize("call", [by_wsgi, by_asgi])
def test_only_what_lineup_signed_lately_is_taken_and_once(lineup, call):
    receiver, got = Receiver(lineup, SECRET), []
    receiver.on("admin.typing")(got.append)
    headers, body = signed(TYPING)
    assert call(receiver, headers, body) == 204 and call(receiver, headers, body) == 204
    assert got == [TYPING]
    late, early = (datetime.now(UTC) + timedelta(minutes=by) for by in (-6, 6))
    other = TYPING | {"id": "evt_2"}
    for wrong_headers, wrong_body in [
        signed(other, secret="whsec_" + "B" * 32),
        signed(other, at=late),
        signed(other, at=early),
        (signed(other)[0], signed(other)[1].replace(b"t-1", b"t-2")),
        (signed(other)[0] | {"webhook-id": "evt_3"}, signed(other)[1]),
        (signed(other)[0] | {"webhook-signature": "v1"}, signed(other)[1]),
        (signed(other)[0] | {"webhook-signature": "v1,%%"}, signed(other)[1]),
        (signed(other)[0] | {"webhook-timestamp": "x"}, signed(other)[1]),
        ({}, signed(other)[1]),
        ({}, b"\xff"),
        ({}, b""),
    ]:
        assert call(receiver, wrong_headers, wrong_body) == 401
    assert call(receiver, *signed(other), method="GET") == 405
    assert call(receiver, {}, b"x" * 2_000_000) == 413
    assert got == [TYPING]


def test_a_handler_of_typing_that_fails_is_logged(lineup, caplog):
    receiver = Receiver(lineup, SECRET)

    @receiver.on("admin.typing")
    def typing(event):
        raise ValueError("not now")

    assert by_wsgi(receiver, *signed(TYPING)) == 204
    assert "not now" in caplog.text


def test_a_handler_of_presence_asks_for_it_and_gets_each_event_once(app, lineup, tmp_path):
    receiver, got = Receiver(lineup, SECRET, str(tmp_path / "bot.sqlite")), []
    receiver.on("presence.customer")(lambda event: got.append(event["data"]["status"]))
    receiver.on("presence.team")(lambda event: got.append(event["data"]["online"]))
    assert not receiver.read_next()
    app.say("t-1", customer="c-7")
    lineup.beat([{"customer": "c-7", "device": "d", "type": "web"}])
    app.services.presence_tasks._store()
    pusher = app.services.presence_pusher
    assert pusher.turn() == 2 and receiver.read_next()
    lineup.leave([{"customer": "c-7", "device": "d"}])
    app.services.presence_tasks._store()
    app.clock.advance(5_000)
    assert pusher.turn() == 1 and receiver.read_next()
    with receiver._storage.transaction() as connection:
        remember(connection, "receiver.cursor", "")
    assert receiver.read_next(), "a reader without its cursor reads everything again"
    assert sorted(map(str, got)) == ["False", "offline", "online"]


def test_a_chatbot_that_lost_its_data_reads_the_conversation(app, lineup, network, sue):
    """Page by page, the messages of everybody, without notes, in the order of the desk."""
    sender = Sender(lineup)
    for number in range(7):
        role = ("client", "bot")[number % 2]
        sender.message("t-1", MAI, role, f"{number}", id=f"m-{number}")
        sender.message("t-2", {"id": "c-8"}, "client", "of another")
    posted(sender, network)
    id = lineup.thread("t-1")["id"]
    reply(sue, id, "by an admin")
    note = {"body": "a note", "token": "a-note", "private": True}
    assert sue.post(f"/admin/api/threads/{id}/replies", json=note).status_code == 201
    found, before = [], None
    while True:
        part = lineup.messages("t-1", before, limit=3)
        found = part["messages"] + found
        before = found[0]["id"]
        if not part["more"]:
            break
    shown = [text for text in texts(app, sue, id) if text != "a note"]
    assert [message["body"] for message in found] == shown
    assert [message["event"] for message in found] == [*(f"m-{n}" for n in range(7)), None]
    assert found[-1]["author"]["name"] == "Sue" and found[0]["author"] is None
    assert found[0]["delivery"] is None and found[-1]["delivery"]["state"] == "queued"
    with pytest.raises(Refused) as refused:
        lineup.messages("t-1", lineup.messages("t-2")["messages"][0]["id"])
    assert refused.value.problem["errors"][0]["pointer"] == "/before"
    with pytest.raises(Refused) as refused:
        lineup.messages("nothing")
    assert refused.value.status == 404


def test_calls_return_answers_or_raise_what_happened(lineup, network, thread_id):
    assert lineup.thread("t-1")["customer"]["name"] == "Mai"
    assert lineup.place("t-1")["queue"] is None
    assert lineup.team("t-1")["assignee"] is None
    lineup.beat([{"customer": "c-7", "device": "d-1"}])
    lineup.leave([{"customer": "c-7", "device": "d-1"}])
    lineup.typing("t-1", "c-7")
    with pytest.raises(Refused) as refused:
        lineup.thread("nothing/here")
    assert (refused.value.status, refused.value.problem["code"]) == (404, "not_found")
    network.is_down = True
    with pytest.raises(Unavailable):
        lineup.thread("t-1")
