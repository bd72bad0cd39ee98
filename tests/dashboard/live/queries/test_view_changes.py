"""Changes of views reach the sockets that they concern, of every worker, and nothing is missed."""

import random

import fakeredis
import pytest
import redis
from sqlalchemy import delete, update

from dashboard.db.lists import views
from dashboard.db.models.views import view_changes as view_changes_table
from dashboard.db.models.views import views_version
from dashboard.errors import StorageUnavailable
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.view_changes import ViewChanges
from tests.dashboard.live.emitter import FakeEmitter

MAI, KEN = 1, 2


class Stored:
    """Changes of views in SQL."""

    def __init__(self, database):
        self._database = database
        self.after_reading = lambda: None

    def change(self, *whose):
        def write(connection):
            views.begin_change(connection)
            for each in whose:
                views.note(connection, each)

        self._database.write(write)

    def since(self, version):
        with self._database.read() as connection:
            found = views.since(connection, version)
        self.after_reading()
        return found


class Worker:
    def __init__(self, client, stored):
        self.emitter = FakeEmitter()
        self.heard = []
        self.admins = SocketAdmins()
        self.changes = ViewChanges(client, "lineup", self.emitter, self.admins, stored.since)
        self.changes.observe(self.heard.append)
        self.admins.add("mai", MAI)
        self.admins.add("ken", KEN)
        self.changes.check()

    def told(self):
        self.changes.check()
        told = [sid for sid, event, _ in self.emitter.sent if event == "views:changed"]
        self.emitter.sent.clear()
        return sorted(told)


@pytest.fixture
def client():
    return fakeredis.FakeRedis()


@pytest.fixture
def stored(database):
    return Stored(database)


@pytest.fixture
def workers(client, stored):
    stored.change(None)
    return [Worker(client, stored) for _ in range(2)]


def test_a_change_for_everybody_is_told_to_all_sockets_of_all_workers_once(workers, stored):
    """`views:changed` (docs/protocol.md)"""
    stored.change(None)
    assert [worker.told() for worker in workers] == [["ken", "mai"], ["ken", "mai"]]
    assert [worker.told() for worker in workers] == [[], []]
    assert workers[1].heard == [None]


def test_a_change_of_ones_own_views_is_told_to_nobody_else(workers, stored):
    stored.change(MAI)
    assert [worker.told() for worker in workers] == [["mai"], ["mai"]]
    stored.change(MAI)
    stored.change(None)
    assert workers[1].told() == ["ken", "mai"]
    assert workers[1].heard == [MAI, None]


def test_whoever_looks_at_whatever_moment_is_told_of_no_change_of_others(
    workers, stored, client, monkeypatch
):
    """Changes of one admin's views are not told to another, also if Redis counts late or never."""
    chance = random.Random(7)
    stored.after_reading = lambda: chance.random() < 0.3 and stored.change(KEN)
    for _ in range(200):
        stored.change(*[KEN] * chance.randint(0, 2))
        with monkeypatch.context() as patched:
            if chance.random() < 0.3:
                patched.setattr(client, "zincrby", away)
            workers[0].changes.announce()
        assert "mai" not in [*workers[0].told(), *workers[1].told()]
    stored.after_reading = lambda: None
    stored.change(MAI)
    assert "mai" in workers[0].told() and "mai" in workers[1].told()
    assert workers[0].told() == workers[1].told() == []


def test_a_change_of_a_desks_views_is_told_to_who_sees_the_desk(workers, stored):
    """`views:changed` (docs/protocol.md); changed lists are looked up for all admins."""
    for worker in workers:
        worker.admins.add("ken", KEN, frozenset(["billing"]))
        worker.admins.add("lan", 3, frozenset(["main", "vip"]))
    stored.change("billing")
    assert [worker.told() for worker in workers] == [["ken", "mai"]] * 2
    stored.change("vip")
    stored.change("billing")
    assert [worker.told() for worker in workers] == [["ken", "lan", "mai"]] * 2
    assert workers[0].heard == [None, None], "once for both that came together"


def test_a_closed_socket_is_forgotten(workers, stored):
    workers[0].admins.drop("mai")
    stored.change(None)
    assert workers[0].told() == ["ken"]


def away(*given, **named):
    raise redis.ConnectionError("away")


def test_redis_says_when_to_look_and_nothing_more(workers, stored, client, monkeypatch):
    """While it is away, and after it lost its data, the admins concerned are told all the same."""
    with monkeypatch.context() as patched:
        patched.setattr(client, "zincrby", away)
        stored.change(MAI)
        workers[0].changes.announce()
        assert workers[1].told() == ["mai"]
    before = client.zscore("{lineup}|views", "changes")
    workers[0].changes.announce()
    assert client.zscore("{lineup}|views", "changes") == (before or 0) + 1, (
        "a new score is notified"
    )
    client.flushall()
    assert workers[1].told() == []


def test_after_a_restore_of_an_older_database_everybody_is_told(workers, stored, database):
    def restore(connection):
        connection.execute(delete(view_changes_table))
        connection.execute(update(views_version).values(version=0))

    database.write(restore)
    assert workers[0].told() == ["ken", "mai"]
    assert workers[0].told() == []
    stored.change(KEN)
    assert workers[0].told() == ["ken"]


def test_a_change_is_told_later_where_sql_is_away(workers, stored, monkeypatch):
    def away(version):
        raise StorageUnavailable()

    stored.change(MAI)
    with monkeypatch.context() as patched:
        patched.setattr(workers[0].changes, "_changes_since", away)
        with pytest.raises(StorageUnavailable):
            workers[0].changes.check()
    assert workers[0].told() == ["mai"]
    assert workers[0].told() == []


def test_what_an_observer_could_not_read_is_told_at_the_next_look(workers, stored):
    def cannot(admin_id):
        raise StorageUnavailable()

    workers[0].changes.observe(cannot)
    stored.change(MAI)
    with pytest.raises(StorageUnavailable):
        workers[0].changes.check()
    workers[0].changes._observers.remove(cannot)
    assert workers[0].told() == ["mai"]
