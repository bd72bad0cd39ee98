"""Redis Cluster under load: primaries die, slots move; nothing is lost, every list is whole."""

import pytest

from scoring.keys import Keys
from tests.conftest import MODES
from tests.live.cluster.recovery import (
    PRESENCE,
    Recovery,
    WatchedPeople,
    fresh_lists_are_those_of,
    moved_keys,
    opened_scene,
    under_load,
)
from tests.live.faults.scene import LISTS
from tests.servers.redis_cluster import RedisClusterServer

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(tmp_path):
    running = RedisClusterServer(tmp_path, replicas=1)
    yield running
    running.close()


@pytest.fixture(params=MODES)
def scene(request, tmp_path, cluster):
    yield from opened_scene(tmp_path, cluster, request.param)


@pytest.fixture(params=MODES)
def wide_scene(request, tmp_path, cluster, new_postgres_url):
    """A scene with PostgreSQL and two workers."""
    yield from opened_scene(tmp_path, cluster, request.param, new_postgres_url(), workers=2)


def test_all_lists_are_those_of_sql(scene):
    under_load(scene, lambda: None)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)


@pytest.mark.postgres
def test_a_primary_is_killed_beside_postgresql_and_two_workers(wide_scene, cluster):
    """People leave meanwhile. (F69, F70)"""
    recovery, people = Recovery(wide_scene), WatchedPeople(wide_scene)

    def fault():
        cluster.replace_primary_of(Keys().meta("arrival"))
        people.half_leave()
        recovery.wait_until_live("primary of arrival killed")

    under_load(wide_scene, fault)
    people.check_each_was_shown_once()
    wide_scene.check_nothing_is_lost()
    fresh_lists_are_those_of(wide_scene)


@pytest.mark.parametrize("list_id", ["arrival", "history"])
def test_a_primary_is_killed(scene, cluster, list_id):
    """Its replica takes over; the data that it lacks come from SQL. (F69)"""
    recovery = Recovery(scene)

    def fault():
        cluster.replace_primary_of(Keys().meta(list_id))
        recovery.wait_until_live(f"primary of {list_id} killed")

    under_load(scene, fault)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)


def test_a_node_is_added_and_slots_move_to_it(scene, cluster):
    """No dashboard notices: no list is opened again, none is late, and presence is announced once.
    (F71)"""
    people = WatchedPeople(scene)
    opened = [
        dashboard.open(*name) for dashboard, name in zip(scene.dashboards, LISTS, strict=True)
    ]
    statuses = [len(dashboard.of("order:status")) for dashboard in scene.dashboards]

    def fault():
        cluster.move_to_new_node(moved_keys())
        people.half_leave()

    under_load(scene, fault)
    people.check_each_was_shown_once()
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)
    for dashboard, answer, count in zip(scene.dashboards, opened, statuses, strict=True):
        epochs = {frame["epoch"] for frame in dashboard.frames if frame["epoch"] != answer["epoch"]}
        assert epochs == set(), "a list was rebuilt"
        assert not [status for status in dashboard.of("order:status")[count:] if status["late"]]


def test_presence_is_announced_once_while_a_primary_is_replaced(scene, cluster):
    """People leave meanwhile. (F70)"""
    people = WatchedPeople(scene)

    def fault():
        cluster.replace_primary_of(PRESENCE)
        people.half_leave()

    under_load(scene, fault)
    people.check_each_was_shown_once()
