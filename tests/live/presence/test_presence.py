"""Presence of customers and admins over real sockets, in both async modes."""

import pytest

from tests.live.presence.steps import beat, leave, state_of, wait_for_status, watch
from tests.support import stays

pytestmark = pytest.mark.slow


def test_a_watched_customer_comes_and_goes_before_ones_eyes(lineup, sign_in):
    """R45, R46, R48: watched customers, and only those."""
    with lineup.dashboard(sign_in()[0]) as dashboard:
        states = watch(dashboard, "customer", "shop/w-1", "shop/w-2")
        assert {one["status"] for one in states.values()} == {"offline"}
        beat(lineup, "w-1", "w-3")
        state = wait_for_status(dashboard, "shop/w-1", "online")
        assert state["devices"] == ["web"] and state["v"] > states["shop/w-1"]["v"]
        leave(lineup, "w-1")
        assert wait_for_status(dashboard, "shop/w-1", "offline")["last_seen"] is not None
        dashboard.call("presence:watch", {"kind": "customer", "del": ["shop/w-1"], "add": []})
        beat(lineup, "w-1")
        beat(lineup, "w-2")
        wait_for_status(dashboard, "shop/w-2", "online")
        assert state_of(dashboard, "shop/w-1")["status"] == "offline"
        assert state_of(dashboard, "shop/w-3") is None


def test_beats_alone_cause_no_updates(lineup, sign_in):
    """R40, B29."""
    with lineup.dashboard(sign_in()[0]) as dashboard:
        watch(dashboard, "customer", "shop/q-1")
        beat(lineup, "q-1")
        wait_for_status(dashboard, "shop/q-1", "online")
        for _ in range(5):
            beat(lineup, "q-1")
        leave(lineup, "q-1")
        wait_for_status(dashboard, "shop/q-1", "offline")
        assert len(dashboard.of("presence:update")) == 2


def test_an_admin_is_online_at_once_and_signing_out_is_at_once(lineup, sign_in):
    """R5, R14, T3."""
    session, id = sign_in()
    with lineup.dashboard(sign_in()[0]) as watcher:
        watch(watcher, "admin", str(id))
        dashboard = lineup.dashboard(session)
        wait_for_status(watcher, str(id), "online")
        session.post(f"{lineup.server.url}/logout", json={})
        wait_for_status(watcher, str(id), "offline", 1)
        dashboard.disconnect()


def test_a_reload_shows_nothing_to_others(lineup, sign_in):
    """R18, T28, T29: the grace of the old connection lasts until the new one is there."""
    session, id = sign_in()
    with lineup.dashboard(sign_in()[0]) as watcher:
        watch(watcher, "admin", str(id))
        for _ in range(10):
            lineup.dashboard(session).disconnect()
        with lineup.dashboard(session):
            wait_for_status(watcher, str(id), "online")
            # Longer than the grace of a closed view.
            stays(lambda: len(watcher.of("presence:update")) == 1, 6.5, "no further update")


def test_idle_and_hidden_windows_are_away_and_the_pong_says_so(lineup, sign_in):
    """R30, R33, R34, T7: one active window of two keeps one online."""
    session, id = sign_in()
    with lineup.dashboard(sign_in()[0]) as watcher, lineup.dashboard(session) as first:
        watch(watcher, "admin", str(id))
        assert first.call("presence:pong", {"visible": True, "idle_ms": 300_000})["ok"]
        wait_for_status(watcher, str(id), "away")
        with lineup.dashboard(session) as second:
            wait_for_status(watcher, str(id), "online")
            second.call("presence:pong", {"visible": True, "idle_ms": 299_999})
            first.call("presence:pong", {"visible": True, "idle_ms": 10**9})
        first.call("presence:pong", {"visible": True, "idle_ms": 0})


def test_what_one_sets_others_see_and_oneself_knows(lineup, sign_in):
    """R36, R39, R78."""
    session, id = sign_in()
    with lineup.dashboard(sign_in()[0]) as watcher, lineup.dashboard(session) as mine:
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


def test_hidden_looks_like_never_there_but_to_supervisors(lineup, sign_in):
    """R79, R81, B41."""
    hidden, id = sign_in()
    with (
        lineup.dashboard(hidden) as mine,
        lineup.dashboard(sign_in()[0]) as watcher,
        lineup.dashboard(sign_in("supervisor")[0]) as boss,
    ):
        mine.call("presence:set", {"visibility": "nobody"})
        states = watch(watcher, "admin", str(id), "999999")
        one, other = states[str(id)] | {"v": 0}, states["999999"] | {"v": 0}
        assert one == other
        assert watch(boss, "admin", str(id))[str(id)]["status"] == "online"
        mine.call("presence:set", {"status": "busy", "text": "nobody reads this"})
        wait_for_status(boss, str(id), "busy")
        assert watcher.of("presence:update") == []
