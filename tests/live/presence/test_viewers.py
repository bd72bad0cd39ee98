"""Admins who have a thread open or type there, over real sockets, in both async modes."""

import random
import time

import pytest

from tests.live.presence.steps import viewers_of
from tests.support import wait_until


def test_two_in_a_thread_see_each_other_and_what_they_do(lineup, sign_in):
    """R84 to R93, cases E1, E3."""
    (ann, ann_id), (bob, bob_id) = sign_in(), sign_in()
    thread = lineup.say(f"viewed-{random.random()}")
    with (
        lineup.dashboard(ann) as first,
        lineup.dashboard(bob) as second,
        lineup.dashboard(ann) as tab,
    ):
        first.call("thread:open", {"id": thread})
        answer = second.call("thread:open", {"id": thread})
        wait_until(lambda: bob_id in viewers_of(first, thread), what="bob being seen")
        assert [one["id"] for one in answer["viewers"]].count(ann_id) <= 1
        tab.call("thread:open", {"id": thread})
        second.call("thread:mode", {"id": thread, "mode": "typing"})
        wait_until(lambda: viewers_of(first, thread).get(bob_id) == "typing")
        cursor = {"message_id": None, "field": "reply", "position": 7}
        second.call("thread:mode", {"id": thread, "mode": "editing", "cursor": cursor})
        found = first.wait_for("thread:cursor")
        assert found == {"thread_id": thread, "admin_id": bob_id, "cursor": cursor}
        first.call("thread:close", {"id": thread})
        second.call("thread:close", {"id": thread})
        wait_until(lambda: viewers_of(tab, thread) == {ann_id: "viewing"}, what="ann's other tab")


def test_a_cursor_goes_to_the_admins_in_the_thread_also_to_later_ones(lineup, sign_in):
    """R91: the last position is kept; rows of lists do not show it."""
    (ann, ann_id), (bob, _) = sign_in(), sign_in()
    thread = lineup.say(f"pointed-{random.random()}")
    with (
        lineup.dashboard(ann) as first,
        lineup.dashboard(ann) as tab,
        lineup.dashboard(bob) as rows,
        lineup.dashboard(bob) as early,
        lineup.dashboard(bob) as late,
    ):
        rows.call("threads:watch", {"add": [thread], "del": []})
        for dashboard in (first, tab, early):
            dashboard.call("thread:open", {"id": thread})
        cursor = {"message_id": 5, "field": "messages", "position": 0}
        first.call("thread:mode", {"id": thread, "mode": "viewing", "cursor": cursor})
        frame = {"thread_id": thread, "admin_id": ann_id, "cursor": cursor}
        assert early.wait_for("thread:cursor") == frame
        late.call("thread:open", {"id": thread})
        assert late.wait_for("thread:cursor") == frame
        moved = cursor | {"message_id": 6}
        first.call("thread:mode", {"id": thread, "mode": "viewing", "cursor": moved})
        late.wait_for("thread:cursor", lambda one: one["cursor"] == moved)
        for dashboard in (first, tab, rows):
            assert dashboard.of("thread:cursor") == []


def test_a_row_on_screen_has_the_admins_in_its_thread(lineup, sign_in):
    (ann, _), (bob, bob_id) = sign_in(), sign_in()
    thread = lineup.say(f"rowed-{random.random()}")
    with lineup.dashboard(ann) as first, lineup.dashboard(bob) as second:
        second.call("thread:open", {"id": thread})
        first.call("threads:watch", {"add": [thread]})
        wait_until(lambda: bob_id in viewers_of(first, thread), what="bob on the row")
        second.call("thread:close", {"id": thread})
        wait_until(lambda: viewers_of(first, thread) == {}, what="bob leaving")
        first.call("threads:watch", {"del": [thread]})


def test_who_is_invisible_is_in_no_thread(lineup, sign_in):
    (ann, _), (bob, bob_id) = sign_in(), sign_in()
    thread = lineup.say(f"unseen-{random.random()}")
    with lineup.dashboard(ann) as first, lineup.dashboard(bob) as second:
        first.call("thread:open", {"id": thread})
        second.call("thread:open", {"id": thread})
        wait_until(lambda: bob_id in viewers_of(first, thread), what="bob being seen")
        second.call("presence:set", {"status": "invisible"})
        wait_until(lambda: bob_id not in viewers_of(first, thread), what="bob being hidden")
        second.call("thread:mode", {"id": thread, "mode": "typing"})
        second.call("presence:set", {"status": "auto"})
        wait_until(lambda: bob_id in viewers_of(first, thread), what="bob coming back")


@pytest.mark.slow
def test_typing_of_a_customer_is_pushed_and_ends_after_six_seconds(lineup, sign_in):
    name = f"typed-{random.random()}"
    thread = lineup.say(name)
    with lineup.dashboard(sign_in()[0]) as dashboard:
        dashboard.call("thread:open", {"id": thread})
        said = {"thread": name, "customer": f"c-{name}"}
        answer = lineup.bot.post(f"{lineup.server.url}/api/v1/typing", json=said)
        assert answer.status_code == 200, answer.text
        frame = dashboard.wait_for("thread:typing", lambda one: one["customers"], 2)
        assert frame == {"thread_id": thread, "customers": [f"shop/c-{name}"]}
        started = time.monotonic()
        dashboard.wait_for("thread:typing", lambda one: not one["customers"], 8)
        assert 4.5 < time.monotonic() - started < 7.5


def test_a_new_message_ends_typing(lineup, sign_in):
    name = f"ended-{random.random()}"
    thread = lineup.say(name)
    with lineup.dashboard(sign_in()[0]) as dashboard:
        dashboard.call("threads:watch", {"add": [thread]})
        said = {"thread": name, "customer": f"c-{name}"}
        lineup.bot.post(f"{lineup.server.url}/api/v1/typing", json=said)
        dashboard.wait_for("thread:typing", lambda one: one["customers"], 2)
        lineup.say(name)
        dashboard.wait_for("thread:typing", lambda one: not one["customers"], 2)
