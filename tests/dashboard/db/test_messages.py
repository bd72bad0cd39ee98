"""Conversations are read by time, and messages stored after another one by id."""

import pytest

from dashboard.db.threads import messages
from tests.dashboard.ingest.shop import START_MS, Shop, message, thread_event


@pytest.fixture
def shop(any_database, clock) -> Shop:
    shop = Shop(any_database, clock)
    shop.send(message(0, "other thread", thread="other"))
    return shop


def read(shop: Shop, before: int | None = None, limit: int = 50):
    with shop.database.read() as connection:
        where, id = (None, 0) if before is None else ("before", before)
        found = messages.at(connection, shop.row()["id"], where, id, limit)
        return found.messages, found.more


def bodies(found) -> list[str]:
    return [message["body"] for message in found]


def test_messages_are_ordered_by_time_not_by_arrival(shop):
    """Of the same time they are ordered by id. (A23)"""
    for at in (50, 10, 30, 10):
        shop.says(at, f"at {at}")
    shop.does("thread.close", 99)
    found, more = read(shop)
    assert bodies(found) == ["at 10", "at 10", "at 30", "at 50"]
    assert found[0]["id"] < found[1]["id"], "of the same time, by id"
    assert not more
    assert found[-1]["at"] == START_MS + 50


def test_pages_back_to_the_beginning_give_every_message_once(shop):
    shop.send(*(message(number // 3, f"{number}") for number in range(20)))
    found, before, more = [], None, True
    while more:
        part, more = read(shop, before, 6)
        found = part + found
        before = part[0]["id"]
    assert bodies(found) == [f"{number}" for number in range(20)]


def test_before_a_message_of_another_thread_nothing_is_found(shop):
    shop.says(0)
    other = shop.conversation("other")[0]["id"]
    assert read(shop, before=other) == ([], False)
    assert read(shop, before=10**12) == ([], False)


def test_after_gives_messages_stored_later_whatever_their_time(shop):
    shop.says(50)
    seen = shop.conversation()[-1]["id"]
    shop.send(message(60, "new"), message(10, "late"), thread_event("thread.close", 70))
    with shop.database.read() as connection:
        found = messages.after(connection, shop.row()["id"], seen)
    assert sorted(bodies(found)) == ["late", "new"]
    assert [entry["id"] for entry in found] == sorted(entry["id"] for entry in found)


def test_changed_after_gives_new_messages_and_edited_ones_once(shop):
    shop.send(message(0, "a", id="m-1"), message(1, "b", id="m-2"))
    first, second = shop.conversation()

    def changed(after: int) -> list[tuple[str, int]]:
        with shop.database.read() as connection:
            found = messages.changed_after(connection, first["thread_id"], after)
        return [(one["body"], messages.changed_by(one)) for one in found]

    assert changed(second["id"]) == []
    edit = thread_event("message.edited", 9, message="m-1", body="c")
    shop.send(edit, message(8, "d"), thread_event("message.edited", 7, message="m-1", body="e"))
    [_, _, third] = shop.conversation()
    assert changed(second["id"]) == [("c", third["id"] - 1), ("d", third["id"])]
    assert changed(third["id"] - 1) == [("d", third["id"])]
    assert changed(third["id"]) == [], "an edit that does not count changes nothing"


def test_one_message_is_read_by_its_id(shop):
    shop.says(0, "this")
    found = shop.conversation()[0]
    with shop.database.read() as connection:
        assert messages.one(connection, found["id"]) == found
        assert messages.one(connection, 10**12) is None
