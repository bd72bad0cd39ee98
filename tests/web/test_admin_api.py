"""What a signed-in admin reads and does."""

import uuid

import pytest
from sqlalchemy import select

from dashboard.errors import StorageUnavailable
from dashboard.store.models import threads
from scoring.sorts import SORTS

API = "/admin/api"


def reply(client, thread_id, body="hi", **more):
    given = {"body": body, "token": uuid.uuid4().hex} | more
    return client.post(f"{API}/threads/{thread_id}/replies", json=given)


def row(client, thread_id):
    return client.get(f"{API}/threads?ids={thread_id}").json["rows"][0]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/me"),
        ("patch", "/me/preferences"),
        ("get", "/threads?ids=1"),
        ("get", "/threads/1/messages"),
        ("post", "/threads/1/replies"),
        ("post", "/threads/1/claim"),
        ("put", "/threads/1/priority"),
        ("post", "/threads/bulk"),
        ("get", "/threads/1/explain?page=arrival&sort=arrival"),
        ("get", "/threads/1/customer"),
        ("get", "/search?q=a"),
        ("get", "/canned"),
        ("post", "/canned"),
        ("put", "/canned/1"),
        ("delete", "/canned/1"),
    ],
)
def test_nothing_is_told_to_who_is_not_signed_in(dashboard, method, path):
    answer = getattr(dashboard.client(), method)(API + path, json={} if method != "get" else None)
    assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")
    assert "WWW-Authenticate" in answer.headers


def test_other_pages_change_nothing(dashboard, mai):
    thread_id = dashboard.say("t-1")
    url = f"{API}/threads/{thread_id}/close"
    for origin in ("http://evil.example", "null", ""):
        answer = mai.post(url, json={}, headers={"Origin": origin})
        assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = mai.post(url, data="{}", headers={"Content-Type": kind})
        assert answer.status_code == 415
    assert row(mai, thread_id)["open"]
    preflight = mai.options(url, headers={"Origin": "http://evil.example"})
    assert preflight.status_code == 405
    assert "Access-Control-Allow-Origin" not in preflight.headers


def test_rows_come_in_the_order_asked_for_and_the_missing_are_named(dashboard, mai):
    one, two = dashboard.say("t-1"), dashboard.say("t-2")
    answer = mai.get(f"{API}/threads?ids={two},999,{one},{two}").json
    assert [each["id"] for each in answer["rows"]] == [two, one]
    assert answer["missing"] == [999]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "missing_field"),
        ("?ids=a", "wrong_type"),
        ("?ids=1,", "wrong_type"),
        ("?ids=0", "number_out_of_range"),
        ("?ids=-1", "number_out_of_range"),
        ("?ids=99999999999999999999", "number_out_of_range"),
        ("?ids=１", "wrong_type"),
        ("?ids=" + ",".join(map(str, range(1, 202))), "too_long"),
    ],
)
def test_ids_that_are_none_are_refused(mai, query, code):
    answer = mai.get(f"{API}/threads{query}")
    assert (answer.status_code, answer.json["code"]) == (422, code)


def test_a_conversation_is_read_backwards(dashboard, mai):
    for number in range(5):
        thread_id = dashboard.say("t-1", body=f"message {number}")
    url = f"{API}/threads/{thread_id}/messages"
    newest = mai.get(f"{url}?limit=2").json
    assert [each["body"] for each in newest["messages"]] == ["message 3", "message 4"]
    assert newest["more"] is True
    before = mai.get(f"{url}?limit=50&before={newest['messages'][0]['id']}").json
    assert [each["body"] for each in before["messages"]] == [f"message {n}" for n in range(3)]
    assert before["more"] is False


@pytest.mark.parametrize("limit", ["0", "201", "x", "-1"])
def test_a_limit_has_its_range(dashboard, mai, limit):
    thread_id = dashboard.say("t-1")
    assert mai.get(f"{API}/threads/{thread_id}/messages?limit={limit}").status_code == 422


@pytest.mark.parametrize("thread_id", [999, 2**53, 2**63, 10**30])
def test_there_is_no_such_thread(mai, thread_id):
    for method, path, given in (
        ("get", "messages", None),
        ("post", "claim", {}),
        ("put", "priority", {"priority": "high"}),
        ("get", "explain?page=arrival&sort=arrival", None),
    ):
        answer = getattr(mai, method)(f"{API}/threads/{thread_id}/{path}", json=given)
        assert (answer.status_code, answer.json["code"]) == (404, "not_found"), path
    assert reply(mai, thread_id).status_code == 404


