"""Placements that are missed, or come late, leave no thread on a list that it has left."""

import shutil

import fakeredis
import pytest

from dashboard.db.database import Database
from dashboard.db.lists import query_lists
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ordering.epochs import OwnLists
from dashboard.ordering.placer import Placer
from tests.dashboard.ordering.order import Order
from tests.drivers.ranking import left


def order_with(any_database, clock, *queries: str) -> Order:
    made = Order(any_database, fakeredis.FakeRedis(), clock)
    for query in queries:
        listed = ListedQuery(query, "arrival", "UTC")
        any_database.write(lambda connection, each=listed: query_lists.keep(connection, each))
    made.tick()
    return made


@pytest.fixture
def order(any_database, clock) -> Order:
    return order_with(any_database, clock, "is:waiting", "")


def unplaced(order: Order, monkeypatch: pytest.MonkeyPatch, role: str) -> list:
    """Posts a message at a worker that then places nothing; returns its placements."""
    kept: list = []
    with monkeypatch.context() as patched:
        patched.setattr(Placer, "place", lambda placer, placements: kept.extend(placements))
        order.post("t", role=role)
    return kept


@pytest.mark.parametrize("queries", [["is:waiting", ""], ["is:waiting"], []], ids=len)
def test_what_a_worker_that_died_did_not_place_is_placed_after_the_next_change(
    any_database, clock, monkeypatch, queries
):
    """F50: the answer takes the thread off lists that the change after it does not name."""
    order = order_with(any_database, clock, *queries)
    order.post("t")
    order.tick()
    unplaced(order, monkeypatch, "admin")
    order.post("t", role="bot")
    assert order.differences() != []
    without_comparing(order)
    order.tick(2)
    assert order.differences() == []


def test_a_thread_that_changes_all_the_time_is_placed_all_the_same(
    any_database, clock, monkeypatch
):
    order = order_with(any_database, clock)
    order.post("t")
    order.tick()
    unplaced(order, monkeypatch, "admin")
    without_comparing(order)
    for _ in range(2):
        order.post("t", role="bot")
        order.tick()
    assert order.differences() == []


def without_comparing(order: Order) -> None:
    """Leaves the reconciler only its knowledge of revisions."""
    diff = order.reconciler._diff
    diff.differing_in_next_slice = diff.stale_ids = lambda states: set()  # type: ignore[method-assign]
    diff.differing_in_heads = set  # type: ignore[method-assign]


def test_a_placement_that_comes_after_the_next_one_changes_nothing(order, monkeypatch):
    order.post("t")
    late = unplaced(order, monkeypatch, "admin")
    order.post("t", role="bot")
    order.placer.place(late)
    assert order.differences() == []


@pytest.mark.parametrize("queries", [["is:waiting", ""], ["is:waiting"]], ids=len)
def test_ordinary_changes_are_placed_on_their_own_lists_alone(
    any_database, clock, monkeypatch, queries
):
    """Also if a thread comes back to a list after changes that did not concern the list."""
    order = order_with(any_database, clock, *queries)
    everywhere = []
    place = order.ranking.place
    monkeypatch.setattr(
        order.ranking,
        "place",
        lambda found: (
            everywhere.extend(each for each in found if "history" in left(each)) or place(found)
        ),
    )
    for role in ("client", "bot", "admin", "bot", "bot", "client", "admin"):
        order.post("t", role=role)
        order.tick()
    assert everywhere == []
    assert order.differences() == []


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def other(order, said, sqlite_at_head, tmp_path, clock, monkeypatch) -> Order:
    """Another database with the same Redis, and the placer that commands have."""
    database = Database(f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / 'other.sqlite')}")
    made = Order(database, order.client, clock)
    own = OwnLists(database, made.ranking, lambda: said.append("missing"), made.monotonic)
    monkeypatch.setattr(made.placer, "_may_place", own.are_in_redis)
    return made


def test_a_command_places_nothing_on_the_lists_of_another_database(order, other, said):
    order.post("t")
    for thread in ("a", "b", "c"):
        other.post(thread)
        other.seconds += 2
    order.tick(2)
    assert (order.differences(), order.reconciler.repairs) == ([], 0)
    assert said == ["missing"], "not again for each thread"


def test_a_command_places_threads_once_the_lists_of_its_database_are_built(order, other):
    """The database of a running import begins to be served, or another database does."""
    other.post("a")
    other.tick()
    other.post("b")
    assert other.differences() == []
    order.tick()
    other.seconds += 2
    other.post("c")
    assert order.differences() == []


def test_a_command_leaves_threads_to_the_reconciler_where_redis_holds_no_lists(order, other, said):
    order.client.flushall()
    other.post("a")
    assert (order.client.keys("*"), said) == ([], ["missing"])
    other.tick()
    assert other.differences() == []
