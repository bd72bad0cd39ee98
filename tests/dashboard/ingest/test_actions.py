"""Acts of admins are events of the dashboard's own source; claims are compare-and-set."""

import pytest

from dashboard.db.models.accounts import sources as source_table
from dashboard.errors import NotFound, Problem
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.recorder import Recorder
from tests.dashboard.ingest.shop import START_MS, Shop, message, new_admin, thread_event
from tests.drivers.ranking import entered, left


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken")


@pytest.fixture
def thread(shop) -> int:
    return shop.says(0, fields={"member_status": 3}).thread_id


def seen(shop: Shop) -> int:
    return max(message["id"] for message in shop.conversation())


def test_a_reply_is_a_message_of_the_admin_and_ends_the_wait(shop, actions, linh, thread, clock):
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
    assert row["preview"]["role"] == "client"
    assert left(placements[0]) == {"not_respond"}


def test_the_same_token_again_is_the_same_message(shop, actions, linh, thread):
    reply = Reply("Hello", "tok-1", seen_message_id=seen(shop))
    first, _ = actions.reply(linh, thread, reply)
    shop.says(10)
    again, placements = actions.reply(linh, thread, reply)
    assert (again.message, again.created, placements) == (first.message, False, [])


def test_a_token_identifies_one_message_of_one_admin(shop, actions, linh, ken, thread):
    reply = Reply("Hello", "tok-1", confirm=True)
    actions.reply(linh, thread, reply)
    assert actions.reply(ken, thread, reply)[0].created
    with pytest.raises(Problem, match="event_id_conflict"):
        actions.reply(linh, thread, Reply("Else", "tok-1", confirm=True))


def test_a_reply_is_refused_while_messages_of_the_customer_are_unseen(shop, actions, linh, thread):
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


def test_a_late_message_with_an_old_time_is_unseen_too(shop, actions, linh, thread):
    shop.says(50)
    last = seen(shop)
    shop.says(10, "late")
    with pytest.raises(Problem, match="conversation_moved"):
        actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=last))


def test_an_unseen_answer_of_a_colleague_refuses_a_reply_but_an_own_one_does_not(
    shop, actions, linh, ken, thread
):
    last = seen(shop)
    actions.reply(ken, thread, Reply("I have it", "tok-k", seen_message_id=last))
    with pytest.raises(Problem, match="conversation_moved"):
        actions.reply(linh, thread, Reply("Hello", "tok-l", seen_message_id=last))
    assert actions.reply(ken, thread, Reply("More", "tok-k2", seen_message_id=last))[0].created


@pytest.mark.parametrize("given", [{"role": "bot"}, {"role": "admin", "private": True}])
def test_unseen_bot_messages_and_notes_do_not_refuse_a_reply(shop, actions, linh, thread, given):
    last = seen(shop)
    shop.says(10, **given)
    assert actions.reply(linh, thread, Reply("Hello", "tok-1", seen_message_id=last))[0].created


def test_a_note_is_never_refused_and_does_not_end_the_wait(shop, actions, linh, thread):
    actions.reply(linh, thread, Reply("For us", "tok-1", private=True))
    row = shop.row()
    assert (row["waiting_since"], row["answered"]) == (START_MS, False)
    assert row["preview"]["role"] == "client"
    assert shop.conversation()[-1]["private"] is True


def test_a_reply_to_a_closed_thread_does_not_open_it(shop, actions, linh, thread):
    actions.close(linh, thread)
    actions.reply(linh, thread, Reply("Bye", "tok-1", confirm=True))
    assert shop.row()["open"] is False


def test_closing_and_reopening_move_between_views_and_are_idempotent(
    shop, actions, linh, thread, clock
):
    _, placements = actions.close(linh, thread)
    assert entered(placements[0]) == {"history"}
    assert actions.close(linh, thread) == (None, [])
    clock.advance(1)
    _, placements = actions.reopen(linh, thread)
    assert "not_respond" in entered(placements[0])
    assert actions.reopen(linh, thread) == (None, [])
    assert shop.row()["waiting_since"] == START_MS


def test_a_later_priority_of_an_admin_wins_over_a_chatbots(shop, actions, linh, thread):
    actions.set_priority(linh, thread, "urgent")
    shop.send(thread_event("thread.priority", 50, priority="low"))
    assert shop.row()["priority"] == "urgent"


def test_a_claim_counts_a_thread_as_that_of_its_admin(shop, actions, linh, thread):
    _, placements = actions.claim(linh, thread)
    assert shop.row()["assignee"] == {"id": linh.id, "name": "Linh"}
    assert entered(placements[0]) == {"arrival", "not_respond"} and not left(placements[0])
    assert placements[0].assignee_id == linh.id
    assert actions.claim(linh, thread) == (None, [])


