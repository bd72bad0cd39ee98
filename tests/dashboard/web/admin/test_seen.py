"""Answers and closes tell the newest message that their author had seen (H28)."""

import pytest

from tests.dashboard.web.admin.test_api import API, reply, row


def newest(client, thread_id):
    return client.get(f"{API}/threads/{thread_id}/messages").json["messages"][-1]["id"]


def close(client, thread_id, **given):
    return client.post(f"{API}/threads/{thread_id}/close", json=given)


def bulk(client, ids, **more):
    return client.post(f"{API}/threads/bulk", json={"ids": ids, "action": "close"} | more)


def test_a_row_names_its_newest_message_that_is_no_note(dashboard, mai):
    thread_id = dashboard.say("t-1")
    assert row(mai, thread_id)["last_message_id"] == newest(mai, thread_id)
    first = newest(mai, thread_id)
    reply(mai, thread_id, private=True)
    assert row(mai, thread_id)["last_message_id"] == first
    empty = dashboard.happens("thread.handoff", "t-2")
    assert row(mai, empty)["last_message_id"] is None


def test_a_confirmed_reply_settles_what_was_seen_and_no_more(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = newest(mai, thread_id)
    dashboard.say("t-1")
    assert reply(mai, thread_id, seen_message_id=seen, confirm=True).status_code == 201
    assert row(mai, thread_id)["unanswered"] == 1
    assert row(mai, thread_id)["waiting_since"] == row(mai, thread_id)["recent_at"]


def test_who_names_no_message_has_seen_the_last_one(dashboard, mai):
    one, two, three = (dashboard.say(f"t-{number}") for number in range(3))
    assert reply(mai, one).status_code == 201
    assert row(mai, one)["unanswered"] == 0
    assert close(mai, two).json["row"]["open"] is False
    (result,) = bulk(mai, [three]).json["results"]
    assert (result["id"], result["status"], result["act"] > 0) == (three, "done", True)
    assert row(mai, three)["open"] is False


def test_what_arrives_after_the_request_is_not_seen_by_who_names_no_message(
    dashboard, mai, monkeypatch
):
    thread_id = dashboard.say("t-1")
    kept = dashboard.database.write

    def write(work, **how):
        monkeypatch.undo()
        dashboard.say("t-1", body="just now")
        return kept(work, **how)

    monkeypatch.setattr(dashboard.database, "write", write)
    assert close(mai, thread_id).json["row"]["open"] is True
    monkeypatch.setattr(dashboard.database, "write", write)
    assert bulk(mai, [thread_id]).status_code == 200
    assert (row(mai, thread_id)["open"], row(mai, thread_id)["unanswered"]) == (True, 1)
    monkeypatch.setattr(dashboard.database, "write", write)
    answer = reply(mai, thread_id)
    assert (answer.status_code, answer.json["code"]) == (409, "conversation_moved")


def test_who_has_seen_nothing_settles_nothing(dashboard, mai):
    thread_id = dashboard.say("t-1")
    assert close(mai, thread_id, seen_message_id=0).json["row"]["open"] is True
    assert reply(mai, thread_id, seen_message_id=0).json["code"] == "conversation_moved"
    assert reply(mai, thread_id, seen_message_id=0, confirm=True).status_code == 201
    assert row(mai, thread_id)["unanswered"] == 1


def test_a_handoff_is_seen_with_the_messages_before_it(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = newest(mai, thread_id)
    dashboard.say("t-1", role="bot")
    dashboard.happens("thread.handoff", "t-1")
    assert reply(mai, thread_id, seen_message_id=seen).status_code == 201
    assert row(mai, thread_id)["waiting_since"] is None
    assert close(mai, thread_id, seen_message_id=seen).json["row"]["open"] is False


def test_a_reply_sent_twice_settles_what_the_first_had_seen(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = newest(mai, thread_id)
    assert reply(mai, thread_id, token="tok", seen_message_id=seen).status_code == 201
    dashboard.say("t-1")
    again = reply(mai, thread_id, token="tok", seen_message_id=newest(mai, thread_id))
    assert again.status_code == 200
    assert row(mai, thread_id)["unanswered"] == 1


def test_claiming_releasing_and_notes_settle_nothing(dashboard, mai):
    thread_id = dashboard.say("t-1")
    for action in ("claim", "release", "reopen"):
        assert mai.post(f"{API}/threads/{thread_id}/{action}", json={}).status_code == 200
    assert reply(mai, thread_id, private=True).status_code == 201
    assert row(mai, thread_id)["unanswered"] == 1


def test_a_close_that_leaves_the_thread_open_is_not_told_to_the_chatbot(dashboard, mai):
    thread_id = dashboard.say("t-1")
    seen = newest(mai, thread_id)
    dashboard.say("t-1")
    close(mai, thread_id, seen_message_id=seen)
    acts = dashboard.outgoing_types()
    assert acts == []
    close(mai, thread_id)
    assert dashboard.outgoing_types() == ["thread.closed"]


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (-1, "number_out_of_range"),
        (2**53, "number_out_of_range"),
        (999, "unknown_value"),
        ("7", "wrong_type"),
        (True, "wrong_type"),
        (1.5, "wrong_type"),
        ([1], "wrong_type"),
    ],
)
def test_a_seen_message_that_is_none_is_refused(dashboard, mai, seen, code):
    thread_id = dashboard.say("t-1")
    for answer in (
        reply(mai, thread_id, seen_message_id=seen),
        reply(mai, thread_id, seen_message_id=seen, private=True),
        close(mai, thread_id, seen_message_id=seen),
    ):
        told = answer.json
        assert (answer.status_code, told["code"]) == (422, code)
        assert [each["pointer"] for each in told["errors"]] == ["/seen_message_id"]
    name = str(thread_id)
    answer = bulk(mai, [thread_id], seen={name: seen})
    problem = answer.json
    if code == "unknown_value":
        problem = answer.json["results"][0]["problem"]
    assert (problem["code"], problem["errors"][0]["pointer"]) == (code, f"/seen/{name}")
    assert row(mai, thread_id)["open"] is True


def test_a_message_of_another_thread_was_not_seen_in_this_one(dashboard, mai):
    one, two = dashboard.say("t-1"), dashboard.say("t-2")
    for answer in (
        reply(mai, one, seen_message_id=newest(mai, two)),
        close(mai, one, seen_message_id=newest(mai, two)),
    ):
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_value")
    assert row(mai, one)["open"] is True


@pytest.mark.parametrize(
    ("given", "code", "pointer"),
    [
        ({"seen": {"x": 1}}, "unknown_value", "/seen/x"),
        ({"seen": {"01": 1}}, "unknown_value", "/seen/01"),
        ({"seen": {"a/b~": 1}}, "unknown_value", "/seen/a~1b~0"),
        ({"seen": {"999": 1}}, "unknown_value", "/seen/999"),
        ({"seen": {"1": None}}, "missing_field", "/seen/1"),
        ({"seen": [1]}, "wrong_type", "/seen"),
        ({"seen": 1}, "wrong_type", "/seen"),
        ({"seen": {str(id): 1 for id in range(201)}}, "too_long", "/seen"),
        ({"seen": {"1": 1}, "action": "claim"}, "unknown_field", "/seen"),
        ({"seen_message_id": 1}, "unknown_field", "/seen_message_id"),
    ],
)
def test_what_was_seen_of_many_threads_is_exact(dashboard, mai, given, code, pointer):
    answer = bulk(mai, [dashboard.say("t-1")], **given)
    assert (answer.status_code, answer.json["code"]) == (422, code)
    assert answer.json["errors"][0]["pointer"] == pointer


def test_each_of_many_threads_is_closed_by_what_was_seen_of_it(dashboard, mai):
    one, two, three = (dashboard.say(f"t-{number}") for number in range(3))
    seen = {str(one): newest(mai, one), str(two): newest(mai, two)}
    dashboard.say("t-1")
    results = bulk(mai, [one, two, three, 999], seen=seen).json["results"]
    assert [each["status"] for each in results] == ["done", "done", "done", "rejected"]
    assert results[3]["problem"]["code"] == "not_found"
    assert [row(mai, id)["open"] for id in (one, two, three)] == [False, True, False]