def test_a_reply_answers_and_the_same_token_is_the_same_reply(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = mai.get(f"{API}/threads/{thread_id}/messages").json["messages"][-1]["id"]
    first = reply(mai, thread_id, token="tok", seen_message_id=seen)
    again = reply(mai, thread_id, token="tok", seen_message_id=seen)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json == again.json
    assert first.json["message"]["author"] == {"id": 1, "name": "Mai"}
    assert row(mai, thread_id)["answered"] is True
    assert len(mai.get(f"{API}/threads/{thread_id}/messages").json["messages"]) == 2


def test_a_reply_to_what_moved_on_is_held_up_until_confirmed(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = mai.get(f"{API}/threads/{thread_id}/messages").json["messages"][-1]["id"]
    dashboard.say("t-1", body="one more thing")
    answer = reply(mai, thread_id, seen_message_id=seen)
    assert (answer.status_code, answer.json["code"]) == (409, "conversation_moved")
    assert [each["body"] for each in answer.json["unseen"]] == ["one more thing"]
    assert reply(mai, thread_id, seen_message_id=seen, confirm=True).status_code == 201


def test_a_note_answers_nobody(dashboard, mai):
    thread_id = dashboard.say("t-1")
    assert reply(mai, thread_id, private=True).status_code == 201
    assert row(mai, thread_id)["answered"] is False


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"body": ""}, "empty_text"),
        ({"body": " \n"}, "empty_text"),
        ({"body": "x" * 20_001}, "too_long"),
        ({"body": "\x00"}, "forbidden_character"),
        ({"body": "\ud800"}, "invalid_unicode"),
        ({"body": 5}, "wrong_type"),
        ({"token": "a b"}, "invalid_id"),
        ({"token": None}, "missing_field"),
        ({"private": "no"}, "wrong_type"),
        ({"seen_message_id": -1}, "number_out_of_range"),
        ({"seen_message_id": 2**60}, "number_out_of_range"),
        ({"role": "client"}, "unknown_field"),
    ],
)
def test_a_reply_that_is_none_is_refused(dashboard, mai, given, code):
    answer = reply(mai, dashboard.say("t-1"), **given)
    assert (answer.status_code, answer.json["code"]) == (422, code)


def test_a_thread_is_claimed_once(dashboard, mai, clock):
    bob = dashboard.sign_in("Bob")
    thread_id = dashboard.say("t-1")
    claimed = mai.post(f"{API}/threads/{thread_id}/claim", json={})
    assert claimed.json["row"]["assignee"] == {"id": 1, "name": "Mai"}
    assert mai.post(f"{API}/threads/{thread_id}/claim", json={}).status_code == 200
    lost = bob.post(f"{API}/threads/{thread_id}/claim", json={})
    assert (lost.status_code, lost.json["code"]) == (409, "already_claimed")
    assert lost.json["assignee"] == {"id": 1, "name": "Mai"}
    assert lost.json["assigned_at"] == clock()
    mai.post(f"{API}/threads/{thread_id}/release", json={})
    assert bob.post(f"{API}/threads/{thread_id}/claim", json={}).status_code == 200


def test_close_reopen_and_priority_answer_the_row(dashboard, mai, clock):
    thread_id = dashboard.say("t-1")
    clock.advance(1)
    assert mai.post(f"{API}/threads/{thread_id}/close", json={}).json["row"]["open"] is False
    clock.advance(1)
    assert mai.post(f"{API}/threads/{thread_id}/reopen", json={}).json["row"]["open"] is True
    changed = mai.put(f"{API}/threads/{thread_id}/priority", json={"priority": "urgent"})
    assert changed.json["row"]["priority"] == "urgent"
    wrong = mai.put(f"{API}/threads/{thread_id}/priority", json={"priority": "asap"})
    assert (wrong.status_code, wrong.json["code"]) == (422, "unknown_value")
    assert mai.post(f"{API}/threads/{thread_id}/close", json={"x": 1}).status_code == 422
    assert mai.post(f"{API}/threads/{thread_id}/delete", json={}).status_code == 404
    get = mai.get(f"{API}/threads/{thread_id}/close")
    assert (get.status_code, get.headers["Allow"]) == (405, "POST")


def test_an_action_moves_the_thread_in_redis(dashboard, mai, clock):
    thread_id = dashboard.say("t-1")
    clock.advance(1)
    mai.post(f"{API}/threads/{thread_id}/close", json={})
    assert dashboard.ranking.rank("arrival", "arrival", thread_id) == (None, 0)
    assert dashboard.ranking.rank("history", "arrival", thread_id) == (0, 1)


def test_one_action_on_many_threads_tells_a_result_for_each(dashboard, mai):
    one, two = dashboard.say("t-1"), dashboard.say("t-2")
    given = {"ids": [two, 999, one], "action": "priority", "priority": "low"}
    results = mai.post(f"{API}/threads/bulk", json=given).json["results"]
    assert [(each["id"], each["status"]) for each in results] == [
        (two, "done"),
        (999, "rejected"),
        (one, "done"),
    ]
    assert results[1]["problem"]["code"] == "not_found"
    assert row(mai, one)["priority"] == "low"


