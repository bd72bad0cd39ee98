"""One cheap call says whether any list has changed; Redis says whether any program has written."""

import pytest
from redis.client import Pipeline
from redis.crc import key_slot
from redis.exceptions import TimeoutError as RedisTimeoutError

from scoring.keys import CLUSTER_GROUPS, Keys, query_list_id
from scoring.pulse import Watch
from scoring.views import VIEWS
from tests.drivers.ranking import placed
from tests.servers.fake_cluster import FakeCluster


@pytest.mark.parametrize("view", ["arrival", "history"])
def test_each_change_of_a_view_gives_another_pulse_and_nothing_else_does(driver, view):
    """H35."""
    before = driver.ranking.pulse()
    assert driver.ranking.pulse() == before and before.changed_views(before) == set()
    driver.ranking.place([placed(1, 1, view, 5)])
    after = driver.ranking.pulse()
    assert after.changed_views(before) == {view}
    assert after.changed_views(None) == set(VIEWS)
    driver.ranking.place([placed(1, 1, view, 5)])
    driver.ranking.head(view, "arrival", 10)
    assert driver.ranking.pulse() == after
    driver.ranking.place([placed(1, 2, "", 5, leave=view)])
    assert driver.ranking.pulse().changed_views(after) == {view}


def test_lists_that_are_lost_and_built_anew_give_another_pulse(driver):
    before = driver.ranking.pulse()
    driver.open("arrival", epoch="e2")
    rebuilt = driver.ranking.pulse()
    assert rebuilt.changed_views(before) == {"arrival"}
    driver.client.delete(driver.keys.meta("arrival"))
    lost = driver.ranking.pulse()
    assert lost.changed_views(rebuilt) == {"arrival"} and "" in lost.views
    driver.client.flushall()
    assert set(driver.ranking.pulse().views) == {""}


def test_changes_without_a_view_show_too(driver):
    """Changes of lists of queries, of threads on no view, and of saved views."""
    pulses = [driver.ranking.pulse()]
    client, keys = driver.client, driver.keys
    for change in (
        lambda: client.incr(keys.shared_groups()[0].calls),
        lambda: client.zadd(keys.unlisted, {"000000000001": 7}),
        lambda: client.zincrby(keys.view_changes, 1, "all"),
        lambda: client.zincrby(keys.view_changes, 1, "3"),
    ):
        change()
        pulses.append(driver.ranking.pulse())
    assert len(set(pulses)) == 5 and {pulse.views for pulse in pulses} == {pulses[0].views}


def test_a_watch_tells_of_each_write_by_anybody(driver):
    """H35: but not of reads, nor of writes to other keys."""
    keys = [driver.keys.sort("arrival", "arrival"), driver.keys.meta("arrival")]
    client = driver.client
    client.zadd(keys[0], {"000000000009": 1})
    watch = Watch(client, keys)
    client.zrange(keys[0], 0, -1)
    client.set("another", "1")
    assert watch.end() and watch.end(), "an ended one watches nothing"
    for write in (
        lambda: client.zadd(keys[0], {"000000000009": 2}),
        lambda: client.zrem(keys[0], "000000000009"),
        lambda: client.hset(keys[1], "epoch", "another"),
        lambda: client.delete(keys[1]),
        lambda: driver.open("arrival"),
        client.flushall,
    ):
        watch = Watch(client, keys)
        write()
        assert not watch.end()


def test_on_a_cluster_a_command_watches_keys_of_one_slot(client, monkeypatch):
    """H35: a node refuses others, and then each worker would compare all lists each second."""
    named = []
    watch = Pipeline.watch

    def noting(transaction, *names):
        named.append(names)
        return watch(transaction, *names)

    monkeypatch.setattr(Pipeline, "watch", noting)
    keys = Keys(groups=CLUSTER_GROUPS)
    list_ids = [*VIEWS, *(query_list_id(f"{number:016x}", "arrival") for number in range(20))]
    names = [name for id in list_ids for name in keys.of(id, ["arrival"]).placed]
    watching = Watch(FakeCluster({"a:1": client}), names)
    assert {name for names in named for name in names} == {*names}
    assert {len({key_slot(name.encode()) for name in names}) for names in named} == {1}
    client.zadd(names[-1], {"000000000009": 2})
    assert not watching.end()


def test_a_watch_gives_its_connection_back_though_redis_does_not_answer(client, monkeypatch):
    """F21."""

    def silent(*given, **named):
        raise RedisTimeoutError("timed out")

    pool = client.connection_pool
    watch = Watch(client, ["a"])
    [connection] = {transaction.connection for transaction in watch._transactions}
    released = []
    monkeypatch.setattr(pool, "release", released.append)
    for name in ("send_command", "send_packed_command", "read_response"):
        monkeypatch.setattr(connection, name, silent)
    assert not watch.end()
    assert released == [connection]
