"""Events are recorded once, and threads, customers and previews follow."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event, func, select

from dashboard.errors import StorageUnavailable
from dashboard.store import sources, threads
from dashboard.store.database import Database
from dashboard.store.models import customers, events
from dashboard.store.models import threads as thread_table
from tests.intake.shop import START_MS, Shop, customer_event, message, thread_event


@pytest.fixture
def shop(any_database, clock) -> Shop:
    return Shop(any_database, clock)


def count(shop: Shop, table) -> int:
    with shop.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_the_first_event_that_names_them_makes_thread_and_customer(shop):
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
        "assignee": None,
    }


def test_a_thread_first_named_by_something_else_has_no_customer_yet(shop):
    shop.does("thread.priority", 5, priority="high")
    row = shop.row()
    assert (row["customer"], row["preview"], row["recent_at"]) == (None, None, START_MS + 5)
    shop.says(9)
    assert shop.row()["customer"]["id"] == "shop/c"


def test_the_same_event_again_is_a_duplicate_and_changes_nothing(shop):
    """Case F2."""
    first = shop.says(0, id="m-1")
    again = shop.send(message(0, id="m-1"))
    assert again.outcomes == [first._replace(status="duplicate")]
    assert again.placements == []
    assert shop.row()["rev"] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"body": "else"},
        {"role": "bot"},
        {"thread": "t-2"},
        {"customer": "c-2"},
        {"fields": {"name": None}},
        {"attachments": [{"url": "https://x.example/a"}]},
    ],
    ids=lambda given: next(iter(given)),
)
def test_another_event_under_a_known_id_is_refused_and_makes_nothing(shop, other):
    shop.says(0, id="m-1")
    outcome = shop.says(**{"at": 0, "id": "m-1"} | other)
    assert outcome.status == "rejected"
    assert (outcome.problem.status, outcome.problem.code) == (409, "event_id_conflict")
    assert count(shop, thread_table) == count(shop, customers) == count(shop, events) == 1


def test_what_defaults_and_notations_mean_the_same_is_the_same_event(shop):
    shop.says(0, id="m-1")
    outcome = shop.says(0, id="m-1", private=True, attachments=[])
    assert outcome.status == "duplicate"


def test_ids_belong_to_their_source(shop, clock):
    other = Shop(shop.database, clock, "other")
    assert shop.says(0, id="m-1").status == other.says(0, "else", id="m-1").status == "created"
    assert shop.row()["id"] != other.row()["id"]
    assert other.row()["customer"]["id"] == "other/c"


def test_ids_that_differ_by_case_are_two(shop):
    shop.send(message(0, id="m", thread="T"), message(0, id="M", thread="t"))
    assert count(shop, thread_table) == 2


def test_repetitions_and_conflicts_inside_a_batch_meet_the_first_of_their_id(shop):
    recorded = shop.send(
        message(0, id="m-1"), message(0, id="m-1"), message(0, "else", id="m-1"), message(1)
    )
    statuses = [outcome.status for outcome in recorded.outcomes]
    assert statuses == ["created", "duplicate", "rejected", "created"]
    assert recorded.outcomes[0].thread_id == recorded.outcomes[1].thread_id == shop.row()["id"]
    assert count(shop, events) == 2


def test_one_and_the_same_value_given_twice_is_recorded_once(shop):
    event = message(0)
    statuses = [outcome.status for outcome in shop.send(event, event).outcomes]
    assert statuses == ["created", "duplicate"]


def test_a_write_raises_the_revision_by_one_however_many_events_it_holds(shop):
    shop.send(message(0), message(1), thread_event("thread.close", 2))
    assert shop.row()["rev"] == 1
    shop.says(3)
    assert shop.row()["rev"] == 2


def test_a_time_to_come_is_ranked_at_its_receipt(shop, clock):
    ahead = clock.now_ms - START_MS + 360_000
    shop.says(ahead)
    assert shop.row()["recent_at"] == shop.row()["preview"]["at"] == clock.now_ms


def test_an_old_time_does_not_lift_a_thread(shop):
    shop.says(100, thread="new")
    shop.says(50, thread="old")
    shop.says(10, thread="old")
    assert shop.listed("arrival", "arrival") == ["new", "old"]


def test_notes_bots_and_system_messages_move_no_thread(shop):
    """A6, A16: only the customer and public answers count."""
    shop.says(0)
    before = shop.row()
    shop.says(10, role="admin", private=True)
    shop.says(20, role="bot")
    shop.says(30, role="system", body="joined")
    after = shop.row()
    for fact in ("recent_at", "waiting_since", "answered", "unanswered", "open"):
        assert after[fact] == before[fact], fact
    assert after["preview"]["body"] == "joined"


def test_a_follow_up_does_not_move_the_wait(shop):
    """A7, A8, A9: the arrival moves, the wait does not."""
    shop.says(0)
    shop.says(50)
    row = shop.row()
    assert (row["waiting_since"], row["recent_at"]) == (START_MS, START_MS + 50)
    assert row["unanswered"] == 2


def test_the_newest_waiter_comes_last_in_longest_wait(shop):
    """A1."""
    for number in range(3):
        shop.says(number, thread=f"t-{number}")
    assert shop.listed("arrival", "longest_wait") == ["t-0", "t-1", "t-2"]


def test_a_note_is_never_the_preview_and_an_older_message_neither(shop):
    shop.says(10, "newest")
    shop.says(5, "older")
    shop.says(20, "for us", role="admin", private=True)
    assert shop.row()["preview"]["body"] == "newest"


def test_a_message_with_nothing_but_an_attachment_shows_its_name(shop):
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


def test_a_close_undone_lets_the_customer_wait_since_the_beginning(shop):
    shop.says(0)
    shop.does("thread.close", 10)
    shop.does("thread.reopen", 20)
    row = shop.row()
    assert (row["open"], row["waiting_since"], row["unanswered"]) == (True, START_MS, 1)


def test_customers_fields_each_have_their_own_last_writer(shop):
    shop.send(customer_event(20, name="Mai"))
    shop.send(customer_event(10, name="Old", member_status=3))
    shop.says(0)
    shown = shop.row()["customer"]
    assert (shown["name"], shown["member_status"]) == ("Mai", 3)


def test_null_forgets_what_was_said_of_a_customer(shop):
    shop.says(0, fields={"name": "Mai", "avatar_url": "https://x.example/a.png"})
    shop.send(customer_event(1, name=None, avatar_url=None))
    shown = shop.row()["customer"]
    assert (shown["name"], shown["avatar_url"]) == (None, None)


def test_a_customers_change_touches_all_of_their_threads_and_no_others(shop):
    shop.send(message(0, thread="a"), message(1, thread="b"), message(2, thread="x", customer="d"))
    recorded = shop.send(customer_event(5, member_status=0))
    ids = {shop.row("a")["id"], shop.row("b")["id"]}
    assert {place.thread_id for place in recorded.placements} == ids
    assert [shop.row(name)["rev"] for name in "abx"] == [2, 2, 1]
    assert shop.listed("arrival", "member_status") == ["b", "a", "x"]


def test_a_name_alone_changes_rows_but_no_place(shop):
    shop.says(0)
    before = shop.send(customer_event(5, name="Mai")).placements[0]
    assert (shop.row()["rev"], before.revision) == (2, 2)
    assert before.leave == frozenset()


def test_a_field_said_again_touches_nothing(shop):
    shop.says(0, fields={"name": "Mai"})
    assert shop.send(customer_event(5, name="Mai")).placements == []


def test_a_thread_belongs_to_the_customer_named_last(shop):
    shop.says(20, customer="late", fields={"member_status": 1})
    shop.says(10, customer="early", fields={"member_status": 5})
    assert shop.row()["customer"]["id"] == "shop/late"
    assert shop.listed("arrival", "member_status") == ["t"]


def test_equal_times_are_decided_by_the_code_points_of_event_ids(shop):
    shop.does("thread.priority", 0, id="a", priority="low")
    shop.does("thread.priority", 0, id="B", priority="urgent")
    assert shop.row()["priority"] == "low", "“a” comes after “B”"


def test_a_customer_event_names_no_thread(shop):
    outcome = shop.send(customer_event(0, name="Mai")).outcomes[0]
    assert (outcome.status, outcome.thread_id) == ("created", None)


def test_texts_are_kept_to_the_last_code_point(shop):
    odd = "\ufffe\ue000\u202e👨‍👩‍👧‍👦\u2028<script>{{7*7}}' OR 1=1--\r\n\t"
    shop.says(0, odd)
    assert shop.conversation()[0]["body"] == odd


def test_a_receipt_of_no_message_of_ours_is_refused(shop):
    shop.says(0)
    recorded = shop.send(thread_receipt(shop.conversation()[0]["id"]), thread_receipt(999))
    assert [outcome.problem.code for outcome in recorded.outcomes] == ["unknown_value"] * 2
    assert recorded.outcomes[0].problem.errors[0].pointer == "/message_id"


def thread_receipt(message_id: int):
    return thread_event("receipt", 1, thread=None, message_id=message_id, state="read")


def test_a_source_that_hands_over_calls_by_handoff_alone(shop):
    shop.database.write(lambda connection: sources.set_handoff_only(connection, shop.source_id))
    shop.says(0)
    assert shop.row()["waiting_since"] is None
    shop.does("thread.handoff", 10)
    assert shop.row()["waiting_since"] == START_MS + 10


def test_a_refold_takes_a_source_from_one_way_of_calling_to_the_other(shop):
    shop.send(message(0, thread="a"), message(1, thread="b"), thread_event("thread.handoff", 2))
    shop.database.write(lambda connection: sources.set_handoff_only(connection, shop.source_id))
    placements = [place for slice in shop.recorder.refold(shop.source_id) for place in slice]
    assert shop.listed("not_respond", "arrival") == ["t"]
    assert {place.thread_id for place in placements} == {shop.row("a")["id"], shop.row("b")["id"]}
    assert all("not_respond" in place.leave for place in placements)


def test_new_messages_are_told_as_conversations_show_them(shop):
    recorded = shop.send(message(0), thread_event("thread.close", 1), message(2, "bye"))
    assert recorded.messages == shop.conversation()


def test_a_batch_takes_as_many_statements_as_two_events(shop):
    def statements(events) -> int:
        with counted_statements(shop.database) as seen:
            shop.send(*events)
        return len(seen)

    def story(name: str, size: int):
        roles = ["client", "admin", "bot"]
        return [
            message(at, role=roles[at % 3], thread=f"{name}-{at}", customer=f"{name}-{at}")
            for at in range(size)
        ]

    few, many = statements(story("few", 4)), statements(story("many", 200))
    assert many == few


def test_what_stays_as_it_is_is_not_written(shop):
    """Each column that is written costs its index, or a look at whom it refers to."""
    shop.says(0)
    with counted_statements(shop.database) as seen:
        shop.says(1)
    [saved] = [statement for statement in seen if statement.startswith("UPDATE threads")]
    assert "score_arrival" in saved
    assert not {"customer_id", "assignee_id", "score_longest_wait"} & set(re.split(r"\W+", saved))


@contextmanager
def counted_statements(database: Database) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(connection, cursor, statement, *rest):
        seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def test_nothing_is_stored_where_the_storage_is_locked(database, clock, tmp_path):
    """F25: another process holds the write lock; the caller is told within 2 s and a bit."""
    shop = Shop(database, clock)
    other = Database(database.url)
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable):
            shop.says(0)
    other.close()
    assert count(shop, events) == count(shop, thread_table) == 0


def test_a_full_disk_is_told_and_nothing_half_stored(database, clock):
    """F27."""
    shop = Shop(database, clock)
    with database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.engine.dispose()
    limit_pages(database, pages)
    with pytest.raises(StorageUnavailable):
        shop.send(*(message(at, "x" * 20_000) for at in range(50)))
    assert count(shop, events) == count(shop, thread_table) == 0


def limit_pages(database: Database, pages: int) -> None:
    @event.listens_for(database.engine, "connect")
    def limit(connection, record):
        connection.execute(f"PRAGMA max_page_count={pages}")


def test_unplaced_threads_are_those_written_and_not_noted(shop):
    shop.says(0)
    with shop.database.read() as connection:
        assert threads.unplaced(connection, 10) == {shop.row()["id"]: 1}


def test_whatever_is_said_changes_its_thread_so_that_who_has_it_open_hears_it(shop):
    shop.says(10)
    before = shop.row()
    shop.says(20, role="admin", private=True)
    shop.says(5, "late and old", role="system")
    after = shop.row()
    assert after["rev"] == before["rev"] + 2
    assert after | {"rev": before["rev"]} == before
