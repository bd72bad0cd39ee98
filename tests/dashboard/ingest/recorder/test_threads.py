"""Threads after events: rows, order, previews and revisions."""

from dashboard.db.accounts import sources
from tests.dashboard.ingest.shop import START_MS, message, thread_event
from tests.drivers.ranking import left


def test_a_first_message_creates_thread_and_customer(shop):
    outcome = shop.says(0, "Xin chào", fields={"name": "Mai", "member_status": 2})
    row = shop.row()
    assert (outcome.status, outcome.thread_id) == ("created", row["id"])
    assert row == {
        "id": row["id"],
        "rev": 1,
        "thread": "t",
        "source": "shop",
        "customer": {
            "id": "shop/c",
            "name": "Mai",
            "avatar_url": None,
            "member_status": 2,
            "locale": None,
        },
        "preview": {"role": "client", "body": "Xin chào", "at": START_MS},
        "open": True,
        "priority": "normal",
        "recent_at": START_MS,
        "waiting_since": START_MS,
        "answered": False,
        "unanswered": 1,
        "last_message_id": 1,
        "last": {"role": "client", "by": None},
        "assignee": None,
        "queue": None,
        "due_at": None,
        "tags": [],
        "desk": "main",
        "snooze": None,
        "woken": None,
    }


def test_a_thread_created_by_another_event_has_no_customer_yet(shop):
    shop.does("thread.priority", 5, priority="high")
    row = shop.row()
    assert (row["customer"], row["preview"], row["recent_at"]) == (None, None, START_MS + 5)
    shop.says(9)
    assert shop.row()["customer"]["id"] == "shop/c"


def test_a_write_raises_the_revision_by_one_for_any_number_of_events(shop):
    shop.send(message(0), message(1), thread_event("thread.close", 2))
    assert shop.row()["rev"] == 1
    shop.says(3)
    assert shop.row()["rev"] == 2


def test_a_time_in_the_future_counts_as_the_time_of_receipt(shop, clock):
    ahead = clock.now_ms - START_MS + 360_000
    shop.says(ahead)
    assert shop.row()["recent_at"] == shop.row()["preview"]["at"] == clock.now_ms


def test_a_late_event_does_not_move_a_thread_up(shop):
    shop.says(100, thread="new")
    shop.says(50, thread="old")
    shop.says(10, thread="old")
    assert shop.listed("arrival", "arrival") == ["new", "old"]


def test_notes_bot_and_system_messages_do_not_change_the_order(shop):
    """Only the customer and public answers count. (A6, A16)"""
    shop.says(0)
    before = shop.row()
    shop.says(10, role="admin", private=True)
    shop.says(20, role="bot")
    shop.says(30, role="system", body="joined")
    after = shop.row()
    for fact in ("recent_at", "waiting_since", "answered", "unanswered", "open"):
        assert after[fact] == before[fact], fact


def test_a_second_message_changes_the_arrival_but_not_the_wait(shop):
    """The arrival is the last message, the wait begins at the first. (A7, A8, A9)"""
    shop.says(0)
    shop.says(50)
    row = shop.row()
    assert (row["waiting_since"], row["recent_at"]) == (START_MS, START_MS + 50)
    assert row["unanswered"] == 2


def test_a_new_waiting_thread_is_last_in_longest_wait(shop):
    """It takes the last place among those that wait. (A1)"""
    for number in range(3):
        shop.says(number, thread=f"t-{number}")
    assert shop.listed("arrival", "longest_wait") == ["t-0", "t-1", "t-2"]


def test_notes_and_older_messages_do_not_become_the_preview(shop):
    shop.says(10, "newest")
    shop.says(5, "older")
    shop.says(20, "for us", role="admin", private=True)
    assert shop.row()["preview"]["body"] == "newest"


