"""What admins do enters as events of the dashboard's own source; claims are compare-and-set."""

import pytest

from dashboard.errors import NotFound, Problem
from dashboard.intake.actions import Actions, Admin, Reply
from dashboard.store.models import sources as source_table
from tests.intake.shop import START_MS, Shop, new_admin, thread_event


@pytest.fixture
def shop(any_database, clock) -> Shop:
    return Shop(any_database, clock)


@pytest.fixture
def actions(any_database, clock) -> Actions:
    return Actions(any_database, clock)


@pytest.fixture
def linh(any_database) -> Admin:
    return Admin(new_admin(any_database, "Linh"), "Linh")


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken")


@pytest.fixture
def thread(shop) -> int:
    return shop.says(0, fields={"member_status": 3}).thread_id


def seen(shop: Shop) -> int:
    return max(message["id"] for message in shop.conversation())


def test_a_reply_is_a_message_of_the_admin_now_and_ends_the_wait(
    shop, actions, linh, thread, clock
):
    replied, placements = actions.reply(linh, thread, Reply("Hello", "tok-1", False, seen(shop)))
    assert replied.created
    assert replied.message == shop.conversation()[-1]
    assert replied.message | {"id": 0} == {
        "id": 0,
        "thread_id": thread,
        "role": "admin",
        "author": {"id": linh.id, "name": "Linh"},
        "body": "Hello",
        "attachments": [],
        "private": False,
        "at": clock.now_ms,
        "delivery": {
            "state": "queued",
            "to": "bot",
            "attempts": 0,
            "at": clock.now_ms,
            "v": clock.now_ms,
        },
    }
    row = shop.row()
    assert (row["waiting_since"], row["answered"], row["rev"]) == (None, True, 2)
    assert row["preview"] == {"role": "admin", "body": "Hello", "at": clock.now_ms}
    assert placements[0].leave == {"not_respond", "not_respond:unassigned"}


def test_the_same_token_again_is_the_same_message(shop, actions, linh, thread):
    reply = Reply("Hello", "tok-1", seen_message_id=seen(shop))
    first, _ = actions.reply(linh, thread, reply)
    shop.says(10)
    again, placements = actions.reply(linh, thread, reply)
    assert (again.message, again.created, placements) == (first.message, False, [])


def test_a_token_belongs_to_its_admin_and_its_message(shop, actions, linh, ken, thread):
    reply = Reply("Hello", "tok-1", confirm=True)
    actions.reply(linh, thread, reply)
    assert actions.reply(ken, thread, reply)[0].created
    with pytest.raises(Problem, match="event_id_conflict"):
        actions.reply(linh, thread, Reply("Else", "tok-1", confirm=True))


def test_a_reply_stops_where_the_customer_wrote_what_was_not_seen(shop, actions, linh, thread):
    last = seen(shop)
    shop.says(10, "And another thing")
    with pytest.raises(Problem) as stopped:
        actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=last))
    assert (stopped.value.status, stopped.value.code) == (409, "conversation_moved")
    assert [message["body"] for message in stopped.value.extra["unseen"]] == ["And another thing"]
    assert len(shop.conversation()) == 2, "nothing was stored"
    confirmed, _ = actions.reply(
        linh, thread, Reply("Hello", "tok-1", seen_message_id=last, confirm=True)
    )
    assert confirmed.created


def test_what_is_stored_late_but_old_stops_a_reply_too(shop, actions, linh, thread):
    shop.says(50)
    last = seen(shop)
    shop.says(10, "late")
    with pytest.raises(Problem, match="conversation_moved"):
        actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=last))


def test_a_colleagues_answer_stops_a_reply_but_ones_own_does_not(shop, actions, linh, ken, thread):
    last = seen(shop)
    actions.reply(ken, thread, Reply("I have it", "tok-k", seen_message_id=last))
    with pytest.raises(Problem, match="conversation_moved"):
        actions.reply(linh, thread, Reply("Hello", "tok-l", seen_message_id=last))
    assert actions.reply(ken, thread, Reply("More", "tok-k2", seen_message_id=last))[0].created


@pytest.mark.parametrize("given", [{"role": "bot"}, {"role": "admin", "private": True}])
def test_bots_and_notes_never_stop_a_reply(shop, actions, linh, thread, given):
    last = seen(shop)
    shop.says(10, **given)
    assert actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=last))[0].created


