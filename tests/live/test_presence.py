"""Admins' presence over real sockets, under both kinds of green threads."""

import random
import time

import pytest

from tests.live.desk import Browser
from tests.support import stays, wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]


@pytest.fixture(scope="module")
def sign_in(desk):
    """A session of a new admin, and the admin's id."""
    numbers = iter(range(1_000))

    def make(role: str = "admin"):
        email = desk.server.create_admin(f"Admin{next(numbers)}x{random.random():.6f}"[:20], role)
        session = desk.server.sign_in(email)
        me = session.get(f"{desk.server.url}/admin/api/me").json()
        return session, me["id"]

    return make


def watch(browser: Browser, kind: str, *people: str):
    answer = browser.call("presence:watch", {"kind": kind, "add": list(people)})
    assert answer["ok"], answer
    return answer["presence"]


def state_of(browser: Browser, person: str):
    """The newest state that the browser was told of."""
    told = [data["presence"] for data in browser.of("presence:update")]
    return next((one[person] for one in reversed(told) if person in one), None)


def wait_for_status(browser: Browser, person: str, status: str, seconds: float = 5):
    wait_until(
        lambda: (state_of(browser, person) or {}).get("status") == status,
        seconds,
        f"{person} being {status}",
    )
    return state_of(browser, person)


def beat(desk, *customers: str, **more):
    beats = [{"customer": one, "device": "d", "type": "web"} | more for one in customers]
    answer = desk.bot.post(f"{desk.server.url}/api/v1/presence", json={"beats": beats})
    assert answer.status_code == 200, answer.text


def leave(desk, customer: str):
    document = {"devices": [{"customer": customer, "device": "d"}]}
    answer = desk.bot.post(f"{desk.server.url}/api/v1/presence/offline", json=document)
    assert answer.status_code == 200, answer.text


def viewers_of(browser: Browser, thread_id: int):
    told = [one for one in browser.of("thread:viewers") if one["thread_id"] == thread_id]
    return {one["id"]: one["mode"] for one in told[-1]["viewers"]} if told else {}


def test_a_watched_customer_comes_and_goes_before_ones_eyes(desk, sign_in):
    """R45, R46, R48: those watched, and those alone."""
    with desk.browser(sign_in()[0]) as browser:
        states = watch(browser, "customer", "shop/w-1", "shop/w-2")
        assert {one["status"] for one in states.values()} == {"offline"}
        beat(desk, "w-1", "w-3")
        state = wait_for_status(browser, "shop/w-1", "online")
        assert state["devices"] == ["web"] and state["v"] > states["shop/w-1"]["v"]
        leave(desk, "w-1")
        assert wait_for_status(browser, "shop/w-1", "offline")["last_seen"] is not None
        browser.call("presence:watch", {"kind": "customer", "del": ["shop/w-1"], "add": []})
        beat(desk, "w-1")
        beat(desk, "w-2")
        wait_for_status(browser, "shop/w-2", "online")
        assert state_of(browser, "shop/w-1")["status"] == "offline"
        assert state_of(browser, "shop/w-3") is None


def test_beats_alone_tell_nobody_anything(desk, sign_in):
    """R40, B29."""
    with desk.browser(sign_in()[0]) as browser:
        watch(browser, "customer", "shop/q-1")
        beat(desk, "q-1")
        wait_for_status(browser, "shop/q-1", "online")
        for _ in range(5):
            beat(desk, "q-1")
        leave(desk, "q-1")
        wait_for_status(browser, "shop/q-1", "offline")
        assert len(browser.of("presence:update")) == 2


def test_an_admin_is_online_at_once_and_signing_out_is_at_once(desk, sign_in):
    """R5, R14, T3."""
    session, id = sign_in()
    with desk.browser(sign_in()[0]) as watcher:
        watch(watcher, "admin", str(id))
        browser = desk.browser(session)
        wait_for_status(watcher, str(id), "online")
        session.post(f"{desk.server.url}/logout", json={})
        wait_for_status(watcher, str(id), "offline", 1)
        browser.client.disconnect()


