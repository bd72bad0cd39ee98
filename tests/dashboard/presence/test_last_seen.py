"""Last seen on its way to SQL and back: an emptied Redis loses none of it."""

from types import SimpleNamespace

import pytest

from dashboard.db.accounts import admins, sources
from dashboard.errors import StorageUnavailable
from dashboard.presence import bots
from dashboard.presence.service import OTHERS, TRUTH
from dashboard.presence.tasks import (
    ONLINE_STORED_MS,
    REST_SECONDS,
    ROOMS_SECONDS,
    STORAGE_GROUP,
)
from dashboard.transport.caller import Caller
from presence import outbox
from presence.people import Connection
from presence.settings import Settings
from presence.states import never_seen
from tests.dashboard.ordering.order import Order
from tests.dashboard.presence.limited_reads import limit_reads


@pytest.fixture
def order(database, client, clock) -> Order:
    made = Order(database, client, clock)
    limit_reads(made.services.presence_tasks)
    made.database.write(lambda connection: sources.ensure(connection, "shop", 0))
    return made


def come(order: Order, *customers: str) -> None:
    order.services.bot_presence.beat("shop", [(one, "d", "web", True) for one in customers])


def leave(order: Order, *customers: str) -> None:
    order.services.bot_presence.leave("shop", [(one, "d") for one in customers])


def seen(order: Order) -> dict[str, int]:
    page = order.services.bot_presence.seen("shop", 86_400_000, 500, None)
    found = {one.id: one.last_seen for one in page.people}
    assert page.total == len(page.people) == len(found), "somebody is listed twice"
    return found


def look(order: Order, customer: str, viewer=TRUTH):
    return order.services.presence_service.look_up("customer", [f"shop/{customer}"], viewer)[
        f"shop/{customer}"
    ]


def test_visitors_who_never_wrote_survive_an_emptied_redis(order):
    """R56: as single states, and in the list of people seen."""
    come(order, "ann", "bob", "cat")
    leave(order, "ann")
    order.services.presence_tasks._store()
    before = seen(order)
    order.client.flushall()
    assert seen(order) == before and len(before) == 3
    assert look(order, "ann")["last_seen"] == before["shop/ann"]
    come(order, "bob")
    assert look(order, "bob")["status"] == "online"
    now = seen(order)
    assert now.keys() == before.keys() and now["shop/bob"] >= before["shop/bob"]
    assert next(iter(now)) == "shop/bob"


def test_when_an_admin_was_seen_survives_an_emptied_redis_and_hidden_ones_stay_hidden(order):
    """R56: SQL knows both the time and who may see it."""
    service = order.services.presence_service

    def shown(viewer):
        found = service.look_up("admin", people, viewer)
        return [(found[one]["status"], found[one]["last_seen"]) for one in people]

    people = [
        str(order.database.write(lambda c, name=name: admins.create(c, name, name, "admin", "", 0)))
        for name in ("lan", "mai")
    ]
    for person in people:
        service.admins.open(Connection(person, "d"), Settings())
        service.admins.close(person, "d")
    service.set_admin(int(people[1]), {"visibility": "nobody"})
    order.services.presence_tasks._store()
    before = shown(TRUTH)
    assert None not in [at for _, at in before]
    order.client.flushall()
    assert shown(TRUTH) == before
    assert shown(OTHERS) == [before[0], ("offline", None)]


def test_heartbeats_are_all_taken_and_devices_all_leave_where_others_have_turns_between(
    order, monkeypatch
):
    """H7: long work is done in slices."""
    slices = SimpleNamespace(slices=lambda items, first: ([one] for one in items))
    monkeypatch.setattr(bots, "turns", slices)
    names = ["ann", "bob", "cat"]
    come(order, *names)
    assert [look(order, name)["status"] for name in names] == ["online"] * 3
    leave(order, *names)
    assert [look(order, name)["status"] for name in names] == ["offline"] * 3


def test_who_came_while_sql_was_away_is_stored_when_it_is_back(order, monkeypatch):
    """R56: the first write fails; the next stored and acknowledged batch is not all there is."""
    tasks, database = order.services.presence_tasks, order.services.database
    come(order, "ann")

    def away(*ignored, **how):
        raise StorageUnavailable("the server is restarting")

    with monkeypatch.context() as patched:
        patched.setattr(database, "write", away)
        with pytest.raises(StorageUnavailable):
            tasks._store()
    come(order, "bob")
    before = seen(order)
    tasks._store()
    tasks._store()
    order.client.flushall()
    assert seen(order) == before and len(before) == 2


def test_only_what_was_announced_is_read_to_be_stored(order, monkeypatch):
    """H35, R56: without announcements nothing is read; a missed one is found by its number."""
    tasks = order.services.presence_tasks
    asked: list[set[int]] = []
    customers = tasks._stored[0][0]
    read_once = customers.read_once

    def noted(limit, shards):
        asked.append(set(shards))
        return read_once(limit, shards)

    monkeypatch.setattr(customers, "read_once", noted)
    tasks._listen()
    tasks._store_news()
    asked.clear()
    tasks._store_news()
    assert asked == []
    come(order, "ann")
    tasks._listen()
    tasks._store_news()
    shard = customers._people.space.shard_of("shop/ann")
    assert asked == [{shard}, {shard}], "what was read is read to its end"
    tasks._feed.close()
    come(order, "bob")
    tasks._verify_at = 0.0
    tasks._listen()
    tasks._store_news()
    before = seen(order)
    order.client.flushall()
    assert seen(order) == before and len(before) == 2


