"""Tags move threads on the lists that ask for them, at once and in one step."""

import pytest

from dashboard.db.lists import entries, query_lists, sorts
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.ingest.actions import Admin
from dashboard.ingest.tagging import TagNames
from scoring.sorting.rules import Rule, Sort
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order

VIPS_FIRST = (Rule("tag:vip", "recent_at", "newest"), Rule("", "recent_at", "newest"))


class Lists:
    """Lists of queries over an order, as Redis has them; each is compared with SQL."""

    def __init__(self, order: Order):
        self.order = order
        id = new_admin(order.database, "Mai", "supervisor")
        self.mai = Admin(id, "Mai", "supervisor")
        first = Sort("vips_first", VIPS_FIRST, "VIPs first")
        order.database.write(lambda connection: sorts.create(connection, first, id, 1))
        self.ids: dict[str, str] = {}

    def keep(self, query: str, sort: str = "arrival") -> None:
        listed = ListedQuery(query, sort, "UTC", self.mai.id)
        self.ids[query], _ = self.order.database.write(
            lambda connection: query_lists.keep(connection, listed)
        )
        self.order.tick(3)

    def of(self, query: str) -> list[int]:
        id, now = self.ids[query], self.order.clock()
        with self.order.database.read() as connection:
            each = query_lists.current(connection).lists[id]
            in_sql = entries.entries(connection, each, now, 100)
        head = self.order.ranking.head(id, each.sort, 100)
        assert head.entries == in_sql
        return [entry.id for entry in head.entries]

    def versions(self) -> dict[str, int]:
        states = self.order.ranking.states(self.ids.values())
        return {query: states[id].version for query, id in self.ids.items()}

    def tag(self, thread: int, add=(), remove=()) -> None:
        self.order.clock.advance(1)
        tagging = self.order.services.tagging
        self.order.ingest.act(tagging.change, self.mai, thread, TagNames([*add], [*remove]))

    def agree(self) -> None:
        """A rebuild gives what is there."""
        before = {query: self.of(query) for query in self.ids}
        assert self.order.differences() == []
        self.order.client.flushall()
        self.order.tick(5)
        assert {query: self.of(query) for query in self.ids} == before


@pytest.fixture
def lists(database, client, clock) -> Lists:
    order = Order(database, client, clock)
    order.tick()
    for thread in ("t-1", "t-2", "t-3"):
        order.post(thread)
    return Lists(order)


def test_a_thread_enters_and_leaves_the_lists_of_its_tags(lists):
    for query in ("tag:vip", "tag:none", "-tag:spam", "tag:spam,vip is:open", "is:open"):
        lists.keep(query)
    assert (lists.of("tag:vip"), lists.of("tag:none")) == ([], [3, 2, 1])
    before = lists.versions()
    lists.order.event(type="thread.tags", thread="t-2", add=["vip"])
    assert (lists.of("tag:vip"), lists.of("tag:none")) == ([2], [3, 1])
    after = lists.versions()
    changed = {query: after[query] - before[query] for query in after}
    assert {query for query, steps in changed.items() if steps} >= {"tag:vip", "tag:none"}
    assert set(changed.values()) <= {0, 1}, "one step of each list"
    lists.tag(2, ["spam"], ["vip"])
    assert (lists.of("tag:vip"), lists.of("-tag:spam")) == ([], [3, 1])
    assert lists.of("tag:spam,vip is:open") == [2]
    lists.tag(2, remove=["spam"])
    assert (lists.of("-tag:spam"), lists.of("tag:none")) == ([3, 2, 1], [3, 2, 1])
    lists.agree()


def test_a_sort_whose_rules_ask_for_tags_moves_the_thread(lists):
    lists.keep("is:open", "vips_first")
    assert lists.of("is:open") == [3, 2, 1]
    lists.order.event(type="thread.tags", thread="t-1", add=["vip"])
    assert lists.of("is:open") == [1, 3, 2]
    lists.tag(2, ["vip"])
    assert lists.of("is:open") == [2, 1, 3]
    lists.tag(1, ["refund"], ["vip"])
    assert lists.of("is:open") == [2, 3, 1]
    lists.agree()


def test_what_redis_lost_meanwhile_is_repaired(lists):
    lists.keep("tag:vip")
    lists.order.placer.place = lambda placements: None
    lists.tag(1, ["vip"])
    del lists.order.placer.place
    assert lists.order.ranking.head(lists.ids["tag:vip"], "arrival", 5).entries == []
    lists.order.tick(4)
    assert lists.of("tag:vip") == [1]
    lists.agree()