def test_a_reload_shows_nothing_to_others(desk, sign_in):
    """R18, T28, T29: the old connection's grace outlasts the new one's coming."""
    session, id = sign_in()
    with desk.browser(sign_in()[0]) as watcher:
        watch(watcher, "admin", str(id))
        for _ in range(10):
            desk.browser(session).client.disconnect()
        with desk.browser(session):
            wait_for_status(watcher, str(id), "online")
            # Longer than the grace of a closed page.
            stays(lambda: len(watcher.of("presence:update")) == 1, 6.5, "nothing more being told")


def test_idle_and_hidden_windows_are_away_and_the_pong_says_so(desk, sign_in):
    """R30, R33, R34, T7: one active window of two keeps one online."""
    session, id = sign_in()
    with desk.browser(sign_in()[0]) as watcher, desk.browser(session) as first:
        watch(watcher, "admin", str(id))
        assert first.call("presence:pong", {"visible": True, "idle_ms": 300_000})["ok"]
        wait_for_status(watcher, str(id), "away")
        with desk.browser(session) as second:
            wait_for_status(watcher, str(id), "online")
            second.call("presence:pong", {"visible": True, "idle_ms": 299_999})
            first.call("presence:pong", {"visible": True, "idle_ms": 10**9})
        first.call("presence:pong", {"visible": True, "idle_ms": 0})


def test_what_one_sets_others_see_and_oneself_knows(desk, sign_in):
    """R36, R39, R78."""
    session, id = sign_in()
    with desk.browser(sign_in()[0]) as watcher, desk.browser(session) as mine:
        watch(watcher, "admin", str(id))
        watch(mine, "admin", str(id))
        answer = mine.call(
            "presence:set", {"status": "dnd", "text": "in the dark", "activity": "focus"}
        )
        assert answer["settings"]["status"] == "dnd"
        state = wait_for_status(watcher, str(id), "dnd")
        assert (state["text"], state["activity"]) == ("in the dark", "focus")
        mine.call("presence:set", {"status": "invisible"})
        state = wait_for_status(watcher, str(id), "offline")
        assert (state["text"], state["activity"], state["devices"]) == ("", "", [])
        assert mine.call("presence:set", {})["settings"]["status"] == "invisible"
        mine.call("presence:set", {"status": "auto", "text": None, "activity": None})
        wait_for_status(watcher, str(id), "online")


def test_hidden_looks_like_never_there_but_to_supervisors(desk, sign_in):
    """R79, R81, B41."""
    hidden, id = sign_in()
    with (
        desk.browser(hidden) as mine,
        desk.browser(sign_in()[0]) as watcher,
        desk.browser(sign_in("supervisor")[0]) as boss,
    ):
        mine.call("presence:set", {"visibility": "nobody"})
        states = watch(watcher, "admin", str(id), "999999")
        one, other = states[str(id)] | {"v": 0}, states["999999"] | {"v": 0}
        assert one == other
        assert watch(boss, "admin", str(id))[str(id)]["status"] == "online"
        mine.call("presence:set", {"status": "busy", "text": "nobody reads this"})
        wait_for_status(boss, str(id), "busy")
        assert watcher.of("presence:update") == []


def test_two_in_a_thread_see_each_other_and_what_they_do(desk, sign_in):
    """R84 to R93, cases E1, E3."""
    (ann, ann_id), (bob, bob_id) = sign_in(), sign_in()
    thread = desk.say(f"viewed-{random.random()}")
    with desk.browser(ann) as first, desk.browser(bob) as second, desk.browser(ann) as tab:
        first.call("thread:open", {"id": thread})
        started = time.monotonic()
        answer = second.call("thread:open", {"id": thread})
        wait_until(lambda: bob_id in viewers_of(first, thread), 2, "bob being seen")
        assert time.monotonic() - started < 1
        assert [one["id"] for one in answer["viewers"]].count(ann_id) <= 1
        tab.call("thread:open", {"id": thread})
        second.call("thread:mode", {"id": thread, "mode": "typing"})
        wait_until(lambda: viewers_of(first, thread).get(bob_id) == "typing", 2)
        cursor = {"message_id": None, "field": "reply", "position": 7}
        second.call("thread:mode", {"id": thread, "mode": "editing", "cursor": cursor})
        found = first.wait_for("thread:cursor")
        assert found == {"thread_id": thread, "admin_id": bob_id, "cursor": cursor}
        first.call("thread:close", {"id": thread})
        second.call("thread:close", {"id": thread})
        wait_until(lambda: viewers_of(tab, thread) == {ann_id: "viewing"}, 2, "ann's other tab")


