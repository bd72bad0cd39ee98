"""Presence over HTTP, and requests that are refused, in both async modes."""

import random

import pytest

from tests.live.presence.steps import beat, viewers_of, watch
from tests.support import wait_until


def test_who_is_online_and_the_team_are_listed(lineup, sign_in):
    session, id = sign_in()
    name = f"here-{random.random()}"
    thread = lineup.say(name)
    beat(lineup, f"c-{name}")
    url = f"{lineup.server.url}/admin/api"
    view = session.get(f"{url}/presence/online", params={"within": 60}).json()
    [found] = [one for one in view["customers"] if one["id"] == f"shop/c-{name}"]
    assert (found["thread_id"], found["name"]) == (thread, f"Customer {name}")
    assert found["colour"] == "green" and view["total"] >= 1
    with lineup.dashboard(session) as dashboard:
        dashboard.call("thread:open", {"id": thread})

        def where():
            team = session.get(f"{url}/team").json()["team"]
            return next(one["threads"] for one in team if one["id"] == id)

        wait_until(lambda: [one["id"] for one in where()] == [thread], what="the team's place")
    assert lineup.server.bot("").get(f"{url}/team").status_code == 401


def test_presence_moves_no_thread(lineup, sign_in):
    """R98."""
    name = f"still-{random.random()}"
    thread = lineup.say(name)
    with lineup.dashboard(sign_in()[0]) as dashboard:
        dashboard.open("arrival", "arrival")
        wait_until(lambda: thread in dashboard.ids("arrival", "arrival"))
        before = len(dashboard.frames)
        beat(lineup, f"c-{name}")
        viewers = dashboard.call("thread:open", {"id": thread})["viewers"]
        wait_until(lambda: viewers or viewers_of(dashboard, thread))
        lineup.say(f"{name}-after")
        wait_until(lambda: dashboard.frames[before:], what="the frame of a later message")
        moved = {id for frame in dashboard.frames[before:] for id, _ in frame["set"]}
        assert moved and thread not in moved


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
def test_calls_that_make_no_sense_are_refused(lineup, sign_in, call, given, pointer):
    with lineup.dashboard() as dashboard:
        answer = dashboard.call(call, given)
        assert (answer["ok"], answer["problem"]["status"]) == (False, 422)
        assert [one["pointer"] for one in answer["problem"]["errors"]] == [pointer]


def test_a_thread_that_is_not_open_has_no_mode(lineup):
    with lineup.dashboard() as dashboard:
        answer = dashboard.call("thread:mode", {"id": 1, "mode": "viewing"})
        assert answer["problem"]["status"] == 404


@pytest.mark.slow
def test_who_watches_ever_others_is_held_to_a_rate(lineup, sign_in):
    """Against collecting presence: windows and views count together."""
    session, _ = sign_in()
    with lineup.dashboard(session) as dashboard:
        named = [[f"shop/{turn}-{n}" for n in range(500)] for turn in range(40)]
        answers = [
            dashboard.call("presence:watch", {"kind": "customer", "add": add, "del": before})
            for before, add in zip([[], *named], named, strict=False)
        ]
    assert all(answer["ok"] for answer in answers[:20])
    refused = [answer["problem"] for answer in answers if not answer["ok"]]
    assert refused and {one["code"] for one in refused} == {"rate_limited"}
    url = f"{lineup.server.url}/admin/api/presence/online"
    answer = session.get(url, params={"limit": 500})
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert int(answer.headers["Retry-After"]) <= 3


def test_watching_more_than_500_in_all_is_refused(lineup):
    with lineup.dashboard() as dashboard:
        watch(dashboard, "customer", *(f"shop/{number}" for number in range(400)))
        more = [f"shop/x{number}" for number in range(101)]
        answer = dashboard.call("presence:watch", {"kind": "customer", "add": more})
        assert answer["problem"]["status"] == 422
