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


def test_rows_that_land_on_top_come_with_the_frame_unasked(desk):
    with desk.browser() as browser:
        browser.open("arrival", "arrival", limit=1)
        id = desk.say("nobody has seen this one")
        wait_until(lambda: [f for f in browser.frames if str(id) in f["rows"]])
        desk.say("row")
        wait_until(lambda: str(id) in browser.frames[-1]["rows"])


def test_more_of_a_list_joins_on_seamlessly(desk):
    for number in range(8):
        desk.say(f"more-{number}")
    with desk.browser() as browser:
        whole = browser.open("arrival", "arrival")
        named = {"page": "arrival", "sort": "arrival"}
        at, ids = [whole["scores"][0], whole["ids"][0]], whole["ids"][:1]
        while True:
            more = browser.call("list:more", named | {"after": at, "limit": 3})
            if not more["ids"]:
                break
            ids += more["ids"]
            at = [more["scores"][-1], more["ids"][-1]]
        assert ids == whole["ids"]
        target = whole["ids"][5]
        through = browser.call(
            "list:more",
            named | {"after": [whole["scores"][0], whole["ids"][0]], "through": target},
        )
        assert through["rank"] == 5
        assert through["ids"][:5] == whole["ids"][1:6]


def test_a_sync_tells_all_that_changed_since(desk):
    with desk.browser() as browser:
        before = browser.open("arrival", "priority")
        id = desk.say("synced")
        named = {"page": "arrival", "sort": "priority", "filter": "all"}
        asked = named | {"epoch": before["epoch"], "version": before["version"]}

        def synced():
            answer = browser.call("list:sync", asked)
            return answer if id in [each for each, _ in answer["set"]] else None

        answer = wait_until(synced, what="the sync")
        assert (answer["resync"], answer["from"]) == (False, before["version"])
        assert set(answer) == {
            *("ok", "resync", "page", "sort", "filter"),
            *("epoch", "from", "version", "total", "set", "del", "rows"),
        }
        assert browser.call("list:sync", asked | {"epoch": "other"})["resync"] is True
        assert browser.call("list:sync", asked | {"version": 10**9})["resync"] is True


def test_a_closed_list_gets_no_more_frames(desk):
    with desk.browser() as browser:
        browser.open("arrival", "arrival")
        assert browser.call("list:close", {"page": "arrival", "sort": "arrival"}) == {"ok": True}
        browser.open("history", "arrival")
        desk.say("closed-list")
        desk.close("closed-list")
        wait_until(lambda: browser.frames, what="the frame of the other list")
        assert {frame["page"] for frame in browser.frames} == {"history"}


def test_totals_follow_their_lists(desk):
    with desk.browser() as browser:
        browser.open("arrival", "arrival")
        before = browser.wait_for("pages:totals", lambda data: data["filter"] == "all")
        desk.say("counted")
        browser.wait_for(
            "pages:totals",
            lambda data: data["filter"] == "all" and data["arrival"] == before["arrival"] + 1,
        )


def test_a_claim_moves_between_filters_and_mine_is_mine_alone(desk):
    bob = desk.server.sign_in(desk.server.create_admin("Bob"))
    id = desk.say("claimed")
    with desk.browser() as mine, desk.browser(bob) as his:
        for browser in (mine, his):
            browser.open("arrival", "arrival", "mine")
            browser.open("arrival", "arrival", "unassigned")
        url = f"{desk.server.url}/admin/api/threads/{id}"
        assert desk.mai.post(f"{url}/claim", json={}).status_code == 200
        wait_until(lambda: mine.ids("arrival", "arrival", "mine") == [id], what="her list")
        wait_until(lambda: id not in his.ids("arrival", "arrival", "unassigned"))
        assert his.ids("arrival", "arrival", "mine") == []
        assert not [f for f in his.frames if f["filter"] == "mine"]
        mine.wait_for("pages:totals", lambda d: d["filter"] == "mine" and d["arrival"] == 1)
        assert not [d for d in his.of("pages:totals") if d["filter"] == "mine" and d["arrival"]]
        assert desk.mai.post(f"{url}/release", json={}).status_code == 200
        wait_until(lambda: mine.ids("arrival", "arrival", "mine") == [], what="her empty list")


def test_an_open_thread_hears_what_is_written_in_it(desk):
    id = desk.say("open", body="first")
    desk.say("elsewhere")
    with desk.browser() as browser:
        answer = browser.call("thread:open", {"id": id})
        assert [message["body"] for message in answer["messages"]] == ["first"]
        assert (answer["more"], answer["row"]["id"], answer["viewers"]) == (False, id, [])
        desk.say("elsewhere", body="not here")
        desk.say("open", body="second")
        told = browser.wait_for("thread:message")
        assert (told["thread_id"], told["message"]["body"]) == (id, "second")
        desk.say("open", role="bot", body="a bot moves nothing, and is heard")
        browser.wait_for("thread:message", lambda data: data["message"]["role"] == "bot")
        browser.call("thread:close", {"id": id})
        browser.open("arrival", "arrival")
        desk.say("open", body="third")
        wait_until(lambda: browser.frames)
        assert len(browser.of("thread:message")) == 2


def test_a_thread_that_there_is_not_cannot_be_opened(desk):
    with desk.browser() as browser:
        answer = browser.call("thread:open", {"id": 10**12})
        assert (answer["ok"], answer["problem"]["status"]) == (False, 404)


def test_who_reads_slowly_gets_at_most_one_frame_and_then_the_rest_merged(desk):
    with desk.browser() as slow, desk.browser() as quick:
        for browser in (slow, quick):
            browser.open("arrival", "arrival")
        slow.may_acknowledge.clear()
        for number in range(12):
            count = len(quick.frames)
            desk.say(f"slow-{number}")
            wait_until(lambda before=count: len(quick.frames) > before)
        assert len(slow.frames) == 1
        slow.may_acknowledge.set()
        wait_until(
            lambda: slow.ids("arrival", "arrival") == quick.ids("arrival", "arrival"),
            what="the slow one catching up",
        )
        assert len(slow.frames) <= 3
        assert held_equals_fresh(desk, slow, "arrival", "arrival")
