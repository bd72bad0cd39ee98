"""After any fault of Redis its lists equal SQL again."""

import pytest
import redis

from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import epochs
from dashboard.ordering.placer import Placer
from dashboard.ordering.reconciler import Reconciler
from scoring.keys import member
from scoring.ranking import Ranking, RankingLost
from scoring.sorts import SORTS
from scoring.views import VIEWS
from tests.dashboard.ordering.order import Order


@pytest.fixture
def order(database, client, clock) -> Order:
    opened = Order(database, client, clock)
    assert opened.tick(), "an empty Redis is rebuilt at the first tick"
    return opened


@pytest.fixture
def busy(order) -> Order:
    """A database with open, waiting and closed threads."""
    for number in range(12):
        order.post(f"t-{number}")
    for number in range(0, 12, 3):
        order.post(f"t-{number}", role="admin")
    for number in range(0, 12, 4):
        order.event(type="thread.close", thread=f"t-{number}")
    assert order.tick()
    assert order.differences() == []
    return order


def test_an_event_is_placed_at_once(order):
    order.post("t-1")
    assert [entry.id for entry in order.ranking.head("arrival", "arrival", 10).entries] == [1]
    assert order.differences() == []


def test_an_emptied_redis_is_rebuilt_at_the_next_tick(busy):
    busy.client.flushall()
    assert busy.tick()
    assert busy.differences() == []


def test_events_stored_while_redis_was_empty_are_placed_after_the_rebuild(busy):
    busy.client.flushall()
    busy.post("t-new")
    assert busy.state.late, "a refused placement makes the status late"
    busy.tick(3)
    assert busy.differences() == []
    assert not busy.state.late


def test_a_list_of_a_query_that_redis_kept_gets_what_was_left_to_the_reconciler(busy):
    """The views are lost alone: on another node, or a query was built since the loss."""
    waiting = ListedQuery("is:waiting", "arrival", "UTC", None)
    busy.database.write(lambda connection: query_lists.keep(connection, waiting))
    busy.tick(2)
    busy.client.delete(*(f"{{lineup:{view}}}|meta" for view in VIEWS))
    busy.post("t-1", role="admin")  # the view is lost, so Redis is left alone for a second
    busy.event(type="thread.close", thread="t-2")
    busy.post("t-4")
    busy.tick()
    assert busy.differences() == []


def test_lists_with_a_foreign_epoch_are_rebuilt(busy):
    busy.client.hset("{lineup:arrival}|meta", "epoch", "somebody else's")
    assert busy.tick()
    assert busy.differences() == []
    assert busy.ranking.head("arrival", "arrival", 1).epoch != "somebody else's"


def other_lineup(order, prefix) -> Reconciler:
    """The reconciler of a Lineup with another key prefix on the same database."""
    services = order.services
    ranking = Ranking(order.client, prefix, run_id=services.redis_run_id)
    placer = Placer(ranking, order.database, services.ordering_status, order.monotonic)
    given = order.database, ranking, placer, services.ordering_status, order.monotonic
    return Reconciler(*given)


def test_two_lineups_with_two_prefixes_on_one_database_are_told_of_each_other(busy, caplog):
    other = other_lineup(busy, "other")
    for _ in range(6):
        other.tick()
        busy.tick()
    said = [each for each in caplog.records if each.levelname == "ERROR"]
    assert len(said) == 2, "each of them, once a minute"
    assert all("LINEUP_KEY_PREFIX" in each.getMessage() for each in said)
    busy.seconds += 61
    other.tick()
    busy.tick()
    other.tick()
    assert len([each for each in caplog.records if each.levelname == "ERROR"]) > 2


def test_workers_of_one_lineup_and_a_loss_of_redis_are_no_other_lineup(busy, caplog):
    other = other_lineup(busy, "lineup")
    for _ in range(4):
        busy.client.flushall()
        other.tick()
        busy.tick()
        busy.rebuilder.rebuild(busy.rebuilder.list_ids())
        other.tick()
        busy.tick()
        busy.client.hset("{lineup:arrival}|meta", "epoch", "of another database")
        busy.tick()
    busy.database.write(lambda connection: connection.execute(epochs.update().values(epoch="old")))
    busy.tick()  # a backup was restored
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []


def test_lists_with_a_smaller_version_are_rebuilt(busy):
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


def test_lists_that_a_restart_lost_are_rebuilt(busy):
    for sort in SORTS:
        busy.client.zremrangebyrank(f"{{lineup:arrival}}|{sort}", 0, -2)
    busy.run_id = "second life"
    busy.tick()
    assert busy.differences() == []


def test_a_restart_of_redis_ends_all_epochs(busy):
    """H1: also if nothing seems lost, because the last writes may be."""
    before = busy.ranking.states(busy.rebuilder.list_ids())
    busy.run_id = "second life"
    assert busy.tick()
    after = busy.ranking.states(busy.rebuilder.list_ids())
    assert all(after[list_id].epoch != before[list_id].epoch for list_id in before)
    assert busy.differences() == []


def test_nothing_is_placed_or_read_after_a_restart_before_the_rebuild(busy):
    """H1: not in the time until the reconciler looks, either."""
    busy.run_id = "second life"
    busy.client.script_flush()
    busy.post("t-early")
    with pytest.raises(RankingLost):
        busy.ranking.head("arrival", "arrival", 1)
    assert busy.tick(2)
    assert busy.ranking.head("arrival", "arrival", 1).entries[0].id == 13
    assert busy.differences() == []


@pytest.mark.parametrize("run_id", ["first life", None], ids=["INFO", "no INFO"])
def test_a_process_that_starts_goes_on_with_the_epochs(database, client, clock, run_id):
    """H1: dashboards open their lists again only after a restart of Redis."""
    first = Order(database, client, clock, run_id=run_id)
    assert first.tick()
    first.post("t-1")
    before = first.ranking.states(first.rebuilder.list_ids())
    second = Order(database, client, clock, run_id=run_id, count=100)
    assert second.tick()
    second.post("t-2")
    assert second.tick() and first.tick()
    after = first.ranking.states(first.rebuilder.list_ids())
    assert {name: each.epoch for name, each in after.items()} == {
        name: each.epoch for name, each in before.items()
    }
    assert first.reconciler.repairs == second.reconciler.repairs == 0


def test_where_info_is_forbidden_a_server_without_our_scripts_is_another_one(
    database, client, clock
):
    """H1: a server that was restarted holds no script."""
    order = Order(database, client, clock, run_id=None)
    assert order.tick()
    order.post("t-1")
    before = order.ranking.head("arrival", "arrival", 1).epoch
    client.script_flush()
    order.post("t-2")
    assert order.tick(2)
    assert order.ranking.head("arrival", "arrival", 1).epoch != before
    assert order.differences() == []


@pytest.mark.parametrize("key", ["{lineup:arrival}|priority", "{lineup:history}|changes"])
def test_a_deleted_key_is_rebuilt(busy, key):
    busy.client.delete(key)
    busy.tick()
    assert busy.differences() == []


def without_lists_of_a_new_sort(busy: Order) -> None:
    """Leaves Redis as if this process declared one sort more than the last process did."""
    *_, new = SORTS
    for list_id in busy.rebuilder.list_ids():
        busy.client.delete(f"{{lineup:{list_id}}}|{new}")


def test_missing_lists_of_a_new_sort_are_rebuilt_at_the_next_tick(busy):
    """The sorted sets of a list id differ in length, so its lists are corrupt."""
    without_lists_of_a_new_sort(busy)
    before = busy.ranking.head("arrival", "arrival", 1).epoch
    assert busy.tick()
    assert busy.differences() == []
    assert busy.ranking.head("arrival", "arrival", 1).epoch != before


def test_lists_of_a_new_sort_that_an_event_reached_first_are_filled(busy):
    """Short lists, nearly as long as the others, are filled by comparing them with SQL."""
    without_lists_of_a_new_sort(busy)
    busy.post("t-first")
    busy.tick(2, seconds=40)
    assert busy.differences() == []