def test_a_cursor_goes_to_those_in_the_thread_alone_and_to_who_comes_later(desk, sign_in):
    """R91: the last position is kept; a row has no place for it."""
    (ann, ann_id), (bob, _) = sign_in(), sign_in()
    thread = desk.say(f"pointed-{random.random()}")
    with (
        desk.browser(ann) as first,
        desk.browser(ann) as tab,
        desk.browser(bob) as rows,
        desk.browser(bob) as early,
        desk.browser(bob) as late,
    ):
        rows.call("threads:watch", {"add": [thread], "del": []})
        for browser in (first, tab, early):
            browser.call("thread:open", {"id": thread})
        cursor = {"message_id": 5, "field": "messages", "position": 0}
        first.call("thread:mode", {"id": thread, "mode": "viewing", "cursor": cursor})
        told = {"thread_id": thread, "admin_id": ann_id, "cursor": cursor}
        assert early.wait_for("thread:cursor") == told
        late.call("thread:open", {"id": thread})
        assert late.wait_for("thread:cursor") == told
        moved = cursor | {"message_id": 6}
        first.call("thread:mode", {"id": thread, "mode": "viewing", "cursor": moved})
        late.wait_for("thread:cursor", lambda one: one["cursor"] == moved)
        for browser in (first, tab, rows):
            assert browser.of("thread:cursor") == []


def test_a_row_on_screen_tells_who_is_in_its_thread(desk, sign_in):
    (ann, _), (bob, bob_id) = sign_in(), sign_in()
    thread = desk.say(f"rowed-{random.random()}")
    with desk.browser(ann) as first, desk.browser(bob) as second:
        second.call("thread:open", {"id": thread})
        first.call("threads:watch", {"add": [thread]})
        wait_until(lambda: bob_id in viewers_of(first, thread), 2, "bob on the row")
        second.call("thread:close", {"id": thread})
        wait_until(lambda: viewers_of(first, thread) == {}, 2, "bob leaving")
        first.call("threads:watch", {"del": [thread]})


def test_who_is_invisible_is_in_no_thread(desk, sign_in):
    (ann, _), (bob, bob_id) = sign_in(), sign_in()
    thread = desk.say(f"unseen-{random.random()}")
    with desk.browser(ann) as first, desk.browser(bob) as second:
        first.call("thread:open", {"id": thread})
        second.call("thread:open", {"id": thread})
        wait_until(lambda: bob_id in viewers_of(first, thread), 2, "bob being seen")
        second.call("presence:set", {"status": "invisible"})
        wait_until(lambda: bob_id not in viewers_of(first, thread), 3, "bob being hidden")
        second.call("thread:mode", {"id": thread, "mode": "typing"})
        second.call("presence:set", {"status": "auto"})
        wait_until(lambda: bob_id in viewers_of(first, thread), 3, "bob coming back")


def test_a_customers_typing_is_told_and_dies_after_six_seconds(desk, sign_in):
    name = f"typed-{random.random()}"
    thread = desk.say(name)
    with desk.browser(sign_in()[0]) as browser:
        browser.call("thread:open", {"id": thread})
        said = {"thread": name, "customer": f"c-{name}"}
        answer = desk.bot.post(f"{desk.server.url}/api/v1/typing", json=said)
        assert answer.status_code == 200, answer.text
        told = browser.wait_for("thread:typing", lambda one: one["customers"], 2)
        assert told == {"thread_id": thread, "customers": [f"shop/c-{name}"]}
        started = time.monotonic()
        browser.wait_for("thread:typing", lambda one: not one["customers"], 8)
        assert 4.5 < time.monotonic() - started < 7.5


def test_a_new_message_ends_typing(desk, sign_in):
    name = f"ended-{random.random()}"
    thread = desk.say(name)
    with desk.browser(sign_in()[0]) as browser:
        browser.call("threads:watch", {"add": [thread]})
        said = {"thread": name, "customer": f"c-{name}"}
        desk.bot.post(f"{desk.server.url}/api/v1/typing", json=said)
        browser.wait_for("thread:typing", lambda one: one["customers"], 2)
        desk.say(name)
        browser.wait_for("thread:typing", lambda one: not one["customers"], 2)


