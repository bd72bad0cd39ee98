"""Changes of views reach the sockets that they concern, of every worker, and nothing is missed."""

import fakeredis
import pytest
import redis

from dashboard.errors import StorageUnavailable
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.view_changes import ViewChanges
from tests.dashboard.live.emitter import FakeEmitter

MAI, KEN = 1, 2


class Stored:
    """The version of views in SQL."""

    version = 0


class Worker:
    def __init__(self, client, stored):
        self.emitter = FakeEmitter()
        self.heard = []
        self.admins = SocketAdmins()
        self.changes = ViewChanges(
            client, "lineup", self.emitter, self.admins, lambda: stored.version
        )
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
def stored():
    return Stored()


@pytest.fixture
def workers(client, stored):
    return [Worker(client, stored) for _ in range(2)]


def test_a_change_for_everybody_is_told_to_all_sockets_of_all_workers_once(workers):
    """`views:changed` (docs/protocol.md)"""
    workers[0].changes.announce()
    assert [worker.told() for worker in workers] == [["ken", "mai"], ["ken", "mai"]]
    assert [worker.told() for worker in workers] == [[], []]
    assert workers[1].heard == [None]


def test_a_change_of_ones_own_views_is_told_to_nobody_else(workers):
    workers[0].changes.announce(MAI)
    assert [worker.told() for worker in workers] == [["mai"], ["mai"]]
    workers[0].changes.announce(MAI)
    workers[0].changes.announce()
    assert workers[1].told() == ["ken", "mai"]
    assert workers[1].heard == [MAI, None]


def test_a_change_of_a_desks_views_is_told_to_who_sees_the_desk(workers):
    """`views:changed` (docs/protocol.md); whose lists have changed is looked up for all."""
    for worker in workers:
        worker.admins.add("ken", KEN, frozenset(["billing"]))
        worker.admins.add("lan", 3, frozenset(["main", "vip"]))
    workers[0].changes.announce("billing")
    assert [worker.told() for worker in workers] == [["ken", "mai"]] * 2
    workers[1].changes.announce("vip")
    workers[1].changes.announce("billing")
    assert [worker.told() for worker in workers] == [["ken", "lan", "mai"]] * 2
    assert workers[0].heard == [None, None], "once for both that came together"


def test_a_closed_socket_is_forgotten(workers):
    workers[0].admins.drop("mai")
    workers[0].changes.announce()
    assert workers[0].told() == ["ken"]


def away(*given, **named):
    raise redis.ConnectionError("away")


def test_while_redis_is_away_a_change_in_sql_is_told_to_everybody(
    workers, stored, client, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(client, "zincrby", away)
        patched.setattr(client, "zrange", away)
        assert workers[1].told() == []
        stored.version += 1
        workers[0].changes.announce()
        assert workers[1].told() == ["ken", "mai"]
        stored.version += 1
        workers[0].changes.announce(MAI)
    assert workers[1].told() == ["ken", "mai"], "Redis is back"
    assert workers[1].told() == []
    stored.version += 1
    workers[0].changes.announce(MAI)
    assert workers[1].told() == ["mai"]


@pytest.mark.parametrize("others", [0, 3])
def test_what_redis_did_not_take_is_told_at_the_second_look(
    workers, stored, client, monkeypatch, others
):
    """Also where it took other changes at the same time; by then a count may be on its way."""
    stored.version += 1
    with monkeypatch.context() as patched:
        patched.setattr(client, "zincrby", away)
        workers[0].changes.announce(KEN)
    for _ in range(others):
        stored.version += 1
        workers[0].changes.announce(MAI)
    assert workers[1].told() == (["mai"] if others else [])
    assert workers[1].told() == ["ken", "mai"]
    assert workers[1].told() == workers[1].told() == []


def test_changes_that_are_counted_after_the_version_was_read_are_told_once(
    workers, stored, monkeypatch
):
    def read_early():
        version = stored.version
        stored.version += 1
        workers[1].changes.announce(MAI)
        return version

    with monkeypatch.context() as patched:
        patched.setattr(workers[0].changes, "_stored_version", read_early)
        assert workers[0].told() == ["mai"]
    assert workers[0].told() == workers[0].told() == []


def test_counting_may_begin_while_a_count_is_on_its_way(client, stored):
    stored.version += 1
    worker = Worker(client, stored)
    worker.changes.announce(MAI)
    assert worker.told() == ["mai"]
    assert worker.told() == worker.told() == []
    stored.version += 1
    assert worker.told() == []
    assert worker.told() == ["ken", "mai"], "what is missed later is still found"


def test_a_change_that_was_counted_is_not_told_again_because_of_sql(workers, stored):
    stored.version += 1
    assert workers[1].told() == []
    workers[0].changes.announce(MAI)
    assert workers[1].told() == ["mai"]
    assert workers[1].told() == workers[1].told() == []


def test_a_loss_of_data_counts_as_a_change_for_everybody(workers, client):
    workers[0].changes.announce(MAI)
    workers[0].told()
    client.flushall()
    assert workers[0].told() == ["ken", "mai"]
    assert workers[0].told() == []


def test_a_change_is_told_later_where_sql_is_away(workers, stored, monkeypatch):
    def away():
        raise StorageUnavailable()

    with monkeypatch.context() as patched:
        patched.setattr(workers[0].changes, "_stored_version", away)
        workers[0].changes.announce(MAI)
        with pytest.raises(StorageUnavailable):
            workers[0].changes.check()
    assert workers[0].told() == ["mai"]
    assert workers[0].told() == []
