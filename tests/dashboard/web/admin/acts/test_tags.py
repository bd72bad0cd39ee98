"""Tags over HTTP: of one thread, of many, and undone."""

import pytest

from tests.dashboard.web.admin.calls import API, row


def put(client, thread_id, **given):
    return client.put(f"{API}/threads/{thread_id}/tags", json=given)


def test_tags_are_added_and_removed(dashboard, mai):
    thread = dashboard.say("t-1")
    first = put(mai, thread, add=["vip", "đổi-trả"])
    assert first.status_code == 200
    assert first.json["row"]["tags"] == ["vip", "đổi-trả"]
    assert first.json["act"] is not None
    nothing = put(mai, thread, add=["vip"], remove=["refund"])
    assert (nothing.json["act"], nothing.json["row"]) == (None, first.json["row"])
    assert put(mai, thread, remove=["vip"]).json["row"]["tags"] == ["đổi-trả"]
    acts = mai.get(f"{API}/threads/{thread}/messages").json["acts"]
    assert [(each["type"], each["by"]["name"]) for each in acts] == [
        ("thread.tags_changed", "Mai")
    ] * 2
    assert acts[0]["added"] == ["vip", "đổi-trả"] and "removed" not in acts[0]
    assert acts[1]["removed"] == ["vip"] and "added" not in acts[1]


@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ({}, "/add", "missing_field"),
        ({"add": ["ok", "No"]}, "/add/1", "invalid_tag"),
        ({"remove": ["a b"]}, "/remove/0", "invalid_tag"),
        ({"add": ["x" * 33]}, "/add/0", "too_long"),
        ({"add": ["a"], "remove": ["a"]}, "/remove/0", "duplicate_tag"),
        ({"tags": ["a"]}, "/tags", "unknown_field"),
    ],
)
def test_what_names_no_tags_is_refused(dashboard, mai, given, pointer, code):
    answer = put(mai, dashboard.say("t-1"), **given)
    assert answer.status_code == 422
    assert (answer.json["errors"][0]["pointer"], answer.json["code"]) == (pointer, code)


def test_of_many_threads_each_is_tagged_or_says_why_not(dashboard, mai):
    one, full = dashboard.say("t-1"), dashboard.say("t-2")
    names = [f"t{number:02}" for number in range(20)]
    put(mai, full, add=names)
    put(mai, one, add=["vip", "old"])
    given = {"ids": [one, full, 999], "action": "tag", "add": ["vip", "new"], "remove": ["old"]}
    results = mai.post(f"{API}/threads/bulk", json=given).json["results"]
    assert [each["status"] for each in results] == ["done", "rejected", "rejected"]
    assert [each["problem"]["code"] for each in results[1:]] == ["too_many_tags", "not_found"]
    assert (row(mai, one)["tags"], row(mai, full)["tags"]) == (["new", "vip"], names)
    undone = mai.post(f"{API}/threads/undo", json={"acts": [results[0]["act"]]}).json["results"]
    assert undone[0]["row"]["tags"] == ["old", "vip"]


def test_the_undoing_of_a_tag_that_a_colleague_changed_says_who(dashboard, mai):
    thread = dashboard.say("t-1")
    act = put(mai, thread, add=["vip"]).json["act"]
    put(dashboard.sign_in("Bob"), thread, remove=["vip"])
    [result] = mai.post(f"{API}/threads/undo", json={"acts": [act]}).json["results"]
    assert (result["status"], result["problem"]["code"]) == ("rejected", "done_meanwhile")
    assert result["problem"]["by"]["name"] == "Bob"
