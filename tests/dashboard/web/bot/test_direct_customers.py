"""The gateway of customers without a chatbot: who may do what, and what arrives, without a page."""

import json
import sys
import time
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from uuid import uuid4

import pytest
from flask import Flask
from joserfc import jwt
from joserfc.jwk import OctKey
from lineup_client import Lineup

from dashboard.db.accounts import api_keys, sources
from tests.drivers.sdk import Network
from tests.repository import ROOT

SECRET = "whsec_" + "A" * 32
VISITOR_SECRET = "the secret of the shop, 32 letters"
LATER = 600
EVENTS = "/api/v1/events"


def signed(sub="ann", secret=VISITOR_SECRET, alg="HS256", **claims):
    document = {"sub": sub, "name": "Ann", "exp": int(time.time()) + LATER} | claims
    document = {name: value for name, value in document.items() if value is not None}
    return jwt.encode({"alg": alg}, document, OctKey.import_key(secret), algorithms=[alg])


class Visitor:
    def __init__(self, client, token):
        self._client, self._headers = client, {"Authorization": f"Bearer {token}"}

    def get(self, path):
        return self._client.get(path, headers=self._headers)

    def post(self, path, document):
        return self._client.post(path, json=document, headers=self._headers)

    def post_text(self, path, text):
        return self._client.post(path, data=text, headers=self._headers)

    def say(self, id, body):
        return self.post("/messages", {"id": id, "body": body}).status_code

    def texts(self, before=""):
        found = self.get(f"/conversation?before={before}").json
        return [message["body"] for message in [*found["messages"], *found["pending"]]]


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "direct"))
    yield import_module("gateway")
    sys.modules.pop("gateway")


@pytest.fixture
def network(app):
    return Network(app.app)


@pytest.fixture
def gateway(app, network, module, tmp_path):
    def make(connection):
        source_id = sources.ensure(connection, "shop", app.clock())
        return api_keys.create(connection, source_id, api_keys.SCOPES, None, app.clock())

    lineup = Lineup("http://lineup.example", app.database.write(make), transport=network)
    return module.Gateway(lineup, SECRET, str(tmp_path / "direct.sqlite"))


@pytest.fixture
def client(gateway, module):
    shop = Flask("shop")
    shop.register_blueprint(module.routes(gateway, VISITOR_SECRET))
    return shop.test_client()


@pytest.fixture
def ann(client):
    return Visitor(client, signed())


@pytest.fixture
def ben(client):
    return Visitor(client, signed("ben"))


def post_all(gateway):
    while gateway.sender.post_next():
        pass


def read_all(gateway):
    while gateway.receiver.read_next():
        pass


def answer(sue, gateway, thread, body):
    """An admin answers; returns the message's id."""
    id = gateway.lineup.thread(thread)["id"]
    document = {"body": body, "token": uuid4().hex}
    return sue.post(f"/admin/api/threads/{id}/replies", json=document).json["message"]["id"]


WRONG = {
    "nothing": "",
    "no token": "a.b.c",
    "another secret": signed(secret="another secret, also 32 letters!"),
    "without an end": signed(exp=None),
    "over": signed(exp=int(time.time()) - 1),
    "too long a life": signed(exp=int(time.time()) + 100_000),
    "no visitor": signed(sub=None),
    "no id": signed(sub="ann/ben"),
    "an id like an event's": signed(sub="ann:m-1"),
    "not text": signed(sub=7),
    "another algorithm": signed(alg="HS512", secret=VISITOR_SECRET * 2),
    "without a signature": signed().rpartition(".")[0] + ".",
    "without an algorithm": "eyJhbGciOiJub25lIn0." + signed().split(".")[1] + ".",
    "tampered": signed().split(".")[0] + "." + signed("ben").split(".")[1] + "." + signed()[-43:],
}


def test_only_a_visitor_whom_the_shop_has_named_is_let_in(client, gateway):
    for kind, token in WRONG.items():
        visitor = Visitor(client, token)
        for path in ("/conversation", "/stream"):
            assert visitor.get(path).status_code == 401, kind
        for path in ("/messages", "/read", "/typing", "/beat", "/leave"):
            assert visitor.post(path, {"id": "m-1", "body": "Hello"}).status_code == 401, kind
    assert gateway.sender.waiting() == 0


def test_a_visitor_reads_and_writes_in_one_conversation_alone(gateway, ann, ben, sue):
    assert [ann.say("m-1", "I am Ann"), ben.say("m-1", "I am Ben")] == [204, 204]
    post_all(gateway)
    assert (ann.texts(), ben.texts()) == (["I am Ann"], ["I am Ben"])
    id = answer(sue, gateway, "ann", "Hello Ann")
    assert ben.get(f"/conversation?before={id}").status_code == 422
    assert ben.post("/read", {"message": id}).status_code == 422
    assert gateway.sender.waiting() == 0
    assert ann.post("/read", {"message": id}).status_code == 204
    post_all(gateway)
    assert ann.get("/conversation").json["messages"][-1]["delivery"]["state"] == "read"