def test_who_is_online_and_the_team_are_listed(desk, sign_in):
    session, id = sign_in()
    name = f"here-{random.random()}"
    thread = desk.say(name)
    beat(desk, f"c-{name}")
    url = f"{desk.server.url}/admin/api"
    page = session.get(f"{url}/presence/online", params={"within": 60}).json()
    [found] = [one for one in page["customers"] if one["id"] == f"shop/c-{name}"]
    assert (found["thread_id"], found["name"]) == (thread, f"Customer {name}")
    assert found["colour"] == "green" and page["total"] >= 1
    with desk.browser(session) as browser:
        browser.call("thread:open", {"id": thread})

        def where():
            team = session.get(f"{url}/team").json()["team"]
            return next(one["threads"] for one in team if one["id"] == id)

        wait_until(lambda: [one["id"] for one in where()] == [thread], 3, "the team's place")
    assert desk.server.bot("").get(f"{url}/team").status_code == 401


def test_presence_moves_no_thread(desk, sign_in):
    """R98."""
    name = f"still-{random.random()}"
    thread = desk.say(name)
    with desk.browser(sign_in()[0]) as browser:
        browser.open("arrival", "arrival")
        wait_until(lambda: thread in browser.ids("arrival", "arrival"))
        before = len(browser.frames)
        beat(desk, f"c-{name}")
        told = browser.call("thread:open", {"id": thread})["viewers"]
        wait_until(lambda: told or viewers_of(browser, thread), 2)
        # Ten times as long as a frame takes.
        stays(lambda: browser.frames[before:] == [], 0.5, "the order")


@pytest.mark.parametrize(
    ("call", "given", "pointer"),
    [
        ("presence:pong", {"visible": 1, "idle_ms": 0}, "/visible"),
        ("presence:pong", {"visible": True}, "/idle_ms"),
        ("presence:pong", {"visible": True, "idle_ms": -1}, "/idle_ms"),
        ("presence:set", {"status": "offline"}, "/status"),
        ("presence:set", {"who": "me"}, "/who"),
        ("presence:watch", {"kind": "bot"}, "/kind"),
        ("presence:watch", {"kind": "admin", "add": [7]}, "/add/0"),
        ("presence:watch", {"kind": "admin", "add": ["a\x1fb"]}, "/add/0"),
        ("presence:watch", {"kind": "admin", "add": [str(n) for n in range(501)]}, "/add"),
        ("thread:mode", {"id": 1, "mode": "asleep"}, "/mode"),
        ("thread:mode", {"id": 1, "mode": "away", "cursor": 5}, "/cursor"),
    ],
)
def test_calls_that_make_no_sense_are_refused(desk, sign_in, call, given, pointer):
    with desk.browser() as browser:
        answer = browser.call(call, given)
        assert (answer["ok"], answer["problem"]["status"]) == (False, 422)
        assert [one["pointer"] for one in answer["problem"]["errors"]] == [pointer]


def test_a_thread_that_is_not_open_has_no_mode(desk):
    with desk.browser() as browser:
        answer = browser.call("thread:mode", {"id": 1, "mode": "viewing"})
        assert answer["problem"]["status"] == 404


def test_who_watches_ever_others_is_held_to_a_rate(desk, sign_in):
    """So that nobody collects who is when online: windows and pages count together."""
    session, _ = sign_in()
    with desk.browser(session) as browser:
        named = [[f"shop/{turn}-{n}" for n in range(500)] for turn in range(40)]
        answers = [
            browser.call("presence:watch", {"kind": "customer", "add": add, "del": before})
            for before, add in zip([[], *named], named, strict=False)
        ]
    assert all(answer["ok"] for answer in answers[:20])
    refused = [answer["problem"] for answer in answers if not answer["ok"]]
    assert refused and {one["code"] for one in refused} == {"rate_limited"}
    url = f"{desk.server.url}/admin/api/presence/online"
    answer = session.get(url, params={"limit": 500})
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert int(answer.headers["Retry-After"]) <= 3


def test_watching_more_than_500_in_all_is_refused(desk):
    with desk.browser() as browser:
        watch(browser, "customer", *(f"shop/{number}" for number in range(400)))
        more = [f"shop/x{number}" for number in range(101)]
        answer = browser.call("presence:watch", {"kind": "customer", "add": more})
        assert answer["problem"]["status"] == 422
