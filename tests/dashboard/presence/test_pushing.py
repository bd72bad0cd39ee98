"""Presence pushed to chatbots: what was pushed last is what the polled calls say."""

import itertools
import random
from collections import defaultdict
from typing import Any

import fakeredis
import pytest

from dashboard.db.accounts import sources
from dashboard.db.models.webhooks import pushed_customers, pushed_teams
from dashboard.db.outbox import outgoing, pushed_presence
from dashboard.db.outbox.pushed_presence import CHECKED_MS, TOLD_MS
from dashboard.errors import StorageUnavailable
from dashboard.event_types import NAMED_TYPES
from dashboard.ingest.actions import Admin
from dashboard.presence.pushing import PresencePusher
from presence.people import Connection
from presence.settings import Settings
from presence.states import same
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.drivers.audit import OPERATOR
from tests.drivers.bot import BotDriver, message

CUSTOMER, TEAM = "presence.customer", "presence.team"
CUSTOMERS = ("c-1", "c-2", "c-3")
#: `shop` and `other` ask for one kind each and `both` for both; `quiet` takes all but presence.
SOURCES = {"shop": [CUSTOMER], "other": [TEAM], "both": [CUSTOMER, TEAM], "quiet": None}


class Desk:
    """Four chatbots, each with three customers and a thread for each; two admins; two processes."""

    def __init__(self, database, clock, seed: int = 0):
        self.order = Order(database, fakeredis.FakeRedis(), clock)
        self.order.tick()
        self.bot, self.clock, self.random = BotDriver(self.order), clock, random.Random(seed)
        self.services = self.order.services
        self.service, self.presence = self.services.presence_service, self.services.bot_presence
        self.tasks, self.wakes = self.services.presence_tasks, itertools.count()
        self.pushers = [self.pusher() for _ in range(2)]
        self.admins = [Admin(new_admin(database, name), name) for name in ("Ana", "Ben")]
        self.keys = {source: self.bot.new_key(source) for source in SOURCES}
        with database.read() as connection:
            self.ids = {name: sources.named(connection, name) for name in SOURCES}
        self.threads = {
            (source, customer): self.bot.post(
                message(thread=f"t-{customer}", customer={"id": customer}), key
            ).json["thread_id"]
            for source, key in self.keys.items()
            for customer in CUSTOMERS
        }

    def pusher(self) -> PresencePusher:
        return PresencePusher(
            self.presence, self.order.database, self.clock, lambda: next(self.wakes)
        )

    def ask(self, source: str, types: list[str] | None) -> int:
        url = f"https://{source}.example/hook"
        return self.services.webhooks.create(OPERATOR, source, url, types).id

    def push(self, pusher: int = 0) -> int:
        self.tasks._store()
        return self.pushers[pusher].turn()

    def open(self, admin: Admin) -> None:
        self.service.admins.open(Connection(str(admin.id), "w"), self.settings(admin))

    def settings(self, admin: Admin) -> Settings:
        return self.service.admin_settings([str(admin.id)])[str(admin.id)]

    def close(self, admin: Admin) -> None:
        self.service.admins.close(str(admin.id), "w")

    def claim(self, admin: Admin, source: str, customer: str) -> None:
        self.act("release", admin, source, customer)
        self.act("claim", admin, source, customer)

    def act(self, name: str, admin: Admin, source: str, customer: str) -> None:
        thread_id = self.threads[source, customer]
        boss = admin._replace(role="supervisor")
        self.order.ingest.act(getattr(self.services.actions, name), boss, thread_id)

    def events(self, source: str) -> list[outgoing.Outgoing]:
        """The events of presence that a source would read, in order."""
        database = self.order.database
        while database.write(lambda c: outgoing.assign_positions(c, self.clock())):
            pass
        with database.read() as connection:
            read, _ = outgoing.after(connection, self.ids[source], 0, 100_000, NAMED_TYPES)
        return [event for event in read if event.type in NAMED_TYPES]

    def step(self) -> None:
        """Does one thing that may happen, or nothing."""
        pick = self.random.choice
        source, customer, admin = pick(list(SOURCES)), pick(CUSTOMERS), pick(self.admins)
        device = pick(["phone", "desk"])
        acts: list[Any] = [
            lambda: self.presence.beat(source, [(customer, device, "web", pick([True, False]))]),
            lambda: self.presence.leave(source, [(customer, device)]),
            lambda: self.set_customer(source, customer),
            lambda: self.open(admin),
            lambda: self.close(admin),
            lambda: self.service.set_admin(
                admin.id, {"status": pick(["auto", "busy", "invisible"])}
            ),
            lambda: self.claim(admin, source, customer),
            lambda: self.act("release", admin, source, customer),
            lambda: self.clock.advance(self.random.randrange(12_000)),
            lambda: self.push(pick([0, 1])),
            self.tasks._store,
            self.pushers[0].turn,
        ]
        self.random.choice(acts)()
        if self.random.random() < 0.01:
            self.order.client.flushall()

    def set_customer(self, source: str, customer: str) -> None:
        pick = self.random.choice
        changes = {
            "status": pick(["auto", "busy", "invisible"]),
            "visibility": pick(["everyone", "nobody"]),
            "text": pick(["", "in the garden"]),
        }
        self.service.set_customer(self.ids[source], source, customer, changes)

    def settle(self) -> None:
        self.clock.advance(CHECKED_MS)
        while self.push(0) + self.push(1):
            self.clock.advance(TOLD_MS)

    def pushed(self, source: str) -> dict[str, dict[str, Any]]:
        """What the source was told last of each customer, or of each admin and the team."""
        last: dict[str, Any] = {}
        for event in self.events(source):
            if event.type == CUSTOMER:
                last[event.data["customer"]] = event.data
            else:
                last["team"] = event.data["online"]
                assignee = event.data["assignee"]
                if assignee:
                    last[f"admin {assignee['name']}"] = assignee["status"]
        return last

    def polled(self, source: str) -> dict[str, dict[str, Any]]:
        """What the polled calls say of all whom the source asked for."""
        said: dict[str, Any] = {}
        types = SOURCES[source] or []
        if CUSTOMER in types:
            said |= self.presence.look_up(source, CUSTOMERS)
        for customer in CUSTOMERS if TEAM in types else ():
            team = self.presence.team(self.ids[source], f"t-{customer}")
            said["team"] = team["online"]
            assignee = team["assignee"]
            if assignee:
                said[f"admin {assignee['name']}"] = assignee["status"]
        return said


