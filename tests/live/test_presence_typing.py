"""Who is told that a customer writes: whoever may know that they are here."""

import json

import fakeredis
import pytest

from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.errors import StorageUnavailable
from dashboard.intake.actions import Actions, Admin
from dashboard.live.answers import Caller
from dashboard.live.presence import Presence
from dashboard.live.screens import Screens
from dashboard.live.viewers import Viewers
from dashboard.store import admins
from presence.feed import Feed
from tests.intake.order import Order

PERSON = "shop/customer-of-t"


class Outlet:
    """Keeps which customers each socket was told of, word for word."""

    def __init__(self) -> None:
        self.told: dict[str, list[list[str]]] = {}

    def send(self, sid, event, data, acknowledged=None) -> None:
        if event == "thread:typing":
            self.told.setdefault(sid, []).append(json.loads(str(data))["customers"])


class Room:
    """A thread on the screens of an admin who has it, of one who has not, and of a supervisor."""

    def __init__(self, database, clock):
        client = fakeredis.FakeRedis()
        order = Order(database, client, clock)
        order.tick()
        order.post("t")
        self.outlet, screens = Outlet(), Screens()
        self.attendance = Attendance(client, database, clock)
        self.chatbots = Chatbots(self.attendance, database, clock)
        self.source_id = order.source_id
        self.viewers = Viewers(self.attendance, screens, lambda ids: {}, self.outlet)
        presence = Presence(self.attendance, self.viewers, self.outlet, clock)
        for role in ("contact", "stranger", "supervisor"):
            given = (f"{role}@example.com", role, role if role == "supervisor" else "admin", "", 0)
            id = database.write(lambda connection, given=given: admins.create(connection, *given))
            order.tick()
            if role == "contact":
                order.intake.act(Actions(database, clock).claim, Admin(id, role, "admin"), 1)
            presence.arrive(Caller(role, id, given[2]))
            screens.watch(role, [1])
        self.feed = Feed(client, [self.viewers.writers])
        self.flush()

    def flush(self) -> None:
        self.feed.verify_once()
        self.viewers.flush()

    def said_while_typing(self, **settings) -> dict[str, list[list[str]]]:
        """What each was told from the first letter to the message."""
        if settings:
            self.attendance.set_customer(self.source_id, "shop", "customer-of-t", settings)
        self.chatbots.typing(self.source_id, "shop", "t", "customer-of-t")
        self.flush()
        for place in self.attendance.writers.places():
            self.attendance.writers.leave(place)
        self.flush()
        told, self.outlet.told = self.outlet.told, {}
        return told


@pytest.fixture
def room(database, clock) -> Room:
    return Room(database, clock)


def test_who_shows_to_contacts_is_seen_writing_by_them_and_by_supervisors(room):
    """R79, R81: others are told nothing at all, not even that something ended."""
    heard = [[PERSON], []]
    assert room.said_while_typing() == dict.fromkeys(("contact", "stranger", "supervisor"), heard)
    told = room.said_while_typing(visibility="contacts")
    assert told == {"contact": heard, "supervisor": heard}
    assert room.said_while_typing(visibility="nobody") == {}
    assert set(room.said_while_typing(visibility="everyone")) == {
        "contact",
        "stranger",
        "supervisor",
    }


def test_where_relations_cannot_be_read_contacts_are_told_nothing(room, monkeypatch):
    """T38."""

    def away(person):
        raise StorageUnavailable()

    monkeypatch.setattr(room.attendance.relations, "contacts_of", away)
    assert set(room.said_while_typing(visibility="contacts")) == {"supervisor"}
