"""The reconciler rests while nothing changes, and misses no change because of that."""

from collections.abc import Callable

import fakeredis
import pytest
import redis

from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ordering.diff import PASS_SECONDS
from dashboard.ordering.reconciler import (
    BUSY_CHANGES,
    BUSY_SECONDS,
    CHANGED_SECONDS,
    REST_SECONDS,
    WATCH_SECONDS,
)
from scoring.keys import member
from scoring.ranking import RankingLost
from tests.dashboard.ordering.order import Order

THREADS = 8


@pytest.fixture
def order(database, clock) -> Order:
    made = Order(database, fakeredis.FakeRedis(), clock)
    for number in range(THREADS):
        made.post(f"t-{number}")
    listed = ListedQuery("is:waiting", "arrival", "UTC")
    made.list_id, _ = made.database.write(lambda c: query_lists.keep(c, listed))
    for _ in range(5):
        turn(made)
    assert made.differences() == []
    return made


def turn(order: Order, seconds: float = 1.0) -> bool:
    """Runs the step of each second of a serving process; returns whether the reconciler rested."""
    services, ticks = order.services, []
    order.seconds += seconds
    services.agenda.turn()
    services.pulse.latest = None
    try:
        services.pulse.turn()
    except redis.RedisError:
        assert services.pulse.latest is None
    tick = order.reconciler.tick
    order.reconciler.tick = lambda *args, **how: (ticks.append(None), tick(*args, **how))[1]
    try:
        order.reconciler.turn(services.agenda.latest, services.pulse.latest)
    finally:
        order.reconciler.tick = tick
    if order.reconciler._building is not None:
        order.reconciler._building.join()
    return not ticks


def differs(order: Order) -> bool:
    try:
        return order.differences() != []
    except RankingLost:
        return True


def until_at_rest(order: Order) -> float:
    """Returns after how many seconds it rests."""
    begun = order.seconds
    while not turn(order):
        assert order.seconds - begun < 4 * PASS_SECONDS, "it never rests"
    return order.seconds - begun


def test_nothing_is_compared_while_nothing_changes(order):
    """H35: except a little, once a minute."""
    until_at_rest(order)
    rested = [turn(order) for _ in range(200)]
    assert 2 <= rested.count(False) <= 200 / REST_SECONDS
    assert not order.state.late and order.state.compared_at == order.clock()


@pytest.mark.real_redis
def test_resting_asks_redis_once_a_second_whatever_the_lists(database, redis_server, clock):
    """H35: and a few times more in ten seconds, for what other programs write."""
    real = redis_server.client()
    real.flushall()
    order = Order(database, real, clock)
    for number in range(50):
        listed = ListedQuery(f"is:waiting tag:t{number}", "arrival", "UTC")
        order.database.write(lambda c, listed=listed: query_lists.keep(c, listed))
    for number in range(THREADS):
        order.post(f"t-{number}")
    until_at_rest(order)
    turn(order, WATCH_SECONDS)
    real.config_resetstat()
    assert all(turn(order) for _ in range(40))
    stats = real.info("commandstats")
    calls = sum(
        found["calls"]
        for name, found in stats.items()
        if name in ("cmdstat_evalsha", "cmdstat_watch", "cmdstat_multi", "cmdstat_exec")
    )
    assert calls <= 40 + 3 * (40 / WATCH_SECONDS + 1)


