"""One action on many threads."""

import pytest

from dashboard.errors import StorageUnavailable
from tests.dashboard.web.admin.calls import API, row


def test_one_action_on_many_threads_answers_a_result_for_each(dashboard, mai):
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
        ({"ids": [1], "action": "assign"}, "missing_field"),
        ({"ids": [1], "action": "assign", "admin_id": 0}, "number_out_of_range"),
        ({"ids": [1], "action": "claim", "admin_id": 1}, "unknown_field"),
        ({"ids": [1], "action": "claim", "note": "For you"}, "unknown_field"),
        ({"ids": [1], "action": "tag"}, "missing_field"),
        ({"ids": [1], "action": "tag", "add": []}, "missing_field"),
        ({"ids": [1], "action": "tag", "add": ["VIP"]}, "invalid_tag"),
        ({"ids": [1], "action": "tag", "add": ["a"], "remove": ["a"]}, "duplicate_tag"),
        ({"ids": [1], "action": "claim", "add": ["vip"]}, "unknown_field"),
        ({"ids": [1], "action": "close", "remove": ["vip"]}, "unknown_field"),
        ({"ids": [1], "action": "delete"}, "unknown_value"),
        ({"ids": [], "action": "claim"}, None),
        ({"ids": list(range(1, 202)), "action": "claim"}, "too_long"),
        ({"ids": [0], "action": "claim"}, "number_out_of_range"),
        ({"ids": ["1"], "action": "claim"}, "wrong_type"),
        ({"action": "claim"}, "missing_field"),
    ],
)
def test_an_invalid_bulk_action_is_refused(mai, given, code):
    answer = mai.post(f"{API}/threads/bulk", json=given)
    assert answer.status_code == 422
    assert code in (None, answer.json["code"])