def agrees(pushed: Any, polled: Any) -> bool:
    """Whether both say the same; a customer without an event is one who never came."""
    if not isinstance(polled, dict):
        return pushed == polled
    if pushed is None:
        return polled["status"] == "offline" and not polled["text"]
    return same(pushed, polled)


@pytest.fixture
def desk(any_database, clock) -> Desk:
    return Desk(any_database, clock)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_pushed_last_is_what_polling_says(database, clock, seed):
    desk = Desk(database, clock, seed)
    for source, types in SOURCES.items():
        desk.ask(source, types)
    for _ in range(300):
        desk.step()
    desk.settle()
    told = {source: desk.pushed(source) for source in SOURCES}
    for source in SOURCES:
        said = desk.polled(source)
        assert {
            name: (told[source].get(name), state)
            for name, state in said.items()
            if not agrees(told[source].get(name), state)
        } == {}
    assert told["quiet"] == {}
    assert {event.type for event in desk.events("shop")} == {CUSTOMER}
    assert {event.type for event in desk.events("other")} == {TEAM}
    assert len(desk.events("both")) > 12, "the history was too quiet"


@pytest.mark.parametrize("seed", range(6, 8))
def test_of_each_person_one_event_comes_in_five_seconds(any_database, clock, seed):
    desk = Desk(any_database, clock, seed)
    for source, types in SOURCES.items():
        desk.ask(source, types)
    for _ in range(300):
        desk.step()
    times: dict[Any, list[int]] = defaultdict(list)
    streams: dict[Any, list[int]] = defaultdict(list)
    for source in SOURCES:
        for event in desk.events(source):
            assignee = event.data.get("assignee") or {"id": "none"}
            person = event.data.get("customer", assignee["id"])
            times[source, event.type, person].append(event.occurred_at)
            streams[source, event.type, event.data.get("customer")].append(event.seq)
    assert sum(map(len, times.values())) > 20, "the history was too quiet"
    for person, moments in times.items():
        assert all(b - a >= TOLD_MS for a, b in itertools.pairwise(moments)), person
    for stream, seqs in streams.items():
        assert seqs == sorted(set(seqs)), stream


