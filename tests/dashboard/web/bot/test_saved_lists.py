"""Lists of saved views over the bot API: only everybody's views, live, and the same from SQL."""

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.db.lists import entries, kept_lists, query_lists, views
from dashboard.db.lists.views import Draft
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.web.answers import is_problem
from tests.dashboard.web.bot.test_lists import filled, walk


@pytest.fixture
def sue(bot) -> int:
    return new_admin(bot.order.database, "Sue", "supervisor")


def saved(bot, sue, query, sort="priority", owner_id=None) -> str:
    draft = Draft("A view", query, sort, "UTC", owner_id)
    order = bot.order
    return order.database.write(lambda c: views.create(c, draft, sue, order.clock()).public_id)


def test_a_saved_view_is_walked_in_any_sort_whether_redis_has_it_or_not(bot, sue, monkeypatch):
    filled(bot, 30)
    view = saved(bot, sue, "member:0,1 -priority:low")
    unbuilt = walk(bot, view, "priority", 4)
    assert len(unbuilt) == 10
    assert bot.get(f"lists/{view}/priority").json["epoch"] is None
    bot.order.tick()
    live = bot.get(f"lists/{view}/priority", limit=5).json
    assert live["epoch"] and (live["view"], live["total"]) == (view, 10)
    assert walk(bot, view, "priority", 4) == walk(bot, view, "priority", 500) == unbuilt
    other = walk(bot, view, "longest_wait", 2)
    assert {each["id"] for each in other} == {each["id"] for each in unbuilt} and other != unbuilt

    def away(*given):
        raise RedisConnectionError("away")

    for name in ("head", "after"):
        monkeypatch.setattr(bot.order.ranking, name, away)
    rest = bot.get(f"lists/{view}/priority", cursor=live["next"]).json
    assert (rest["epoch"], rest["total"]) == (None, 10)
    assert live["threads"] + rest["threads"] == unbuilt


def test_a_changed_query_ends_the_cursors_of_a_view(bot, sue):
    filled(bot, 10)
    view = saved(bot, sue, "is:open")
    cursor = bot.get(f"lists/{view}/priority", limit=3).json["next"]
    order = bot.order

    def change(connection):
        held = views.lock(connection, views.number_of(view), sue, None)
        draft = Draft("A view", "member:0", "priority", "UTC", None)
        return views.change(connection, held, draft, sue, order.clock())

    order.database.write(change)
    answer = bot.get(f"lists/{view}/priority", cursor=cursor)
    assert is_problem(answer, 422, "unknown_value")


def test_chatbots_have_no_view_of_one_admin_and_none_with_me(bot, sue):
    own = saved(bot, sue, "is:open", owner_id=sue)
    gone = saved(bot, sue, "assigned:sue@desk.example")
    for view in (own, saved(bot, sue, "assigned:me"), "v999", "v0", f"v{'9' * 20}", "V1"):
        assert is_problem(bot.get(f"lists/{view}/priority"), 404, "not_found")
    assert bot.get(f"lists/{gone}/priority").status_code == 200
    assert is_problem(bot.get(f"lists/{gone}/best"), 404, "not_found")
    bot.order.database.write(
        lambda c: c.exec_driver_sql("UPDATE admins SET email = 'other@desk.example'")
    )
    assert is_problem(bot.get(f"lists/{gone}/priority"), 404, "not_found")


def test_a_view_that_nobody_looks_at_is_walked_and_kept_in_order_from_then_on(
    bot, sue, monkeypatch
):
    monkeypatch.setattr(kept_lists, "ORDERED_MAX", 0)
    filled(bot, 12)
    view = saved(bot, sue, "member:0,1,2,3,none")
    bot.order.tick(2)
    bot.order.post("late")
    with bot.order.database.read() as connection:
        [list_id] = query_lists.current(connection).unordered
    assert bot.get(f"lists/{view}/priority").json["epoch"] is None
    bot.order.tick()
    live = bot.get(f"lists/{view}/priority", limit=5).json
    assert live["epoch"] is not None
    bot.order.post("later")
    walked = walk(bot, view, "priority", 4)
    assert bot.get(f"lists/{view}/priority").json["epoch"] == live["epoch"]
    with bot.order.database.read() as connection:
        query_list = query_lists.current(connection).lists[list_id]
        stored = entries.entries(connection, query_list, bot.order.clock(), 500)
    assert [(each["id"], each["score"]) for each in walked] == stored
