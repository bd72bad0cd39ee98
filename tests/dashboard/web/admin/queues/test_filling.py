"""A queue hands out the threads that were in its view before, and follows changes of the view."""

import pytest
from sqlalchemy import func, select

from dashboard.db.models.queues import queue_entries, queue_lists
from dashboard.ingest.handing_out import FILL_PAUSE_SECONDS, HandOuts
from tests.dashboard.web.admin.queues.calls import (
    API,
    MINUTE,
    URL,
    accepts,
    is_here,
    listed,
    saved_queue,
    takes,
    turn,
)
from tests.dashboard.web.admin.views.calls import API as VIEWS
from tests.dashboard.web.admin.views.calls import saved, view

OLDEST = [{"when": "", "by": "created_at", "order": "oldest"}]
NEWEST = [{"when": "", "by": "created_at", "order": "newest"}]


@pytest.fixture
def small_slices(monkeypatch):
    """One transaction fills in two threads, and removes two entries."""
    monkeypatch.setattr("dashboard.ingest.handing_out.FILLED_AT_ONCE", 2)
    monkeypatch.setattr("dashboard.db.queues.entries.REMOVED_AT_ONCE", 2)


def waiting(dashboard, count: int, first: int = 0) -> list[int]:
    return [dashboard.say(f"t-{number}") for number in range(first, first + count)]


def taken(client) -> list[int]:
    """Takes threads until there is none; returns them in their order."""
    ids = []
    while (answer := takes(client)).status_code == 200:
        ids.append(answer.json["row"]["id"])
    return ids


def entries(dashboard) -> tuple[int, int]:
    """Returns the number of lists with entries, and of entries."""
    with dashboard.database.read() as connection:
        return tuple(
            connection.scalar(select(func.count()).select_from(table))
            for table in (queue_lists, queue_entries)
        )


def test_threads_from_before_are_handed_out_in_the_order_of_the_view(dashboard, sue, small_slices):
    """Q1, Q10, Q11: not closed, snoozed or assigned ones; nothing before all are filled in."""
    ids = waiting(dashboard, 9)
    sue.post(f"{API}/threads/{ids[1]}/close", json={})
    body = {"until": "2027-01-01T09:00:00Z"}
    sue.post(f"{API}/threads/{ids[2]}/snooze", json=body)
    sue.post(f"{API}/threads/{ids[3]}/claim", json={})
    sue.put(f"{API}/accounts/1", json={"capacity": 100})
    saved_queue(sue)
    handing_out, slices = dashboard.services.handing_out, 0
    while handing_out.fill():
        slices += 1
        if slices < 5:
            assert takes(sue).status_code == 204, "more important ones may still come"
    assert slices == 5
    late = waiting(dashboard, 1, first=9)
    assert taken(sue) == [ids[0], *ids[4:], *late]
    sue.post(f"{API}/threads/{ids[3]}/release", json={})
    sue.post(f"{API}/threads/{ids[2]}/wake", json={})
    sue.post(f"{API}/threads/{ids[1]}/reopen", json={})
    assert taken(sue) == ids[1:4]


def test_others_run_between_the_slices(dashboard, sue, small_slices):
    """SQLite lets no other green thread of a process run while it works."""
    waiting(dashboard, 5)
    saved_queue(sue)
    services, pauses = dashboard.services, list[float]()
    HandOuts(services.handing_out, lambda placements: None, dashboard.clock, pauses.append).turn()
    assert len(pauses) >= 3 and set(pauses) == {FILL_PAUSE_SECONDS}
    assert listed(sue)[0]["waiting"] == 5


