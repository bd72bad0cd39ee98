"""Cases of order, through HTTP and Socket.IO."""

import uuid

import pytest

from scoring.sorts import SORTS
from scoring.views import FILTERS, VIEWS
from tests.live.lists.steps import act, comes_to, reply, row
from tests.support import wait_until

# The other live tests run under both async modes; the rules of order are the same code in both.
pytestmark = pytest.mark.parametrize("lineup", ["eventlet"], indirect=True, scope="module")


def test_a_new_waiting_thread_is_last_in_longest_wait(lineup, dashboard, ago):
    """Case A1."""
    first = [lineup.say("a1-1", at_ms=ago(30)), lineup.say("a1-2", at_ms=ago(20))]
    dashboard.open("not_respond", "longest_wait")
    comes_to(dashboard, "not_respond", "longest_wait", [*first, lineup.say("a1-3", at_ms=ago(0))])


def test_equal_scores_are_ordered_by_id_and_a_message_moves_a_thread_at_once(
    lineup, dashboard, ago
):
    """Case A2."""
    one, two, three = (lineup.say(f"a2-{n}", at_ms=ago(9)) for n in range(3))
    for id in (one, two, three):
        reply(lineup, id)
    dashboard.open("arrival", "priority")
    comes_to(dashboard, "arrival", "priority", [one, two, three])
    lineup.say("a2-2", role="bot")
    comes_to(dashboard, "arrival", "priority", [one, two, three])
    lineup.say("a2-2")
    comes_to(dashboard, "arrival", "priority", [three, one, two])


@pytest.mark.parametrize("sort", SORTS)
def test_a_row_shows_the_value_that_it_is_sorted_by(lineup, ago, sort):
    """Case A3."""
    waits, answered = lineup.say("a3-waits", at_ms=ago(7)), lineup.say("a3-answered", at_ms=ago(8))
    reply(lineup, answered)
    for id in (waits, answered):
        url = f"{lineup.server.url}/admin/api/threads/{id}/explain"
        explanation = lineup.mai.get(url, params={"view": "arrival", "sort": sort}).json()
        shown = row(lineup, id)
        if explanation["fact"] in ("recent_at", "waiting_since"):
            assert explanation["value"] == shown[explanation["fact"]]
        else:
            assert explanation["value"] in (shown["recent_at"], shown["waiting_since"])
        assert explanation["rule"]


def test_reading_claiming_and_answering_do_not_move_a_thread_in_arrival(lineup, dashboard, ago):
    """Case A6."""
    ids = [lineup.say(f"a6-{n}", at_ms=ago(n)) for n in (1, 2, 3)]
    dashboard.open("arrival", "arrival")
    last = ids[-1]
    dashboard.call("thread:open", {"id": last})
    act(lineup, last, "claim")
    reply(lineup, last)
    reply(lineup, last, "a note", private=True)
    act(lineup, last, "priority", method="PUT", priority="high")
    act(lineup, last, "release")
    comes_to(dashboard, "arrival", "arrival", ids)
    act(lineup, last, "close")
    comes_to(dashboard, "arrival", "arrival", ids[:-1], set(ids))
    act(lineup, last, "reopen")
    comes_to(dashboard, "arrival", "arrival", ids)


@pytest.mark.parametrize("case", ["a7", "a8", "a9", "a10"])
def test_a_second_message_moves_a_thread_in_arrival_but_not_its_wait(lineup, dashboard, ago, case):
    """Cases A7, A8, A9, A10."""
    early, late = lineup.say(f"{case}-1", at_ms=ago(20)), lineup.say(f"{case}-2", at_ms=ago(10))
    dashboard.open("arrival", "arrival")
    dashboard.open("not_respond", "longest_wait")
    since = row(lineup, early)["waiting_since"]
    lineup.say(f"{case}-1", at_ms=ago(5))
    comes_to(dashboard, "arrival", "arrival", [early, late])
    comes_to(dashboard, "not_respond", "longest_wait", [early, late])
    assert row(lineup, early)["waiting_since"] == since
    assert row(lineup, early)["unanswered"] == 2


def test_times_with_other_offsets_are_ordered_by_their_instant(lineup, dashboard):
    """Case A11."""
    dashboard.open("not_respond", "longest_wait")
    stamps = [
        "2026-03-01T10:00:00.002Z",
        "2026-03-01T19:00:00.001+09:00",
        "2026-03-01T05:00:00-05:00",
    ]
    ids = [lineup.say(f"a11-{n}", occurred_at=stamp) for n, stamp in enumerate(stamps)]
    tied = lineup.say("a11-tied", occurred_at="2026-03-01T10:00:00Z")
    comes_to(dashboard, "not_respond", "longest_wait", [ids[2], tied, ids[1], ids[0]])