def test_each_of_many_threads_is_written_by_itself(dashboard, mai):
    bob = dashboard.sign_in("Bob")
    one, two, three = (dashboard.say(f"t-{number}") for number in range(3))
    bob.post(f"{API}/threads/{two}/claim", json={})
    given = {"ids": [one, two, three, one], "action": "claim"}
    results = mai.post(f"{API}/threads/bulk", json=given).json["results"]
    assert [(each["id"], each["status"]) for each in results] == [
        (one, "done"),
        (two, "rejected"),
        (three, "done"),
    ]
    assert results[1]["problem"]["code"] == "already_claimed"
    assert results[1]["problem"]["assignee"]["name"] == "Bob"
    names = {id: row(mai, id)["assignee"]["name"] for id in (one, two, three)}
    assert names == {one: "Mai", two: "Bob", three: "Mai"}


def test_no_more_threads_are_tried_once_the_storage_is_away(dashboard, mai, monkeypatch):
    ids = [dashboard.say(f"t-{number}") for number in range(5)]
    tried = []

    def write(work):
        tried.append(work)
        if len(tried) == 2:
            raise StorageUnavailable()
        return kept(work)

    kept = dashboard.database.write
    monkeypatch.setattr(dashboard.database, "write", write)
    answer = mai.post(f"{API}/threads/bulk", json={"ids": ids, "action": "close"})
    monkeypatch.undo()
    statuses = [each["status"] for each in answer.json["results"]]
    assert statuses == ["done", *["rejected"] * 4]
    assert {each["problem"]["status"] for each in answer.json["results"][1:]} == {503}
    assert [row(mai, id)["open"] for id in ids] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"ids": [1], "action": "priority"}, "missing_field"),
        ({"ids": [1], "action": "claim", "priority": "low"}, "unknown_field"),
        ({"ids": [1], "action": "delete"}, "unknown_value"),
        ({"ids": [], "action": "claim"}, None),
        ({"ids": list(range(1, 202)), "action": "claim"}, "too_long"),
        ({"ids": [0], "action": "claim"}, "number_out_of_range"),
        ({"ids": ["1"], "action": "claim"}, "wrong_type"),
        ({"action": "claim"}, "missing_field"),
    ],
)
def test_a_bulk_action_that_is_none_is_refused(mai, given, code):
    answer = mai.post(f"{API}/threads/bulk", json=given)
    assert answer.status_code == 422
    assert code in (None, answer.json["code"])


@pytest.mark.parametrize("redis", ["there", "away"])
def test_a_place_is_explained(dashboard, mai, redis):
    first = dashboard.say("t-1")
    second = dashboard.say("t-2")
    if redis == "away":
        dashboard.server.connected = False
    url = f"{API}/threads/{second}/explain"
    for sort in SORTS:
        told = mai.get(f"{url}?page=arrival&sort={sort}").json
        assert set(told) == {"rule", "tier", "fact", "value", "score", "rank", "total"}
        with dashboard.database.read() as connection:
            assert told["score"] == score_of(connection, second, sort)
    newest = mai.get(f"{url}?page=arrival&sort=arrival").json
    assert (newest["rank"], newest["total"], newest["fact"]) == (0, 2, "recent_at")
    waits = mai.get(f"{url}?page=not_respond&sort=longest_wait").json
    assert (waits["rank"], waits["fact"]) == (1, "waiting_since")
    assert mai.get(f"{url}?page=history&sort=arrival").json["rank"] is None
    mine = mai.get(f"{API}/threads/{first}/explain?page=arrival&sort=arrival&filter=mine").json
    assert (mine["rank"], mine["total"]) == (None, 0)


def score_of(connection, thread_id, sort):
    statement = select(threads.c[f"score_{sort}"]).where(threads.c.id == thread_id)
    return connection.scalar(statement)


@pytest.mark.parametrize(
    "query", ["", "?page=arrival", "?page=inbox&sort=arrival", "?page=arrival&sort=x"]
)
def test_only_a_list_that_there_is_can_be_explained(dashboard, mai, query):
    thread_id = dashboard.say("t-1")
    assert mai.get(f"{API}/threads/{thread_id}/explain{query}").status_code == 422


def test_acting_goes_on_while_redis_is_away(dashboard, mai):
    thread_id = dashboard.say("t-1")
    dashboard.server.connected = False
    assert mai.post(f"{API}/threads/{thread_id}/claim", json={}).status_code == 200
    assert reply(mai, thread_id, confirm=True).status_code == 201
    assert dashboard.state.late
