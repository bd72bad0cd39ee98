"""The people that a socket may see and show: by its admin's role, settings, device and budget."""

import json

import fakeredis
import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.db.accounts import admins
from dashboard.errors import Invalid, StorageUnavailable
from dashboard.live.visible_rows import VisibleRows
from dashboard.presence.admin_presence import AdminPresence
from dashboard.presence.service import PresenceService, PresenceUnavailable
from dashboard.presence.viewers import Viewers
from dashboard.transport.caller import Caller
from presence.feed import Feed
from presence.people import Connection
from presence.settings import Settings
from presence.watchers import MAX_WATCHED
from tests.services import services_over


class Emitter:
    """Keeps what each socket is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, dict]] = []

    def send(self, sid, event, data, acknowledged=None) -> None:
        self.sent.append((sid, event, json.loads(str(data))))

    def of(self, sid: str, event: str) -> list[dict]:
        return [data for to, named, data in self.sent if (to, named) == (sid, event)]


class Worker:
    """One worker; admin 1 is the one under test, admin 2 a colleague."""

    def __init__(self, database, clock):
        self.seconds = 1_000.0
        self.emitter, self.typed = Emitter(), []
        client = fakeredis.FakeRedis()
        self.presence_service = PresenceService(client, database, clock)
        self.viewers = Viewers(self.presence_service, VisibleRows(), lambda ids: {}, self.emitter)
        self.presence = AdminPresence(
            self.presence_service,
            self.viewers,
            self.emitter,
            "worker-1",
            lambda: self.seconds,
            lambda thread_id, admin_id: self.typed.append((thread_id, admin_id)),
        )
        self.feed = Feed(client, [*self.presence.watchers.values(), self.viewers.readers])
        for name in ("one", "two"):
            database.write(
                lambda connection, name=name: admins.create(
                    connection, f"{name}@example.com", name, "admin", "", 0
                )
            )
        self.open_thread = self.presence.handlers(
            {
                "thread:open": lambda caller, args: {"thread_id": args[0]["id"]},
                "thread:close": lambda caller, args: {},
            }
        )["thread:open"]

    def come(self, sid: str, admin_id: int = 1, **more) -> Caller:
        caller = Caller(sid, admin_id, connection=sid, **more)
        self.presence.on_connect(caller)
        self.presence.on_ready(caller)
        return caller

    def flush(self) -> None:
        self.feed.verify_once()
        self.viewers.flush()
        for watchers in self.presence.watchers.values():
            watchers.flush_once()

    def mode_of(self, admin_id: int, thread_id: int = 5) -> str:
        room = self.presence_service.threads.look_up([str(thread_id)])[str(thread_id)]
        return next(one.mode for one in room.members if one.person == str(admin_id))


@pytest.fixture
def worker(database, clock) -> Worker:
    return Worker(database, clock)


def test_a_role_that_was_taken_away_ends_what_it_saw(worker):
    """H15: updates to the socket, and answers to its calls, only have what everybody may see."""
    worker.come("hidden", 2)
    worker.presence_service.set_admin(2, {"status": "invisible"})
    caller = worker.come("s", 1, role="supervisor")
    watch = ({"kind": "admin", "add": ["2"]},)
    assert worker.presence.watch(caller, watch)["presence"]["2"]["status"] == "online"
    worker.flush()
    worker.emitter.sent.clear()
    caller = caller._replace(role="admin")
    worker.presence.on_role(caller)
    worker.flush()
    sent = worker.emitter.of("s", "presence:update")
    assert [one["presence"]["2"]["status"] for one in sent] == ["offline"]
    worker.presence_service.set_admin(2, {"text": "secret"})
    worker.flush()
    assert len(worker.emitter.of("s", "presence:update")) == 1
    assert worker.presence.watch(caller, watch)["presence"]["2"]["status"] == "offline"


def test_a_socket_watches_so_many_people_of_both_kinds_together(worker):
    """R46: the budget is the socket's, not one for each kind."""
    caller = worker.come("s")
    customers = [f"shop/c-{number}" for number in range(MAX_WATCHED - 1)]
    worker.presence.watch(caller, ({"kind": "customer", "add": customers},))
    worker.presence.watch(caller, ({"kind": "admin", "add": ["1"]},))
    for kind, person in (("admin", "2"), ("customer", "shop/one-more")):
        with pytest.raises(Invalid):
            worker.presence.watch(caller, ({"kind": kind, "add": [person]},))
    worker.presence.watch(caller, ({"kind": "customer", "del": customers[:1]},))
    worker.presence.watch(caller, ({"kind": "admin", "add": ["2"]},))


