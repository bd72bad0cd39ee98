"""What was done to a thread since, and by whom."""

import pytest

from dashboard.intake.actions import Actions, Admin, Reply
from dashboard.store import acts
from dashboard.store.acts import Mark
from tests.intake.shop import Shop, new_admin


@pytest.fixture
def shop(any_database, clock) -> Shop:
    return Shop(any_database, clock)


@pytest.fixture
def actions(any_database, clock) -> Actions:
    return Actions(any_database, clock)


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken", "supervisor")


def mark(shop: Shop, thread: int) -> Mark:
    with shop.database.read() as connection:
        return acts.mark(connection, thread)


def after(shop: Shop, thread: int, known: Mark):
    with shop.database.read() as connection:
        return acts.after(connection, thread, known)


def test_admins_are_named_in_order_and_each_act_is_found_once(shop, actions, ken, clock):
    thread = shop.says(0).thread_id
    other = shop.says(0, thread="other").thread_id
    actions.claim(ken, thread)
    known = mark(shop, thread)
    actions.reply(ken, thread, Reply("on its way", "token", confirm=True))
    actions.set_priority(ken, thread, "high")
    actions.release(ken, thread)
    clock.advance(1)
    actions.close(ken, thread)
    clock.advance(1)
    actions.reopen(ken, thread)
    actions.close(ken, other)
    found, known = after(shop, thread, known)
    assert [act["type"].removeprefix("thread.") for act in found] == [
        "priority_changed", "released", "closed", "reopened",
    ]  # fmt: skip
    assert all(act["by"] == {"id": ken.id, "name": "Ken"} for act in found)
    assert found[0]["priority"] == "high"
    assert after(shop, thread, known) == ([], known)
    actions.claim(ken, thread)
    assert [act["type"] for act in after(shop, thread, known)[0]] == ["thread.assigned"]


def test_a_chatbot_did_what_holds_and_has_no_name(shop, actions, ken):
    thread = shop.says(100).thread_id
    known = mark(shop, thread)
    shop.does("thread.close", 50)
    assert after(shop, thread, known)[0] == [], "the customer wrote later: it is open"
    shop.does("thread.close", 200)
    found, known = after(shop, thread, known)
    assert found == [{"type": "thread.closed", "by": None}]
    shop.does("thread.reopen", 300)
    found, known = after(shop, thread, known)
    assert found == [{"type": "thread.reopened", "by": None}]
    assert after(shop, thread, known) == ([], known)
