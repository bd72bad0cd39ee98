"""The contacts of customers, and the data of the panels, on both kinds of databases."""

import fakeredis
import pytest

from dashboard.db.accounts import admin_desks, admins, team
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.presence.service import Relations
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock


@pytest.fixture
def order(any_database) -> Order:
    made = Order(any_database, fakeredis.FakeRedis(), SettableClock())
    made.tick()
    return made


def create_admin(order: Order, name: str) -> Admin:
    email = f"{name.lower()}@example.com"
    id = order.database.write(lambda c: admins.create(c, email, name, "admin", "", 0))
    order.tick()
    return Admin(id, name, "admin")


def test_who_has_or_answered_a_thread_is_a_contact_of_its_customer(order):
    """In bulk; a note is no answer. (R80, R83)"""
    for thread in ("claimed", "answered", "noted", "untouched"):
        order.post(thread)
    mai, actions = create_admin(order, "Mai"), Actions(order.database, order.clock)
    ids = {name: number for number, name in enumerate(("claimed", "answered", "noted"), 1)}
    order.ingest.act(actions.claim, mai, ids["claimed"])
    for name, private in (("answered", False), ("noted", True)):
        reply = Reply(body="hello", token=name, private=private, seen_message_id=None, confirm=True)
        order.ingest.act(actions.reply, mai, ids[name], reply)
    people = [f"shop/customer-of-{name}" for name in (*ids, "untouched", "nobody")]
    relations = Relations(order.database)
    found = relations.of_customers(str(mai.id), people)
    assert set(found) == {"shop/customer-of-claimed", "shop/customer-of-answered"}
    assert [relations.contacts_of(one) for one in people] == [
        {mai.id},
        {mai.id},
        set(),
        set(),
        set(),
    ]
    assert set(relations.of_customers("999", people)) == set()
    assert list(relations.of_admins("1", ["2", "3"])) == ["2", "3"]
    assert list(relations.of_admins("others", ["2"])) == []


def test_the_newest_thread_of_a_customer_is_found(order):
    order.post("first", customer={"id": "c", "name": "Chi"})
    order.post("second", customer={"id": "c"})
    order.post("first", customer={"id": "c"})
    with order.database.read() as connection:
        found = team.newest_threads(connection, ["shop/c", "shop/x"])
        assert team.newest_threads(connection, []) == {}
    assert found == {"shop/c": {"name": "Chi", "avatar_url": None, "thread_id": 1}}


def test_the_team_is_listed_by_name_without_disabled_admins(order):
    create_admin(order, "zoe")
    gone, ann = create_admin(order, "Bob"), create_admin(order, "Ann")
    order.database.write(lambda c: admins.disable(c, gone.id, 5))
    with order.database.read() as connection:
        assert [one["name"] for one in team.members(connection)] == ["Ann", "zoe"]
        assert team.names(connection, [ann.id, 999]) == {ann.id: "Ann"}


def test_a_thread_at_a_desk_that_an_admin_does_not_see_makes_no_contact(order):
    for name in ("sales", "billing"):
        order.database.write(lambda connection, name=name: admin_desks.add(connection, name, 0))
    mai, actions = create_admin(order, "Mai"), Actions(order.database, order.clock)
    person = "shop/customer-of-one"
    order.post("one")
    order.ingest.act(actions.claim, mai, 1)
    relations = Relations(order.database, order.monotonic)
    assert relations.contacts_of(person) == {mai.id}
    assert set(relations.of_customers(str(mai.id), [person])) == {person}
    boss = create_admin(order, "Boss")._replace(role="supervisor")
    given = HandOver(None, desk="billing")
    reply = Reply("hello", "t", False, None, confirm=True)
    order.ingest.act(actions.reply, mai, 1, reply)
    order.ingest.act(Assigning(order.database, order.clock).hand_over, boss, 1, given)
    order.seconds += 10
    assert relations.contacts_of(person) == set()
    assert set(relations.of_customers(str(mai.id), [person])) == set()
