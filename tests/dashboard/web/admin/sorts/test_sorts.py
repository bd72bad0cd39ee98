"""Sorts are saved, changed and deleted; a wrong one is refused with the place of the mistake."""

import pytest
from sqlalchemy import select, update

from dashboard.db.lists import kept_lists, sorts
from dashboard.db.models.history import history_state
from dashboard.db.models.views import sorts as sorts_table
from scoring.views import DAY_MS
from tests.dashboard.web.admin.sorts.calls import (
    API,
    REST,
    WAITS,
    in_order,
    kept,
    kept_of_built_in,
    saved,
    sort,
)
from tests.dashboard.web.admin.views.calls import saved as saved_view
from tests.dashboard.web.answers import is_problem

BUILT_IN = [
    "arrival",
    "longest_wait",
    "unanswered_first",
    "member_status",
    "priority",
    "next_due",
    "soonest",
]


def names(client):
    return [each["name"] for each in client.get(API).json["sorts"]]


def test_the_built_in_sorts_come_first_in_the_language_of_the_admin(mai, sue):
    mai.patch("/admin/api/me/preferences", json={"locale": "ja"})
    found = mai.get(API).json["sorts"]
    assert [each["name"] for each in found] == BUILT_IN
    assert all(each["built_in"] and each["changed_at"] is None for each in found)
    assert (found[1]["title"], found[1]["rules"]) == ("待ち時間の長い順", [WAITS, REST])
    saved(sue, name="vip")
    saved(sue, name="a_first")
    assert names(mai) == [*BUILT_IN, "a_first", "vip"]


def test_a_sort_is_saved_changed_and_deleted(dashboard, sue):
    made = saved(sue)
    assert made == sort(timezone="UTC", built_in=False, changed_at=dashboard.clock())
    change = {"title": "Very important", "rules": [REST], "changed_at": made["changed_at"]}
    changed = sue.put(f"{API}/vip", json=change)
    expected = {"title": "Very important", "rules": [REST], "changed_at": made["changed_at"] + 1}
    assert changed.json == made | expected
    meanwhile = sue.put(f"{API}/vip", json=change | {"title": "Other"})
    assert is_problem(meanwhile, 409, "changed_meanwhile")
    assert meanwhile.json["sort"] == changed.json
    assert sue.delete(f"{API}/vip").status_code == 204
    assert names(sue) == BUILT_IN
    for answer in (sue.put(f"{API}/vip", json=change), sue.delete(f"{API}/vip")):
        assert is_problem(answer, 404, "not_found")
    saved(sue)


def test_a_change_may_repeat_the_name_of_the_sort_and_not_give_another(sue):
    saved(sue)
    changed = sue.put(f"{API}/vip", json=sort(title="Very important"))
    assert (changed.status_code, changed.json["title"]) == (200, "Very important")
    for name in ("vip2", "VIP", "", "arrival"):
        answer = sue.put(f"{API}/vip", json=sort(name=name, title="Other"))
        assert is_problem(answer, 422, "invalid_name")
        [error] = answer.json["errors"]
        assert error["pointer"] == "/name"
        assert "“vip”" in error["detail"]
    assert is_problem(sue.put(f"{API}/vip", json=sort(name=5)), 422, "wrong_type")
    assert sue.get(API).json["sorts"][-1]["title"] == "Very important"


def test_only_supervisors_save_sorts(mai):
    for answer in (
        mai.post(API, json=sort()),
        mai.put(f"{API}/vip", json={"title": "x", "rules": [REST]}),
        mai.delete(f"{API}/vip"),
        mai.post(f"{API}/preview", json={"rules": [REST], "view": "arrival"}),
    ):
        assert is_problem(answer, 403, "forbidden")


def test_built_in_sorts_cannot_be_changed_and_names_are_given_once(sue):
    body = {"title": "x", "rules": [REST]}
    for answer in (sue.put(f"{API}/arrival", json=body), sue.delete(f"{API}/next_due")):
        assert is_problem(answer, 409, "built_in")
    saved(sue)
    assert is_problem(sue.post(API, json=sort()), 409, "name_taken")