def test_what_is_sent_again_is_said_once(gateway, network, ann):
    for _ in range(2):
        ann.say("m-1", "first")
    post_all(gateway)
    ann.say("m-1", "first")
    ann.say("m-2", "second")
    network.is_down = True
    assert ann.get("/conversation").status_code == 503
    network.is_down = False
    assert ann.texts() == ["first", "first", "second"]
    stored = ann.get("/conversation").json["messages"]
    assert [message["event"] for message in stored] == ["m-1"]
    post_all(gateway)
    assert ann.texts() == ["first", "second"]


def test_a_long_conversation_is_read_in_parts(gateway, module, monkeypatch, ann):
    monkeypatch.setattr(module, "PAGE_MESSAGES", 4)
    for number in range(10):
        ann.say(f"m-{number}", f"{number}")
    post_all(gateway)
    found = ann.get("/conversation").json
    assert found["more"] and ann.texts() == ["6", "7", "8", "9"]
    assert ann.texts(found["messages"][0]["id"]) == ["2", "3", "4", "5"]


def test_a_person_is_asked_for_once_and_again_after_the_end(gateway, network, ann, sue):
    def asked():
        posts = [r for r in network.requests if (r.method, r.url.path) == ("POST", EVENTS)]
        events = [event for post in posts for event in json.loads(post.content)["events"]]
        return sum(event["type"] == "thread.handoff" for event in events)

    ann.say("m-1", "Hello")
    ann.say("m-2", "Anybody?")
    post_all(gateway)
    assert asked() == 1
    id = gateway.lineup.thread("ann")["id"]
    seen = sue.get(f"/admin/api/threads/{id}/messages?limit=10").json["messages"][-1]["id"]
    assert (
        sue.post(f"/admin/api/threads/{id}/close", json={"seen_message_id": seen}).status_code
        == 200
    )
    read_all(gateway)
    ann.say("m-3", "One more thing")
    post_all(gateway)
    assert asked() == 2


def test_a_visitor_who_writes_too_much_slows_down_nobody_else(ann, ben):
    answers = [ann.say(f"m-{number}", "spam") for number in range(40)]
    assert answers.count(204) == 10 and answers[-1] == 429
    assert ann.post("/messages", {}).headers["Retry-After"] == "2"
    assert ben.say("m-1", "Hello") == 204
    reads = [ann.get("/conversation").status_code for _ in range(40)]
    assert reads.count(429) > 0 and ben.get("/conversation").status_code == 200


WRONG_MESSAGES = (
    {},
    [],
    "text",
    {"id": "m-1"},
    {"id": "m-1", "body": ""},
    {"id": "m-1", "body": " \u0000\u200b "},
    {"id": "m-1", "body": 7},
    {"id": "a/b", "body": "Hello"},
    {"id": 7, "body": "Hello"},
    {"id": "m-1", "body": "x" * 4_001},
)


def test_a_visitor_who_calls_too_fast_gets_in_at_the_rate(module, monkeypatch):
    times = iter(range(40))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(times) / 4))
    allowance, let_in = module.Allowance(1, 1), 0
    for _ in range(40):
        with suppress(module.TooManyRequests):
            allowance.take("ann")
            let_in += 1
    assert let_in == 10


def test_a_wrong_message_is_refused(gateway, ann, ben):
    assert [ann.post("/messages", wrong).status_code for wrong in WRONG_MESSAGES] == [400] * 10
    assert ben.post_text("/messages", "[" * 100_000).status_code == 400
    assert gateway.sender.waiting() == 0


def test_characters_that_lineup_refuses_are_left_out(gateway, ann):
    assert ann.say("m-1", "a\u0000b\n\ud83dc") == 204
    post_all(gateway)
    assert ann.texts() == ["ab\nc"]


def test_windows_hear_of_their_own_conversation_alone(gateway, module, ann, ben, sue, monkeypatch):
    monkeypatch.setattr(module, "STREAMS_MAX", 2)
    ann.say("m-1", "Hello")
    post_all(gateway)
    windows = [gateway.streams.lines("ann") for _ in range(3)]
    bens = gateway.streams.lines("ben")
    for lines in (*windows, bens):
        assert next(lines) == '{"news": true}\n'
    assert next(windows[0], "ended") == "ended"
    answer(sue, gateway, "ann", "Hello Ann")
    read_all(gateway)
    assert [next(lines) for lines in windows[1:]] == ['{"news": true}\n'] * 2
    monkeypatch.setattr(module, "LINE_SECONDS", 0.01)
    gateway.streams.tell("nobody", {"news": True})
    assert next(bens) == "{}\n"
    for lines in (*windows, bens):
        lines.close()
    assert gateway.streams._open == {}


def test_a_beat_a_leave_and_typing_are_those_of_the_visitor(app, gateway, ann, ben):
    ann.say("m-1", "Hello")
    post_all(gateway)
    assert ann.post("/beat", {"device": "d-1", "active": True}).status_code == 204
    assert ann.post("/typing", {}).status_code == 204
    assert ben.post("/typing", {}).status_code == 404
    assert ann.post("/beat", {"device": "d/1", "active": True}).status_code == 422
    assert ann.post("/beat", {"active": True}).status_code == 422
    assert ann.post("/leave", {"device": "d-1"}).status_code == 204
