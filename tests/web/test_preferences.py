"""What an admin may choose."""

import pytest

CHOSEN = {"sorts": {"history": "priority"}, "filters": {"arrival": "mine"}, "calm": {"rows": True}}


def test_a_part_is_changed_and_all_is_answered(mai):
    answer = mai.patch("/admin/api/me/preferences", json=CHOSEN)
    assert answer.status_code == 200
    assert answer.json["sorts"] == {
        "arrival": "arrival",
        "not_respond": "longest_wait",
        "history": "priority",
    }
    assert answer.json["filters"]["arrival"] == "mine"
    assert answer.json["calm"] == {"rows": True}
    mai.patch(
        "/admin/api/me/preferences", json={"page": "history", "sorts": {"arrival": "priority"}}
    )
    kept = mai.get("/admin/api/me").json["preferences"]
    assert kept["page"] == "history"
    assert kept["sorts"] == {
        "arrival": "priority",
        "not_respond": "longest_wait",
        "history": "priority",
    }


def test_each_admin_has_their_own(dashboard, mai):
    bob = dashboard.sign_in("Bob")
    mai.patch("/admin/api/me/preferences", json={"theme": "dark"})
    assert bob.get("/admin/api/me").json["preferences"]["theme"] == "system"


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"colour": "red"}, "/colour", "unknown_field"),
        ({"theme": "pink"}, "/theme", "unknown_value"),
        ({"theme": None}, "/theme", "wrong_type"),
        ({"locale": 5}, "/locale", "wrong_type"),
        ({"sorts": "arrival"}, "/sorts", "wrong_type"),
        ({"sorts": {"inbox": "arrival"}}, "/sorts/inbox", "unknown_field"),
        ({"sorts": {"arrival": "newest"}}, "/sorts/arrival", "unknown_value"),
        ({"filters": {"arrival": "his"}}, "/filters/arrival", "unknown_value"),
        ({"calm": {"rows": "yes"}}, "/calm/rows", "wrong_type"),
        ({"calm": {str(n): True for n in range(21)}}, "/calm", "too_long"),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(mai, change, pointer, code):
    answer = mai.patch("/admin/api/me/preferences", json={"page": "history"} | change)
    assert answer.status_code == 422
    assert {(each["pointer"], each["code"]) for each in answer.json["errors"]} == {(pointer, code)}
    assert mai.get("/admin/api/me").json["preferences"]["page"] == "arrival"


def test_it_is_an_object(mai):
    assert mai.patch("/admin/api/me/preferences", json=[]).json["code"] == "wrong_type"