def test_a_delay_counts_from_the_beginning_of_a_thread_that_was_there_before(dashboard, sue):
    """Q12: a later one waits for all of it, and again after it was closed."""
    old = waiting(dashboard, 1)
    dashboard.clock.advance(MINUTE)
    assert sue.post(VIEWS, json=view(owner="all", query="is:open")).status_code == 201
    saved_queue(sue, view="v1", delay=60)
    turn(dashboard)
    new = waiting(dashboard, 1, first=1)
    assert listed(sue)[0]["waiting"] == 1
    assert taken(sue) == old
    dashboard.clock.advance(MINUTE - 1)
    assert taken(sue) == []
    dashboard.clock.advance(1)
    assert listed(sue)[0]["waiting"] == 1
    assert taken(sue) == new
    sue.post(f"{API}/threads/{new[0]}/release", json={})
    assert taken(sue) == new, "the time runs on while it is assigned"
    for action in ("close", "reopen", "release"):
        sue.post(f"{API}/threads/{new[0]}/{action}", json={})
    assert taken(sue) == []
    # Acts of the same moment are a millisecond apart.
    dashboard.clock.advance(MINUTE + 1)
    assert taken(sue) == new


def test_a_push_with_a_delay_comes_when_the_time_is_over(dashboard, sue):
    """Q12, Q36: the process looks again at that time."""
    saved_queue(sue, mode="push", delay=60)
    is_here(dashboard, 1)
    accepts(sue)
    turn(dashboard)
    waiting(dashboard, 1)
    assert turn(dashboard) == 0
    assert dashboard.services.handing_out.look().next_at == dashboard.clock() + MINUTE
    dashboard.clock.advance(MINUTE)
    assert turn(dashboard) == 1


@pytest.mark.parametrize("mode", ["pull", "push"])
def test_a_changed_view_gives_the_queue_other_threads_in_another_order(
    dashboard, sue, small_slices, mode
):
    """Q1: the entries of the former list go, in slices."""
    ids = waiting(dashboard, 5)
    for number in (1, 3):
        sue.put(f"{API}/threads/{ids[number]}/priority", json={"priority": "urgent"})
    queue = saved_queue(sue, mode=mode)
    turn(dashboard)
    assert entries(dashboard) == (1, 5)
    body = view(owner="all", query="is:waiting priority:urgent,normal", sort="priority")
    assert sue.put(f"{VIEWS}/{queue['view']}", json=body).status_code == 200
    late = waiting(dashboard, 1, first=5)
    turn(dashboard)
    assert entries(dashboard) == (1, 6)
    order = [ids[1], ids[3], ids[0], ids[2], ids[4], *late]
    if mode == "push":
        is_here(dashboard, 1)
        accepts(sue, capacity=3)
        assert turn(dashboard) == 3
        rows = sue.get(f"{API}/threads?ids={','.join(map(str, order))}").json["rows"]
        assert [row["assignee"] is not None for row in rows] == [True] * 3 + [False] * 3
    else:
        sue.put(f"{API}/accounts/1", json={"capacity": 100})
        assert taken(sue) == order


def test_a_changed_sort_changes_the_order_of_the_queue(dashboard, sue):
    """Q1."""
    sort = {"name": "age", "title": "Age", "rules": OLDEST}
    assert sue.post(f"{API}/sorts", json=sort).status_code == 201
    ids = waiting(dashboard, 4)
    body = view(owner="all", sort="age", name="By age")
    assert sue.post(VIEWS, json=body).status_code == 201
    saved_queue(sue, view="v1")
    turn(dashboard)
    assert takes(sue).json["row"]["id"] == ids[0]
    changed = sue.put(f"{API}/sorts/age", json={"title": "Age", "rules": NEWEST})
    assert changed.status_code == 200
    turn(dashboard)
    assert taken(sue) == ids[:0:-1]


def test_a_deleted_queue_leaves_no_entries(dashboard, sue, small_slices):
    """Its threads stay with the admins who have them."""
    ids = waiting(dashboard, 5)
    queue = saved_queue(sue)
    turn(dashboard)
    takes(sue)
    assert sue.delete(f"{URL}/{queue['id']}").status_code == 204
    assert takes(sue).status_code == 204
    turn(dashboard)
    assert entries(dashboard) == (0, 0)
    row = sue.get(f"{API}/threads?ids={ids[0]}").json["rows"][0]
    assert row["assignee"]["id"] == 1
    waiting(dashboard, 1, first=5)
    assert entries(dashboard) == (0, 0)


