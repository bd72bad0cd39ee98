"""Every primary of a cluster is listened to, and no other node; changes are followed."""

from typing import Any

import fakeredis
import pytest
import redis

from dashboard.live.listener import ClusterListener
from scoring.keys import Keys
from tests.servers.fake_cluster import FakeCluster

HALF = 8192
LAST = 16_383


class FakeListener:
    def __init__(self, keys: Keys):
        self.keys = keys
        self.is_receiving = False
        self.reconnects = 0
        self.is_stopped = False

    def run(self) -> None:
        self.is_receiving = True

    def stop(self) -> None:
        self.is_stopped = True


class Node:
    """Answers CLUSTER SLOTS with the current topology."""

    def __init__(self, topology: "Topology"):
        self._topology = topology
        self.is_away = False

    def execute_command(self, name: str) -> list[Any]:
        assert name == "CLUSTER SLOTS"
        if self.is_away:
            raise redis.ConnectionError("away")
        return self._topology.ranges


class Topology:
    """Nodes a and b, each with half of the slots, and the nodes that are listened to."""

    def __init__(self) -> None:
        self.ranges: list[Any] = [range_of(0, HALF - 1, "a"), range_of(HALF, LAST, "b")]
        self.nodes = {f"{name}:1": Node(self) for name in "ab"}
        self.cluster = FakeCluster(self.nodes)  # type: ignore[arg-type]
        self.made: list[tuple[str, FakeListener]] = []
        self.notified = 0
        self.listener = ClusterListener(self.cluster, Keys("test"), self._new, self._on_notify)

    def listened(self) -> dict[str, FakeListener]:
        return {name: one for name, one in self.made if not one.is_stopped}

    def _new(self, host: str, port: int, keys: Keys) -> FakeListener:
        self.made.append((host, FakeListener(keys)))
        return self.made[-1][1]

    def _on_notify(self, list_ids: object) -> None:
        assert list_ids is None
        self.notified += 1


def range_of(first: int, last: int, primary: str, *replicas: str) -> list[Any]:
    nodes = [[name.encode(), 1, b"id of the node", []] for name in (primary, *replicas)]
    return [first, last, *nodes]


@pytest.fixture
def topology() -> Topology:
    made = Topology()
    made.listener.follow()
    return made


def test_each_primary_has_a_canary_of_its_own(topology):
    found = topology.listened()
    assert found.keys() == {"a", "b"}
    assert found["a"].keys.canary_slot < HALF <= found["b"].keys.canary_slot


def test_nothing_changes_while_the_topology_stays(topology):
    topology.listener.follow()
    assert (len(topology.made), topology.notified) == (2, 1)


def test_a_replica_that_was_promoted_is_listened_to(topology):
    topology.ranges[0] = range_of(0, HALF - 1, "c", "a")
    topology.listener.follow()
    assert topology.listened().keys() == {"c", "b"}
    assert topology.notified == 2, "what was not heard in between is read"
    assert topology.cluster.refreshes == 2, "other users of the client know it, too"


def test_a_node_that_gets_a_slot_is_listened_to(topology):
    topology.ranges[0:1] = [range_of(0, 0, "c"), range_of(1, HALF - 1, "a")]
    topology.listener.follow()
    found = topology.listened()
    assert found.keys() == {"a", "b", "c"}
    assert found["c"].keys.canary_slot == 0


def test_a_canary_whose_slot_has_moved_away_is_replaced(topology):
    before = topology.listened()["a"]
    slot = before.keys.canary_slot
    topology.ranges = [
        range_of(0, slot - 1, "a"),
        range_of(slot, slot, "b"),
        range_of(slot + 1, HALF - 1, "a"),
        range_of(HALF, LAST, "b"),
    ]
    before.reconnects = 3
    topology.listener.follow()
    after = topology.listened()["a"]
    assert before.is_stopped and after.keys.canary_slot not in (slot, *range(HALF, LAST))
    assert topology.listener.reconnects == 3, "those of listeners that have ended count"


def test_a_node_that_is_away_is_not_asked_alone(topology):
    topology.nodes["a:1"].is_away = True
    topology.ranges[0] = range_of(0, HALF - 1, "c")
    topology.listener.follow()
    assert "c" in topology.listened()


def test_where_no_node_answers_all_are_listened_to_as_before(topology):
    for node in topology.nodes.values():
        node.is_away = True
    with pytest.raises(redis.ConnectionError):
        topology.listener.follow()
    assert topology.listened().keys() == {"a", "b"}


def test_notifications_come_when_they_come_from_every_primary(topology):
    found = topology.listened()
    for one in found.values():
        one.is_receiving = True
    assert topology.listener.is_receiving
    found["b"].is_receiving = False
    assert not topology.listener.is_receiving


def test_no_primary_is_listened_to_after_the_end(topology):
    topology.listener.stop()
    topology.listener.run()
    assert topology.listened() == {}


def test_a_node_without_a_host_is_the_one_that_was_asked():
    topology = Topology()
    topology.cluster.remove("b:1")
    topology.ranges = [[0, LAST, [None, 1, b"id"]]]
    topology.listener.follow()
    assert topology.listened().keys() == {"a"}


def test_a_cluster_without_nodes_is_away():
    with pytest.raises(redis.ConnectionError, match="no node"):
        ClusterListener(
            FakeCluster({}), Keys("test"), fakeredis.FakeRedis, lambda list_ids: None
        ).follow()