def test_foreign_members_in_the_head_are_removed(busy):
    busy.client.zadd("{lineup:arrival}|arrival", {member(1): 5, member(999): 6, "no thread": 7})
    busy.tick(2, seconds=5)
    assert busy.reconciler.repairs > 0
    assert busy.client.zscore("{lineup:arrival}|arrival", member(999)) is None
    assert [d for d in busy.differences() if d.redis != (0, 0)] == []


def test_a_missing_entry_below_the_head_is_repaired_within_a_pass(busy):
    busy.client.zrem("{lineup:history}|priority", member(1))
    busy.tick(2, seconds=40)
    assert busy.differences() == []


@pytest.mark.parametrize("foreign", [member(4242), "no thread", "٠" * 6])
@pytest.mark.parametrize("sorts", [["arrival"], [*SORTS]], ids=["one sort", "all sorts"])
@pytest.mark.parametrize("list_id", ["history", "arrival"])
def test_what_is_no_thread_is_removed_within_20_seconds(busy, monkeypatch, foreign, sorts, list_id):
    """H3: also below the heads that are compared often."""
    monkeypatch.setattr("dashboard.ordering.diff.HEAD", 1)
    before = busy.ranking.states([list_id])[list_id]
    repairs = busy.reconciler.repairs
    for sort in sorts:
        busy.client.zadd(f"{{lineup:{list_id}}}|{sort}", {foreign: 2**53 - 1})
    busy.tick(20)
    for sort in SORTS:
        assert busy.client.zscore(f"{{lineup:{list_id}}}|{sort}", foreign) is None
    assert busy.differences() == []
    assert busy.reconciler.repairs > repairs, "H6: each repair is counted"
    after = busy.ranking.states([list_id])[list_id]
    assert (after.epoch, after.total) == (before.epoch, before.total)
    assert after.version > before.version, "dashboards are told of the right total"


def test_lists_that_change_all_the_time_are_not_searched(busy, monkeypatch):
    """H3: a thread on its way from SQL to Redis does not make a list suspect."""
    searched = []
    diff = busy.reconciler._diff
    monkeypatch.setattr(diff, "_wrong_members", lambda name: searched.append(name) or set())
    for number in range(32):
        busy.post(f"t-moving-{number}")
        if number % 3 == 0:
            busy.event(type="thread.close", thread=f"t-moving-{number}")
        busy.tick()
    assert searched == []


def test_an_unplaced_thread_is_placed_after_two_ticks(busy):
    busy.recorder.record(busy.source_id, [])
    busy.ingest = type(busy.ingest)(busy.recorder, _NoPlacer())
    busy.post("t-crashed")
    assert busy.differences() != []
    busy.tick(2)
    assert busy.differences() == []


def test_a_thread_on_its_way_to_redis_is_placed_and_is_no_repair(busy):
    """Otherwise a reconciler under load would compare all threads without end."""
    repairs = busy.reconciler.repairs
    busy.ingest = type(busy.ingest)(busy.recorder, _NoPlacer())
    busy.post("t-moving")
    busy.tick(seconds=40)
    assert busy.differences() == [], "the slice of this tick holds it"
    assert busy.reconciler.repairs == repairs


def test_the_status_is_late_while_redis_is_unreachable(busy, monkeypatch):
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


def test_the_circuit_breaker_skips_redis_after_a_failure(busy, monkeypatch):
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


def test_lists_of_filters_that_earlier_versions_kept_are_removed(busy):
    with busy.ranking.begin_rebuild(["arrival:mine:7"]) as rebuild:
        rebuild.swap("arrival:mine:7", "old")
    busy.rebuilder._save_epoch(["arrival:mine:7"], "old")
    assert busy.client.keys("*mine*")
    busy.tick()
    assert not busy.client.keys("*mine*")
    assert "arrival:mine:7" not in busy.rebuilder.epochs()
    assert busy.differences() == []


def test_placed_revisions_are_saved_at_the_next_tick(busy):
    busy.post("t-1")
    busy.tick()
    with busy.database.read() as connection:
        behind = connection.exec_driver_sql(
            "SELECT count(*) FROM threads WHERE placed_revision <> revision"
        ).scalar()
    assert behind == 0


class _NoPlacer:
    """Places nothing, like a process that crashes after the commit."""

    def place(self, placements) -> None:
        pass