def test_every_list_of_every_filter_is_ordered_as_in_sql(lineup, dashboard, ago):
    """Cases A13, C4."""
    admin_id = lineup.mai.get(f"{lineup.server.url}/admin/api/me").json()["id"]
    for number in range(6):
        id = lineup.say(f"a13-{number}", at_ms=ago(number))
        if number % 2:
            act(lineup, id, "claim")
        if number % 3 == 0:
            act(lineup, id, "close")
    seen = 0
    for view in VIEWS:
        for filter in FILTERS:
            for sort in SORTS:
                opened = dashboard.open(view, sort, filter)
                places = [*zip(opened["scores"], opened["ids"], strict=True)]
                assert places == sorted(places)
                assert opened["ids"] == lineup.in_sql(view, sort, filter, admin_id)
                assert opened["total"] == len(opened["ids"])
                seen += len(places)
    assert seen > 100


def test_customers_without_member_status_stand_below_all_members(lineup, dashboard, ago):
    """Case A15."""

    def member(name, **facts):
        return lineup.say(name, at_ms=ago(5), customer={"id": f"c-{name}", **facts})

    nobody = member("a15-n")
    fifth, first = member("a15-5", member_status=5), member("a15-0", member_status=0)
    dashboard.open("arrival", "member_status")
    comes_to(dashboard, "arrival", "member_status", [first, fifth, nobody])
    lineup.say("a15-n")
    comes_to(dashboard, "arrival", "member_status", [first, fifth, nobody])


def test_a_bot_message_does_not_end_a_wait(lineup, dashboard, ago):
    """Case A16."""
    id = lineup.say("a16", at_ms=ago(3))
    since = row(lineup, id)["waiting_since"]
    lineup.say("a16", role="bot")
    shown = row(lineup, id)
    assert (shown["waiting_since"], shown["answered"]) == (since, False)
    assert id in dashboard.open("not_respond", "longest_wait")["ids"]


def test_a_handoff_starts_the_wait(lineup, dashboard):
    """Case A17."""
    key = lineup.server.create_key("handing-over", "--handoff")
    bot = lineup.server.bot(key)
    dashboard.open("not_respond", "longest_wait")

    def post(type, at, **more):
        event = {"id": uuid.uuid4().hex, "type": type, "thread": "a17", "occurred_at": at}
        return bot.post(f"{lineup.server.url}/api/v1/events", json=event | more).json()["thread_id"]

    id = post("message", "2026-04-01T10:00:00Z", customer={"id": "c"}, role="client", body="hi")
    assert row(lineup, id)["waiting_since"] is None
    post("thread.handoff", "2026-04-01T10:05:00Z")
    assert row(lineup, id)["waiting_since"] == 1_775_037_900_000
    wait_until(lambda: id in dashboard.ids("not_respond", "longest_wait"), what="the wait")


def test_an_admins_sort_and_filter_are_stored_on_the_server(lineup, bob):
    """Case A20."""
    url = f"{lineup.server.url}/admin/api/me"
    change = {"sorts": {"arrival": "priority"}, "filters": {"arrival": "mine"}}
    assert lineup.mai.patch(f"{url}/preferences", json=change).status_code == 200
    elsewhere = lineup.server.sign_in(lineup.mai_email).get(url).json()["preferences"]
    assert (elsewhere["sorts"]["arrival"], elsewhere["filters"]["arrival"]) == ("priority", "mine")
    assert bob.get(url).json()["preferences"]["sorts"]["arrival"] == "arrival"


def test_two_tabs_with_the_same_list_hold_the_same_order(lineup, dashboard, ago):
    """Case A21."""
    with lineup.dashboard() as other:
        for tab in (dashboard, other):
            tab.open("arrival", "unanswered_first")
        ids = [lineup.say(f"a21-{n}", at_ms=ago(n)) for n in range(4)]
        for tab in (dashboard, other):
            comes_to(tab, "arrival", "unanswered_first", ids[::-1])


def test_a_late_message_is_sent_and_ordered_by_its_time(lineup, dashboard, ago):
    """Case A23."""
    id = lineup.say("a23", at_ms=ago(9), body="first")
    lineup.say("a23", at_ms=ago(1), body="third")
    dashboard.call("thread:open", {"id": id})
    lineup.say("a23", at_ms=ago(5), body="second", role="bot")
    late = dashboard.wait_for("thread:message")["message"]
    assert late["body"] == "second"
    messages = dashboard.call("thread:open", {"id": id})["messages"]
    assert [message["body"] for message in messages] == ["first", "second", "third"]
    assert [message["at"] for message in messages] == sorted(m["at"] for m in messages)


def test_an_urgent_waiting_thread_stays_on_top(lineup, dashboard, ago):
    """Case A24."""
    urgent, others = (
        lineup.say("a24-urgent"),
        [lineup.say(f"a24-{n}", at_ms=ago(60)) for n in range(3)],
    )
    act(lineup, urgent, "priority", method="PUT", priority="urgent")
    dashboard.open("arrival", "priority")
    for number in range(3):
        lineup.say(f"a24-{number}")
    moved = {str(id) for id in others}
    wait_until(
        lambda: moved <= {id for frame in dashboard.frames for id in frame["rows"]},
        what="the frames of the messages",
    )
    comes_to(dashboard, "arrival", "priority", [urgent, *others])