def test_a_claim_does_not_move_a_thread(shop, actions, linh, thread):
    """Assigning keeps every score, with the customer's status in it. (A6)"""
    first = shop.says(1).thread_id
    before = {sort: shop.listed("arrival", sort) for sort in ("member_status", "arrival")}
    _, placements = actions.claim(linh, first)
    _, again = actions.release(linh, first)
    assert placements[0].lists == again[0].lists
    assert {sort: shop.listed("arrival", sort) for sort in before} == before
    assert placements[0].lists["arrival"][3] >> 42 == 3


def test_a_second_claim_is_refused_with_assignee_and_time(shop, actions, linh, ken, thread, clock):
    actions.claim(linh, thread)
    for action in (actions.claim, actions.release):
        with pytest.raises(Problem) as refused:
            action(ken, thread)
        assert (refused.value.status, refused.value.code) == (409, "already_claimed")
        assert refused.value.extra == {
            "assignee": {"id": linh.id, "name": "Linh"},
            "assigned_at": clock.now_ms,
        }


def test_a_supervisor_releases_a_thread_of_another_admin(any_database, shop, actions, linh, thread):
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


def test_a_receipt_is_accepted_for_a_reply_but_not_for_a_note(shop, actions, linh, thread):
    replied, _ = actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    note, _ = actions.reply(linh, thread, Reply("For us", "tok-2", private=True))
    outcomes = shop.send(
        *(
            thread_event("receipt", 1, thread=None, message_id=reply.message["id"], state="read")
            for reply in (replied, note)
        )
    ).outcomes
    assert [outcome.status for outcome in outcomes] == ["created", "rejected"]


def test_the_dashboards_source_exists_after_migrations(any_database):
    with any_database.read() as connection:
        names = [row.name for row in connection.execute(source_table.select())]
    assert names == ["_lineup"]


def test_a_row_says_who_wrote_last(shop, actions, linh, ken, thread, clock):
    actions.reply(linh, thread, Reply("Hello", "tok-1", confirm=True))
    assert shop.row()["last"] == {"role": "admin", "by": {"id": linh.id, "name": "Linh"}}
    actions.reply(ken, thread, Reply("For the team", "tok-2", private=True))
    assert shop.row()["last"]["by"]["id"] == linh.id, "notes do not count"
    shop.says(10, "late and old", role="system")
    assert shop.row()["last"]["by"]["id"] == linh.id
    at = clock.now_ms - START_MS
    clock.now_ms += 100
    shop.says(at + 50, role="admin")
    assert shop.row()["last"] == {"role": "admin", "by": None}
    shop.says(at + 60)
    assert shop.row()["last"] == {"role": "client", "by": None}


#: Errors of the workers' clocks in milliseconds; the workers take the messages in turn.
OFF_MS = (25, -25, 0, 10, -40, 40, -25)


def test_workers_whose_clocks_differ_keep_the_order_of_an_admin(
    shop, any_database, linh, thread, clock
):
    """Case E18: each is posted after the answer to the one before; replies and notes."""
    for number, off in enumerate(OFF_MS):
        clock.now_ms += 3
        worker = Actions(any_database, lambda off=off: clock.now_ms + off)
        worker.reply(linh, thread, Reply(f"{number}", f"t-{number}", private=number % 3 == 1))
    said = shop.conversation()[1:]
    assert [message["body"] for message in said] == [f"{number}" for number in range(len(OFF_MS))]
    assert max(message["at"] for message in said) <= clock.now_ms + max(OFF_MS)


def test_workers_whose_clocks_differ_keep_the_order_of_a_sender(shop, any_database, thread, clock):
    """Case E18, by a chatbot with a fast clock."""
    for number, off in enumerate(OFF_MS):
        clock.now_ms += 3
        worker = Recorder(any_database, lambda off=off: clock.now_ms + off)
        at = clock.now_ms - START_MS + 500 + number
        worker.record(shop.source_id, [message(at, f"{number}", role="bot")])
    said = [one["body"] for one in shop.conversation()[1:]]
    assert said == [f"{number}" for number in range(len(OFF_MS))]


def test_replies_keep_their_order_after_a_clock_was_set_back(
    shop, any_database, linh, thread, clock
):
    """H28: an act is dated later than all that is stored of its thread."""
    first, _ = Actions(any_database, clock).reply(linh, thread, Reply("First", "t-1"))
    clock.now_ms -= 3_600_000
    later, _ = Actions(any_database, clock).reply(linh, thread, Reply("Second", "t-2"))
    assert later.message["at"] == first.message["at"] + 1
