"""What users of other desks met, played through HTTP and Socket.IO: order, stale lists, filters.

The name of a test begins with its case. Cases that other tests play:

| case | test |
|---|---|
| A4 | test_live_lists: more_of_a_list_joins_on_seamlessly |
| B2 | test_live_lists: who_reads_slowly_gets_at_most_one_frame_and_then_the_rest_merged |
| B3 | test_live_lists: a_sync_tells_all_that_changed_since |
| B4 | sync.test.mjs: after a reconnect only what changed is asked for |
| B6 | test_live_faults: redis_killed_and_started_empty |
| B8 | test_live_workers: what_one_server_takes_is_seen_at_the_other |
| B10 | time.test.mjs: an age says how long it stays true; no order goes by the clock |
| B17 | test_hub: too_many_changes_make_browsers_open_anew |
| C1 | test_live_lists: a_claim_moves_between_filters_and_mine_is_mine_alone |
| C3 | view.test.mjs: news are the threads that came to stand above what is seen |
| C5 | test_live_lists: totals_follow_their_lists |
"""

import time
import uuid

import pytest

from scoring.pages import FILTERS, PAGES
from scoring.sorts import SORTS
from tests.support import now_ms, wait_until

pytestmark = [
    pytest.mark.live,
    pytest.mark.real_redis,
    # Both kinds of servers run the same code here; the other live tests compare them.
    pytest.mark.parametrize("desk", ["eventlet"], indirect=True, scope="module"),
]
MINUTE_MS = 60_000


@pytest.fixture
def ago():
    """Milliseconds since 1970, so many minutes ago."""
    now = now_ms()
    return lambda minutes: now - minutes * MINUTE_MS


@pytest.fixture
def browser(desk):
    with desk.browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def bob(desk):
    return desk.server.sign_in(desk.server.create_admin("Bob"))


