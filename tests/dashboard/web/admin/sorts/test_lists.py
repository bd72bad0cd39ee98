"""Lists in saved sorts: built-in views always keep theirs, and days are in the sort's time zone."""

from sqlalchemy import update

from dashboard.db import migrate
from dashboard.db.accounts import admins
from dashboard.db.lists import entries, kept_lists, named_lists, sorts, views
from dashboard.db.lists.named_lists import ListName
from dashboard.db.models.history import history_state
from scoring.sorting.rules import Rule, Sort
from scoring.views import DAY_MS, VIEW_QUERIES
from tests.dashboard.web.admin.sorts.calls import API, REST, in_order, kept_of_built_in, saved
from tests.dashboard.web.admin.views.calls import saved as saved_view
from tests.dashboard.web.answers import is_problem


def test_built_in_views_have_lists_in_a_saved_sort_as_long_as_there_is_the_sort(dashboard, sue):
    ids = [dashboard.say(f"t-{number}") for number in range(3)]
    rules = [REST | {"by": "created_at", "order": "oldest"}]
    made = saved(sue, rules=rules)
    before = kept_of_built_in(dashboard)
    assert all([*lists.values()] == [None] for lists in before.values())
    [arrival] = before["arrival"]
    assert in_order(dashboard, arrival) == ids
    with dashboard.database.read() as connection:
        for view in before:
            found = named_lists.find(connection, ListName(view, "vip", "all"), 1)
            assert found.query_list.id in before[view] and found.is_always_kept
    saved_view(sue, query=VIEW_QUERIES["arrival"], sort="vip")
    sue.delete("/admin/api/views/v1")
    assert kept_of_built_in(dashboard) == before, "a view of the same conditions had the same list"
    goes = dashboard.clock() + 60_000
    sue.put(f"{API}/vip", json={"title": made["title"], "rules": [REST]})
    after = kept_of_built_in(dashboard)
    for view, lists in after.items():
        [old] = before[view]
        assert lists.pop(old) == goes and [*lists.values()] == [None]
    [arrival] = after["arrival"]
    assert in_order(dashboard, arrival) == ids[::-1]
    assert sue.delete(f"{API}/vip").status_code == 204
    assert all({*lists.values()} == {goes} for lists in kept_of_built_in(dashboard).values())


def test_a_version_stays_as_long_as_a_list_is_ordered_by_it(dashboard, sue):
    """And as long as the past needs it."""
    saved(sue)

    def versions(whole_since=0):
        def write(connection):
            connection.execute(update(history_state).values(since=whole_since))
            sorts.remove_unused(connection)

        dashboard.database.write(write)
        with dashboard.database.read() as connection:
            return {*sorts.versions(connection)}

    [first] = versions()
    sue.put(f"{API}/vip", json={"title": "Other rules", "rules": [REST]})
    both = versions(dashboard.clock() + DAY_MS)
    assert len(both) == 2 and first in both, "lists in the old order are on screens"
    sue.put(f"{API}/vip", json={"title": "Another title", "rules": [REST]})
    titled = versions()
    assert both < titled and len(titled) == 3, "the past has the title before"
    gone = dashboard.clock() + 60_001
    dashboard.database.write(lambda c: kept_lists.remove_expired(c, gone))
    assert versions() == titled, "the past needs it"
    assert versions(dashboard.clock() + DAY_MS) == both - {first}
    sue.delete(f"{API}/vip")
    assert versions() == both - {first}
    dashboard.database.write(lambda c: kept_lists.remove_expired(c, gone))
    assert versions() == both - {first}, "it was replaced just now"
    assert versions(dashboard.clock() + DAY_MS) == set()


def test_days_in_rules_are_those_of_the_sort_whoever_looks(dashboard, sue):
    """Threads that begin at 14:13 and 15:13 UTC are of two different days in Tokyo."""
    rules = [REST | {"when": "created:2026-09-21"}, REST]
    first = dashboard.say("first")
    dashboard.clock.advance(3_600_000)
    second = dashboard.say("second")

    def order(timezone):
        name = ListName(None, "vip", "all", "is:open", timezone)
        with dashboard.database.read() as connection:
            found = named_lists.find(connection, name, 1).query_list
            return [each.id for each in entries.entries(connection, found, dashboard.clock(), 9)]

    profile = {"name": "Sue", "locale": "en", "timezone": "Asia/Tokyo"}
    assert sue.put("/admin/api/profile", json=profile).status_code == 200
    made = saved(sue, rules=rules)
    assert made["timezone"] == "Asia/Tokyo", "that of the profile"
    assert order(None) == order("America/Lima") == [first, second]
    changed = sue.put(f"{API}/vip", json={"title": "Days", "rules": rules}).json
    assert changed["timezone"] == "Asia/Tokyo"
    in_lima = {"title": "Days", "rules": rules, "timezone": "America/Lima"}
    assert sue.put(f"{API}/vip", json=in_lima).json["timezone"] == "America/Lima"
    assert order(None) == order("Asia/Tokyo") == [second, first]
    for timezone, after in (("Asia/Tokyo", [first, second]), ("UTC", [second, first])):
        body = {"rules": rules, "view": "arrival", "timezone": timezone}
        assert sue.post(f"{API}/preview", json=body).json["after"] == after
    wrong = sue.put(f"{API}/vip", json=in_lima | {"timezone": "Mars"})
    assert is_problem(wrong, 422, "unknown_value")


def test_a_sort_from_before_has_the_time_zone_of_a_view_that_uses_it(any_database):
    mai = any_database.write(lambda c: admins.create(c, "mai@example.org", "Mai", "admin", "", 1))
    rest = (Rule("", "recent_at", "newest"),)
    for name in ("used", "unused"):
        sort = Sort(name, rest, name, "Asia/Tokyo")
        any_database.write(lambda c, sort=sort: sorts.create(c, sort, mai, 1))
    draft = views.Draft("Open", "is:open", "used", "Asia/Ho_Chi_Minh", mai)
    any_database.write(lambda c: views.create(c, draft, mai, 1))
    any_database.write(lambda c: migrate.downgrade(c, "0032"))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        found = {sort.name: sort.timezone for sort in sorts.versions(connection).values()}
    assert found == {"used": "Asia/Ho_Chi_Minh", "unused": "UTC"}