def test_what_an_ended_worker_has_left_is_taken_over(order, monkeypatch):
    """H35, R56: it was read and announced long ago; nothing is announced any more."""
    tasks = order.services.presence_tasks
    people = order.services.presence_service.customers
    tasks._listen()
    tasks._store_news()
    come(order, "ann")
    dead = outbox.Outbox(people, STORAGE_GROUP, "a dead worker")
    assert [one.person for one in dead.read_once()] == ["shop/ann"]
    tasks._news[0].clear()
    monkeypatch.setattr(outbox, "ABANDONED_MS", 0)
    tasks._unfinished_at = 0.0
    tasks._store_news()
    before = seen(order)
    order.client.flushall()
    assert seen(order) == before and len(before) == 1


def test_what_is_announced_wakes_what_follows_it(order, monkeypatch):
    """H35: each task rests until then, or until its next work is due."""
    tasks, service, woken = order.services.presence_tasks, order.services.presence_service, []
    monkeypatch.setattr(tasks, "_wake", woken.append)
    tasks.start(lambda run: None)
    tasks._listen()
    woken.clear()
    tasks._listen()
    assert woken == []
    come(order, "ann")
    tasks._listen()
    assert woken == ["store last seen"]
    woken.clear()
    service.admins.open(Connection("7", "c1"), Settings())
    tasks._listen()
    assert woken == ["store last seen", "present admins", "admins of queues"]
    woken.clear()
    order.services.bot_presence.enqueue_closed([1])
    assert woken == ["customer messages"] and order.services.bot_presence.has_pending
    woken.clear()
    now = order.clock()
    for until, expected in ((now + 60_000, []), (now + 500, ["sweep"])):
        service.set_customer(order.source_id, "shop", "ann", {"status": "busy", "until": until})
        assert woken == expected


def test_a_worker_removes_the_consumers_of_ended_ones(order, monkeypatch):
    """Each start has a name of its own, and would otherwise leave one in every stream."""
    space = order.services.presence_service.customers.space
    streams = [space.people(shard).events for shard in range(space.shards)]
    for stream in streams:
        order.client.xgroup_create(stream, STORAGE_GROUP, mkstream=True)
        order.client.xgroup_createconsumer(stream, STORAGE_GROUP, "an ended worker")
    monkeypatch.setattr(outbox, "IDLE_MS", 0)
    steps = {name: step for name, _, step in order.services.presence_tasks._steps()}
    for _ in streams:
        steps["remove consumers"]()
    assert [order.client.xinfo_consumers(one, STORAGE_GROUP) for one in streams] == [[]] * 16


def test_who_is_hidden_stays_hidden_where_sql_answers(order):
    come(order, "ann")
    order.services.presence_service.set_customer(
        order.source_id, "shop", "ann", {"visibility": "nobody"}
    )
    order.services.presence_tasks._store()
    order.client.flushall()
    assert look(order, "ann", OTHERS) | {"v": 0} == never_seen(0)
    page = order.services.presence_service.seen.page(86_400_000, viewer=OTHERS)
    assert (page.people, page.total) == ([], 0)
    assert list(seen(order)) == ["shop/ann"]


def test_a_deleted_visitor_is_neither_listed_nor_kept(order):
    come(order, "ann", "bob")
    order.services.presence_tasks._store()
    assert order.erase("ann") is not None
    come(order, "ann")
    order.services.presence_tasks._store()
    order.client.flushall()
    assert list(seen(order)) == ["shop/bob"]
    assert look(order, "ann")["last_seen"] is None


def test_who_stays_online_is_stored_now_and_then(order, monkeypatch):
    """Not with each heartbeat; one shard is stored at a time."""
    tasks = order.services.presence_tasks
    come(order, "ann")
    tasks._store()
    space = order.services.presence_service.customers.space
    meta = space.people(space.shard_of("shop/ann"))
    [score] = order.client.zmscore(meta.seen, ["shop/ann"])
    order.client.zadd(meta.seen, {"shop/ann": score + 5})
    later = seen(order)["shop/ann"]
    for _ in range(space.shards):
        tasks._store_online()
    assert int(order.client.hget(meta.meta, "saved")) > 0 and ONLINE_STORED_MS >= 60_000
    order.client.flushall()
    assert seen(order) == {"shop/ann": later}


def test_what_is_done_for_sockets_rests_while_there_are_none(order):
    """H35."""
    tasks, presence = order.services.presence_tasks, order.services.admin_presence
    intervals = {name: seconds for name, seconds, _ in tasks._steps()}
    assert intervals["publish rooms"]() == intervals["heartbeats"]() == REST_SECONDS
    for number in range(2):
        presence.on_connect(Caller(f"s{number}", 7, "admin"))
    assert intervals["publish rooms"]() == ROOMS_SECONDS
    for number in range(2):
        presence.on_disconnect(f"s{number}", "transport close")
    assert intervals["publish rooms"]() == REST_SECONDS
