"""Canned replies are kept for all admins."""

import pytest

API = "/admin/api/canned"


def test_a_canned_reply_is_made_changed_and_deleted(dashboard, mai):
    made = mai.post(API, json={"shortcut": "hello", "body": "Hello {{customer.name}}"})
    assert made.status_code == 201
    assert made.json == {
        "id": 1,
        "shortcut": "hello",
        "body": "Hello {{customer.name}}",
        "updated_at": dashboard.clock(),
    }
    mai.post(API, json={"shortcut": "bye", "body": "Bye"})
    dashboard.clock.advance(5)
    changed = mai.put(f"{API}/1", json={"shortcut": "hi", "body": "Hi\n"})
    assert (changed.status_code, changed.json["updated_at"]) == (200, dashboard.clock())
    bob = dashboard.sign_in("Bob")
    listed = bob.get(API).json["canned"]
    assert [(each["shortcut"], each["body"]) for each in listed] == [("bye", "Bye"), ("hi", "Hi\n")]
    assert mai.delete(f"{API}/1", data="x", content_type="text/plain").status_code == 415
    assert mai.delete(f"{API}/1").status_code == 204
    assert [each["shortcut"] for each in bob.get(API).json["canned"]] == ["bye"]


def test_a_shortcut_stands_for_one_reply(mai):
    mai.post(API, json={"shortcut": "one", "body": "1"})
    mai.post(API, json={"shortcut": "two", "body": "2"})
    for answer in (
        mai.post(API, json={"shortcut": "one", "body": "x"}),
        mai.put(f"{API}/2", json={"shortcut": "one", "body": "x"}),
    ):
        assert (answer.status_code, answer.json["code"]) == (409, "shortcut_taken")
    assert [each["body"] for each in mai.get(API).json["canned"]] == ["1", "2"]
    assert mai.put(f"{API}/1", json={"shortcut": "one", "body": "3"}).status_code == 200


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"shortcut": ""}, "/shortcut", "unknown_value"),
        ({"shortcut": "Hi"}, "/shortcut", "unknown_value"),
        ({"shortcut": "a b"}, "/shortcut", "unknown_value"),
        ({"shortcut": "a" * 33}, "/shortcut", "too_long"),
        ({"shortcut": 5}, "/shortcut", "wrong_type"),
        ({"body": " \n"}, "/body", "empty_text"),
        ({"body": "x" * 20_001}, "/body", "too_long"),
        ({"body": "\x00"}, "/body", "forbidden_character"),
        ({"colour": "red"}, "/colour", "unknown_field"),
    ],
)
def test_an_invalid_canned_reply_is_refused(mai, change, pointer, code):
    answer = mai.post(API, json={"shortcut": "ok", "body": "ok"} | change)
    assert answer.status_code == 422
    assert [(each["pointer"], each["code"]) for each in answer.json["errors"]] == [(pointer, code)]
    assert mai.get(API).json["canned"] == []


@pytest.mark.parametrize("id", [7, 2**63])
def test_calls_of_an_unknown_canned_reply_are_404(mai, id):
    assert mai.put(f"{API}/{id}", json={"shortcut": "a", "body": "a"}).status_code == 404
    assert mai.delete(f"{API}/{id}", json={}).status_code == 404


def test_requests_of_other_origins_change_no_canned_reply(mai):
    mai.post(API, json={"shortcut": "one", "body": "1"})
    for method, path in (("post", API), ("put", f"{API}/1"), ("delete", f"{API}/1")):
        answer = getattr(mai, method)(path, json={}, headers={"Origin": "http://evil.example"})
        assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")
