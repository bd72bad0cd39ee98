"""Whatever happens to Redis, its lists end exactly as SQL has them."""

import pytest
import redis

from scoring.keys import member
from scoring.sorts import SORTS
from tests.intake.order import Order


@pytest.fixture
def order(database, client, clock) -> Order:
    opened = Order(database, client, clock)
    assert opened.tick(), "an empty Redis is given its epochs at the first look"
    return opened


@pytest.fixture
def busy(order) -> Order:
    """A desk with open, waiting and closed threads."""
    for number in range(12):
        order.post(f"t-{number}")
    for number in range(0, 12, 3):
        order.post(f"t-{number}", role="admin")
    for number in range(0, 12, 4):
        order.event(type="thread.close", thread=f"t-{number}")
    assert order.tick()
    assert order.differences() == []
    return order


def test_what_is_posted_is_placed_at_once(order):
    order.post("t-1")
    assert [entry.id for entry in order.ranking.head("arrival", "arrival", 10).entries] == [1]
    assert order.differences() == []


def test_an_emptied_redis_is_rebuilt_at_the_next_look(busy):
    busy.client.flushall()
    assert busy.tick()
    assert busy.differences() == []


def test_events_that_came_while_redis_was_empty_are_there_after_the_rebuild(busy):
    busy.client.flushall()
    busy.post("t-new")
    assert busy.state.late, "a place that Redis refused makes the order late"
    busy.tick(3)
    assert busy.differences() == []
    assert not busy.state.late


def test_a_foreign_redis_is_rebuilt(busy):
    busy.client.hset("{lineup:arrival}|meta", "epoch", "somebody else's")
    assert busy.tick()
    assert busy.differences() == []
    assert busy.ranking.head("arrival", "arrival", 1).epoch != "somebody else's"


def test_a_version_that_went_back_is_an_old_dump_and_rebuilt(busy):
    meta = busy.client.hgetall("{lineup:arrival}|meta")
    changes = busy.client.zrange("{lineup:arrival}|changes", 0, -1, withscores=True)
    busy.post("t-more")
    busy.tick()
    busy.client.hset("{lineup:arrival}|meta", mapping=meta)
    busy.client.delete("{lineup:arrival}|changes")
    busy.client.zadd("{lineup:arrival}|changes", dict(changes))
    busy.client.zrem("{lineup:arrival}|arrival", member(13))
    before = busy.ranking.head("arrival", "arrival", 1).epoch
    busy.tick()
    assert busy.ranking.head("arrival", "arrival", 1).epoch != before
    assert busy.differences() == []


def test_another_server_with_an_old_dump_is_rebuilt(busy):
    for sort in SORTS:
        busy.client.zremrangebyrank(f"{{lineup:arrival}}|{sort}", 0, -2)
    busy.run_id = "second life"
    busy.tick()
    assert busy.differences() == []


def test_a_restart_that_lost_nothing_rebuilds_nothing(busy):
    before = busy.ranking.head("arrival", "arrival", 1).epoch
    busy.run_id = "second life"
    assert busy.tick()
    assert busy.ranking.head("arrival", "arrival", 1).epoch == before


@pytest.mark.parametrize("key", ["{lineup:arrival}|priority", "{lineup:history}|changes"])
def test_a_deleted_key_is_rebuilt(busy, key):
    busy.client.delete(key)
    busy.tick()
    assert busy.differences() == []


def test_a_stranger_in_the_head_is_put_right(busy):
    busy.client.zadd("{lineup:arrival}|arrival", {member(1): 5, member(999): 6, "no thread": 7})
    busy.tick(2, seconds=5)
    assert busy.healer.repairs > 0
    assert busy.client.zscore("{lineup:arrival}|arrival", member(999)) is None
    assert [d for d in busy.differences() if d.redis != (0, 0)] == []


def test_a_thread_that_is_missing_deep_down_is_put_right_within_a_pass(busy):
    busy.client.zrem("{lineup:history}|priority", member(1))
    busy.tick(2, seconds=40)
    assert busy.differences() == []


def test_a_ghost_deep_down_is_put_right_within_two_passes(busy):
    for number in range(20, 130):
        busy.post(f"t-{number}")
    last = 2**53 - 1
    busy.client.zadd("{lineup:arrival}|arrival", {member(4242): last, "no thread": last})
    busy.tick(6, seconds=61)
    assert busy.client.zscore("{lineup:arrival}|arrival", member(4242)) is None
    assert busy.client.zscore("{lineup:arrival}|arrival", "no thread") is None
    assert busy.differences() == []


def test_a_revision_from_the_future_is_no_way_to_stay_wrong(busy):
    """Placing is refused where Redis holds a later revision: then the lists are rebuilt."""
    busy.client.hset("{lineup:arrival}|revisions", member(2), 999)
    busy.client.zadd("{lineup:arrival}|arrival", {member(2): 5})
    busy.tick(4, seconds=5)
    assert busy.differences() == []


def test_what_was_recorded_and_never_placed_is_placed(busy):
    busy.recorder.record(busy.source_id, [])
    busy.intake = type(busy.intake)(busy.recorder, _NoPlacer())
    busy.post("t-crashed")
    assert busy.differences() != []
    busy.tick(2)
    assert busy.differences() == []


def test_redis_away_is_late_and_right_again_when_it_is_back(busy, monkeypatch):
    def away(placements):
        raise redis.ConnectionError("gone")

    monkeypatch.setattr(busy.ranking, "place", away)
    busy.post("t-away")
    assert busy.state.late
    assert not busy.tick(2)
    monkeypatch.undo()
    busy.tick(3)
    assert not busy.state.late
    assert busy.differences() == []


def test_the_breaker_spares_callers_the_wait(busy, monkeypatch):
    calls = []

    def away(placements):
        calls.append(placements)
        raise redis.TimeoutError("slow")

    monkeypatch.setattr(busy.ranking, "place", away)
    for number in range(5):
        busy.post(f"t-broken-{number}")
    assert len(calls) == 1
    busy.seconds += 2
    busy.post("t-tried-again")
    assert len(calls) == 2


def test_a_new_admin_gets_lists_of_their_own(busy):
    assert busy.tick()
    assert "arrival:mine:1" not in busy.rebuilder.tags()
    busy.database.write(
        lambda connection: connection.exec_driver_sql(
            "INSERT INTO admins (email, name, password_hash, created_at) VALUES ('a@b', 'A', '', 0)"
        )
    )
    assert busy.tick()
    assert busy.ranking.head("arrival:mine:1", "arrival", 10).entries == []


def test_what_was_placed_is_noted_in_bulk(busy):
    busy.post("t-1")
    busy.tick()
    with busy.database.read() as connection:
        behind = connection.exec_driver_sql(
            "SELECT count(*) FROM threads WHERE placed_revision <> revision"
        ).scalar()
    assert behind == 0


class _NoPlacer:
    """Crashes between commit and placing, as far as Redis can tell."""

    def place(self, placements) -> None:
        pass
