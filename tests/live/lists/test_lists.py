"""Lists, rows, totals and messages through a real server process."""

from functools import partial
from uuid import uuid4

from tests.support import wait_until


def held_equals_fresh(lineup, dashboard, view, sort, filter="all"):
    with lineup.dashboard() as other:
        fresh = other.open(view, sort, filter)
    return dashboard.ids(view, sort, filter) == fresh["ids"]


def test_connecting_sends_the_order_status_and_the_totals(lineup):
    with lineup.dashboard() as dashboard:
        status = {"late": False, "since": None, "read_only": False}
        assert dashboard.wait_for("order:status") == status
        for filter in ("all", "unassigned", "mine"):
            totals = dashboard.wait_for("pages:totals", lambda data, f=filter: data["filter"] == f)
            assert set(totals) == {"filter", "arrival", "not_respond", "history"}


def test_an_event_moves_the_thread_on_every_open_list(lineup):
    with lineup.dashboard() as dashboard:
        dashboard.open("arrival", "arrival")
        dashboard.open("not_respond", "longest_wait")
        id = lineup.say("moves")
        wait_until(lambda: dashboard.ids("arrival", "arrival")[:1] == [id], what="the frame")
        wait_until(lambda: dashboard.ids("not_respond", "longest_wait")[-1:] == [id])
        lineup.close_thread("moves")
        wait_until(lambda: id not in dashboard.ids("arrival", "arrival"), what="its leaving")
        wait_until(lambda: id not in dashboard.ids("not_respond", "longest_wait"))
        assert held_equals_fresh(lineup, dashboard, "arrival", "arrival")


def test_a_frame_carries_the_rows_on_screen(lineup):
    id = lineup.say("row")
    with lineup.dashboard() as dashboard:
        answer = dashboard.open("arrival", "priority")
        assert id in [row["id"] for row in answer["rows"]]
        lineup.say("row", body="the newest words")
        frame = wait_until(lambda: [f for f in dashboard.frames if str(id) in f["rows"]])[0]
        assert frame["rows"][str(id)]["preview"]["body"] == "the newest words"
        assert frame["rows"][str(id)]["rev"] == 2
        assert dashboard.call("threads:watch", {"del": [id]}) == {"ok": True}
        assert dashboard.call("threads:watch", {"add": [id]}) == {"ok": True}


def test_list_more_continues_the_list_without_gap_or_overlap(lineup):
    """With `through` it reaches that thread and says its rank. Case A4."""
    for number in range(8):
        lineup.say(f"more-{number}")
    with lineup.dashboard() as dashboard:
        whole = dashboard.open("arrival", "arrival")
        named = {"view": "arrival", "sort": "arrival"}
        at, ids = [whole["scores"][0], whole["ids"][0]], whole["ids"][:1]
        while True:
            more = dashboard.call("list:more", named | {"after": at, "limit": 3})
            if not more["ids"]:
                break
            ids += more["ids"]
            at = [more["scores"][-1], more["ids"][-1]]
        assert ids == whole["ids"]
        target = whole["ids"][5]
        through = dashboard.call(
            "list:more",
            named | {"after": [whole["scores"][0], whole["ids"][0]], "through": target},
        )
        assert through["rank"] == 5
        assert through["ids"][:5] == whole["ids"][1:6]


def test_list_sync_gives_all_changes_since_a_version(lineup):
    """An unknown epoch or version is answered with `resync`. Case B3."""
    with lineup.dashboard() as dashboard:
        before = dashboard.open("arrival", "priority")
        id = lineup.say("synced")
        named = {"view": "arrival", "sort": "priority", "filter": "all"}
        asked = named | {"epoch": before["epoch"], "version": before["version"]}

        def synced():
            answer = dashboard.call("list:sync", asked)
            return answer if id in [each for each, _ in answer["set"]] else None

        answer = wait_until(synced, what="the sync")
        assert (answer["resync"], answer["from"]) == (False, before["version"])
        assert set(answer) == {
            *("ok", "resync", "view", "sort", "filter"),
            *("epoch", "from", "version", "total", "set", "del", "rows"),
        }
        assert dashboard.call("list:sync", asked | {"epoch": "other"})["resync"] is True
        assert dashboard.call("list:sync", asked | {"version": 10**9})["resync"] is True


def test_a_closed_list_gets_no_more_frames(lineup):
    with lineup.dashboard() as dashboard:
        dashboard.open("arrival", "arrival")
        assert dashboard.call("list:close", {"view": "arrival", "sort": "arrival"}) == {"ok": True}
        dashboard.open("history", "arrival")
        lineup.say("closed-list")
        lineup.close_thread("closed-list")
        wait_until(lambda: dashboard.frames, what="the frame of the other list")
        assert {frame["view"] for frame in dashboard.frames} == {"history"}


