"""Answers and closes on the dashboard settle requests, while chatbots' clocks are slow (H28)."""

import pytest

from tests.live.threads.test_conversations import call, newest, reply
from tests.support import now_ms, wait_until

SLOW_MS = 3_000


def row(lineup, id):
    url = f"{lineup.server.url}/admin/api/threads?ids={id}"
    return lineup.mai.get(url).json()["rows"][0]


def seen(lineup, id):
    return newest(lineup, id)[-1]["id"]


def close(lineup, id, **body):
    answer = call(lineup, lineup.mai, "POST", f"threads/{id}/close", **body)
    assert answer.status_code == 200, answer.text
    return answer.json()["row"]


def slow(lineup, thread, **more):
    """A message of the customer, written now, by a chatbot whose clock is 3 s slow."""
    return lineup.say(thread, at_ms=now_ms() - SLOW_MS, **more)


def test_a_customer_of_a_slow_chatbot_who_writes_after_an_answer_waits(lineup):
    """H28: on the row, on `not_respond` and on an open dashboard."""
    id = slow(lineup, "slow")
    with lineup.dashboard() as dashboard:
        dashboard.open("not_respond", "longest_wait")
        assert reply(lineup, lineup.mai, id, seen_message_id=seen(lineup, id)).status_code == 201
        wait_until(lambda: id not in dashboard.ids("not_respond", "longest_wait"))
        slow(lineup, "slow", body="are you there?")
        wait_until(lambda: id in dashboard.ids("not_respond", "longest_wait"), what="the wait")
        waiting = row(lineup, id)
        message = newest(lineup, id)
        late = next(each for each in message if each["body"] == "are you there?")
        assert (waiting["waiting_since"], waiting["unanswered"]) == (late["at"], 1)
        assert reply(lineup, lineup.mai, id, seen_message_id=late["id"]).status_code == 201
        wait_until(lambda: id not in dashboard.ids("not_respond", "longest_wait"))


def test_a_close_does_not_keep_a_thread_shut_for_a_slow_chatbot(lineup):
    """H28."""
    id = slow(lineup, "shut")
    assert close(lineup, id, seen_message_id=seen(lineup, id))["open"] is False
    slow(lineup, "shut", body="one more thing")
    shown = row(lineup, id)
    assert (shown["open"], shown["unanswered"]) == (True, 1)


def test_a_message_that_is_delivered_late_waits(lineup):
    """H28: it was written before the answer, and nobody had seen it."""
    id = lineup.say("late")
    written_ms = now_ms()
    assert reply(lineup, lineup.mai, id, seen_message_id=seen(lineup, id)).status_code == 201
    assert close(lineup, id)["open"] is False
    lineup.say("late", at_ms=written_ms)
    shown = row(lineup, id)
    assert (shown["open"], shown["waiting_since"], shown["unanswered"]) == (True, written_ms, 1)


def test_acts_of_the_chatbot_settle_by_time_alone(lineup):
    """H28: the order in which the API stores events does not count, only their times."""
    id = lineup.say("times", at_ms=now_ms() - 10_000)
    lineup.say("times", role="admin", at_ms=now_ms() - 1_000)
    slow(lineup, "times")
    assert row(lineup, id)["waiting_since"] is None


def test_a_close_that_had_not_seen_the_last_message_leaves_the_thread_open(lineup):
    """H28: alone and in bulk."""
    ids = [lineup.say(f"unseen-{number}") for number in range(3)]
    first = {str(id): seen(lineup, id) for id in ids}
    for number in range(2):
        lineup.say(f"unseen-{number}", body="and another thing")
    alone, *others = ids
    shown = close(lineup, alone, seen_message_id=first[str(alone)])
    assert (shown["open"], shown["unanswered"]) == (True, 1)
    given = {"ids": others, "action": "close", "seen": first}
    refused = call(lineup, lineup.mai, "POST", "threads/bulk", **given)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, f"/seen/{alone}")
    given["seen"] = {str(id): first[str(id)] for id in others}
    answer = call(lineup, lineup.mai, "POST", "threads/bulk", **given)
    assert [each["status"] for each in answer.json()["results"]] == ["done", "done"]
    assert [row(lineup, id)["open"] for id in others] == [True, False]
    answer = call(lineup, lineup.mai, "POST", "threads/bulk", ids=ids, action="close")
    assert answer.status_code == 200
    assert [row(lineup, id)["open"] for id in ids] == [False] * 3


@pytest.mark.slow
def test_the_lists_hold_after_a_rebuild_from_sql(lineup):
    """H28: `check` finds no difference, and a rebuild changes nothing."""
    id = slow(lineup, "rebuilt")
    close(lineup, id)
    slow(lineup, "rebuilt")
    before = lineup.in_sql("not_respond", "longest_wait")
    assert id in before
    lineup.server.command("rebuild")
    assert lineup.in_sql("not_respond", "longest_wait") == before
    lineup.server.command("check")