FOREIGN: dict[str, Callable[[Order], object]] = {
    "a score": lambda order: order.client.zadd("{lineup:arrival}|arrival", {member(5): 5}),
    "a member": lambda order: order.client.zrem("{lineup:arrival}|priority", member(5)),
    "a place of a query": lambda order: order.client.zrem(
        order.ranking.keys.sort(order.list_id, "arrival"), member(5)
    ),
    "a list": lambda order: order.client.delete("{lineup:not_respond}|longest_wait"),
    "a list of a query": lambda order: order.client.delete(
        order.ranking.keys.sort(order.list_id, "arrival")
    ),
    "an epoch": lambda order: order.client.hset("{lineup:arrival}|meta", "epoch", "another"),
    "an epoch of a query": lambda order: order.client.delete(
        order.ranking.keys.meta(order.list_id)
    ),
    "all": lambda order: order.client.flushall(),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_another_program_writes_is_repaired_within_minutes(order, what, monkeypatch):
    """H35: also if no counter of ours shows it, and a rest would have no end."""
    monkeypatch.setattr("dashboard.ordering.reconciler.REST_SECONDS", 1e9)
    until_at_rest(order)
    for _ in range(3):
        assert turn(order)
    FOREIGN[what](order)
    begun = order.seconds
    while differs(order):
        turn(order)
        assert order.seconds - begun <= WATCH_SECONDS + 2 * PASS_SECONDS
    until_at_rest(order)
    assert order.differences() == []


@pytest.mark.parametrize("name", ["arrival", "of a query"])
def test_a_list_of_which_a_key_was_deleted_is_rebuilt_at_the_next_turn(order, name):
    """F7: a view also if a thread was placed on it since."""
    until_at_rest(order)
    list_id = order.list_id if name == "of a query" else name
    order.client.delete(order.ranking.keys.sort(list_id, "arrival"))
    order.reconciler.note_deleted(list_id)
    if name == "arrival":
        order.post("t-3")
    rebuilds = order.reconciler.rebuilds
    assert not turn(order)
    assert order.differences() == [] and order.reconciler.rebuilds == rebuilds + 1


def test_a_list_that_became_empty_is_not_rebuilt(order):
    order.post("t-new")
    for number in range(THREADS):
        order.post(f"t-{number}", role="admin")
    order.event(type="thread.close", thread="t-new")
    until_at_rest(order)
    rebuilds = order.reconciler.rebuilds
    order.reconciler.note_deleted(order.list_id)
    order.reconciler.note_deleted("not_respond")
    order.reconciler.note_deleted("a list that is no more")
    assert turn(order) and order.reconciler.rebuilds == rebuilds


def test_what_is_lost_as_a_whole_is_found_at_once(order):
    until_at_rest(order)
    order.client.flushall()
    turn(order)
    turn(order)
    assert order.differences() == []


def test_after_a_change_of_ours_some_is_compared(order):
    """H35: a change may hide what another program has written at the same time."""
    until_at_rest(order)
    order.client.zadd("{lineup:arrival}|arrival", {member(2): 5})
    order.post("t-7")
    assert turn(order), "our own change is known to be placed"
    for _ in range(int(CHANGED_SECONDS)):
        turn(order)
    assert order.differences() == []
    until_at_rest(order)


def test_a_list_that_is_added_while_it_rests_is_built_at_the_next_turn(order):
    """The list of an admin's mentions is kept only for its total; nobody else would build it."""
    until_at_rest(order)
    listed = ListedQuery("is:open tag:late", "arrival", "UTC")
    list_id, _ = order.database.write(lambda connection: query_lists.keep(connection, listed))
    turn(order)
    assert order.ranking.states([list_id])[list_id].epoch is not None


def test_the_more_changes_the_more_often_it_looks(order):
    """H35: however many changes, no more often than heads are compared."""
    until_at_rest(order)

    def rested(changes: int, turns: int = 60) -> int:
        looks = 0
        for _ in range(turns):
            for _ in range(changes):
                order.post("t-7")
            looks += not turn(order)
        return looks

    assert rested(1) == pytest.approx(60 / CHANGED_SECONDS, abs=1)
    assert rested(BUSY_CHANGES + 1) == pytest.approx(60 / BUSY_SECONDS, abs=2)
    assert order.reconciler._rest.is_busy
    assert until_at_rest(order) <= CHANGED_SECONDS
    assert order.differences() == []


def test_a_restart_is_noticed_at_rest(order):
    until_at_rest(order)
    turn(order, WATCH_SECONDS)
    epoch = order.ranking.states(["arrival"])["arrival"].epoch
    order.run_id = "second life"
    for _ in range(int(WATCH_SECONDS) + 3):
        turn(order)
    assert order.ranking.states(["arrival"])["arrival"].epoch not in (None, epoch)
    assert order.differences() == []


def test_what_a_worker_that_died_has_stored_is_placed(order, monkeypatch):
    """Work that is due in SQL ends the rest."""
    until_at_rest(order)
    monkeypatch.setattr(order.placer, "place", lambda placements: None)
    order.post("t-new")
    assert order.differences() != []
    for _ in range(2):
        turn(order)
    assert order.differences() == []


def test_while_redis_is_away_it_does_not_rest(order, monkeypatch):
    until_at_rest(order)

    def away(*ignored):
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(order.ranking, "pulse", away)
        patched.setattr(order.ranking, "states", away)
        assert not turn(order)
        assert order.state.late
    assert not turn(order)
    assert not order.state.late
    until_at_rest(order)
