"""Snoozing over HTTP: one thread, many, and undoing."""

from datetime import UTC, datetime, timedelta

import pytest

API = "/admin/api/threads"


def moment(dashboard, **ahead) -> str:
    """Returns RFC 3339, so long ahead of the clock, in a time zone that is not UTC."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=dashboard.clock(), **ahead)
    return (at + timedelta(hours=7)).isoformat(timespec="milliseconds").replace("+00:00", "+07:00")


def error(answer) -> tuple[int, str, str]:
    [only] = answer.json["errors"]
    return answer.status_code, only["pointer"], only["code"]


def test_a_thread_is_snoozed_woken_and_both_are_undone(dashboard, mai):
    """W1, W9: the row and the act are answered as for a claim."""
    id = dashboard.say("t-1")
    until = moment(dashboard, hours=2)
    snoozed = mai.post(f"{API}/{id}/snooze", json={"until": until}).json
    assert snoozed["row"]["snooze"]["until"] == dashboard.clock() + 7_200_000
    assert (snoozed["row"]["snooze"]["wake"], snoozed["row"]["open"]) == ("reply", True)
    again = mai.post(f"{API}/{id}/snooze", json={"until": until, "wake": "reply"}).json
    assert again["act"] is None
    woken = mai.post(f"{API}/{id}/wake", json={}).json
    assert woken["row"]["woken"]["reason"] == "admin"
    [undone] = mai.post(f"{API}/undo", json={"acts": [woken["act"]]}).json["results"]
    assert undone["row"]["snooze"] == snoozed["row"]["snooze"]
    acts = mai.get(f"{API}/{id}/messages").json["acts"]
    assert [each["type"].removeprefix("thread.") for each in acts] == [
        "snoozed", "woken", "snoozed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"until": "2020-01-01T00:00:00Z"}, "/until", "until_in_the_past"),
        ({"until": "1970-01-01T00:00:00Z"}, "/until", "until_in_the_past"),
        ({"until": "2090-01-01T00:00:00Z"}, "/until", "until_too_far"),
        ({"until": "2190-01-01T00:00:00Z"}, "/until", "until_too_far"),
        ({"until": "2027-01-01T00:00:00"}, "/until", "invalid_timestamp"),
        ({"until": 1_800_000_000_000}, "/until", "wrong_type"),
        ({}, "/until", "missing_field"),
        ({"until": "2027-01-01T00:00:00Z", "wake": "later"}, "/wake", "unknown_value"),
        ({"until": "2027-01-01T00:00:00Z", "at": 1}, "/at", "unknown_field"),
    ],
)
def test_a_wrong_snooze_is_refused(dashboard, mai, body, pointer, code):
    """W8."""
    id = dashboard.say("t-1")
    assert error(mai.post(f"{API}/{id}/snooze", json=body)) == (422, pointer, code)
    if "until" in body and code.startswith("until"):
        many = {"ids": [id], "action": "snooze"} | body
        assert error(mai.post(f"{API}/bulk", json=many)) == (422, pointer, code)


def test_a_closed_thread_is_not_snoozed(dashboard, mai):
    """W7."""
    id = dashboard.say("t-1")
    mai.post(f"{API}/{id}/close", json={})
    answer = mai.post(f"{API}/{id}/snooze", json={"until": moment(dashboard, hours=1)})
    assert (answer.status_code, answer.json["code"]) == (409, "thread_closed")
    assert (
        mai.post(f"{API}/999/snooze", json={"until": moment(dashboard, hours=1)}).status_code == 404
    )
    assert mai.post(f"{API}/{id}/wake", json={}).json["act"] is None


def test_many_are_snoozed_and_woken_at_once(dashboard, mai):
    """Each with a result of its own."""
    ids = [dashboard.say(f"t-{number}") for number in range(3)]
    mai.post(f"{API}/{ids[2]}/close", json={})
    body = {"ids": [*ids, 999], "action": "snooze", "until": moment(dashboard, days=1)}
    results = mai.post(f"{API}/bulk", json=body | {"wake": "never"}).json["results"]
    codes = [each.get("problem", {}).get("code") for each in results]
    assert codes == [None, None, "thread_closed", "not_found"]
    assert mai.get(f"{API}?ids={ids[0]}").json["rows"][0]["snooze"]["wake"] == "never"
    results = mai.post(f"{API}/bulk", json={"ids": ids, "action": "wake"}).json["results"]
    assert [each["act"] is None for each in results] == [False, False, True]
    undone = mai.post(f"{API}/undo", json={"acts": [each["act"] for each in results[:2]]}).json
    assert all(each["row"]["snooze"] for each in undone["results"])


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"action": "snooze"}, "/until", "missing_field"),
        ({"action": "wake", "until": "2027-01-01T00:00:00Z"}, "/until", "unknown_field"),
        ({"action": "close", "wake": "never"}, "/wake", "unknown_field"),
        ({"action": "wake", "seen": {"1": 1}}, "/seen", "unknown_field"),
    ],
)
def test_what_belongs_to_another_action_is_refused(dashboard, mai, body, pointer, code):
    """Also in bulk."""
    id = dashboard.say("t-1")
    assert error(mai.post(f"{API}/bulk", json={"ids": [id]} | body)) == (422, pointer, code)