def test_a_row_shows_what_the_customer_wrote_before_what_others_wrote(shop):
    """The customer's question stays until the customer writes again."""

    def shown():
        preview = shop.row()["preview"]
        return preview["role"], preview["body"], preview["at"] - START_MS

    shop.says(10, "Welcome", role="bot")
    assert shown() == ("bot", "Welcome", 10)
    shop.says(20, "Chat started", role="system")
    assert shown() == ("system", "Chat started", 20)
    shop.says(15, "May I help you?", role="admin")
    shop.says(25, "Mai joined", role="system")
    assert shown() == ("admin", "May I help you?", 15)
    shop.says(5, "Where is my parcel?")  # delivered late
    assert shown() == ("client", "Where is my parcel?", 5)
    shop.says(30, "I am passing you on to our team.", role="bot")
    shop.says(40, "Kenji joined", role="system")
    assert shown() == ("client", "Where is my parcel?", 5)
    assert shop.row()["last_message_id"] == 7
    shop.says(50, "It is on its way.", role="admin")
    shop.says(60, "How was it?", role="bot")
    assert shown() == ("client", "Where is my parcel?", 5)
    shop.says(55, "Thank you")
    assert shown() == ("client", "Thank you", 55)


def test_the_preview_of_an_attachment_is_its_name(shop):
    shop.says(0, "", attachments=[{"url": "https://x.example/a.png", "name": "a.png"}])
    assert shop.row()["preview"]["body"] == "a.png"
    assert shop.conversation()[0]["attachments"] == [
        {"url": "https://x.example/a.png", "type": None, "name": "a.png"}
    ]


def test_an_admins_answer_ends_the_wait_and_a_close_moves_to_history(shop):
    shop.says(0)
    shop.says(10, role="admin")
    assert shop.row()["waiting_since"] is None
    assert shop.listed("not_respond", "arrival") == []
    shop.does("thread.close", 20)
    assert shop.listed("history", "arrival") == ["t"]
    shop.says(30)
    assert shop.listed("not_respond", "arrival") == ["t"]


def test_reopening_restores_the_beginning_of_the_wait(shop):
    shop.says(0)
    shop.does("thread.close", 10)
    shop.does("thread.reopen", 20)
    row = shop.row()
    assert (row["open"], row["waiting_since"], row["unanswered"]) == (True, START_MS, 1)


def test_of_equal_times_the_greater_event_id_wins(shop):
    shop.does("thread.priority", 0, id="a", priority="low")
    shop.does("thread.priority", 0, id="B", priority="urgent")
    assert shop.row()["priority"] == "low", "“a” comes after “B”"


def test_texts_are_stored_unchanged(shop):
    odd = "\ufffe\ue000\u202e👨‍👩‍👧‍👦\u2028<script>{{7*7}}' OR 1=1--\r\n\t"
    shop.says(0, odd)
    assert shop.conversation()[0]["body"] == odd


def test_with_handoff_only_a_message_does_not_request_a_person(shop):
    shop.database.write(lambda connection: sources.set_handoff_only(connection, shop.source_id))
    shop.says(0)
    assert shop.row()["waiting_since"] is None
    shop.does("thread.handoff", 10)
    assert shop.row()["waiting_since"] == START_MS + 10


def test_a_refold_applies_a_changed_handoff_setting(shop):
    shop.send(message(0, thread="a"), message(1, thread="b"), thread_event("thread.handoff", 2))
    shop.database.write(lambda connection: sources.set_handoff_only(connection, shop.source_id))
    placements = [place for slice in shop.recorder.refold(shop.source_id) for place in slice]
    assert shop.listed("not_respond", "arrival") == ["t"]
    assert {place.thread_id for place in placements} == {shop.row("a")["id"], shop.row("b")["id"]}
    assert all("not_respond" in left(place) for place in placements)


def test_every_message_raises_the_revision_of_its_thread(shop):
    """Dashboards that have the thread open then read its messages."""
    shop.says(10)
    before = shop.row()
    shop.says(20, role="admin", private=True)
    shop.says(5, "late and old", role="system")
    after = shop.row()
    assert after["rev"] == before["rev"] + 2
    seen = {name: before[name] for name in ("rev", "last_message_id")}
    assert after | seen == before
