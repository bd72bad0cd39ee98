"""The bot API, as a chatbot meets it."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.db.database import Database
from tests.dashboard.web.answers import is_problem
from tests.drivers.bot import EVENTS, message


def test_an_event_is_created_once_and_then_a_duplicate(bot):
    event = message(id="m-1001")
    first = bot.post(event)
    thread_id = first.json["thread_id"]
    assert first.status_code == 201
    assert first.json == {"status": "created", "id": "m-1001", "thread_id": thread_id}
    again = bot.post(event)
    assert again.status_code == 200
    assert again.json == {"status": "duplicate", "id": "m-1001", "thread_id": thread_id}
    assert again.headers["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first.headers


def test_an_edit_and_a_deletion_show_in_the_row_and_the_conversation(bot):
    said = message(id="m-1", body="first")
    change = {name: said[name] for name in ("thread", "occurred_at")} | {"message": "m-1"}
    edit = change | {"id": "e-1", "type": "message.edited", "body": "second"}
    assert is_problem(bot.post(edit), 422, "unknown_message")
    bot.post(said)
    assert (bot.post(edit).status_code, bot.post(edit).status_code) == (201, 200)
    thread = f"threads/{said['thread']}"
    [shown] = bot.get(f"{thread}/messages").json["messages"]
    assert (shown["body"], shown["event"], shown["edit"]["deleted"]) == ("second", "m-1", False)
    assert bot.get(thread).json["preview"]["body"] == "second"
    other = bot.new_key("blog")
    assert is_problem(bot.post(edit | {"id": "e-2"}, other), 422, "unknown_message")
    assert is_problem(bot.post(edit | {"id": "e-2", "body": " "}), 422, "empty_text")
    bot.post(change | {"id": "e-3", "type": "message.deleted"})
    [shown] = bot.get(f"{thread}/messages").json["messages"]
    assert (shown["body"], shown["attachments"], shown["edit"]["deleted"]) == ("", [], True)
    preview = bot.get(thread).json["preview"]
    assert (preview["body"], preview["deleted"]) == ("", True)
    assert bot.get(thread).json["unanswered"] == 1


def test_another_event_under_the_same_id_is_a_conflict(bot):
    bot.post(message(id="m-1"))
    answer = bot.post(message(id="m-1", body="else"))
    assert is_problem(answer, 409, "event_id_conflict")
    assert answer.get_json(force=True)["errors"][0]["pointer"] == "/id"


def test_an_event_without_a_thread_has_no_thread_id(bot):
    event = message(type="customer")
    for name in ("thread", "role", "body"):
        del event[name]
    assert bot.post(event).json == {"status": "created", "id": event["id"]}


def test_a_batch_answers_event_by_event(bot):
    """Bad input 62: one bad, one twice inside the batch, one already stored, one in conflict."""
    old = message()
    bot.post(old)
    twice = message()
    batch = [message(), message(body=""), twice, twice, old, old | {"body": "else"}, 5]
    answer = bot.post({"events": batch})
    assert answer.status_code == 207
    results = answer.json["results"]
    assert [result["index"] for result in results] == list(range(7))
    assert [result["status"] for result in results] == [
        "created",
        "rejected",
        "created",
        "duplicate",
        "duplicate",
        "rejected",
        "rejected",
    ]
    assert [result["id"] for result in results] == [
        event["id"] if isinstance(event, dict) else None for event in batch
    ]
    pointers = {
        result["index"]: (result["problem"]["code"], result["problem"]["errors"][0]["pointer"])
        for result in results
        if "problem" in result
    }
    assert pointers == {
        1: ("empty_text", "/events/1/body"),
        5: ("event_id_conflict", "/events/5/id"),
        6: ("wrong_type", "/events/6"),
    }
    assert bot.stored() == 3


def test_every_seventh_of_a_batch_being_bad_the_others_are_stored(bot):
    """F45."""
    batch = [message(role="boss") if index % 7 == 0 else message() for index in range(500)]
    results = bot.post({"events": batch}).json["results"]
    rejected = [result["index"] for result in results if result["status"] == "rejected"]
    assert rejected == list(range(0, 500, 7))
    assert bot.stored() == 500 - len(rejected)


def test_a_batch_without_rejected_events_is_200_and_with_nothing_else_422(bot):
    event = message()
    assert bot.post({"events": [event]}).status_code == 200
    assert bot.post({"events": [event]}).status_code == 200
    answer = bot.post({"events": [message(id=""), message(body=" ")]})
    assert answer.status_code == 422
    assert [result["status"] for result in answer.json["results"]] == ["rejected", "rejected"]


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"", 400, "malformed_json"),
        (b"{,}", 400, "malformed_json"),
        (b"\xef\xbb\xbf{}", 400, "malformed_json"),
        (b'{"id": "\xff"}', 400, "invalid_encoding"),
        (b'{"id": 1, "id": 2}', 400, "duplicate_key"),
        (b"[" * 100_000, 400, "too_deep"),
        (b'{"id": NaN}', 400, "not_finite"),
        (b"null", 422, "wrong_type"),
        (b"5", 422, "wrong_type"),
        (b'"x"', 422, "wrong_type"),
        (b"true", 422, "wrong_type"),
        (b"{}", 422, "missing_field"),
        (b'{"events": []}', 422, "batch_empty"),
        (b'{"events": [' + b"1," * 500 + b"1]}", 413, "batch_too_large"),
        (b" " * (1024 * 1024 + 1), 413, "payload_too_large"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused(bot, data, status, code):
    assert is_problem(bot.post_raw(data), status, code)
    assert bot.stored() == 0


def test_a_body_of_a_mebibyte_is_read(bot):
    body = json.dumps(message()).encode()
    assert bot.post_raw(body + b" " * (1024 * 1024 - len(body))).status_code == 201


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/vnd.x+json",
        "application/json; charset=latin-1",
        "",
    ],
)
def test_other_kinds_of_bodies_are_refused(bot, kind):
    data = json.dumps(message()).encode()
    assert is_problem(bot.post_raw(data, Content_Type=kind), 415, "unsupported_media_type")


@pytest.mark.parametrize("encoding", ["gzip", "br", "gzip, gzip", "identity, gzip"])
def test_encoded_bodies_are_refused_unread(bot, encoding):
    data = gzip.compress(b" " * 100_000)
    answer = bot.post_raw(data, Content_Encoding=encoding)
    assert is_problem(answer, 415, "unsupported_content_encoding")


def test_a_charset_of_utf_8_may_be_named(bot):
    data = json.dumps(message()).encode()
    assert bot.post_raw(data, Content_Type="application/json; charset=UTF-8").status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"])
def test_other_methods_are_not_allowed(bot, method):
    answer = bot.http.open(EVENTS, method=method, headers=bot.headers())
    assert is_problem(answer, 405, "method_not_allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "POST"}


def test_the_method_cannot_be_overridden(bot):
    headers = bot.headers() | {"X-HTTP-Method-Override": "POST"}
    assert bot.http.put(EVENTS, headers=headers).status_code == 405


def test_no_other_origin_is_ever_allowed(bot):
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (
        bot.http.options(EVENTS, headers=preflight),
        bot.http.post(EVENTS, json=message(), headers=preflight | bot.headers()),
    ):
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_events_are_taken_while_redis_is_away(bot, monkeypatch):
    def away(*given):
        raise RedisConnectionError("away")

    monkeypatch.setattr(bot.order.ranking, "place", away)
    assert bot.post(message()).status_code == 201


@pytest.mark.slow
def test_a_storage_that_is_away_answers_503_with_retry_after(bot):
    """Bad input 90, F25: nothing is stored and nothing acknowledged."""
    other = Database(bot.order.database.url)
    bot.post(message())
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        answer = bot.post(message())
    other.close()
    assert is_problem(answer, 503, "storage_unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert bot.stored() == 1


def test_calls_at_once_lose_nothing(bot):
    def call(number: int) -> int:
        with bot.app.test_client() as http:
            event = message(thread=f"t-{number % 5}")
            return http.post(EVENTS, json=event, headers=bot.headers()).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(call, range(80))) == {201}
    assert bot.stored() == 80
    bot.order.tick(3)
    assert bot.order.differences() == []


def test_answers_are_never_cached(bot):
    bot.post(message())
    assert bot.get("threads/t").headers["Cache-Control"] == "no-store"