@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ({"name": "arrival"}, "/name", "invalid_name"),
        ({"name": "preview"}, "/name", "invalid_name"),
        ({"name": "VIP"}, "/name", "invalid_name"),
        ({"name": ""}, "/name", "invalid_name"),
        ({"name": "vip\n"}, "/name", "invalid_name"),
        ({"name": "v" * 33}, "/name", "too_long"),
        ({"title": ""}, "/title", "empty_text"),
        ({"title": "a\nb"}, "/title", "forbidden_character"),
        ({"title": "t" * 81}, "/title", "too_long"),
        ({"rules": []}, "/rules", "rest_missing"),
        ({"rules": [REST] * 21}, "/rules", "too_long"),
        ({"rules": [WAITS]}, "/rules", "rest_missing"),
        ({"rules": [REST, REST]}, "/rules/1/when", "unreachable_rule"),
        ({"rules": [WAITS, WAITS, REST]}, "/rules/1/when", "unreachable_rule"),
        ({"rules": [REST | {"by": "waiting_since"}]}, "/rules/0/by", "time_missing"),
        ({"rules": [REST | {"by": "closed_at"}]}, "/rules/0/by", "time_missing"),
        ({"rules": [REST | {"by": "id"}]}, "/rules/0/by", "unknown_value"),
        ({"rules": [REST | {"order": "up"}]}, "/rules/0/order", "unknown_value"),
        ({"rules": [REST | {"split": "lang"}]}, "/rules/0/split", "unknown_value"),
        ({"rules": [REST | {"tier": 5}]}, "/rules/0/tier", "unknown_field"),
        ({"rules": [WAITS | {"when": None}, REST]}, "/rules/0/when", "missing_field"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(sue, given, pointer, code):
    answer = sue.post(API, json=sort(**given))
    assert is_problem(answer, 422, code), answer.json
    assert answer.json["errors"][0]["pointer"] == pointer
    assert names(sue) == BUILT_IN


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ("is:opne", 5),
        ("assigned:me", 9),
        ("assigned:nobody@desk.example", 9),
        ("refund", 0),
        ("(" * 1_000, 20),
    ],
)
def test_a_wrong_query_is_told_with_the_place_of_its_mistake(sue, when, at):
    rules = [WAITS, REST | {"when": when}]
    for answer in (
        sue.post(API, json=sort(rules=rules)),
        sue.post(f"{API}/preview", json={"rules": rules, "view": "arrival"}),
    ):
        assert is_problem(answer, 422, "invalid_query")
        place = {name: answer.json["errors"][0][name] for name in ("pointer", "at")}
        assert place == {"pointer": "/rules/1/when", "at": at}
        assert (answer.json["pointer"], answer.json["at"]) == ("/rules/1/when", at)
        assert answer.json["expected"] or when.startswith("((")


def test_there_are_at_most_a_hundred_sorts(sue, monkeypatch):
    monkeypatch.setattr(sorts, "SORTS_MAX", 2)
    saved(sue, name="one")
    saved(sue, name="two")
    assert is_problem(sue.post(API, json=sort(name="three")), 422, "too_many_sorts")
    sue.delete(f"{API}/one")
    saved(sue, name="three")


def test_a_view_is_ordered_by_a_saved_sort_and_gets_another_list_when_it_is_changed(dashboard, sue):
    ids = [dashboard.say(f"t-{number}") for number in range(3)]
    dashboard.say("t-0", role="admin")
    made = saved(sue, rules=[REST | {"by": "created_at", "order": "oldest"}])
    saved_view(sue, query="is:open", sort="vip")
    [first] = kept(dashboard, "is:open")
    assert dashboard.begun == [first]
    assert in_order(dashboard, first) == ids
    announced = dashboard.begun.clear()
    change = {"title": made["title"], "rules": [WAITS | {"order": "newest"}, REST]}
    assert sue.put(f"{API}/vip", json=change).status_code == 200
    lists = kept(dashboard, "is:open")
    assert lists.pop(first) == dashboard.clock() + 60_000, "it may be on screens"
    [second] = lists
    assert dashboard.begun == [second] and lists[second] is None and announced is None
    assert in_order(dashboard, second) == [ids[2], ids[1], ids[0]]
    assert in_order(dashboard, first) == ids, "in its old order as long as it is kept"
    sue.put(f"{API}/vip", json=change | {"title": "Another title"})
    assert set(kept(dashboard, "is:open")) == {first, second}, "another title has no other list"
    used = sue.delete(f"{API}/vip")
    assert is_problem(used, 409, "in_use")
    assert used.json["views"] == [{"id": "v1", "name": "Waiting"}]
    sue.delete("/admin/api/views/v1")
    assert sue.delete(f"{API}/vip").status_code == 204
    assert is_problem(sue.post("/admin/api/views", json={
        "name": "x", "query": "", "sort": "vip", "owner": "me"}), 422, "unknown_value")  # fmt: skip


