"""Acts on a thread: what was done, by whom and when, in order and in parts of a conversation."""

import pytest

from dashboard.db import migrate
from dashboard.db.threads import conversations
from dashboard.ingest.actions import Admin, Reply
from tests.dashboard.ingest.shop import START_MS, Shop, new_admin


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken", "supervisor")


def after(shop: Shop, thread: int, known: int = 0) -> list[dict]:
    with shop.database.read() as connection:
        return [act.to_json() for act in conversations.acts_after(connection, thread, known)]


def types(found: list[dict]) -> list[str]:
    return [act["type"].removeprefix("thread.") for act in found]


def part(shop: Shop, thread: int, where: str | None = None, message: int = 0, limit: int = 2):
    with shop.database.read() as connection:
        return conversations.part(connection, thread, where, message, limit)


def test_acts_of_admins_are_found_once_in_order(shop, actions, ken, clock):
    thread = shop.says(0).thread_id
    other = shop.says(0, thread="other").thread_id
    actions.claim(ken, thread)
    known = after(shop, thread)[-1]["id"]
    actions.reply(ken, thread, Reply("on its way", "token", confirm=True))
    actions.set_priority(ken, thread, "high")
    actions.set_priority(ken, thread, "high")
    actions.release(ken, thread)
    clock.advance(10)
    actions.close(ken, thread)
    clock.advance(10)
    actions.reopen(ken, thread)
    actions.close(ken, other)
    found = after(shop, thread, known)
    assert types(found) == ["priority_changed", "released", "closed", "reopened"]
    assert all(act["by"] == {"id": ken.id, "name": "Ken"} for act in found)
    assert (found[0]["priority"], found[1]["assignee"]) == ("high", None)
    assert found[-1]["at"] == clock.now_ms
    assert after(shop, thread, found[-1]["id"]) == []
    actions.claim(ken, thread)
    assert types(after(shop, thread, found[-1]["id"])) == ["assigned"]


def test_acts_of_a_chatbot_and_a_customer_are_what_their_events_changed(shop, actions, ken):
    thread = shop.says(100).thread_id
    shop.does("thread.close", 50)
    assert after(shop, thread) == [], "the customer wrote later: it is open"
    shop.does("thread.close", 200)
    shop.does("thread.reopen", 300)
    shop.does("thread.close", 400)
    shop.says(500)
    shop.does("thread.close", 600)
    shop.does("thread.handoff", 700)
    shop.does("thread.priority", 800, priority="urgent")
    found = after(shop, thread)
    assert types(found) == ["closed", "reopened"] * 3 + ["priority_changed"]
    assert [act.get("cause") for act in found] == [
        None, None, None, "message", None, "handoff", None,
    ]  # fmt: skip
    assert [act["at"] - START_MS for act in found] == [200, 300, 400, 500, 600, 700, 800]
    assert {act["by"] for act in found} == {None}


def test_a_close_that_leaves_the_thread_open_is_no_act(shop, actions, ken):
    thread = shop.says(0).thread_id
    seen = shop.conversation()[-1]["id"]
    shop.says(10)
    assert actions.close(ken, thread, seen)[0] is None
    assert after(shop, thread) == []


def test_parts_of_a_conversation_that_follow_each_other_hold_each_act_once(shop):
    """Also acts at the very time of a message, and those before the first one."""
    thread = shop.does("thread.handoff", 0).thread_id
    shop.does("thread.close", 1)
    for at in (2, 4, 4, 6, 8):
        shop.says(at, role="bot")
        shop.does("thread.reopen", at)
        shop.does("thread.close", at + 1)
    whole = [act["id"] for act in sorted(after(shop, thread), key=lambda a: (a["at"], a["id"]))]
    newest = part(shop, thread)
    found, told = newest.messages, [act["id"] for act in newest.acts]
    assert newest.newest_act_id == max(whole)
    while newest.more:
        newest = part(shop, thread, "before", found[0]["id"])
        found = newest.messages + found
        told = [act["id"] for act in newest.acts] + told
    assert (len(found), told) == (5, whole)
    forward = part(shop, thread, "around", found[0]["id"])
    told = [act["id"] for act in forward.acts]
    while forward.later:
        forward = part(shop, thread, "after", forward.messages[-1]["id"])
        told += [act["id"] for act in forward.acts]
    assert told == whole


def test_acts_from_before_they_were_stored_are_taken_over(shop, actions, ken, clock):
    """Revision 0008: from the outbox and the events."""
    thread = shop.says(0).thread_id
    actions.claim(ken, thread)
    actions.set_priority(ken, thread, "low")
    clock.advance(1)
    actions.close(ken, thread)
    by_bot = shop.says(0, thread="by-bot").thread_id
    shop.does("thread.close", 9, thread="by-bot")
    before = [after(shop, id) for id in (thread, by_bot)]
    shop.database.write(lambda connection: migrate.downgrade(connection, "0007"))
    migrate.bring_to_head(shop.database)
    stored = [after(shop, id) for id in (thread, by_bot)]
    assert [_comparable(found) for found in stored] == [_comparable(found) for found in before]


def _comparable(found: list[dict]) -> list[dict]:
    return [act | {"id": 0} for act in found]
