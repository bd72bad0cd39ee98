"""Cases of missed events and stale lists."""

import pytest

from scoring.views import FILTERS, VIEWS
from tests.live.lists.steps import act, order, reply
from tests.support import wait_until

# The other live tests run under both async modes; the rules of order are the same code in both.
pytestmark = pytest.mark.parametrize("lineup", ["eventlet"], indirect=True, scope="module")


def test_after_a_cut_connection_the_list_equals_sql(lineup, ago):
    """Case B1."""
    ids = [lineup.say(f"b1-{n}", at_ms=ago(10 + n)) for n in range(4)]
    with lineup.dashboard() as cut:
        cut.open("arrival", "arrival")
    reply(lineup, ids[0])
    lineup.say("b1-3")
    act(lineup, ids[1], "close")
    new = lineup.say("b1-new")
    with cut.connect() as back:
        wait_until(
            lambda: back.ids("arrival", "arrival") == lineup.in_sql("arrival", "arrival"),
            what="the list being right",
        )
        assert order(back, "arrival", "arrival", {*ids, new})[:2] == [new, ids[3]]


def test_the_reconciler_removes_a_row_that_a_lost_event_left(lineup, dashboard):
    """Case B7."""
    id = lineup.say("b7")
    dashboard.open("arrival", "arrival")
    act(lineup, id, "close")
    wait_until(lambda: id not in dashboard.ids("arrival", "arrival"), what="leaving")
    key = "{lineup:arrival}|arrival"
    lineup.redis.client().zadd(key, {f"{id:012d}": 1})

    def is_off():
        return id not in dashboard.open("arrival", "arrival")["ids"]

    wait_until(is_off, what="the list being repaired")


def test_totals_equal_the_lists_and_come_with_their_frames(lineup, dashboard):
    """Cases B11, B13."""
    for filter in FILTERS:
        dashboard.open("arrival", "arrival", filter)
    lineup.say("b13")
    frame = wait_until(lambda: [f for f in dashboard.frames if f["filter"] == "all"])[0]
    wait_until(lambda: dashboard.totals()["all"]["arrival"] == frame["total"], what="the number")
    for number in range(12):
        id = lineup.say(f"b11-{number}")
        if number % 2:
            act(lineup, id, "claim")
        if number % 3:
            lineup.close_thread(f"b11-{number}")

    def numbers_are_those_of_the_lists():
        return dashboard.totals() == {
            filter: {view: other.open(view, "arrival", filter)["total"] for view in VIEWS}
            for filter in FILTERS
        }

    with lineup.dashboard() as other:
        wait_until(numbers_are_those_of_the_lists, what="the totals of the lists")


def test_a_closed_thread_leaves_the_open_lists_of_mine(lineup, dashboard):
    """Case B12."""
    id = lineup.say("b12")
    act(lineup, id, "claim")
    for view in VIEWS:
        dashboard.open(view, "arrival", "mine")
    assert id in dashboard.ids("not_respond", "arrival", "mine")
    act(lineup, id, "close")
    for view, is_there in (("arrival", False), ("not_respond", False), ("history", True)):
        wait_until(
            lambda view=view, there=is_there: (
                (id in dashboard.ids(view, "arrival", "mine")) == there
            ),
            what=f"{view} of mine",
        )


def test_the_message_of_a_notice_is_that_of_the_row(lineup, dashboard):
    """Case B15."""
    id = lineup.say("b15")
    dashboard.open("arrival", "arrival")
    dashboard.call("thread:open", {"id": id})
    lineup.say("b15", body="sent and shown")
    message = dashboard.wait_for("thread:message")["message"]
    frame = wait_until(lambda: [f for f in dashboard.frames if str(id) in f["rows"]])[-1]
    preview = frame["rows"][str(id)]["preview"]
    assert (preview["body"], preview["at"]) == (message["body"], message["at"])
