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
        ({"follow": "sometimes"}, "/follow", "unknown_value"),
        ({"density": 1}, "/density", "wrong_type"),
        ({"send_key": "space"}, "/send_key", "unknown_value"),
        ({"single_keys": "yes"}, "/single_keys", "wrong_type"),
        ({"list_width": 420.5}, "/list_width", "wrong_type"),
        ({"list_width": True}, "/list_width", "wrong_type"),
        ({"list_width": 0}, "/list_width", "number_out_of_range"),
        ({"notify": True}, "/notify", "wrong_type"),
        ({"notify": {"sound": 1}}, "/notify/sound", "wrong_type"),
        ({"notify": {"smell": True}}, "/notify/smell", "unknown_field"),
        ({"notify": {"pages": "arrival"}}, "/notify/pages", "wrong_type"),
        ({"notify": {"pages": ["arrival", "x"]}}, "/notify/pages/1", "unknown_value"),
        ({"notify": {"pages": ["arrival"] * 4}}, "/notify/pages", "too_long"),
        ({"calm": {str(n): True for n in range(21)}}, "/calm", "too_long"),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(mai, change, pointer, code):
    answer = mai.patch("/admin/api/me/preferences", json={"page": "history"} | change)
    assert answer.status_code == 422
    assert {(each["pointer"], each["code"]) for each in answer.json["errors"]} == {(pointer, code)}
    assert mai.get("/admin/api/me").json["preferences"]["page"] == "arrival"


def test_how_one_works_is_kept(mai):
    held = mai.get("/admin/api/me").json["preferences"]
    assert {name: held[name] for name in ("follow", "density", "send_key", "single_keys")} == {
        "follow": "off",
        "density": "comfortable",
        "send_key": "ctrl_enter",
        "single_keys": True,
    }
    assert held["list_width"] is None
    chosen = {
        "follow": "after_reply",
        "density": "compact",
        "send_key": "enter",
        "single_keys": False,
        "list_width": 420,
    }
    notify = {"sound": True, "pages": []}
    kept = mai.patch("/admin/api/me/preferences", json=chosen | {"notify": notify}).json
    assert {name: kept[name] for name in chosen} == chosen
    assert kept["notify"] == {"sound": True, "desktop": False, "title": True, "pages": []}
    mai.patch("/admin/api/me/preferences", json={"list_width": None, "notify": {"desktop": True}})
    again = mai.get("/admin/api/me").json["preferences"]
    assert (again["list_width"], again["notify"]["sound"]) == (None, True)


def test_it_is_an_object(mai):
    assert mai.patch("/admin/api/me/preferences", json=[]).json["code"] == "wrong_type"