def test_an_admin_who_does_not_show_typing_is_seen_with_a_draft(worker):
    """Neither a colleague nor a chatbot is told that the admin types."""
    caller = worker.come("s")
    worker.open_thread(caller, ({"id": 5},))
    reply = {"field": "reply", "position": 1}
    typing = ({"id": 5, "mode": "typing", "cursor": reply},)
    worker.presence.change_mode(caller, typing)
    assert worker.mode_of(1) == "typing" and worker.typed == [(5, 1)]
    worker.presence.set(caller, ({"show_typing": False},))
    assert worker.mode_of(1) == "editing"
    worker.presence.change_mode(caller, typing)
    assert worker.mode_of(1) == "editing" and worker.typed == [(5, 1)]
    worker.presence.set(caller, ({"show_typing": None},))
    worker.presence.change_mode(caller, typing)
    assert worker.mode_of(1) == "typing" and worker.typed == [(5, 1)] * 2


def test_show_typing_set_on_another_worker_counts_a_second_later(worker):
    """While SQL cannot be read, typing is not shown."""
    caller = worker.come("s")
    worker.open_thread(caller, ({"id": 5},))
    typing = ({"id": 5, "mode": "typing"},)
    worker.presence.change_mode(caller, typing)
    worker.presence_service.set_admin(1, {"show_typing": False})
    worker.seconds += 1
    worker.presence.change_mode(caller, typing)
    assert worker.mode_of(1) == "editing"


def test_typing_is_not_shown_while_the_setting_cannot_be_read(worker, monkeypatch):
    caller = worker.come("s")
    worker.open_thread(caller, ({"id": 5},))

    def away(people):
        raise StorageUnavailable()

    monkeypatch.setattr(worker.presence_service, "admin_settings", away)
    worker.presence.change_mode(caller, ({"id": 5, "mode": "typing"},))
    assert worker.mode_of(1) == "editing"


def test_a_connection_says_which_device_and_which_worker_hold_it(worker):
    """R27: rich state, with the instance to route to."""
    worker.come("s", device="phone-of-one", type="mobile")
    held = worker.presence_service.admins.connections_of("1")
    assert [one._replace(opened_ms=0) for one in held] == [
        Connection("1", "s", "mobile", "phone-of-one", "worker-1")
    ]


def test_the_lifetime_and_the_idle_threshold_are_those_that_are_configured(database, clock):
    """R31."""
    given = {"LINEUP_PRESENCE_TTL": "180", "LINEUP_PRESENCE_IDLE": "60"}
    timing = services_over(database, fakeredis.FakeRedis(), clock, given).presence_service.timing
    assert (timing.ttl_ms, timing.idle_ms) == (180_000, 60_000)


def test_without_redis_what_is_set_is_refused_and_who_is_watched_comes_late(worker, monkeypatch):
    """T12."""
    caller = worker.come("s")

    def away(*given):
        raise RedisConnectionError("away")

    monkeypatch.setattr(worker.presence_service.admins, "set", away)
    with pytest.raises(PresenceUnavailable):
        worker.presence.set(caller, ({"status": "busy"},))
    monkeypatch.setattr(worker.presence_service.admins, "snapshots", away)
    watched = worker.presence.watch(caller, ({"kind": "admin", "add": ["2"]},))
    assert watched == {"presence": {}, "late": True}


def test_a_customer_shown_to_contacts_is_not_shown_to_another_admin_who_watches(worker):
    """R80: a colleague is no contact of a customer."""
    contacts = Settings(1, "contacts")
    worker.presence_service.customers.open(Connection("shop/c-1", "d"), contacts)
    watch = ({"kind": "customer", "add": ["shop/c-1"]},)
    shown = [
        worker.presence.watch(worker.come(role, role=role), watch)["presence"]["shop/c-1"]["status"]
        for role in ("admin", "supervisor")
    ]
    assert shown == ["offline", "online"]
