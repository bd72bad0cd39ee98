"""A node of a cluster is replaced while the subscription, which is at another one, goes on."""

import fakeredis
import pytest

from tests.presence.world import OUTSIDER, World
from tests.servers.fake_cluster import FakeCluster

PERSON = "ann"


class Watched:
    """Announcements of one shard, which two nodes hold in turn: both are the same server here, so
    the subscription never breaks."""

    def __init__(self) -> None:
        server = fakeredis.FakeServer()
        nodes = {name: fakeredis.FakeRedis(version=(7,), server=server) for name in ("a:1", "b:1")}
        self.cluster = FakeCluster(nodes)
        self.world = World(self.cluster, shards=1)

    def fail_over(self) -> None:
        self.cluster.holders = dict.fromkeys(self.world.people.space.log(0), "b:1")


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_shard_of_a_node_that_was_replaced_is_doubtful(watched):
    """The replica may lack the last announcements and reuse their numbers for other changes. So
    heartbeats are asked for, and states read again."""
    with watched.world.watching(PERSON, viewer=OUTSIDER) as watcher:
        watcher.feed.verify_once()
        watcher.feed.verify_once()
        assert watcher.lost == 0
        watched.fail_over()
        watcher.feed.verify_once()
        assert watcher.lost == 1
        watcher.feed.verify_once()
        assert watcher.lost == 1, "once for each replacement"


def test_a_promotion_makes_a_shard_doubtful_and_that_it_is_forgotten_does_not(watched, monkeypatch):
    lives = ["run", "run:replaced:7", "run", "run:replaced:9"]
    monkeypatch.setattr("presence.feed.run_id_of", lambda server: lives[0])
    with watched.world.watching(PERSON, viewer=OUTSIDER) as watcher:
        lost = []
        while lives:
            watcher.feed.verify_once()
            lost.append(watcher.lost)
            lives.pop(0)
    assert lost == [0, 1, 1, 2]
