"""Threads and lists over the bot API."""

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.ingest.due import Archiver
from scoring.sorts import SORTS
from scoring.views import DAY_MS, VIEWS
from tests.dashboard.web.answers import is_problem
from tests.drivers.bot import BotDriver, message


def test_the_row_of_a_thread_is_read_by_the_callers_own_id(bot):
    bot.post(message(thread="t-1", customer={"id": "c-7", "name": "Mai"}))
    row = bot.get("threads/t-1").json
    assert "queue" not in row, "queues are for admins"
    assert (row["thread"], row["source"], row["rev"]) == ("t-1", "shop", 1)
    assert row["customer"]["id"] == "c-7", "the caller's own id, too"


@pytest.mark.parametrize("path", ["threads/{}", "threads/{}/place"])
def test_threads_of_others_and_unknown_ones_are_not_found(bot, path):
    bot.post(message(thread="t-1"))
    other_key = bot.new_key(source="other")
    assert is_problem(bot.get(path.format("t-1"), key=other_key), 404, "not_found")
    for unknown in ("t-2", "%00"):
        assert is_problem(bot.get(path.format(unknown)), 404, "not_found")


@pytest.mark.parametrize("limits", [["1", "2"], ["5", "5"]])
def test_a_parameter_that_stands_there_twice_is_refused(bot, limits):
    """Bad input 75: other programs might use the other of the two values."""
    answer = bot.get("lists/arrival/arrival", limit=limits)
    assert is_problem(answer, 422, "duplicate_parameter")


def filled(bot: BotDriver, threads: int) -> None:
    """Threads in a few classes, many of which share a score."""
    priorities = ["urgent", "high", "normal", "low"]
    for start in range(0, threads, 250):
        batch = []
        for number in range(start, min(threads, start + 250)):
            at = f"2026-11-20T10:00:{number % 3:02d}Z"
            thread, customer = f"t-{number}", {"id": f"c-{number}", "member_status": number % 5}
            batch.append(message(thread=thread, occurred_at=at, customer=customer))
            batch.append(
                {
                    "id": f"p-{number}",
                    "type": "thread.priority",
                    "thread": thread,
                    "occurred_at": at,
                    "priority": priorities[number % 4],
                }
            )
        assert bot.post({"events": batch}).status_code == 200


def walk(bot: BotDriver, view: str, sort: str, limit: int) -> list[dict]:
    found, cursor = [], ""
    while cursor is not None:
        part = bot.get(f"lists/{view}/{sort}", limit=limit, cursor=cursor).json
        assert (part["view"], part["sort"]) == (view, sort)
        assert len(part["threads"]) <= limit
        found += part["threads"]
        cursor = part["next"]
    return found


@pytest.mark.parametrize("limit", [1, 7, 60, 500])
def test_walking_a_list_gives_it_whole_and_in_order(bot, limit):
    """A4: loading it part by part gives the same as loading it at once."""
    filled(bot, 60)
    for view in VIEWS:
        for sort in SORTS:
            found = walk(bot, view, sort, limit)
            places = [(entry["score"], entry["id"]) for entry in found]
            assert places == sorted(places)
            assert len(found) == (0 if view == "history" else 60)


def test_walking_lists_threads_that_did_not_move_exactly_once(bot):
    filled(bot, 40)
    part = bot.get("lists/arrival/arrival", limit=10).json
    found = [entry["thread"] for entry in part["threads"]]
    moved = {found[0], "t-1", "t-39"}
    for thread in moved:
        bot.post(message(thread=thread, occurred_at="2026-11-20T11:00:00Z"))
    while part["next"]:
        part = bot.get("lists/arrival/arrival", limit=10, cursor=part["next"]).json
        found += [entry["thread"] for entry in part["threads"]]
    still = [thread for thread in found if thread not in moved]
    assert sorted(still) == sorted({f"t-{number}" for number in range(40)} - moved)


def test_a_list_has_epoch_version_and_total_and_all_sources(bot):
    bot.post(message(thread="a"))
    bot.post(message(thread="b"), key=bot.new_key(source="other"))
    part = bot.get("lists/not_respond/longest_wait").json
    assert part["epoch"] and part["version"] >= 2 and part["total"] == 2
    assert [(entry["source"], entry["thread"]) for entry in part["threads"]] == [
        ("shop", "a"),
        ("other", "b"),
    ]
    assert part["next"] is None


def test_without_redis_lists_come_from_sql_and_cursors_go_on(bot, monkeypatch):
    filled(bot, 30)
    whole = walk(bot, "arrival", "priority", 500)
    first = bot.get("lists/arrival/priority", limit=10).json

    def away(*given):
        raise RedisConnectionError("away")

    for name in ("head", "after"):
        monkeypatch.setattr(bot.order.ranking, name, away)
    rest = bot.get("lists/arrival/priority", limit=500, cursor=first["next"]).json
    assert first["threads"] + rest["threads"] == whole
    assert (rest["epoch"], rest["version"], rest["total"]) == (None, 0, 30)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"limit": "0"}, "number_out_of_range"),
        ({"limit": "501"}, "number_out_of_range"),
        ({"limit": "-1"}, "number_out_of_range"),
        ({"limit": "9" * 5_000}, "number_out_of_range"),
        ({"limit": "1.0"}, "wrong_type"),
        ({"limit": ""}, "wrong_type"),
        ({"limit": "٣"}, "wrong_type"),
        ({"cursor": "x"}, "unknown_value"),
        ({"cursor": "é"}, "unknown_value"),
        ({"cursor": "A" * 5_000}, "unknown_value"),
        ({"cursor": "YXJyaXZhbC9wcmlvcml0eS8xLzE"}, "unknown_value"),
    ],
)
def test_a_wrong_limit_or_cursor_is_refused(bot, query, code):
    assert is_problem(bot.get("lists/arrival/arrival", **query), 422, code)


@pytest.mark.parametrize(
    "path", ["lists/nothing/arrival", "lists/arrival/nothing", "lists/arrival"]
)
def test_an_unknown_list_is_not_found(bot, path):
    assert is_problem(bot.get(path), 404, "not_found")


def test_a_view_of_each_admin_is_none_of_chatbots(bot):
    """A chatbot is no admin: for it the view `mentions` does not exist."""
    assert is_problem(bot.get("lists/mentions/arrival"), 404, "not_found")


@pytest.mark.parametrize("limit", [1, 4, 5, 7, 500])
def test_a_walk_goes_on_with_archived_threads(bot, limit):
    filled(bot, 10)
    order = bot.order
    order.clock.advance(1)
    for number in range(10):
        order.event(type="thread.close", thread=f"t-{number}")
    order.clock.advance(80 * DAY_MS)
    for number in range(4):
        order.post(f"t-{number}", occurred_at="2026-12-10T10:00:00Z")
        moment = f"2026-12-10T10:01:0{number}Z"
        order.event(type="thread.close", thread=f"t-{number}", occurred_at=moment)
    order.clock.advance(20 * DAY_MS)
    Archiver(order.database, order.placer, order.clock, sleep=lambda _: None).turn()
    live = bot.get("lists/history/priority", limit=500).json["total"]
    assert live == 4
    found = [(each["score"], each["id"]) for each in walk(bot, "history", "priority", limit)]
    assert len(found) == 10
    assert found[:live] == sorted(found[:live]) and found[live:] == sorted(found[live:])
    assert walk(bot, "arrival", "priority", limit) == []
