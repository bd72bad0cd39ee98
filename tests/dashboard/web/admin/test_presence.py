"""The dashboard's panel of people seen lately, for each admin as far as they may know."""

from dashboard.presence.service import OTHERS
from presence.people import Connection
from presence.settings import Settings

ONLINE = "/admin/api/presence/online"


def test_hidden_customers_are_listed_and_counted_for_supervisors_only(dashboard):
    """Rule 4: supervisors see the truth. Rule 9: totals leave out hidden people."""
    people = dashboard.presence_service.customers
    hidden = {"nobody": {"visibility": "nobody"}, "contacts": {"visibility": "contacts"}}
    for name, changes in {"open": {}, **hidden}.items():
        people.open(Connection(f"shop/{name}", "d"), Settings().changed(changes, 0))
    seen = {
        role: dashboard.sign_in(role.capitalize(), role).get(ONLINE).json
        for role in ("admin", "supervisor")
    }
    listed = {role: {one["id"] for one in page["customers"]} for role, page in seen.items()}
    assert listed == {
        "admin": {"shop/open"},
        "supervisor": {"shop/open", *map("shop/{}".format, hidden)},
    }
    assert {role: page["total"] for role, page in seen.items()} == {"admin": 1, "supervisor": 3}


def test_pages_of_500_are_so_many_a_minute_whichever_window_asks(dashboard):
    mai = dashboard.sign_in("Mai")
    answers = [mai.get(ONLINE, query_string={"limit": 500}) for _ in range(40)]
    assert {answer.status_code for answer in answers[:20]} == {200}
    [code] = {answer.status_code for answer in answers} - {200}
    assert code == 429
    assert dashboard.sign_in("Lan").get(ONLINE).status_code == 200


def test_a_supervisor_ends_all_sessions_of_an_admin(dashboard):
    """T3: offline at once, in every window, and without a session to come back with."""
    mai, boss = dashboard.sign_in("Mai"), dashboard.sign_in("Boss", "supervisor")
    id = mai.get("/admin/api/me").json["id"]
    windows = [Connection(str(id), f"session-{number}.socket") for number in range(2)]
    people = dashboard.presence_service.admins
    people.open_all([(window, Settings(), None) for window in windows])
    refused = mai.post(f"/admin/api/team/{id}/sign-out", json={})
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    assert boss.post(f"/admin/api/team/{id}/sign-out", json={}).status_code == 204
    state = dashboard.presence_service.look_up("admin", [str(id)], OTHERS)[str(id)]
    assert state["status"] == "offline"
    assert mai.get("/admin/api/me").status_code == 401
    assert boss.get("/admin/api/me").status_code == 200
    for unknown in (999, 2**70):
        assert boss.post(f"/admin/api/team/{unknown}/sign-out", json={}).status_code == 404


def test_who_was_seen_is_listed_with_the_colour_of_that_time(dashboard):
    """R38."""
    people = dashboard.presence_service.customers
    now_ms, ages = people.now_ms(), {"shop/green": 0, "shop/yellow": 61_000, "shop/grey": 301_000}
    for name, age in ages.items():
        people.open(Connection(name, "d", opened_ms=now_ms - age), Settings())
    listed = dashboard.sign_in("Boss", "supervisor").get(ONLINE).json["customers"]
    assert {one["id"]: one["colour"] for one in listed} == {
        name: name.removeprefix("shop/") for name in ages
    }


def test_without_redis_a_look_up_says_so(dashboard):
    """T12."""
    mai = dashboard.sign_in("Mai")
    dashboard.server.connected = False
    answer = mai.get(ONLINE)
    assert (answer.status_code, answer.json["code"]) == (503, "presence_unavailable")
