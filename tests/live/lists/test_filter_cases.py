"""Cases of filters, totals and unread threads."""

import time

import pytest

from scoring.views import VIEWS
from tests.live.lists.steps import act, reply, row
from tests.support import wait_until

# The other live tests run under both async modes; the rules of order are the same code in both.
pytestmark = pytest.mark.parametrize("lineup", ["eventlet"], indirect=True, scope="module")


@pytest.mark.slow
def test_totals_are_pushed_no_more_often_than_frames(lineup, dashboard):
    """Case C6."""
    dashboard.open("arrival", "arrival")
    wait_until(lambda: len({totals["filter"] for totals in dashboard.of("pages:totals")}) == 3)
    totals, frames, started = (
        len(dashboard.of("pages:totals")),
        len(dashboard.frames),
        time.monotonic(),
    )
    last = [lineup.say(f"c6-{number}") for number in range(40)][-1]
    wait_until(lambda: dashboard.ids("arrival", "arrival")[0] == last, what="the last")
    beats = (time.monotonic() - started) / 0.05 + 2
    assert len(dashboard.frames) - frames <= beats
    # Totals of two filters, in the turns of both views that have changed.
    assert len(dashboard.of("pages:totals")) - totals <= 2 * 2 * beats


def test_a_new_assignee_is_sent_to_every_dashboard(lineup, dashboard, bob):
    """Case C8."""
    id = lineup.say("c8")
    dashboard.open("arrival", "arrival")
    act(lineup, id, "claim", bob)

    def shown():
        return [frame["rows"][str(id)] for frame in dashboard.frames if str(id) in frame["rows"]]

    wait_until(lambda: shown() and shown()[-1]["assignee"], what="the new owner")
    assert shown()[-1]["assignee"]["name"] == "Bob"


def test_only_client_messages_make_a_thread_unread(lineup, bob):
    """Case C9."""
    id = lineup.say("c9")
    lineup.say("c9")
    assert row(lineup, id)["unanswered"] == 2
    reply(lineup, id)
    act(lineup, id, "claim")
    act(lineup, id, "priority", method="PUT", priority="urgent")
    reply(lineup, id, "a note", bob, private=True)
    lineup.say("c9", role="bot")
    assert row(lineup, id)["unanswered"] == 0


def test_a_close_reaches_the_lists_and_totals_of_all_admins(lineup, dashboard, bob):
    """Cases C11, C12."""
    id = lineup.say("c11")
    with lineup.dashboard(bob) as his:
        for each in (dashboard, his):
            each.open("not_respond", "longest_wait")
        act(lineup, id, "close", bob)
        wanted = {view: len(lineup.in_sql(view, "arrival")) for view in VIEWS}
        for each in (dashboard, his):
            wait_until(
                lambda b=each: b.totals().get("all") == wanted,
                what=f"{wanted} being sent",
            )
            wait_until(lambda b=each: id not in b.ids("not_respond", "longest_wait"))
