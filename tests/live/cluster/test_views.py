"""Views are saved, edited and deleted while Redis fails over: every list and badge is exact, and
nothing is lost."""

import pytest

from scoring.keys import CLUSTER_GROUPS, Keys
from tests.live.cluster.recovery import opened_scene
from tests.live.faults.changing_views import go_through
from tests.servers.redis_cluster import RedisClusterServer
from tests.servers.redis_sentinel import RedisSentinels

pytestmark = pytest.mark.slow

#: Keys in the slots of the groups of lists of queries.
OF_QUERIES = [group.touched for group in Keys(groups=CLUSTER_GROUPS).shared_groups()]


@pytest.fixture
def cluster(tmp_path):
    running = RedisClusterServer(tmp_path, replicas=1)
    yield running
    running.close()


@pytest.fixture
def sentinels(tmp_path):
    running = RedisSentinels(tmp_path)
    yield running
    running.close()


def test_a_primary_of_lists_of_queries_is_killed(tmp_path, cluster):
    """F69."""
    for scene in opened_scene(tmp_path, cluster, "eventlet"):
        go_through(scene, [lambda scene: cluster.replace_primary_of(OF_QUERIES[0])])


def test_the_slots_of_the_lists_of_queries_move(tmp_path, cluster):
    """F71."""
    for scene in opened_scene(tmp_path, cluster, "eventlet"):
        go_through(scene, [lambda scene: cluster.move_to_new_node(OF_QUERIES)])


def test_sentinels_promote_the_replica(tmp_path, sentinels):
    """F72."""
    for scene in opened_scene(tmp_path, sentinels, "eventlet"):
        go_through(scene, [lambda scene: sentinels.replace_master()])
