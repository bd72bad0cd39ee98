"""Redis Cluster under load: primaries die, slots move; nothing is lost, every list is whole."""

import pytest
from redis.crc import key_slot

from presence.keys import Space
from scoring.keys import Keys
from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver
from tests.live.cluster.recovery import (
    PATIENCE_SECONDS,
    Recovery,
    fresh_lists_are_those_of,
    opened_scene,
    under_load,
)
from tests.live.faults.scene import LISTS
from tests.live.presence.steps import beat, leave, wait_for_status, watch
from tests.servers.redis_cluster import RedisClusterServer
from tests.support import wait_until

pytestmark = pytest.mark.slow

PEOPLE = 40
VIEWS = ("arrival", "not_respond", "history")


@pytest.fixture
def cluster(tmp_path):
    running = RedisClusterServer(tmp_path, replicas=1)
    yield running
    running.close()


@pytest.fixture(params=MODES)
def scene(request, tmp_path, cluster):
    yield from opened_scene(tmp_path, cluster, request.param)


def test_all_lists_are_those_of_sql(scene):
    under_load(scene, lambda: None)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)


@pytest.mark.parametrize("list_id", ["arrival", "history"])
def test_a_primary_is_killed(scene, cluster, list_id):
    """Its replica takes over, and what that lacks comes from SQL. (F69)"""
    recovery = Recovery(scene)

    def fault():
        killed = cluster.holder_of(f"{{lineup:{list_id}}}|meta")
        cluster.kill(killed)
        cluster.wait_for_promotion(killed)
        recovery.wait_until_live(f"primary of {list_id} killed")

    under_load(scene, fault)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)


def test_a_node_is_added_and_slots_move_to_it(scene, cluster):
    """No dashboard notices: no list is opened anew, and none is late. (F71)"""
    opened = [
        dashboard.open(*name) for dashboard, name in zip(scene.dashboards, LISTS, strict=True)
    ]
    statuses = [len(dashboard.of("order:status")) for dashboard in scene.dashboards]

    def fault():
        added = cluster.add_node()
        for key in moved_keys():
            cluster.move_slot(key_slot(key.encode()), added)

    under_load(scene, fault)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)
    for dashboard, answer, count in zip(scene.dashboards, opened, statuses, strict=True):
        epochs = {frame["epoch"] for frame in dashboard.frames if frame["epoch"] != answer["epoch"]}
        assert epochs == set(), "a list was rebuilt"
        assert not [status for status in dashboard.of("order:status")[count:] if status["late"]]


def test_presence_is_announced_once_while_a_primary_is_replaced(scene, cluster):
    """People come and go meanwhile: each is shown as they are, and no change twice. (F70)"""
    lineup = LineupDriver(scene.server)
    names = [f"p-{number}" for number in range(PEOPLE)]
    dashboard = scene.dashboards[0]
    watch(dashboard, "customer", *(f"shop/{name}" for name in names))
    beat(lineup, *names)
    for name in names:
        wait_for_status(dashboard, f"shop/{name}", "online")

    def fault():
        killed = cluster.holder_of(Space("customer", "lineup:p:").people(0).meta)
        cluster.kill(killed)
        cluster.wait_for_promotion(killed)
        for name in names[::2]:
            # While presence is away it is refused, and the chatbot repeats it.
            wait_until(lambda name=name: left(lineup, name), PATIENCE_SECONDS)

    under_load(scene, fault)
    for name in names[::2]:
        wait_for_status(dashboard, f"shop/{name}", "offline", PATIENCE_SECONDS)
    leave(lineup, names[1])
    wait_for_status(dashboard, f"shop/{names[1]}", "offline", PATIENCE_SECONDS)
    for name in names:
        shown = [
            data["presence"][f"shop/{name}"]["status"]
            for data in dashboard.of("presence:update")
            if f"shop/{name}" in data["presence"]
        ]
        is_gone = name in {*names[::2], names[1]}
        assert shown == ["online", "offline"] if is_gone else ["online"], name


def left(lineup, name):
    try:
        leave(lineup, name)
    except AssertionError:
        return False
    return True


def moved_keys():
    """One of each list that is there, of the lists of queries, and of presence."""
    keys = Keys()
    lists = [keys.meta(view) for view in VIEWS]
    return [*lists, keys.touched, keys.view_changes]
