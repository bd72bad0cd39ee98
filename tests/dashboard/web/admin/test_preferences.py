"""The choices of an admin."""

import pytest

from dashboard.db.accounts import admins

#: The sorts in which the places begin.
SORTS = {
    "mine": "longest_wait",
    "unassigned": "longest_wait",
    "arrival": "arrival",
    "not_respond": "longest_wait",
    "snoozed": "soonest",
    "mentions": "arrival",
    "history": "arrival",
}
CHOSEN = {"sorts": {"history": "priority", "mine": "arrival"}, "filters": {"arrival": "mine"}}


def test_a_part_is_changed_and_all_is_answered(mai):
    answer = mai.patch("/admin/api/me/preferences", json=CHOSEN)
    assert answer.status_code == 200
    assert answer.json["sorts"] == SORTS | {"history": "priority", "mine": "arrival"}
    assert answer.json["filters"]["arrival"] == "mine"
    mai.patch(
        "/admin/api/me/preferences", json={"view": "history", "sorts": {"arrival": "priority"}}
    )
    kept = mai.get("/admin/api/me").json["preferences"]
    assert kept["view"] == "history"
    assert kept["sorts"] == SORTS | {
        "history": "priority",
        "mine": "arrival",
        "arrival": "priority",
    }


def test_the_place_that_was_open_last_is_kept(mai):
    assert mai.get("/admin/api/me").json["preferences"]["place"] is None
    for place in SORTS:
        kept = mai.patch("/admin/api/me/preferences", json={"place": place}).json
        assert kept["place"] == place and kept["view"] == "not_respond"


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
        ({"sorts": {"unassigned": "newest"}}, "/sorts/unassigned", "unknown_value"),
        ({"place": "theirs"}, "/place", "unknown_value"),
        ({"filters": {"mine": "all"}}, "/filters/mine", "unknown_field"),
        ({"filters": {"arrival": "his"}}, "/filters/arrival", "unknown_value"),
        ({"calm": {"rows": True}}, "/calm", "unknown_field"),
        ({"sorts": {"\ud800": "arrival"}}, "/sorts", "invalid_unicode"),
        ({"\ud800": True}, "", "invalid_unicode"),
        ({"follow": "sometimes"}, "/follow", "unknown_value"),
        ({"density": 1}, "/density", "wrong_type"),
        ({"send_key": "space"}, "/send_key", "unknown_value"),
        ({"single_keys": "yes"}, "/single_keys", "wrong_type"),
        ({"list_width": 420.5}, "/list_width", "wrong_type"),
        ({"list_width": True}, "/list_width", "wrong_type"),
        ({"list_width": 0}, "/list_width", "number_out_of_range"),
        ({"saved": {"sort": "arrival"}}, "/saved/view", "missing_field"),
        ({"saved": {"view": "arrival"}}, "/saved/view", "unknown_value"),
        ({"saved": {"view": "v1", "sort": "gone"}}, "/saved/sort", "unknown_value"),
        ({"saved": {"view": "v1", "filter": "his"}}, "/saved/filter", "unknown_value"),
        ({"notify": True}, "/notify", "wrong_type"),
        ({"notify": {"sound": 1}}, "/notify/sound", "wrong_type"),
        ({"notify": {"smell": True}}, "/notify/smell", "unknown_field"),
        ({"notify": {"views": "arrival"}}, "/notify/views", "wrong_type"),
        ({"notify": {"views": ["arrival", "x"]}}, "/notify/views/1", "unknown_value"),
        ({"notify": {"views": ["arrival"] * 4}}, "/notify/views", "too_long"),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(mai, change, pointer, code):
    answer = mai.patch("/admin/api/me/preferences", json={"view": "history"} | change)
    assert answer.status_code == 422
    assert {(each["pointer"], each["code"]) for each in answer.json["errors"]} == {(pointer, code)}
    assert mai.get("/admin/api/me").json["preferences"]["view"] == "not_respond"


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
    notify = {"sound": True, "views": []}
    kept = mai.patch("/admin/api/me/preferences", json=chosen | {"notify": notify}).json
    assert {name: kept[name] for name in chosen} == chosen
    assert kept["notify"] == {"sound": True, "desktop": False, "title": True, "views": []}
    mai.patch("/admin/api/me/preferences", json={"list_width": None, "notify": {"desktop": True}})
    again = mai.get("/admin/api/me").json["preferences"]
    assert (again["list_width"], again["notify"]["sound"]) == (None, True)


def test_it_is_an_object(mai):
    assert mai.patch("/admin/api/me/preferences", json=[]).json["code"] == "wrong_type"


def test_names_that_are_not_known_any_more_are_forgotten(dashboard, mai):
    """H20: earlier versions stored any name; only known ones are read."""
    old = {
        "calm": {f"switch-{number}": True for number in range(600)},
        "sorts": {"inbox": "arrival", "history": "priority"},
        "notify": True,
        "theme": "dark",
    }
    dashboard.database.write(lambda connection: admins.save_preferences(connection, 1, old))
    held = mai.get("/admin/api/me").json["preferences"]
    assert "calm" not in held and held["theme"] == "dark" and held["notify"]["title"] is True
    assert held["sorts"] == SORTS | {"history": "priority"}
    assert "switch-" not in mai.get("/").text
    for path in ("sorts", "views"):
        assert mai.get(f"/admin/api/{path}").status_code == 200
    mai.patch("/admin/api/me/preferences", json={"theme": "light"})
    with dashboard.database.read() as connection:
        stored = admins.preferences(connection, 1)
    assert stored == {"sorts": {"history": "priority"}, "theme": "light"}


def test_the_saved_view_that_was_open_last_is_kept_whole(mai):
    kept = mai.patch(
        "/admin/api/me/preferences",
        json={"saved": {"view": "v17", "sort": "priority", "filter": "mine"}},
    )
    assert kept.json["saved"] == {"view": "v17", "sort": "priority", "filter": "mine"}
    kept = mai.patch("/admin/api/me/preferences", json={"saved": {"view": "v18"}})
    assert kept.json["saved"] == {"view": "v18"}, "in its own sort"
    assert kept.json["view"] == "not_respond"
    mai.patch("/admin/api/me/preferences", json={"saved": None})
    assert mai.get("/admin/api/me").json["preferences"]["saved"] is None
