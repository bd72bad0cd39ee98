"""Typing of a customer is sent to the admins who may see the customer."""

import json

import fakeredis
import pytest

from dashboard.db.accounts import admins
from dashboard.errors import StorageUnavailable
from dashboard.ingest.actions import Admin
from dashboard.transport.caller import Caller
from presence.feed import Feed
from tests.dashboard.ordering.order import Order

PERSON = "shop/customer-of-t"


class Emitter:
    """Keeps the customers of each typing frame, by socket."""

    def __init__(self) -> None:
        self.sent: dict[str, list[list[str]]] = {}

    def send(self, sid, event, data, acknowledged=None) -> None:
        if event == "thread:typing":
            self.sent.setdefault(sid, []).append(json.loads(str(data))["customers"])


class Room:
    """A thread that three admins show: its assignee, another admin, and a supervisor."""

    def __init__(self, database, clock):
        client = fakeredis.FakeRedis()
        order = Order(database, client, clock)
        order.tick()
        order.post("t")
        services = order.services
        services.sockets = self.emitter = Emitter()
        self.presence_service, self.bot_presence = services.presence_service, services.bot_presence
        self.source_id, self.presence = order.source_id, services.admin_presence
        self.viewers = self.presence.viewers
        for role in ("contact", "outsider", "supervisor"):
            given = (f"{role}@example.com", role, role if role == "supervisor" else "admin", "", 0)
            id = database.write(lambda connection, given=given: admins.create(connection, *given))
            order.tick()
            if role == "contact":
                order.ingest.act(services.actions.claim, Admin(id, role, "admin"), 1)
            caller = Caller(role, id, given[2])
            self.presence.on_connect(caller)
            if role == "outsider":
                self.outsider = caller
            services.broadcaster.visible_rows.watch(role, [1])
        self.feed = Feed(client, [self.viewers.writers])
        self.flush()

    def flush(self) -> None:
        self.feed.verify_once()
        self.viewers.flush()

    def sent_while_typing(self, **settings) -> dict[str, list[list[str]]]:
        """The frames of each socket from the first letter to the message."""
        if settings:
            self.presence_service.set_customer(self.source_id, "shop", "customer-of-t", settings)
        self.bot_presence.typing(self.source_id, "shop", "t", "customer-of-t")
        self.flush()
        for place in self.presence_service.writers.memberships():
            self.presence_service.writers.leave(place)
        self.flush()
        sent, self.emitter.sent = self.emitter.sent, {}
        return sent


@pytest.fixture
def room(database, clock) -> Room:
    return Room(database, clock)


def test_typing_of_a_customer_visible_to_contacts_is_sent_to_them_and_to_supervisors(room):
    """Others get no frame, not even that typing ended. (R79, R81)"""
    frames = [[PERSON], []]
    assert room.sent_while_typing() == dict.fromkeys(("contact", "outsider", "supervisor"), frames)
    sent = room.sent_while_typing(visibility="contacts")
    assert sent == {"contact": frames, "supervisor": frames}
    assert room.sent_while_typing(visibility="nobody") == {}
    assert set(room.sent_while_typing(visibility="everyone")) == {
        "contact",
        "outsider",
        "supervisor",
    }


def test_another_role_sees_at_once_who_types_now(room):
    """H15: more customers or fewer than before, without another letter."""
    room.presence_service.set_customer(
        room.source_id, "shop", "customer-of-t", {"visibility": "contacts"}
    )
    room.bot_presence.typing(room.source_id, "shop", "t", "customer-of-t")
    room.flush()
    assert "outsider" not in room.emitter.sent
    room.presence.on_role(room.outsider._replace(role="supervisor"))
    room.presence.on_role(room.outsider)
    assert room.emitter.sent["outsider"] == [[PERSON], []]


def test_without_relations_contacts_get_no_frame(room, monkeypatch):
    """Relations are in SQL, which may be away. (T38)"""

    def away(person):
        raise StorageUnavailable()

    monkeypatch.setattr(room.presence_service.relations, "contacts_of", away)
    assert set(room.sent_while_typing(visibility="contacts")) == {"supervisor"}
