"""Saved views are limited by their cost for each event, and not by their number alone."""

from contextlib import suppress

import pytest

from dashboard.db.lists import allowances
from dashboard.db.lists.allowances import Allowance, Most
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.rate_limits import RateLimit
from dashboard.web.admin.lists import views as views_api
from tests.dashboard.web.admin.views.calls import API, listed, saved, view
from tests.dashboard.web.answers import is_problem
from tests.scoring.conditions.costly import MANY_GROUPS, conditions, wide_query


@pytest.fixture
def allow(monkeypatch):
    """Makes an allowance smaller."""

    def set(name, conditions=99, moments=99, quiet=99):
        given = Allowance("your own views", Most(conditions, moments, quiet))
        monkeypatch.setattr(allowances, name, given)

    return set


def is_refused(client, reason, **given):
    answer = client.post(API, json=view(**given))
    assert is_problem(answer, 422, "too_costly"), answer.json
    [error] = answer.json["errors"]
    assert error["pointer"] == "/query" and reason in error["detail"], error
    return True


def test_one_query_has_so_many_conditions_in_its_normal_form(mai, monkeypatch):
    assert saved(mai, query=MANY_GROUPS), "few in the form of its negation"
    assert is_refused(mai, "too many nested alternatives", query=wide_query(10))
    monkeypatch.setattr(allowances, "QUERY_MAX", 10)
    assert saved(mai, query=conditions(10))
    assert is_refused(mai, "has 11 conditions", query=conditions(11))


def test_the_conditions_of_one_admin_and_of_all_are_counted(mai, sue, allow):
    allow("OWN", conditions=6)
    allow("OWN_OF_ALL", conditions=9)
    allow("SAVED", conditions=12)
    first = saved(mai, query="is:open tag:a tag:b")
    saved(mai, query="is:open tag:a tag:b", name="Again")
    saved(mai, query="tag:a tag:b tag:c")
    assert is_refused(mai, "bring your own views to 7 conditions; the limit is 6", query="tag:d")
    saved(sue, query="tag:a tag:b tag:d")
    assert is_refused(sue, "to 10 conditions; the limit is 9", query="tag:d"), "all admins'"
    saved(sue, query="tag:a tag:b tag:e", owner="all")
    assert is_refused(sue, "to 13 conditions; the limit is 12", query="tag:d", owner="all")
    changed = view(query="tag:a tag:b tag:f tag:g")
    assert is_problem(mai.put(f"{API}/{first['id']}", json=changed), 422, "too_costly")
    mai.delete(f"{API}/v2")
    assert mai.put(f"{API}/{first['id']}", json=view(query="tag:x")).status_code == 200
    assert len(listed(mai)) == 3


def test_a_list_that_several_views_share_counts_once(mai, allow):
    allow("OWN", conditions=3)
    for name in ("One", "Two"):
        saved(mai, query="is:open tag:a tag:b", name=name)
    assert is_refused(mai, "to 4 conditions; the limit is 3", query="tag:c")


def test_times_at_which_threads_are_looked_at_again_are_counted(mai, allow):
    """Usual times are free; each other time counts once, in however many views."""
    allow("OWN", moments=9)
    for query in ("waits:>10m", "quiet:<1h age:>7d", "waits:>=1d", "is:late"):
        saved(mai, query=query)
    saved(mai, query="waits:>7m")
    saved(mai, query="waits:>7m tag:a")
    assert is_refused(mai, "has a time", query="quiet:<8m")
    saved(mai, query="quiet:>11h")
    assert is_refused(mai, "has a time", query="quiet:>13h")


def test_lists_that_each_message_moves_its_thread_on_and_time_moves_it_back_are_counted(mai, allow):
    allow("OWN", quiet=2)
    for query in ("quiet:>10m", "quiet:>5m", "-quiet:<30s is:open", "waits:>1m", "is:late"):
        saved(mai, query=query)
    saved(mai, query="quiet:>5m", name="The same list")
    reason = "to 3 lists with a time below ten minutes"
    assert is_refused(mai, reason, query="quiet:>1m tag:a")
    assert is_problem(mai.put(f"{API}/v2", json=view(query="quiet:>2m")), 422, "too_costly")
    assert mai.delete(f"{API}/v3").status_code == 204
    saved(mai, query="quiet:>1m tag:a")


def test_what_was_saved_before_the_limits_stays_and_may_become_less(dashboard, mai, allow):
    ids = [saved(mai, query=f"is:open tag:a tag:{name}")["id"] for name in "bcd"]
    allow("OWN", conditions=2)
    dashboard.say("t-1")
    assert listed(mai) == ids
    assert is_refused(mai, "to 10 conditions; the limit is 2", query="tag:e")
    for query in ("is:open tag:x", "is:open tag:y"):
        assert mai.put(f"{API}/{ids[0]}", json=view(query=query)).status_code == 200
    assert mai.put(f"{API}/{ids[1]}", json=view(query="is:open", name="New")).status_code == 200
    assert mai.delete(f"{API}/{ids[2]}").status_code == 204


def test_lists_that_are_to_be_kept_at_once_count_together(database, monkeypatch):
    """All lists that are kept while somebody looks share one limit on conditions."""
    monkeypatch.setattr(allowances, "TEMPORARY", Allowance("all", Most(5, 99, 99)))
    new = {tag: ListedQuery(f"is:open tag:{tag}", "arrival", "UTC") for tag in "abc"}
    with database.read() as connection:
        assert allowances.with_room(connection, new) == ["a", "b"]


def test_who_saves_and_deletes_without_end_is_slowed_down(mai, monkeypatch):
    """A deleted view's list stays for a minute, for admins who look at it."""
    limit = RateLimit(5, 60, "Wait {seconds} s.")
    monkeypatch.setattr(views_api, "SAVED_CONDITIONS", limit)
    made = saved(mai, query="is:open tag:a")
    saved(mai, query="is:open tag:b")
    assert mai.delete(f"{API}/{made['id']}").status_code == 204
    assert is_problem(mai.post(API, json=view(query="is:open tag:c")), 429, "rate_limited")
    assert len(listed(mai)) == 1


def test_who_changes_views_without_end_is_slowed_down(mai, monkeypatch):
    """The conditions that an admin saves in a minute are limited; renaming a view costs nothing."""
    limit = RateLimit(5, 60, "Wait {seconds} s.")
    monkeypatch.setattr(views_api, "SAVED_CONDITIONS", limit)
    path = f"{API}/{saved(mai, query='is:open tag:a')['id']}"
    changed = view(query="is:open tag:b")
    assert mai.put(path, json=changed).status_code == 200
    assert mai.put(path, json=changed | {"name": "Other"}).status_code == 200
    assert is_problem(mai.put(path, json=view(query="is:open tag:c")), 429, "rate_limited")
    assert listed(mai, "query") == ["is:open tag:b"]


def test_a_view_that_is_written_twice_counts_once(dashboard, mai, monkeypatch):
    """Such as after a deadlock with another write."""
    monkeypatch.setattr(views_api, "SAVED_CONDITIONS", RateLimit(5, 60, "Wait {seconds} s."))
    write = dashboard.database.write

    class Again(Exception):
        pass

    def write_twice(work, **given):
        def fail(connection):
            work(connection)
            raise Again

        with suppress(Again):
            write(fail, **given)
        return write(work, **given)

    monkeypatch.setattr(dashboard.database, "write", write_twice)
    made = saved(mai, query="is:open tag:a")
    changed = view(query="is:open tag:b")
    assert mai.put(f"{API}/{made['id']}", json=changed).status_code == 200
