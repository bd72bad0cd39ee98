"""Mentions show an admin only threads that the admin sees at the moment."""

import json

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.errors import NotFound
from dashboard.ingest.actions import Admin
from dashboard.ingest.assigning import HandOver
from dashboard.ingest.replies import Reply
from tests.dashboard.desks.world import BOSS, KEN, LAN, OTHER, OWN

MENTIONS = {"view": "mentions", "sort": "arrival"}


def test_a_thread_that_goes_to_a_desk_that_is_not_seen_leaves(worlds):
    world = worlds[0]
    lan = world.connect(LAN)

    def settled():
        world.settle()
        return dict(world.take(lan))

    def hand_over(desk):
        world._does(world.services.assigning.hand_over, BOSS, 1, HandOver(None, desk=desk))

    opened = json.loads(world.call(lan, "list:open", MENTIONS | {"filter": "all", "limit": 50}))
    assert (opened["ids"], opened["total"]) == ([1], 1)
    assert settled()["views:totals"]["totals"]["mentions"] == 1
    hand_over(OTHER)
    came = settled()
    assert came["list:order"]["del"] == [1] and came["views:totals"]["totals"] == {"mentions": 0}
    world._act("reply", KEN, 1, world._note("@Lan, are you there?"))
    assert not settled().keys() & {"list:order", "views:totals"}
    with pytest.raises(NotFound):
        as_lan = Admin(LAN, "Lan", "admin", frozenset({OWN}))
        world.services.mentioning.read(as_lan, 1, 2**40)
    hand_over(OWN)
    came = settled()
    assert came["list:order"]["set"][0][0] == 1
    assert came["views:totals"]["totals"] == {"mentions": 1}


def test_who_is_mentioned_must_see_the_thread(worlds):
    world = worlds[0]
    world.database.write(lambda connection: admin_desks.add(connection, "third", 0))
    world.database.write(lambda connection: admin_desks.save(connection, LAN, ["third"]))
    reply = Reply("@Lan and @Ken", "n-new", True)
    written = world.services.ingest.act(
        world.services.actions.reply, Admin(BOSS, "Boss", "supervisor"), 2, reply
    )
    assert [each["id"] for each in written.message["mentions"]] == [KEN]


def test_who_is_mentioned_is_told_while_the_thread_is_seen(worlds):
    """`notices:new` (docs/requirements/notices.md)"""
    world = worlds[0]
    lan = world.connect(LAN)
    world.settle()
    world.take(lan)
    world._act("reply", KEN, 2, world._note("@Lan, please look"))
    world.settle()
    [notice] = [data for event, data in world.take(lan) if event == "notices:new"]
    assert (notice["kind"], notice["thread_id"], notice["by"]["name"]) == ("mention", 2, "Ken")
    away = HandOver(None, "@Lan, elsewhere", OTHER)
    world._does(world.services.assigning.hand_over, BOSS, 2, away)
    world.settle()
    assert "notices:new" not in dict(world.take(lan))
