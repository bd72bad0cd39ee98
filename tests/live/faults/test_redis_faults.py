"""Redis fails in every way, and dashboards end with the order that a fresh opening gives."""

from pathlib import Path

import pytest

from scoring.keys import NOTIFY_FLAGS
from tests.support import wait_until

pytestmark = pytest.mark.slow

PLACE = ("arrival", "arrival")
RECOVERY_SECONDS = 10


@pytest.fixture
def dashboard(lineup):
    with lineup.dashboard() as opened:
        opened.open(*PLACE)
        yield opened


def recovers(lineup, dashboard, seconds=RECOVERY_SECONDS):
    """Checks that a new event reaches the dashboard, and that its list = a fresh one = SQL's."""
    id = lineup.say(f"recovered-{len(dashboard.frames)}-{id_of(dashboard)}")

    def fresh_is_right():
        fresh = other.open(*PLACE)
        return fresh["ids"] == lineup.in_sql(*PLACE) and "late" not in fresh

    with lineup.dashboard() as other:
        wait_until(fresh_is_right, seconds, "a fresh list being SQL's")
    wait_until(
        lambda: dashboard.ids(*PLACE) == lineup.in_sql(*PLACE),
        seconds,
        "the dashboard's list being SQL's",
    )
    assert dashboard.ids(*PLACE)[0] == id


def id_of(dashboard):
    return dashboard.client.get_sid("/admin")


@pytest.mark.parametrize("command", ["FLUSHALL", "FLUSHDB", "SWAPDB 0 1"])
def test_data_that_are_deleted_without_a_disconnect(lineup, dashboard, command):
    lineup.say("before")
    lineup.redis.client().execute_command(*command.split())
    recovers(lineup, dashboard)


@pytest.mark.parametrize("command", ["DEL", "UNLINK", "RENAME"])
def test_a_list_whose_key_is_deleted(lineup, dashboard, command):
    lineup.say("before")
    given = ["elsewhere"] if command == "RENAME" else []
    lineup.redis.client().execute_command(command, "{lineup:arrival}|arrival", *given)
    recovers(lineup, dashboard)


def test_redis_killed_and_started_empty(lineup, dashboard):
    for number in range(30):
        lineup.say(f"before-{number}")
    lineup.redis.kill()
    dashboard.wait_for("order:status", lambda data: data["late"], 10)
    id = lineup.say("while-away")
    answer = dashboard.open(*PLACE)
    assert (answer["epoch"], answer["version"], answer["late"]) == (None, 0, True)
    assert answer["ids"][0] == id
    named = {"view": PLACE[0], "sort": PLACE[1]}
    after = [answer["scores"][0], answer["ids"][0]]
    more = dashboard.call("list:more", named | {"after": after, "limit": 2})
    assert more["ids"] == answer["ids"][1:3]
    through = dashboard.call("list:more", named | {"after": after, "through": answer["ids"][2]})
    assert through["rank"] == 2
    assert through["ids"] == answer["ids"][1:23]
    lineup.redis.start()
    dashboard.wait_for("order:status", lambda data: not data["late"] and data["since"] is None)
    recovers(lineup, dashboard, 15)


def test_messages_reach_an_open_thread_while_redis_is_away(lineup, dashboard):
    id = lineup.say("talks-on")
    dashboard.call("thread:open", {"id": id})
    lineup.redis.kill()
    try:
        lineup.say("talks-on", body="can you hear me?")
        dashboard.wait_for(
            "thread:message", lambda data: data["message"]["body"] == "can you hear me?", 8
        )
    finally:
        lineup.redis.start()
    recovers(lineup, dashboard, 15)


def test_a_paused_redis(lineup, dashboard):
    lineup.redis.pause()
    try:
        dashboard.wait_for("order:status", lambda data: data["late"], 10)
        assert dashboard.open(*PLACE)["late"] is True
    finally:
        lineup.redis.resume()
    recovers(lineup, dashboard, 15)


def test_keyspace_notifications_switched_off(lineup, dashboard):
    client = lineup.redis.client()
    client.config_set("notify-keyspace-events", "")
    try:
        recovers(lineup, dashboard)
    finally:
        client.config_set("notify-keyspace-events", NOTIFY_FLAGS)


@pytest.mark.parametrize("kind", ["pubsub", "normal"])
def test_connections_killed_again_and_again(lineup, dashboard, kind):
    client = lineup.redis.client()
    for _ in range(20):
        client.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
        lineup.say("storm")
    recovers(lineup, dashboard)


def test_a_full_redis(lineup, dashboard):
    client = lineup.redis.client()
    client.config_set("maxmemory", 1)
    try:
        id = lineup.say("full")
        with lineup.dashboard() as other:
            assert id not in other.open(*PLACE)["ids"]
    finally:
        client.config_set("maxmemory", 0)
    recovers(lineup, dashboard)


def test_a_redis_that_evicts_keys(lineup, dashboard):
    """A maxmemory policy that deletes lists, one by one. (F15)"""
    lineup.say("evicted")
    client = lineup.redis.client()
    client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        client.config_set("maxmemory", 1)
        wait_until(lambda: not client.exists("{lineup:arrival}|meta"), what="the eviction")
    finally:
        client.config_set("maxmemory", 0)
        client.config_set("maxmemory-policy", "noeviction")
    recovers(lineup, dashboard, 15)


def test_a_password_that_lineup_does_not_know(lineup, dashboard):
    """Redis requires a password for a while. (F19)"""
    insider = lineup.redis.client()
    insider.config_set("requirepass", "changed")
    try:
        for kind in ("normal", "pubsub"):
            insider.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
        dashboard.wait_for("order:status", lambda data: data["late"], 10)
        id = lineup.say("shut-out")
        answer = dashboard.open(*PLACE)
        assert answer["late"] and answer["ids"][0] == id
    finally:
        insider.config_set("requirepass", "")
    recovers(lineup, dashboard, 15)


def test_a_redis_that_cannot_save_and_refuses_writes(lineup, dashboard):
    """Writes fail with MISCONF. (F22)"""
    client = lineup.redis.client()
    in_the_way = Path(client.config_get("dir")["dir"], "dump.rdb")
    in_the_way.mkdir()
    client.config_set("save", "3600 1")
    try:
        client.bgsave()
        wait_until(
            lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err",
            what="a save that fails",
        )
        id = lineup.say("refused")
        with lineup.dashboard() as other:
            assert id not in other.open(*PLACE)["ids"]
    finally:
        in_the_way.rmdir()
        client.config_set("save", "")
    recovers(lineup, dashboard, 15)


def test_scripts_flushed_and_busy(lineup, dashboard):
    client = lineup.redis.client()
    client.script_flush()
    recovers(lineup, dashboard)


def test_foreign_and_misplaced_members_of_a_list_are_repaired(lineup, dashboard):
    id = lineup.say("misplaced")
    client = lineup.redis.client()
    client.zadd("{lineup:arrival}|arrival", {"000000999999": 5, f"{id:012d}": 2**52})
    recovers(lineup, dashboard)
