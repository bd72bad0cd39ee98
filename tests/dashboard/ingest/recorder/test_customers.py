"""Customers after events: fields, their last writers, and the threads of the customer."""

from dashboard.db.search import search
from tests.dashboard.ingest.shop import customer_event, message
from tests.drivers.ranking import left


def test_each_field_of_a_customer_has_its_own_last_writer(shop):
    shop.send(customer_event(20, name="Mai"))
    shop.send(customer_event(10, name="Old", member_status=3))
    shop.says(0)
    shown = shop.row()["customer"]
    assert (shown["name"], shown["member_status"]) == ("Mai", 3)


def test_null_clears_a_field_of_a_customer(shop):
    shop.says(0, fields={"name": "Mai", "avatar_url": "https://x.example/a.png"})
    shop.send(customer_event(1, name=None, avatar_url=None))
    shown = shop.row()["customer"]
    assert (shown["name"], shown["avatar_url"]) == (None, None)


def attributes_of(shop, name="t"):
    with shop.database.read() as connection:
        panel = search.panel(connection, shop.row(name)["id"], 1)
    return [tuple(each.values()) for each in panel["customer"]["attributes"]]


def test_given_attributes_replace_all_earlier_ones_and_the_later_time_wins(shop):
    shop.says(0, fields={"attributes": {"Plan": "Free", "Orders": "3"}})
    assert attributes_of(shop) == [("Orders", "3"), ("Plan", "Free")], "by name"
    shop.send(customer_event(20, attributes={"Plan": "Pro"}))
    shop.send(customer_event(10, attributes={"Plan": "Late"}))
    assert attributes_of(shop) == [("Plan", "Pro")]
    shop.send(customer_event(30, attributes=None, name="Mai"))
    shop.says(40)
    assert attributes_of(shop) == [("Plan", "Pro")], "neither null nor nothing changes them"
    rev = shop.row()["rev"]
    shop.send(customer_event(50, attributes={}))
    assert attributes_of(shop) == []
    assert shop.row()["rev"] == rev + 1, "pages that show them read them again"


def test_a_changed_customer_changes_all_of_their_threads_and_no_others(shop):
    shop.send(message(0, thread="a"), message(1, thread="b"), message(2, thread="x", customer="d"))
    recorded = shop.send(customer_event(5, member_status=0))
    ids = {shop.row("a")["id"], shop.row("b")["id"]}
    assert {place.thread_id for place in recorded.placements} == ids
    assert [shop.row(name)["rev"] for name in "abx"] == [2, 2, 1]
    assert shop.listed("arrival", "member_status") == ["b", "a", "x"]


def test_a_changed_name_changes_rows_but_no_list(shop):
    shop.says(0)
    before = shop.send(customer_event(5, name="Mai")).placements[0]
    assert (shop.row()["rev"], before.revision) == (2, 2)
    assert left(before) == set()


def test_an_unchanged_field_changes_no_thread(shop):
    shop.says(0, fields={"name": "Mai"})
    assert shop.send(customer_event(5, name="Mai")).placements == []


def test_a_thread_belongs_to_the_customer_named_last(shop):
    shop.says(20, customer="late", fields={"member_status": 1})
    shop.says(10, customer="early", fields={"member_status": 5})
    assert shop.row()["customer"]["id"] == "shop/late"
    assert shop.listed("arrival", "member_status") == ["t"]


def test_the_outcome_of_a_customer_event_has_no_thread(shop):
    outcome = shop.send(customer_event(0, name="Mai")).outcomes[0]
    assert (outcome.status, outcome.thread_id) == ("created", None)