def test_a_note_is_never_stopped_and_answers_nobody(shop, actions, linh, thread):
    actions.reply(linh, thread, Reply("For us", "tok-1", private=True))
    row = shop.row()
    assert (row["waiting_since"], row["answered"]) == (START_MS, False)
    assert row["preview"]["role"] == "client"
    assert shop.conversation()[-1]["private"] is True


def test_a_reply_to_a_closed_thread_does_not_open_it(shop, actions, linh, thread):
    actions.close(linh, thread)
    actions.reply(linh, thread, Reply("Bye", "tok-1", confirm=True))
    assert shop.row()["open"] is False


def test_closing_and_reopening_move_between_the_pages_and_are_idempotent(
    shop, actions, linh, thread, clock
):
    _, placements = actions.close(linh, thread)
    assert placements[0].enter == {"history", "history:unassigned"}
    assert actions.close(linh, thread) == (None, [])
    clock.advance(1)
    _, placements = actions.reopen(linh, thread)
    assert "not_respond" in placements[0].enter
    assert actions.reopen(linh, thread) == (None, [])
    assert shop.row()["waiting_since"] == START_MS


def test_setting_a_priority_beats_what_a_chatbot_said_before(shop, actions, linh, thread):
    actions.set_priority(linh, thread, "urgent")
    shop.send(thread_event("thread.priority", 50, priority="low"))
    assert shop.row()["priority"] == "urgent"


def test_a_claim_moves_a_thread_from_unassigned_to_mine(shop, actions, linh, thread):
    _, placements = actions.claim(linh, thread)
    assert shop.row()["assignee"] == {"id": linh.id, "name": "Linh"}
    assert placements[0].leave == {"arrival:unassigned", "not_respond:unassigned"}
    assert f"arrival:mine:{linh.id}" in placements[0].enter
    assert actions.claim(linh, thread) == (None, [])


def test_a_claim_keeps_every_place(shop, actions, linh, thread):
    """A6: claiming moves nothing; the customer's status stays in the score, too."""
    first = shop.says(1).thread_id
    before = {sort: shop.listed("arrival", sort) for sort in ("member_status", "arrival")}
    _, placements = actions.claim(linh, first)
    _, again = actions.release(linh, first)
    assert placements[0].scores == again[0].scores
    assert {sort: shop.listed("arrival", sort) for sort in before} == before
    assert placements[0].scores[3] >> 42 == 3


def test_who_comes_second_is_told_who_has_it_and_since_when(
    shop, actions, linh, ken, thread, clock
):
    actions.claim(linh, thread)
    for action in (actions.claim, actions.release):
        with pytest.raises(Problem) as refused:
            action(ken, thread)
        assert (refused.value.status, refused.value.code) == (409, "already_claimed")
        assert refused.value.extra == {
            "assignee": {"id": linh.id, "name": "Linh"},
            "assigned_at": clock.now_ms,
        }


def test_supervisors_release_what_others_claimed(any_database, shop, actions, linh, thread):
    boss = Admin(new_admin(any_database, "Boss", "supervisor"), "Boss", "supervisor")
    actions.claim(linh, thread)
    actions.release(boss, thread)
    assert shop.row()["assignee"] is None
    assert actions.release(boss, thread) == (None, [])


def test_an_unknown_thread_is_not_found(actions, linh):
    for action in (actions.claim, actions.release, actions.close, actions.reopen):
        with pytest.raises(NotFound):
            action(linh, 999)
    with pytest.raises(NotFound):
        actions.reply(linh, 999, Reply("Hello", "tok-1"))


def test_a_receipt_of_a_reply_is_taken(shop, actions, linh, thread):
    replied, _ = actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    note, _ = actions.reply(linh, thread, Reply("For us", "tok-2", private=True))
    outcomes = shop.send(
        *(
            thread_event("receipt", 1, thread=None, message_id=reply.message["id"], state="read")
            for reply in (replied, note)
        )
    ).outcomes
    assert [outcome.status for outcome in outcomes] == ["created", "rejected"]


def test_no_chatbot_can_take_the_name_of_the_dashboards_source(any_database):
    with any_database.read() as connection:
        names = [row.name for row in connection.execute(source_table.select())]
    assert names == ["_lineup"]
