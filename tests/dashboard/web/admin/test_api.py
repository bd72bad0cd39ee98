"""The reads and acts of a signed-in admin."""

import pytest

from tests.dashboard.web.admin.calls import API, reply, row


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/me"),
        ("patch", "/me/preferences"),
        ("get", "/threads?ids=1"),
        ("get", "/threads/1/messages"),
        ("post", "/threads/1/replies"),
        ("post", "/threads/1/claim"),
        ("post", "/threads/1/assign"),
        ("put", "/threads/1/priority"),
        ("put", "/threads/1/tags"),
        ("post", "/threads/bulk"),
        ("get", "/threads/1/explain?view=arrival&sort=arrival"),
        ("get", "/threads/1/customer"),
        ("get", "/threads/1/matches?q=a"),
        ("get", "/search?q=a"),
        ("get", "/canned"),
        ("post", "/canned"),
        ("put", "/canned/1"),
        ("delete", "/canned/1"),
    ],
)
def test_every_call_needs_a_session(dashboard, method, path):
    answer = getattr(dashboard.client(), method)(API + path, json={} if method != "get" else None)
    assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")
    assert "WWW-Authenticate" in answer.headers


def test_requests_of_other_origins_change_nothing(dashboard, mai):
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
        ("?ids=1&ids=2", "duplicate_parameter"),
        ("?ids=-1", "number_out_of_range"),
        ("?ids=99999999999999999999", "number_out_of_range"),
        ("?ids=１", "wrong_type"),
        ("?ids=" + ",".join(map(str, range(1, 202))), "too_long"),
    ],
)
def test_invalid_ids_are_refused(mai, query, code):
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
def test_calls_of_an_unknown_thread_are_404(mai, thread_id):
    for method, path, given in (
        ("get", "messages", None),
        ("post", "claim", {}),
        ("post", "assign", {"admin_id": 1}),
        ("put", "priority", {"priority": "high"}),
        ("put", "tags", {"add": ["vip"]}),
        ("get", "explain?view=arrival&sort=arrival", None),
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


def test_a_note_is_not_an_answer(dashboard, mai):
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
def test_an_invalid_reply_is_refused(dashboard, mai, given, code):
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


def test_acting_goes_on_while_redis_is_away(dashboard, mai):
    thread_id = dashboard.say("t-1")
    dashboard.server.connected = False
    assert mai.post(f"{API}/threads/{thread_id}/claim", json={}).status_code == 200
    assert reply(mai, thread_id, confirm=True).status_code == 201
    assert dashboard.state.late
