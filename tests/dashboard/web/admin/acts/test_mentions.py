"""Mentions over HTTP: written with a note, read, and unread again."""

import pytest

from tests.dashboard.web.admin.calls import API, reply
from tests.dashboard.web.answers import is_problem

THREADS = f"{API}/threads"


@pytest.fixture
def bob(dashboard, mai):
    return dashboard.sign_in("Bob")


def test_a_colleague_is_mentioned_reads_it_and_keeps_it(dashboard, mai, bob):
    id = dashboard.say("t-1")
    note = reply(mai, id, "@Bob, look", private=True, mentions=[2]).json["message"]
    assert note["mentions"] == [{"id": 2, "name": "Bob"}]
    [*_, shown] = bob.get(f"{THREADS}/{id}/messages").json["messages"]
    assert shown == note
    path = f"{THREADS}/{id}/mentions"
    assert bob.post(f"{path}/read", json={"through": note["id"] - 1}).json == {
        "unread": [note["id"]]
    }
    assert bob.post(f"{path}/read", json={"through": note["id"]}).json == {"unread": []}
    again = bob.post(f"{path}/unread", json={"message_id": note["id"]})
    assert again.json == {"unread": [note["id"]]}
    assert is_problem(mai.post(f"{path}/unread", json={"message_id": note["id"]}), 404, "not_found")
    assert mai.post(f"{path}/read", json={"through": note["id"]}).json == {"unread": []}


def test_the_view_counts_what_is_unread(dashboard, mai, bob):
    id = dashboard.say("t-1")
    note = reply(mai, id, "@bob", private=True).json["message"]

    def total(browser):
        views = browser.get(f"{API}/views").json["views"]
        return next(each["total"] for each in views if each["id"] == "mentions")

    assert (total(bob), total(mai)) == (1, 0)
    bob.post(f"{THREADS}/{id}/mentions/read", json={"through": note["id"]})
    assert total(bob) == 0


@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ({"mentions": [3]}, "/mentions/0", "unknown_value"),
        ({"mentions": [2, 1]}, "/mentions/1", "unknown_value"),
        ({"mentions": [0]}, "/mentions/0", "number_out_of_range"),
        ({"mentions": ["2"]}, "/mentions/0", "wrong_type"),
        ({"mentions": 2}, "/mentions", "wrong_type"),
        ({"mentions": [2] * 51}, "/mentions", "too_long"),
        ({"mentions": [2], "private": False}, "/mentions", "unknown_field"),
    ],
)
def test_a_wrong_mention_is_refused_and_nothing_is_stored(
    dashboard, mai, bob, given, pointer, code
):
    id = dashboard.say("t-1")
    answer = reply(mai, id, **({"body": "@Bob, @Mai", "private": True} | given))
    [error] = answer.json["errors"]
    assert (answer.status_code, error["pointer"], error["code"]) == (422, pointer, code)
    assert len(mai.get(f"{THREADS}/{id}/messages").json["messages"]) == 1