def test_versions_that_no_list_needs_are_forgotten(dashboard, sue):
    made = saved(sue)
    saved_view(sue, sort="vip")
    for number in range(3):
        rules = [REST | {"when": f"waits:>{number}m"}, REST]
        sue.put(f"{API}/vip", json={"title": made["title"], "rules": rules})
    dashboard.clock.advance(90 * DAY_MS + 1)
    now = dashboard.clock()
    dashboard.database.write(lambda c: c.execute(update(history_state).values(since=now)))
    gone = dashboard.database.write(lambda c: kept_lists.remove_expired(c, now))
    assert len(gone) == 3 * (1 + len(kept_of_built_in(dashboard))), "of the view, and built-in ones"
    with dashboard.database.read() as connection:
        assert len(connection.execute(select(sorts_table.c.id)).all()) == 1


def test_a_preference_for_a_sort_goes_with_the_sort(mai, sue):
    path = "/admin/api/me/preferences"
    unknown = mai.patch(path, json={"sorts": {"arrival": "vip"}})
    assert is_problem(unknown, 422, "unknown_value")
    assert unknown.json["errors"][0]["pointer"] == "/sorts/arrival"
    saved(sue)
    chosen = {"arrival": "vip", "history": "priority"}
    assert mai.patch(path, json={"sorts": chosen}).json["sorts"]["arrival"] == "vip"
    mai.patch(path, json={"saved": {"view": "v1", "sort": "vip", "filter": "mine"}})
    page = mai.get("/").text
    assert '"saved_sorts"' in page and "VIPs first" in page
    sue.delete(f"{API}/vip")
    now = mai.get("/admin/api/me").json["preferences"]
    assert (now["sorts"]["arrival"], now["sorts"]["history"]) == ("arrival", "priority")
    assert now["saved"] == {"view": "v1", "filter": "mine"}, "in the view's own sort"


def test_a_preview_shows_the_first_threads_before_and_after(dashboard, sue):
    ids = [dashboard.say(f"t-{number}") for number in range(4)]
    dashboard.say("t-1", role="admin")
    body = {"rules": [WAITS | {"split": "member"}, REST], "view": "arrival"}
    answer = sue.post(f"{API}/preview", json=body).json
    after = [ids[0], ids[2], ids[3], ids[1]]
    assert answer == {
        "bits": 45,
        "tiers": 8,
        "moved": 3,
        "of": 4,
        "before": ids[::-1],
        "after": after,
        "whole": True,
    }
    view = saved_view(sue, query="is:answered", sort="longest_wait")
    answer = sue.post(f"{API}/preview", json=body | {"view": view["id"]}).json
    assert (answer["moved"], answer["before"], answer["after"]) == (0, [ids[1]], [ids[1]])
    assert names(sue) == BUILT_IN, "nothing is saved"


def test_a_preview_needs_a_view_and_right_rules(mai, sue):
    own = saved_view(mai)["id"]
    for view, status in ((own, 404), ("v99", 404), ("inbox", 422)):
        answer = sue.post(f"{API}/preview", json={"rules": [REST], "view": view})
        assert answer.status_code == status, view
    wrong = sue.post(f"{API}/preview", json={"rules": [REST, REST], "view": "arrival"})
    assert is_problem(wrong, 422, "unreachable_rule")


def test_the_conditions_of_all_sorts_are_limited(sue, monkeypatch):
    """Each event asks them one by one, however few sorts there are."""
    monkeypatch.setattr("dashboard.db.lists.allowances.RULES_MAX", 4)
    saved(sue, rules=[{**WAITS, "when": "is:waiting tag:a tag:b"}, REST])
    costly = sort(name="b", rules=[{**WAITS, "when": "is:waiting tag:c"}, REST])
    answer = sue.post(API, json=costly)
    assert is_problem(answer, 422, "too_costly")
    [error] = answer.json["errors"]
    assert error["pointer"] == "/rules" and "to 5 conditions; the limit is 4" in error["detail"]
    assert saved(sue, name="b")
    assert is_problem(sue.put(f"{API}/b", json=costly), 422, "too_costly")
    assert sue.put(f"{API}/b", json=sort(name="b", title="Other")).status_code == 200
