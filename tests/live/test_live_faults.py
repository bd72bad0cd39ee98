"""Redis fails in every way, and browsers end with the order that a fresh opening gives."""

from pathlib import Path

import pytest

from scoring.keys import BELL_FLAGS
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]
PLACE = ("arrival", "arrival")
HEALED_SECONDS = 10


@pytest.fixture
def browser(desk):
    with desk.browser() as opened:
        opened.open(*PLACE)
        yield opened


def comes_right(desk, browser, seconds=HEALED_SECONDS):
    """A new event reaches the browser, and its list = one opened afresh = SQL's."""
    id = desk.say(f"healed-{len(browser.frames)}-{id_of(browser)}")

    def fresh_is_right():
        fresh = other.open(*PLACE)
        return fresh["ids"] == desk.in_sql(*PLACE) and "late" not in fresh

    def is_right():
        reopen_where_late(browser)
        return browser.ids(*PLACE) == desk.in_sql(*PLACE)

    with desk.browser() as other:
        wait_until(fresh_is_right, seconds, "a fresh list being SQL's")
    wait_until(is_right, seconds, "the browser's list being SQL's")
    assert browser.ids(*PLACE)[0] == id


def id_of(browser):
    return browser.client.get_sid("/admin")


def reopen_where_late(browser):
    """As the page does when the order is right again."""
    statuses = browser.of("order:status")
    if browser.lists[PLACE[0], PLACE[1], "all"].get("late") and not statuses[-1]["late"]:
        browser.open(*PLACE)


@pytest.mark.parametrize("command", ["FLUSHALL", "FLUSHDB", "SWAPDB 0 1"])
def test_data_that_vanish_without_a_word(desk, browser, command):
    desk.say("before")
    desk.redis.client().execute_command(*command.split())
    comes_right(desk, browser)


@pytest.mark.parametrize("command", ["DEL", "UNLINK", "RENAME"])
def test_a_list_that_is_deleted_under_us(desk, browser, command):
    desk.say("before")
    given = ["elsewhere"] if command == "RENAME" else []
    desk.redis.client().execute_command(command, "{lineup:arrival}|arrival", *given)
    comes_right(desk, browser)


def test_redis_killed_and_started_empty(desk, browser):
    desk.redis.kill()
    browser.wait_for("order:status", lambda data: data["late"], 10)
    id = desk.say("while-away")
    answer = browser.open(*PLACE)
    assert (answer["epoch"], answer["version"], answer["late"]) == (None, 0, True)
    assert answer["ids"][0] == id
    named = {"page": PLACE[0], "sort": PLACE[1]}
    after = [answer["scores"][0], answer["ids"][0]]
    more = browser.call("list:more", named | {"after": after, "limit": 2})
    assert more["ids"] == answer["ids"][1:3]
    through = browser.call("list:more", named | {"after": after, "through": answer["ids"][2]})
    assert through["rank"] == 2
    assert through["ids"] == answer["ids"][1:23]
    desk.redis.start()
    browser.wait_for("order:status", lambda data: not data["late"] and data["since"] is None)
    comes_right(desk, browser, 15)


def test_messages_reach_an_open_thread_while_redis_is_away(desk, browser):
    id = desk.say("talks-on")
    browser.call("thread:open", {"id": id})
    desk.redis.kill()
    try:
        desk.say("talks-on", body="can you hear me?")
        browser.wait_for(
            "thread:message", lambda data: data["message"]["body"] == "can you hear me?", 8
        )
    finally:
        desk.redis.start()
    comes_right(desk, browser, 15)


def test_a_paused_redis(desk, browser):
    desk.redis.pause()
    try:
        browser.wait_for("order:status", lambda data: data["late"], 10)
        assert browser.open(*PLACE)["late"] is True
    finally:
        desk.redis.resume()
    comes_right(desk, browser, 15)


def test_the_bell_switched_off(desk, browser):
    client = desk.redis.client()
    client.config_set("notify-keyspace-events", "")
    try:
        comes_right(desk, browser)
    finally:
        client.config_set("notify-keyspace-events", BELL_FLAGS)


@pytest.mark.parametrize("kind", ["pubsub", "normal"])
def test_connections_killed_again_and_again(desk, browser, kind):
    client = desk.redis.client()
    for _ in range(20):
        client.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
        desk.say("storm")
    comes_right(desk, browser)


def test_a_full_redis(desk, browser):
    client = desk.redis.client()
    client.config_set("maxmemory", 1)
    try:
        id = desk.say("full")
        with desk.browser() as other:
            assert id not in other.open(*PLACE)["ids"]
    finally:
        client.config_set("maxmemory", 0)
    comes_right(desk, browser)


def test_a_redis_that_evicts_keys(desk, browser):
    """F15: another's policy throws lists away, one by one."""
    desk.say("evicted")
    client = desk.redis.client()
    client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        client.config_set("maxmemory", 1)
        wait_until(lambda: not client.exists("{lineup:arrival}|meta"), what="the eviction")
    finally:
        client.config_set("maxmemory", 0)
        client.config_set("maxmemory-policy", "noeviction")
    comes_right(desk, browser, 15)


def test_a_password_that_we_do_not_know(desk, browser):
    """F19: Redis wants a password of a sudden, and later none again."""
    insider = desk.redis.client()
    insider.config_set("requirepass", "changed")
    try:
        for kind in ("normal", "pubsub"):
            insider.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
        browser.wait_for("order:status", lambda data: data["late"], 10)
        id = desk.say("shut-out")
        answer = browser.open(*PLACE)
        assert answer["late"] and answer["ids"][0] == id
    finally:
        insider.config_set("requirepass", "")
    comes_right(desk, browser, 15)


def test_a_redis_that_cannot_save_and_refuses_writes(desk, browser):
    """F22: MISCONF."""
    client = desk.redis.client()
    in_the_way = Path(client.config_get("dir")["dir"], "dump.rdb")
    in_the_way.mkdir()
    client.config_set("save", "3600 1")
    try:
        client.bgsave()
        wait_until(
            lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err",
            what="a save that fails",
        )
        id = desk.say("refused")
        with desk.browser() as other:
            assert id not in other.open(*PLACE)["ids"]
    finally:
        in_the_way.rmdir()
        client.config_set("save", "")
    comes_right(desk, browser, 15)


def test_scripts_flushed_and_busy(desk, browser):
    client = desk.redis.client()
    client.script_flush()
    comes_right(desk, browser)


def test_strangers_in_a_list_are_put_right(desk, browser):
    id = desk.say("stranger")
    client = desk.redis.client()
    client.zadd("{lineup:arrival}|arrival", {"000000999999": 5, f"{id:012d}": 2**52})
    comes_right(desk, browser)
