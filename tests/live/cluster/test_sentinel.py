"""Sentinels promote a replica under load: nothing is lost, every list is whole, and nothing more is
written to the old master."""

import pytest

from tests.conftest import MODES
from tests.live.cluster.recovery import (
    Recovery,
    WatchedPeople,
    fresh_lists_are_those_of,
    opened_scene,
    under_load,
)
from tests.servers.redis_sentinel import RedisSentinels
from tests.support import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def sentinels(tmp_path):
    running = RedisSentinels(tmp_path)
    yield running
    running.close()


@pytest.fixture(params=MODES)
def scene(request, tmp_path, sentinels):
    yield from opened_scene(tmp_path, sentinels, request.param)


def test_the_master_is_killed_and_a_sentinel_too(scene, sentinels):
    """The other Sentinels promote the replica; presence is announced once. (F72)"""
    recovery, people = Recovery(scene), WatchedPeople(scene)

    def fault():
        killed = sentinels.master()
        sentinels.servers[killed].kill()
        sentinels.kill_sentinel()
        sentinels.wait_for_promotion(killed)
        people.half_leave()
        recovery.wait_until_live("master killed")

    under_load(scene, fault)
    people.check_each_was_shown_once()
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)


def test_a_master_that_was_silent_comes_back_as_a_replica(scene, sentinels):
    """It is paused and replaced, and then runs again: writes to it would be lost. (F72)"""
    recovery = Recovery(scene)

    def fault():
        paused = sentinels.master()
        sentinels.servers[paused].pause()
        sentinels.wait_for_promotion(paused)
        recovery.wait_until_live("master silent")
        sentinels.servers[paused].resume()
        wait_until(lambda: sentinels.node(paused).info("replication")["role"] == "slave", 60)

    under_load(scene, fault)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)
