"""Lists, rows, totals and messages through a real server process."""

import time

import pytest

from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]


def held_equals_fresh(desk, browser, page, sort, filter="all"):
    with desk.browser() as other:
        fresh = other.open(page, sort, filter)
    return browser.ids(page, sort, filter) == fresh["ids"]


def test_connecting_tells_of_the_order_and_the_totals(desk):
    with desk.browser() as browser:
        assert browser.wait_for("order:status") == {"late": False, "since": None}
        for filter in ("all", "unassigned", "mine"):
            told = browser.wait_for("pages:totals", lambda data, f=filter: data["filter"] == f)
            assert set(told) == {"filter", "arrival", "not_respond", "history"}


def test_an_event_moves_the_thread_on_every_open_list(desk):
    with desk.browser() as browser:
        browser.open("arrival", "arrival")
        browser.open("not_respond", "longest_wait")
        id = desk.say("moves")
        wait_until(lambda: browser.ids("arrival", "arrival")[:1] == [id], what="the frame")
        wait_until(lambda: browser.ids("not_respond", "longest_wait")[-1:] == [id])
        desk.close("moves")
        wait_until(lambda: id not in browser.ids("arrival", "arrival"), what="its leaving")
        wait_until(lambda: id not in browser.ids("not_respond", "longest_wait"))
        assert held_equals_fresh(desk, browser, "arrival", "arrival")


def test_an_event_is_seen_within_a_blink(desk):
    with desk.browser() as browser:
        browser.open("arrival", "arrival")
        waits = []
        for number in range(10):
            frames = len(browser.frames)
            started = time.monotonic()
            desk.say(f"blink-{number % 3}")
            wait_until(lambda before=frames: len(browser.frames) > before, what="the frame")
            waits.append(time.monotonic() - started)
        assert sorted(waits)[5] < 0.25, waits


def test_rows_on_screen_come_with_the_frame(desk):
    id = desk.say("row")
    with desk.browser() as browser:
        answer = browser.open("arrival", "priority")
        assert id in [row["id"] for row in answer["rows"]]
        desk.say("row", body="the newest words")
        frame = wait_until(lambda: [f for f in browser.frames if str(id) in f["rows"]])[0]
        assert frame["rows"][str(id)]["preview"]["body"] == "the newest words"
        assert frame["rows"][str(id)]["rev"] == 2
        assert browser.call("threads:watch", {"del": [id]}) == {"ok": True}
        assert browser.call("threads:watch", {"add": [id]}) == {"ok": True}