def test_totals_follow_their_lists(lineup):
    """A new thread is counted without a request for totals. Case C5."""
    with lineup.dashboard() as dashboard:
        dashboard.open("arrival", "arrival")
        before = dashboard.wait_for("pages:totals", lambda data: data["filter"] == "all")
        lineup.say("counted")
        dashboard.wait_for(
            "pages:totals",
            lambda data: data["filter"] == "all" and data["arrival"] == before["arrival"] + 1,
        )


def test_a_claim_moves_a_thread_between_filters(lineup):
    """The lists and totals of `mine` only reach their admin. Case C1."""
    bob = lineup.server.sign_in(lineup.server.create_admin("Bob"))
    id = lineup.say("claimed")
    with lineup.dashboard() as mine, lineup.dashboard(bob) as his:
        for dashboard in (mine, his):
            for filter in ("mine", "unassigned", "all"):
                dashboard.open("arrival", "arrival", filter)
        url = f"{lineup.server.url}/admin/api/threads/{id}"
        assert lineup.mai.post(f"{url}/claim", json={}).status_code == 200
        wait_until(lambda: mine.ids("arrival", "arrival", "mine") == [id], what="her list")
        wait_until(lambda: id not in his.ids("arrival", "arrival", "unassigned"))
        assert his.ids("arrival", "arrival", "mine") == []
        assert not [f for f in his.frames if f["filter"] == "mine"]
        mine.wait_for("pages:totals", lambda d: d["filter"] == "mine" and d["arrival"] == 1)
        assert not [d for d in his.of("pages:totals") if d["filter"] == "mine" and d["arrival"]]
        lineup.say("claimed", body="again")
        for dashboard in (mine, his):
            wait_until(lambda dashboard=dashboard: _shows(dashboard, id, "again"), what="its row")
            assert id not in dashboard.ids("arrival", "arrival", "unassigned")
        assert lineup.mai.post(f"{url}/release", json={}).status_code == 200
        wait_until(lambda: mine.ids("arrival", "arrival", "mine") == [], what="her empty list")
        for dashboard in (mine, his):
            ids = partial(dashboard.ids, "arrival", "arrival", "unassigned")
            wait_until(lambda ids=ids: id in ids(), what="the thread without an assignee")


def _shows(dashboard, id, body):
    """Whether a frame of all threads has brought a row with this last message."""
    frames = [frame for frame in dashboard.frames if frame["filter"] == "all"]
    rows = [frame["rows"][str(id)] for frame in frames if str(id) in frame["rows"]]
    return bool(rows) and rows[-1]["preview"]["body"] == body


def test_an_open_thread_gets_its_new_messages_until_it_is_closed(lineup):
    # A name of its own in each run, for a second run has the same server.
    name = f"open-{uuid4().hex[:8]}"
    id = lineup.say(name, body="first")
    lineup.say("elsewhere")
    with lineup.dashboard() as dashboard:
        answer = dashboard.call("thread:open", {"id": id})
        assert [message["body"] for message in answer["messages"]] == ["first"]
        assert (answer["more"], answer["row"]["id"]) == (False, id)
        # No other admin is online; oneself only counts once presence has loaded one's settings.
        assert {viewer["name"] for viewer in answer["viewers"]} <= {"Mai"}
        lineup.say("elsewhere", body="not here")
        lineup.say(name, body="second")
        frame = dashboard.wait_for("thread:message")
        assert (frame["thread_id"], frame["message"]["body"]) == (id, "second")
        lineup.say(name, role="bot", body="a bot changes no position, but its message is sent")
        dashboard.wait_for("thread:message", lambda data: data["message"]["role"] == "bot")
        dashboard.call("thread:close", {"id": id})
        with lineup.dashboard() as other:
            other.call("thread:open", {"id": id})
            lineup.say(name, body="third")
            other.wait_for("thread:message", lambda data: data["message"]["body"] == "third")
            # Both are on one worker, which sends to all sockets in one pass; then it answers calls.
            assert dashboard.call("threads:watch", {"add": [id]}) == {"ok": True}
            assert len(dashboard.of("thread:message")) == 2


def test_opening_a_missing_thread_is_refused_with_404(lineup):
    with lineup.dashboard() as dashboard:
        answer = dashboard.call("thread:open", {"id": 10**12})
        assert (answer["ok"], answer["problem"]["status"]) == (False, 404)


def test_a_slow_dashboard_gets_one_frame_and_then_the_rest_merged(lineup):
    """At most one frame of a list is unacknowledged."""
    with lineup.dashboard() as slow, lineup.dashboard() as quick:
        for dashboard in (slow, quick):
            dashboard.open("arrival", "arrival")
        slow.may_acknowledge.clear()
        for number in range(12):
            count = len(quick.frames)
            lineup.say(f"slow-{number}")
            wait_until(lambda before=count: len(quick.frames) > before)
        assert len(slow.frames) == 1
        slow.may_acknowledge.set()
        wait_until(
            lambda: slow.ids("arrival", "arrival") == quick.ids("arrival", "arrival"),
            what="the slow one catching up",
        )
        assert len(slow.frames) <= 3
        assert held_equals_fresh(lineup, slow, "arrival", "arrival")