def act(desk, id, what, session=None, method="POST", **body):
    url = f"{desk.server.url}/admin/api/threads/{id}/{what}"
    answer = (session or desk.mai).request(method, url, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def reply(desk, id, body="an answer", session=None, **more):
    given = {"body": body, "token": uuid.uuid4().hex, "confirm": True} | more
    return act(desk, id, "replies", session, **given)


def row(desk, id):
    return desk.mai.get(f"{desk.server.url}/admin/api/threads?ids={id}").json()["rows"][0]


def numbers(browser):
    """What the browser was told last of every filter."""
    return {
        told["filter"]: {page: told[page] for page in PAGES} for told in browser.of("pages:totals")
    }


def order(browser, page, sort, among, filter="all"):
    """These threads in the order in which the browser holds them."""
    return [id for id in browser.ids(page, sort, filter) if id in among]


def comes_to(browser, page, sort, wanted, among=None):
    """The browser comes to hold these threads in this order; so does one opened afresh."""
    among = among or set(wanted)
    wait_until(
        lambda: order(browser, page, sort, among) == wanted,
        what=f"{page}/{sort}: {order(browser, page, sort, among)} becoming {wanted}",
    )
    fresh = browser.call("list:open", {"page": page, "sort": sort, "limit": 500})
    assert [id for id in fresh["ids"] if id in among] == wanted


def test_a1_the_newest_waiter_comes_last_in_longest_wait(desk, browser, ago):
    first = [desk.say("a1-1", at_ms=ago(30)), desk.say("a1-2", at_ms=ago(20))]
    browser.open("not_respond", "longest_wait")
    comes_to(browser, "not_respond", "longest_wait", [*first, desk.say("a1-3", at_ms=ago(0))])


def test_a2_equal_times_stand_by_the_lower_id_and_a_message_moves_at_once(desk, browser, ago):
    one, two, three = (desk.say(f"a2-{n}", at_ms=ago(9)) for n in range(3))
    for id in (one, two, three):
        reply(desk, id)
    browser.open("arrival", "priority")
    comes_to(browser, "arrival", "priority", [one, two, three])
    desk.say("a2-2", role="bot")
    comes_to(browser, "arrival", "priority", [one, two, three])
    desk.say("a2-2")
    comes_to(browser, "arrival", "priority", [three, one, two])


@pytest.mark.parametrize("sort", SORTS)
def test_a3_a_row_shows_the_very_value_that_it_is_sorted_by(desk, ago, sort):
    waits, answered = desk.say("a3-waits", at_ms=ago(7)), desk.say("a3-answered", at_ms=ago(8))
    reply(desk, answered)
    for id in (waits, answered):
        url = f"{desk.server.url}/admin/api/threads/{id}/explain"
        told = desk.mai.get(url, params={"page": "arrival", "sort": sort}).json()
        shown = row(desk, id)
        if told["fact"] in ("recent_at", "waiting_since"):
            assert told["value"] == shown[told["fact"]]
        else:
            assert told["value"] in (shown["recent_at"], shown["waiting_since"])
        assert told["rule"]


def test_a6_reading_claiming_answering_and_closing_leave_arrival_alone(desk, browser, ago):
    ids = [desk.say(f"a6-{n}", at_ms=ago(n)) for n in (1, 2, 3)]
    browser.open("arrival", "arrival")
    last = ids[-1]
    browser.call("thread:open", {"id": last})
    act(desk, last, "claim")
    reply(desk, last)
    reply(desk, last, "a note", private=True)
    act(desk, last, "priority", method="PUT", priority="high")
    act(desk, last, "release")
    comes_to(browser, "arrival", "arrival", ids)
    act(desk, last, "close")
    comes_to(browser, "arrival", "arrival", ids[:-1], set(ids))
    act(desk, last, "reopen")
    comes_to(browser, "arrival", "arrival", ids)


@pytest.mark.parametrize("case", ["a7", "a8", "a9", "a10"])
def test_a7_to_a10_a_follow_up_moves_arrival_and_not_the_wait(desk, browser, ago, case):
    early, late = desk.say(f"{case}-1", at_ms=ago(20)), desk.say(f"{case}-2", at_ms=ago(10))
    browser.open("arrival", "arrival")
    browser.open("not_respond", "longest_wait")
    since = row(desk, early)["waiting_since"]
    desk.say(f"{case}-1", at_ms=ago(5))
    comes_to(browser, "arrival", "arrival", [early, late])
    comes_to(browser, "not_respond", "longest_wait", [early, late])
    assert row(desk, early)["waiting_since"] == since
    assert row(desk, early)["unanswered"] == 2


def test_a11_moments_written_in_other_offsets_stand_where_they_belong(desk, browser):
    browser.open("not_respond", "longest_wait")
    stamps = [
        "2026-03-01T10:00:00.002Z",
        "2026-03-01T19:00:00.001+09:00",
        "2026-03-01T05:00:00-05:00",
    ]
    ids = [desk.say(f"a11-{n}", occurred_at=stamp) for n, stamp in enumerate(stamps)]
    tied = desk.say("a11-tied", occurred_at="2026-03-01T10:00:00Z")
    comes_to(browser, "not_respond", "longest_wait", [ids[2], tied, ids[1], ids[0]])


def test_a13_and_c4_every_list_has_one_order_and_every_filter_one_meaning(desk, browser, ago):
    admin_id = desk.mai.get(f"{desk.server.url}/admin/api/me").json()["id"]
    for number in range(6):
        id = desk.say(f"a13-{number}", at_ms=ago(number))
        if number % 2:
            act(desk, id, "claim")
        if number % 3 == 0:
            act(desk, id, "close")
    seen = 0
    for page in PAGES:
        for filter in FILTERS:
            for sort in SORTS:
                opened = browser.open(page, sort, filter)
                places = [*zip(opened["scores"], opened["ids"], strict=True)]
                assert places == sorted(places)
                assert opened["ids"] == desk.in_sql(page, sort, filter, admin_id)
                assert opened["total"] == len(opened["ids"])
                seen += len(places)
    assert seen > 100


def test_a15_who_has_no_tier_stands_below_all_who_have_one(desk, browser, ago):
    def member(name, **facts):
        return desk.say(name, at_ms=ago(5), customer={"id": f"c-{name}", **facts})

    nobody = member("a15-n")
    fifth, first = member("a15-5", member_status=5), member("a15-0", member_status=0)
    browser.open("arrival", "member_status")
    comes_to(browser, "arrival", "member_status", [first, fifth, nobody])
    desk.say("a15-n")
    comes_to(browser, "arrival", "member_status", [first, fifth, nobody])


def test_a16_a_bots_answer_ends_no_wait(desk, browser, ago):
    id = desk.say("a16", at_ms=ago(3))
    since = row(desk, id)["waiting_since"]
    desk.say("a16", role="bot")
    shown = row(desk, id)
    assert (shown["waiting_since"], shown["answered"]) == (since, False)
    assert id in browser.open("not_respond", "longest_wait")["ids"]


def test_a17_a_handoff_starts_the_clock(desk, browser):
    key = desk.server.create_key("handing-over", "--handoff")
    bot = desk.server.bot(key)
    browser.open("not_respond", "longest_wait")

    def post(type, at, **more):
        event = {"id": uuid.uuid4().hex, "type": type, "thread": "a17", "occurred_at": at}
        return bot.post(f"{desk.server.url}/api/v1/events", json=event | more).json()["thread_id"]

    id = post("message", "2026-04-01T10:00:00Z", customer={"id": "c"}, role="client", body="hi")
    assert row(desk, id)["waiting_since"] is None
    post("thread.handoff", "2026-04-01T10:05:00Z")
    assert row(desk, id)["waiting_since"] == 1_775_037_900_000
    wait_until(lambda: id in browser.ids("not_respond", "longest_wait"), what="the wait")


def test_a20_the_choice_of_a_sort_is_kept_for_the_admin_on_the_server(desk, bob):
    url = f"{desk.server.url}/admin/api/me"
    change = {"sorts": {"arrival": "priority"}, "filters": {"arrival": "mine"}}
    assert desk.mai.patch(f"{url}/preferences", json=change).status_code == 200
    elsewhere = desk.server.sign_in("mai@example.com").get(url).json()["preferences"]
    assert (elsewhere["sorts"]["arrival"], elsewhere["filters"]["arrival"]) == ("priority", "mine")
    assert bob.get(url).json()["preferences"]["sorts"]["arrival"] == "arrival"


def test_a21_two_tabs_with_one_list_hold_one_order(desk, browser, ago):
    with desk.browser() as other:
        for tab in (browser, other):
            tab.open("arrival", "unanswered_first")
        ids = [desk.say(f"a21-{n}", at_ms=ago(n)) for n in range(4)]
        for tab in (browser, other):
            comes_to(tab, "arrival", "unanswered_first", ids[::-1])


def test_a23_a_late_message_is_heard_and_stands_where_it_belongs(desk, browser, ago):
    id = desk.say("a23", at_ms=ago(9), body="first")
    desk.say("a23", at_ms=ago(1), body="third")
    browser.call("thread:open", {"id": id})
    desk.say("a23", at_ms=ago(5), body="second", role="bot")
    late = browser.wait_for("thread:message")["message"]
    assert late["body"] == "second"
    messages = browser.call("thread:open", {"id": id})["messages"]
    assert [message["body"] for message in messages] == ["first", "second", "third"]
    assert [message["at"] for message in messages] == sorted(m["at"] for m in messages)


def test_a24_what_is_urgent_stays_on_top(desk, browser, ago):
    urgent, others = desk.say("a24-urgent"), [desk.say(f"a24-{n}", at_ms=ago(60)) for n in range(3)]
    act(desk, urgent, "priority", method="PUT", priority="urgent")
    browser.open("arrival", "priority")
    for number in range(3):
        desk.say(f"a24-{number}")
    comes_to(browser, "arrival", "priority", [urgent, *others])


def test_b1_what_was_missed_while_the_line_was_cut_is_there_afterwards(desk, browser, ago):
    ids = [desk.say(f"b1-{n}", at_ms=ago(10 + n)) for n in range(4)]
    with desk.browser() as cut:
        cut.open("arrival", "arrival")
        held = cut.lists["arrival", "arrival", "all"]
    reply(desk, ids[0])
    desk.say("b1-3")
    act(desk, ids[1], "close")
    new = desk.say("b1-new")
    browser.lists["arrival", "arrival", "all"] = held

    def catches_up():
        browser.sync("arrival", "arrival")
        return browser.ids("arrival", "arrival") == desk.in_sql("arrival", "arrival")

    wait_until(catches_up, what="the list being right")
    assert order(browser, "arrival", "arrival", {*ids, new})[:2] == [new, ids[3]]


def test_b7_a_row_that_a_lost_event_left_on_a_list_is_taken_off(desk, browser):
    id = desk.say("b7")
    browser.open("arrival", "arrival", "unassigned")
    act(desk, id, "claim")
    wait_until(lambda: id not in browser.ids("arrival", "arrival", "unassigned"), what="leaving")
    key = "{lineup:arrival:unassigned}|arrival"
    desk.redis.client().zadd(key, {f"{id:012d}": 1})

    def is_off():
        return id not in browser.open("arrival", "arrival", "unassigned")["ids"]

    wait_until(is_off, 15, "the list being put right")


def test_b11_and_b13_numbers_are_those_of_the_lists_and_come_with_them(desk, browser):
    for filter in FILTERS:
        browser.open("arrival", "arrival", filter)
    desk.say("b13")
    frame = wait_until(lambda: [f for f in browser.frames if f["filter"] == "all"])[0]
    wait_until(lambda: numbers(browser)["all"]["arrival"] == frame["total"], what="the number")
    for number in range(12):
        id = desk.say(f"b11-{number}")
        if number % 2:
            act(desk, id, "claim")
        if number % 3:
            desk.close(f"b11-{number}")

    def numbers_are_those_of_the_lists():
        return numbers(browser) == {
            filter: {page: other.open(page, "arrival", filter)["total"] for page in PAGES}
            for filter in FILTERS
        }

    with desk.browser() as other:
        wait_until(numbers_are_those_of_the_lists, what="the numbers of the lists being told")


def test_b12_who_closes_a_thread_has_it_no_longer_on_mine(desk, browser):
    id = desk.say("b12")
    act(desk, id, "claim")
    for page in PAGES:
        browser.open(page, "arrival", "mine")
    assert id in browser.ids("not_respond", "arrival", "mine")
    act(desk, id, "close")
    for page, is_there in (("arrival", False), ("not_respond", False), ("history", True)):
        wait_until(
            lambda page=page, there=is_there: (id in browser.ids(page, "arrival", "mine")) == there,
            what=f"{page} of mine",
        )


def test_b15_what_is_told_of_a_thread_is_what_its_row_shows(desk, browser):
    id = desk.say("b15")
    browser.open("arrival", "arrival")
    browser.call("thread:open", {"id": id})
    desk.say("b15", body="told and shown")
    told = browser.wait_for("thread:message")["message"]
    frame = wait_until(lambda: [f for f in browser.frames if str(id) in f["rows"]])[-1]
    preview = frame["rows"][str(id)]["preview"]
    assert (preview["body"], preview["at"]) == (told["body"], told["at"])


def test_c6_counts_are_pushed_and_no_more_often_than_they_change(desk, browser):
    browser.open("arrival", "arrival")
    wait_until(lambda: len({told["filter"] for told in browser.of("pages:totals")}) == 3)
    told, frames, started = len(browser.of("pages:totals")), len(browser.frames), time.monotonic()
    last = [desk.say(f"c6-{number}") for number in range(40)][-1]
    wait_until(lambda: browser.ids("arrival", "arrival")[0] == last, what="the last")
    beats = (time.monotonic() - started) / 0.05 + 2
    assert len(browser.frames) - frames <= beats
    assert len(browser.of("pages:totals")) - told <= 2 * beats


def test_c8_a_new_owner_is_seen_by_all_at_once(desk, browser, bob):
    id = desk.say("c8")
    browser.open("arrival", "arrival")
    act(desk, id, "claim", bob)

    def shown():
        return [frame["rows"][str(id)] for frame in browser.frames if str(id) in frame["rows"]]

    wait_until(lambda: shown() and shown()[-1]["assignee"], what="the new owner")
    assert shown()[-1]["assignee"]["name"] == "Bob"


def test_c9_what_the_team_does_makes_nothing_unread(desk, bob):
    id = desk.say("c9")
    desk.say("c9")
    assert row(desk, id)["unanswered"] == 2
    reply(desk, id)
    act(desk, id, "claim")
    act(desk, id, "priority", method="PUT", priority="urgent")
    reply(desk, id, "a note", bob, private=True)
    desk.say("c9", role="bot")
    assert row(desk, id)["unanswered"] == 0


def test_c11_and_c12_what_a_colleague_closed_is_settled_for_all(desk, browser, bob):
    id = desk.say("c11")
    with desk.browser(bob) as his:
        for each in (browser, his):
            each.open("not_respond", "longest_wait")
        act(desk, id, "close", bob)
        wanted = {page: len(desk.in_sql(page, "arrival")) for page in PAGES}
        for each in (browser, his):
            wait_until(
                lambda b=each: b.of("pages:totals") and numbers(b)["all"] == wanted,
                what=f"{wanted} being told",
            )
            wait_until(lambda b=each: id not in b.ids("not_respond", "longest_wait"))
