"""The bot API, as a chatbot meets it."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import fakeredis
import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import func, select

from dashboard.store import keys
from dashboard.store.database import Database
from dashboard.store.models import events
from scoring.pages import PAGES
from scoring.sorts import SORTS
from tests.intake.order import Order
from tests.web.bot import EVENTS, Bot, message


@pytest.fixture
def bot(database, clock) -> Bot:
    order = Order(database, fakeredis.FakeRedis(), clock)
    order.tick()
    return Bot(order)


def stored(bot: Bot) -> int:
    with bot.order.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(events))


def is_problem(answer, status: int, code: str) -> bool:
    body = answer.get_json(force=True)
    assert (answer.status_code, body.get("code")) == (status, code), body
    assert answer.content_type == "application/problem+json"
    assert (body["type"], body["status"]) == (f"/problems/{code}", status)
    assert body["instance"] == answer.request.path
    assert body["title"] and body["detail"]
    return True


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
    """Row 62: one bad, one twice inside the batch, one already stored, one in conflict."""
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
    assert stored(bot) == 3


def test_every_seventh_of_a_batch_being_bad_the_others_are_stored(bot):
    """F45."""
    batch = [message(role="boss") if index % 7 == 0 else message() for index in range(500)]
    results = bot.post({"events": batch}).json["results"]
    rejected = [result["index"] for result in results if result["status"] == "rejected"]
    assert rejected == list(range(0, 500, 7))
    assert stored(bot) == 500 - len(rejected)


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
    assert stored(bot) == 0


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


WRONG_KEYS = {
    "none": None,
    "empty": "Bearer ",
    "another scheme": "Basic abc",
    "malformed": "Bearer lu_x",
    "unknown": f"Bearer lu_aaaaaaaaaa_{'a' * 43}",
    "long": "Bearer " + "a" * 10_000,
    "not ASCII": "Bearer l\xfc_",
}


@pytest.mark.parametrize("header", WRONG_KEYS.values(), ids=WRONG_KEYS.keys())
def test_every_wrong_key_gets_the_same_answer(bot, header):
    given = {} if header is None else {"Authorization": header}
    answer = bot.http.post(EVENTS, json=message(), headers=given)
    assert is_problem(answer, 401, "unauthorized")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Lineup"'
    assert answer.data == bot.post(message(), key=bot.key[:-1] + "~").data


def test_a_right_prefix_with_a_wrong_secret_is_refused(bot):
    other = bot.new_key()
    mixed = bot.key[:-43] + other[-43:]
    assert is_problem(bot.post(message(), key=mixed), 401, "unauthorized")


def test_a_revoked_key_ends_within_a_second(bot):
    assert bot.post(message()).status_code == 201
    bot.order.database.write(lambda connection: keys.revoke(connection, bot.key, 5))
    bot.order.seconds += 1.1
    assert is_problem(bot.post(message()), 401, "unauthorized")


def test_a_key_in_the_query_string_is_ignored(bot):
    answer = bot.http.post(f"{EVENTS}?key={bot.key}&access_token={bot.key}", json=message())
    assert is_problem(answer, 401, "unauthorized")


def test_a_key_without_the_scope_is_forbidden(bot):
    reader = bot.new_key(scopes=["read"])
    writer = bot.new_key(scopes=["events"])
    assert is_problem(bot.post(message(), key=reader), 403, "forbidden_scope")
    assert is_problem(bot.get("threads/t", key=writer), 403, "forbidden_scope")
    assert is_problem(bot.get("lists/arrival/arrival", key=writer), 403, "forbidden_scope")


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


def test_a_key_is_held_to_its_rate_and_told_when_to_come_again(bot):
    key = bot.new_key(rate=3)
    statuses = [bot.post(message(), key=key).status_code for _ in range(4)]
    assert statuses == [201, 201, 201, 429]
    answer = bot.post(message(), key=key)
    assert is_problem(answer, 429, "rate_limited")
    bot.order.seconds += int(answer.headers["Retry-After"])
    assert bot.post(message(), key=key).status_code == 201
    assert bot.post(message()).status_code == 201, "the other key has no quota"


def test_a_batch_over_the_quota_is_refused_whole(bot):
    key = bot.new_key(rate=5)
    answer = bot.post({"events": [message() for _ in range(6)]}, key=key)
    assert is_problem(answer, 429, "rate_limited")
    assert stored(bot) == 0
    assert bot.post({"events": [message() for _ in range(5)]}, key=key).status_code == 200


def test_the_row_of_a_thread_is_read_by_the_callers_own_id(bot):
    bot.post(message(thread="t-1", customer={"id": "c-7", "name": "Mai"}))
    row = bot.get("threads/t-1").json
    assert (row["thread"], row["source"], row["rev"]) == ("t-1", "shop", 1)
    assert row["customer"]["id"] == "c-7", "the caller's own id, too"


def test_threads_of_others_and_unknown_ones_are_not_found(bot):
    bot.post(message(thread="t-1"))
    stranger = bot.new_key(source="other")
    assert is_problem(bot.get("threads/t-1", key=stranger), 404, "not_found")
    assert is_problem(bot.get("threads/t-2"), 404, "not_found")


def filled(bot: Bot, threads: int) -> None:
    """Threads in a few classes, many of which share a score."""
    priorities = ["urgent", "high", "normal", "low"]
    for start in range(0, threads, 250):
        batch = []
        for number in range(start, min(threads, start + 250)):
            at = f"2026-11-20T10:00:{number % 3:02d}Z"
            thread, customer = f"t-{number}", {"id": f"c-{number}", "member_status": number % 5}
            batch.append(message(thread=thread, occurred_at=at, customer=customer))
            batch.append(
                {
                    "id": f"p-{number}",
                    "type": "thread.priority",
                    "thread": thread,
                    "occurred_at": at,
                    "priority": priorities[number % 4],
                }
            )
        assert bot.post({"events": batch}).status_code == 200


def walk(bot: Bot, page: str, sort: str, limit: int) -> list[dict]:
    found, cursor = [], ""
    while cursor is not None:
        part = bot.get(f"lists/{page}/{sort}", limit=limit, cursor=cursor).json
        assert (part["page"], part["sort"]) == (page, sort)
        assert len(part["threads"]) <= limit
        found += part["threads"]
        cursor = part["next"]
    return found


@pytest.mark.parametrize("limit", [1, 7, 60, 500])
def test_walking_a_list_gives_it_whole_and_in_order(bot, limit):
    """A4: what is loaded part by part is what is loaded at once."""
    filled(bot, 60)
    for page in PAGES:
        for sort in SORTS:
            found = walk(bot, page, sort, limit)
            places = [(entry["score"], entry["id"]) for entry in found]
            assert places == sorted(places)
            assert len(found) == (0 if page == "history" else 60)


def test_walking_meets_who_did_not_move_exactly_once(bot):
    filled(bot, 40)
    part = bot.get("lists/arrival/arrival", limit=10).json
    found = [entry["thread"] for entry in part["threads"]]
    moved = {found[0], "t-1", "t-39"}
    for thread in moved:
        bot.post(message(thread=thread, occurred_at="2026-11-20T11:00:00Z"))
    while part["next"]:
        part = bot.get("lists/arrival/arrival", limit=10, cursor=part["next"]).json
        found += [entry["thread"] for entry in part["threads"]]
    still = [thread for thread in found if thread not in moved]
    assert sorted(still) == sorted({f"t-{number}" for number in range(40)} - moved)


def test_a_list_tells_its_epoch_version_and_total_and_all_sources(bot):
    bot.post(message(thread="a"))
    bot.post(message(thread="b"), key=bot.new_key(source="other"))
    part = bot.get("lists/not_respond/longest_wait").json
    assert part["epoch"] and part["version"] >= 2 and part["total"] == 2
    assert [(entry["source"], entry["thread"]) for entry in part["threads"]] == [
        ("shop", "a"),
        ("other", "b"),
    ]
    assert part["next"] is None


def test_without_redis_lists_come_from_sql_and_cursors_go_on(bot, monkeypatch):
    filled(bot, 30)
    whole = walk(bot, "arrival", "priority", 500)
    first = bot.get("lists/arrival/priority", limit=10).json

    def away(*given):
        raise RedisConnectionError("away")

    for name in ("head", "after"):
        monkeypatch.setattr(bot.order.ranking, name, away)
    rest = bot.get("lists/arrival/priority", limit=500, cursor=first["next"]).json
    assert first["threads"] + rest["threads"] == whole
    assert (rest["epoch"], rest["version"], rest["total"]) == (None, 0, 30)


def test_events_are_taken_while_redis_is_away(bot, monkeypatch):
    def away(*given):
        raise RedisConnectionError("away")

    monkeypatch.setattr(bot.order.ranking, "place", away)
    assert bot.post(message()).status_code == 201


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"limit": "0"}, "number_out_of_range"),
        ({"limit": "501"}, "number_out_of_range"),
        ({"limit": "-1"}, "number_out_of_range"),
        ({"limit": "9" * 5_000}, "number_out_of_range"),
        ({"limit": "1.0"}, "wrong_type"),
        ({"limit": ""}, "wrong_type"),
        ({"limit": "٣"}, "wrong_type"),
        ({"cursor": "x"}, "unknown_value"),
        ({"cursor": "é"}, "unknown_value"),
        ({"cursor": "A" * 5_000}, "unknown_value"),
        ({"cursor": "YXJyaXZhbC9wcmlvcml0eS8xLzE"}, "unknown_value"),
    ],
)
def test_a_wrong_limit_or_cursor_is_refused(bot, query, code):
    assert is_problem(bot.get("lists/arrival/arrival", **query), 422, code)


@pytest.mark.parametrize(
    "path", ["lists/nothing/arrival", "lists/arrival/nothing", "lists/arrival"]
)
def test_an_unknown_list_is_not_found(bot, path):
    assert is_problem(bot.get(path), 404, "not_found")


def test_a_storage_that_is_away_is_told_with_when_to_come_again(bot):
    """Row 90, F25: nothing is stored and nothing acknowledged."""
    other = Database(bot.order.database.url)
    bot.post(message())
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        answer = bot.post(message())
    other.close()
    assert is_problem(answer, 503, "storage_unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert stored(bot) == 1


def test_calls_at_once_lose_nothing(bot):
    def call(number: int) -> int:
        with bot.app.test_client() as http:
            event = message(thread=f"t-{number % 5}")
            return http.post(EVENTS, json=event, headers=bot.headers()).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(call, range(80))) == {201}
    assert stored(bot) == 80
    bot.order.tick(3)
    assert bot.order.differences() == []


def test_answers_are_never_cached(bot):
    bot.post(message())
    assert bot.get("threads/t").headers["Cache-Control"] == "no-store"