def test_a_view_of_before_that_becomes_a_queue_hands_out_its_threads(dashboard, sue):
    """The lists stay as they are: only their choice for queues is another one."""
    of_all, of_some = (
        saved(sue, owner="all", name=name, query=query)["id"]
        for name, query in (("All", "is:waiting"), ("Some", "is:waiting -is:snoozed"))
    )
    ids = waiting(dashboard, 2)
    queue = saved_queue(sue, view=of_all)
    turn(dashboard)
    assert takes(sue).json["row"]["id"] == ids[0]
    assert sue.delete(f"{URL}/{queue['id']}").status_code == 204
    saved_queue(sue, view=of_some)
    turn(dashboard)
    assert takes(sue).json["row"]["id"] == ids[1]


def test_two_queues_of_the_same_threads_share_their_entries(dashboard, sue):
    """Q13: others help after a while."""
    sue.post(f"{API}/desks", json={"name": "sales"})
    ids = waiting(dashboard, 2)
    saved_queue(sue, admins=["sales"])
    helping = saved_queue(sue, name="Help", delay=60)
    turn(dashboard)
    assert entries(dashboard) == (1, 2)
    assert taken(sue) == []
    dashboard.clock.advance(MINUTE)
    answer = takes(sue).json
    assert (answer["queue"]["id"], answer["row"]["id"]) == (helping["id"], ids[0])
    assert [one["waiting"] for one in listed(sue)] == [1, 1]


def set_email(sue, admin_id: int, email: str) -> None:
    assert sue.put(f"{API}/accounts/{admin_id}", json={"email": email}).status_code == 200


@pytest.mark.parametrize("mode", ["pull", "push"])
def test_a_queue_whose_view_names_nobody_any_more_stops_no_other(
    dashboard, sue, small_slices, mode
):
    """Its entries follow no thread, so they are removed, and filled in once it names somebody."""
    bob = dashboard.create_admin("Bob")
    for query, name in (("is:waiting -mentions:bob@example.com", "Bob"), ("is:waiting", "All")):
        view_id = saved(sue, owner="all", name=name, query=query)["id"]
        saved_queue(sue, view=view_id, mode=mode)
    turn(dashboard)
    ids = waiting(dashboard, 3)
    set_email(sue, bob, "robert@example.com")
    sue.post(f"{API}/threads/{ids[0]}/claim", json={})
    turn(dashboard)
    assert entries(dashboard) == (2, 3)
    sue.put(f"{API}/accounts/1", json={"capacity": 100})
    if mode == "push":
        is_here(dashboard, 1)
        accepts(sue)
        assert turn(dashboard) == 2
    else:
        assert taken(sue) == ids[1:]
    waiting(dashboard, 1, first=3)
    set_email(sue, bob, "bob@example.com")
    for id in ids:
        sue.post(f"{API}/threads/{id}/release", json={})
    turn(dashboard)
    assert entries(dashboard) == (2, 8)


def test_threads_of_before_leave_and_enter_a_queue_with_time(dashboard, sue):
    """Also where the list in Redis is not built yet, which looks for such threads as well."""
    waiting(dashboard, 2)
    for query, name in (("waits:<10m", "New"), ("waits:>10m", "Old")):
        view_id = saved(sue, owner="all", name=name, query=query)["id"]
        saved_queue(sue, view=view_id)
    turn(dashboard)
    assert [one["waiting"] for one in listed(sue)] == [2, 0]
    dashboard.clock.advance(11 * MINUTE)
    dashboard.services.due_queue.turn()
    assert [one["waiting"] for one in listed(sue)] == [0, 2]
    assert [one["queue"]["name"] for one in (takes(sue).json, takes(sue).json)] == ["Old"] * 2
    assert takes(sue).status_code == 204
