"""What a web process shows and decides while Redis has lost data or takes no writes."""

import pytest
from redis.exceptions import ResponseError as RedisResponseError

from tests.dashboard.presence.test_steps import Process


@pytest.fixture
def process(database, clock) -> Process:
    return Process(database, clock)


def test_nobody_is_absent_because_redis_lost_its_data(process, monkeypatch):
    """F6: threads of present admins are not released, and chatbots hear of nobody who left."""
    process.tasks._sweep_from = 0
    told: list[str] = []
    monkeypatch.setattr(process.services.presence_pusher, "turn", lambda: told.append("told"))
    for step in ("present admins", "push to chatbots"):
        process.run(step)
    assert process.services.present_admins.is_absent(8) and told == ["told"]
    began_ms = process.now_ms()
    while process.now_ms() == began_ms:
        """An epoch is the millisecond of its beginning."""
    process.service.client.flushall()
    for step in ("present admins", "push to chatbots"):
        process.run(step)
    assert not process.services.present_admins.is_absent(8) and told == ["told"]
    process.tasks._absent_from = 0
    process.run("push to chatbots")
    assert told == ["told"] * 2


@pytest.mark.parametrize("kind", ["customers", "admins"])
def test_chatbots_hear_of_nobody_who_left_because_redis_lost_one_kind(process, monkeypatch, kind):
    """F6: on a cluster, a node has some of the keys."""
    process.tasks._sweep_from = 0
    told: list[str] = []
    monkeypatch.setattr(process.services.presence_pusher, "turn", lambda: told.append("told"))
    process.run("push to chatbots")
    began_ms = process.now_ms()
    while process.now_ms() == began_ms:
        """An epoch is the millisecond of its beginning."""
    people = getattr(process.service, kind)
    process.service.client.delete(people.space.people(0).meta)
    process.run("push to chatbots")
    assert told == ["told"]


def test_states_are_late_while_redis_takes_no_writes(process, monkeypatch):
    """T12, F14, F22: it answers all that is only read."""

    def full(given):
        raise RedisResponseError("OOM command not allowed when used memory > 'maxmemory'.")

    process.tasks._sweep_from = 0
    with monkeypatch.context() as broken:
        broken.setattr(process.tasks._sweeper, "look", full)
        broken.setattr(process.service.admins, "beat", full)
        for step, is_late in (("sweep", False), ("heartbeats", False), ("heartbeats", True)):
            with pytest.raises(RedisResponseError):
                process.run(step)
            process.hear()
            assert bool(process.tasks.late_since) == is_late
        process.hear()
        assert process.tasks.late_since, "reading alone succeeds"
    process.run("heartbeats")
    process.hear()
    assert process.tasks.late_since is None
    assert process.sent.events == ["presence:status"] * 2


def test_a_count_below_zero_shows_no_team(process):
    """F7: Redis lost the states of a shard, and somebody left it since."""
    process.presence.on_disconnect("s", "server disconnect")
    keys = process.service.admins.space.people(0)
    process.service.client.hset(keys.meta, "online", -1)
    assert not process.services.bot_presence.is_team_online()