def test_a_change_while_a_customer_is_looked_up_is_told_after_five_seconds(desk):
    desk.ask("shop", [CUSTOMER])
    look_up, pusher = desk.presence.look_up, desk.pushers[0]

    def changing(source, customers):
        states = look_up(source, customers)
        desk.presence.leave("shop", [("c-1", "d")])
        desk.tasks._store()
        return states

    desk.presence.beat("shop", [("c-1", "d", "web", True)])
    desk.tasks._store()
    desk.presence.look_up = changing
    assert pusher.turn() == 1 and pusher.turn() == 0
    desk.presence.look_up = look_up
    desk.clock.advance(TOLD_MS)
    assert pusher.turn() == 1
    assert [event.data["status"] for event in desk.events("shop")] == ["online", "offline"]


def test_what_two_processes_look_up_at_once_is_told_once(desk):
    desk.ask("shop", [CUSTOMER])
    look_up = desk.presence.look_up

    def meanwhile(source, customers):
        desk.presence.look_up = look_up
        assert desk.pushers[1].turn() == 1
        desk.presence.leave("shop", [("c-1", "d")])
        return look_up(source, customers)

    desk.presence.beat("shop", [("c-1", "d", "web", True)])
    desk.tasks._store()
    desk.presence.look_up = meanwhile
    assert desk.pushers[0].turn() == 0
    assert len(desk.events("shop")) == 1 and next(desk.wakes) == 1


def test_a_source_is_told_of_admins_with_its_threads_as_customers_see_them(desk):
    ana, ben = desk.admins
    for source in ("shop", "other"):
        desk.ask(source, [TEAM])
    desk.claim(ana, "shop", "c-1")
    desk.claim(ben, "other", "c-1")
    for admin in desk.admins:
        desk.open(admin)
    desk.service.set_admin(ana.id, {"status": "invisible"})
    desk.push()
    told = {source: [event.data for event in desk.events(source)] for source in SOURCES}
    assert told["shop"] == [
        {"online": True, "assignee": {"id": ana.id, "name": "Ana", "status": "offline"}}
    ]
    assert told["other"] == [
        {"online": True, "assignee": {"id": ben.id, "name": "Ben", "status": "online"}}
    ]


def test_what_is_read_by_cursor_is_asked_for_by_it(desk):
    """Only presence that a call names is in its answer; the names need the scope."""
    key = desk.keys["both"]
    get = desk.bot.get
    assert get("events", key, include=[CUSTOMER, TEAM]).json["events"] == []
    desk.presence.beat("both", [("c-1", "d", "web", True)])
    desk.claim(desk.admins[0], "both", "c-1")
    desk.open(desk.admins[0])
    assert desk.push() == 2
    first = get("events", key).json
    assert [event["type"] for event in first["events"]] == ["thread.assigned"]
    assert get("events", key, after=first["next"]).json == {"events": [], "next": first["next"]}
    everything = get("events", key, include=[CUSTOMER, TEAM]).json["events"]
    team, customer = everything[1:]
    assert (team["type"], team["data"]) == (
        TEAM,
        {"online": True, "assignee": {"id": desk.admins[0].id, "name": "Ana", "status": "online"}},
    )
    assert customer["data"] == {"customer": "c-1", **desk.bot.state("c-1", key)}
    assert "thread" not in customer
    assert get("events", key, include=TEAM).json["events"] == everything[:2]
    assert get("events", key, include="message.created").status_code == 422
    reader = desk.bot.new_key("both", scopes=["read"])
    assert get("events", reader, include=TEAM).json["code"] == "forbidden_scope"


