"""All threads are compared, in parts between which others are served."""

from itertools import pairwise

import pytest
from sqlalchemy import update

from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.ordering.diff import LOOK_SECONDS, LOOKS, REST_FACTOR, LengthsCheck
from scoring.keys import member
from scoring.views import VIEWS
from tests.dashboard.ordering.order import Order

THREADS = 12


@pytest.mark.parametrize("part", [1, 4, 5, THREADS, THREADS + 1])
def test_each_thread_is_compared_whatever_the_parts(database, client, clock, monkeypatch, part):
    monkeypatch.setattr("dashboard.ordering.diff.PART", part)
    monkeypatch.setattr("dashboard.ordering.diff.PAUSE_SECONDS", 0.0)
    monkeypatch.setattr("dashboard.ordering.diff.HEAD", 0)
    order = Order(database, client, clock)
    assert order.tick()
    for number in range(THREADS):
        order.post(f"t-{number}")
    assert order.tick()
    for _ in range(2):
        wrong = {member(id): id for id in range(1, THREADS + 1)}
        order.client.zadd("{lineup:arrival}|arrival", wrong, xx=True)
        assert len({each.entry.id for each in order.differences()}) == THREADS
        order.tick(THREADS // part + 2)
        assert order.differences() == []


@pytest.fixture
def busy(database, client, clock) -> Order:
    order = Order(database, client, clock)
    for number in range(THREADS):
        order.post(f"t-{number}")
    assert order.tick()
    return order


def test_a_wrong_count_of_an_admins_threads_is_repaired(busy):
    """The lists are rebuilt: no thread is in a wrong place. Case: faults and foreign writes."""
    keys = busy.ranking.keys
    busy.client.hincrby(keys.meta("arrival"), "of:0", -1)
    busy.client.hincrby(keys.meta("arrival"), "of:7", 1)
    epoch = busy.ranking.states(["arrival"])["arrival"].epoch
    busy.tick(seconds=LOOK_SECONDS)
    busy.tick(LOOKS - 2)
    assert busy.ranking.states(["arrival"])["arrival"].epoch == epoch, "it may be on its way"
    busy.tick(2)
    state = busy.ranking.states(["arrival"], {})["arrival"]
    assert state.epoch != epoch and state.assigned == {0: state.total}


def test_counts_that_change_all_the_time_lead_to_no_rebuild(busy):
    for number in range(40):
        busy.post(f"t-moving-{number}")
        busy.tick()
    assert busy.reconciler.rebuilds == 3, "those of the first tick"


def test_looks_at_lengths_that_take_long_rest_and_are_not_trusted_so_soon(busy):
    """A million threads move while they are counted. Counting them all the time would delay each
    event."""
    looks, found = [], []

    def slow(work, *arguments):
        looks.append(busy.seconds)
        busy.seconds += 1.0
        return work(*arguments)

    database = Database(busy.database.url, offload=slow)
    check = LengthsCheck(database, busy.ranking, busy.monotonic)
    archived = update(threads).where(threads.c.id == 1).values(archived=True)
    busy.database.write(lambda connection: connection.execute(archived))
    while not found and busy.seconds < 2_000:
        found = sorted(check.too_long(busy.ranking.states(VIEWS)))
        busy.seconds += 1.0
    assert found == ["arrival", "not_respond"]
    assert len(looks) == LOOKS
    assert all(later - earlier >= REST_FACTOR for earlier, later in pairwise(looks))


def test_a_quick_look_at_lengths_is_trusted_when_the_next_one_says_the_same(busy):
    check = LengthsCheck(busy.database, busy.ranking, busy.monotonic)
    archived = update(threads).where(threads.c.id == 1).values(archived=True)
    busy.database.write(lambda connection: connection.execute(archived))
    states = busy.ranking.states(VIEWS)
    assert check.too_long(states) == set()
    assert check.too_long(states) == {"arrival", "not_respond"}
    assert check.too_long(states) == set(), "until the next look is due"


@pytest.fixture
def saved(busy) -> str:
    """The list of a query that holds all threads of `busy`."""
    listed = ListedQuery("is:open", "arrival", "UTC")
    list_id, _ = busy.database.write(lambda connection: query_lists.keep(connection, listed))
    assert busy.tick()
    assert busy.ranking.states([list_id])[list_id].total == THREADS
    return list_id


@pytest.mark.parametrize("of", ["a view", "a query"])
def test_a_revision_that_is_too_great_leads_to_a_rebuild(busy, saved, monkeypatch, of):
    """Placing is refused where Redis holds a later revision: then the lists are rebuilt, however
    seldom a thread is compared."""
    if of == "a view":  # of many threads: only the heads are compared often
        monkeypatch.setattr(busy.reconciler._diff, "differing_in_next_slice", lambda states: set())
    name, keys = "arrival" if of == "a view" else saved, busy.ranking.keys
    busy.client.hset(keys.group(name).revisions, member(2), "999:0" if of == "a view" else 999)
    busy.client.hset(keys.group(name).revisions, member(3), "no number")
    busy.client.zadd(keys.sort(name, "arrival"), {member(2): 5, member(3): 6})
    epoch = busy.ranking.states([name])[name].epoch
    busy.tick(8)
    assert busy.differences() == []
    assert busy.ranking.states([name])[name].epoch != epoch
    rebuilds = busy.reconciler.rebuilds
    busy.post("t-1", role="admin")
    assert busy.differences() == [], "the next event is placed at once"
    busy.tick(8)
    assert busy.reconciler.rebuilds == rebuilds, "once"


def test_a_deleted_thread_that_redis_missed_is_removed_at_the_first_repair(
    busy, saved, monkeypatch
):
    """Its revision does not keep it there: a deleted thread can get no later one."""
    keys = busy.ranking.keys
    with monkeypatch.context() as away:
        away.setattr(busy.placer, "place", lambda placements: None)
        assert busy.erase("customer-of-t-1").threads == 1
    assert {each.list_id for each in busy.differences()} == {"arrival", "not_respond", saved}
    rebuilds = busy.reconciler.rebuilds
    busy.tick(8)
    assert busy.differences() == []
    assert busy.reconciler.rebuilds == rebuilds, "by a repair"
    for name in ("arrival", "not_respond", saved):
        assert not busy.client.hexists(keys.group(name).revisions, member(2))
        assert busy.client.zscore(keys.group(name).left, member(2)) is None
