"""Saved views and queries as live lists, through a real server process."""

from tests.live.lists.steps import act
from tests.support import wait_until

WAITING = "?is:waiting lang:none"
#: These tests compare whole lists and all views.
OWN_SERVER = True


def views(lineup, method, path="", **body):
    answer = lineup.mai.request(method, f"{lineup.server.url}/admin/api/views{path}", json=body)
    assert answer.ok, answer.text
    return answer.json() if answer.content else None


def counts(lineup, id):
    """Whether SQL counts as many threads in a view as its list has."""
    found = next(view for view in views(lineup, "GET")["views"] if view["id"] == id)
    asked = {name: found[name] for name in ("query", "sort")}
    return views(lineup, "POST", "/preview", **asked)["total"]


def equals_fresh(lineup, dashboard, view, sort, filter="all"):
    with lineup.dashboard() as other:
        fresh = other.open(view, sort, filter)
    return dashboard.ids(view, sort, filter) == fresh["ids"]


def test_a_query_is_a_live_list_on_all_dashboards(lineup):
    first, second = (lineup.say(f"query-{number}") for number in (1, 2))
    with lineup.dashboard() as one, lineup.dashboard() as other:
        for each in (one, other):
            each.open(WAITING, "longest_wait")
            each.open(WAITING, "arrival", "mine")
        assert [id for id in one.ids(WAITING, "longest_wait") if id in (first, second)] == [
            first,
            second,
        ]
        act(lineup, first, "claim")
        wait_until(lambda: one.ids(WAITING, "arrival", "mine") == [first], what="what is mine")
        lineup.close_thread("query-1")
        wait_until(lambda: first not in other.ids(WAITING, "longest_wait"), what="its leaving")
        wait_until(lambda: other.ids(WAITING, "arrival", "mine") == [], what="no more mine")
        third = lineup.say("query-3", body="the newest words")
        wait_until(lambda: other.ids(WAITING, "longest_wait")[-1:] == [third], what="the newest")
        frame = next(each for each in other.frames if str(third) in each["rows"])
        assert frame["query"] == WAITING[1:] and "view" not in frame
        assert frame["rows"][str(third)]["preview"]["body"] == "the newest words"
        for each in (one, other):
            assert equals_fresh(lineup, each, WAITING, "longest_wait")
        wrong = one.call("list:open", {"query": "is:open zzz", "sort": "arrival", "limit": 1})
        assert (wrong["problem"]["code"], wrong["problem"]["at"]) == ("invalid_query", 8)


def test_a_saved_view_is_told_followed_changed_and_ended_on_screens(lineup):
    with lineup.dashboard() as dashboard:
        made = views(
            lineup, "POST", name="Urgent", query="priority:urgent", sort="arrival", owner="me"
        )
        id = made["id"]
        dashboard.wait_for("views:changed")
        dashboard.wait_for("views:totals", lambda data: data["totals"].get(id) == 0)
        dashboard.open(id, "arrival")
        thread = lineup.say("urgent")
        act(lineup, thread, "priority", method="PUT", priority="urgent")
        wait_until(lambda: dashboard.ids(id, "arrival") == [thread], what="the urgent one")
        dashboard.wait_for("views:totals", lambda data: data["totals"].get(id) == 1)
        assert counts(lineup, id) == 1
        views(lineup, "PUT", f"/{id}", name="Low", query="priority:low", sort="arrival")
        wait_until(lambda: dashboard.ids(id, "arrival") == [], what="the list that it is now")
        act(lineup, thread, "priority", method="PUT", priority="low")
        wait_until(lambda: dashboard.ids(id, "arrival") == [thread], what="the low one")
        views(lineup, "DELETE", f"/{id}")
        gone = dashboard.wait_for("list:gone", lambda data: data["view"] == id)
        assert (gone["sort"], gone["problem"]["code"]) == ("arrival", "not_found")
        named = {"view": id, "sort": "arrival", "limit": 1}
        assert dashboard.call("list:open", named)["problem"]["code"] == "not_found"