def test_a_reader_asks_for_an_hour(desk):
    asked = {"include": [CUSTOMER]}
    desk.bot.get("events", **asked)
    for _ in range(3):
        desk.clock.advance(pushed_presence.ASKED_MS // 2 + 1)
        assert desk.pushers[0].turn() == 0 and desk.pushers[0].is_asked
        desk.bot.get("events", **asked)
    desk.clock.advance(pushed_presence.ASKED_MS)
    assert desk.pushers[0].turn() == 0 and not desk.pushers[0].is_asked


def test_where_nobody_asks_nothing_is_read_from_redis_or_written(desk, monkeypatch):
    desk.ask("quiet", None)
    desk.services.webhooks.revoke(OPERATOR, desk.ask("shop", [CUSTOMER, TEAM]))
    monkeypatch.setattr(desk.presence, "look_up", pytest.fail)
    monkeypatch.setattr(desk.presence, "is_team_online", pytest.fail)
    desk.presence.beat("shop", [("c-1", "d", "web", True)])
    assert desk.push() == 0
    with desk.order.database.read() as connection:
        for table in (pushed_customers, pushed_teams):
            assert connection.execute(table.select()).all() == []


def test_a_webhook_gets_presence_in_order_and_only_by_name(desk):
    ids = [desk.ask("both", types) for types in ([CUSTOMER], [CUSTOMER, TEAM], None)]
    desk.presence.beat("both", [("c-1", "d", "web", True)])
    desk.push()
    desk.clock.advance(TOLD_MS)
    desk.presence.leave("both", [("c-1", "d")])
    desk.push()
    assert [event.type for event in desk.events("both")].count(CUSTOMER) == 2
    with desk.order.database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT webhook_id, deliveries.thread_id, type FROM deliveries"
            " JOIN outgoing_events ON outgoing_events.id = event_id ORDER BY deliveries.position"
        ).all()
    of_customer = [row for row in rows if row[2] == CUSTOMER]
    assert [row[0] for row in of_customer] == [ids[0], ids[1]] * 2
    assert len({row[1] for row in of_customer}) == 1 and of_customer[0][1] < 0
    assert {(row[0], row[1]) for row in rows if row[2] == TEAM} == {(ids[1], 0)}


def test_of_a_deleted_customer_no_presence_is_left(desk):
    desk.ask("shop", [CUSTOMER])
    desk.presence.beat("shop", [("c-1", "d", "web", True), ("c-2", "d", "web", True)])
    assert desk.push() == 2
    assert desk.order.erase("c-1") is not None
    desk.settle()
    assert {event.data["customer"] for event in desk.events("shop")} == {"c-2"}


def test_presence_is_kept_for_a_day(desk):
    desk.ask("shop", [CUSTOMER])
    desk.claim(desk.admins[0], "shop", "c-1")
    desk.presence.beat("shop", [("c-1", "d", "web", True)])
    desk.push()
    desk.clock.advance(outgoing.PRESENCE_KEPT_MS + 1)
    trimmed = desk.order.database.write(lambda c: outgoing.trim(c, desk.clock()))
    assert trimmed == 1 and desk.events("shop") == []
    assert len(desk.bot.get("events").json["events"]) == 1


def test_while_redis_is_late_nothing_is_told(desk, monkeypatch):
    """After an outage connections are about to come back: nobody has left."""
    desk.ask("shop", [CUSTOMER])
    monkeypatch.setattr(desk.services.sockets, "broadcast", lambda *given: None)
    desk.tasks._set_late(True)
    monkeypatch.setattr(desk.services.presence_pusher, "turn", pytest.fail)
    desk.tasks._push()
    desk.tasks._set_late(False)
    desk.tasks._push()


def test_a_change_is_not_lost_if_sql_is_away_when_it_is_noted(desk, monkeypatch):
    desk.ask("shop", [CUSTOMER])
    desk.presence.beat("shop", [("c-1", "d", "web", True)])

    def away(people):
        raise StorageUnavailable()

    monkeypatch.setattr(desk.services.presence_pusher, "note", away)
    with pytest.raises(StorageUnavailable):
        desk.tasks._store()
    monkeypatch.undo()
    assert desk.push() == 1
