"""Lists of queries over an order, for tests of single conditions."""

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
        """Checks that a rebuild gives the same lists."""
        before = {query: self.of(query) for query in self.ids}
        assert self.order.differences() == []
        self.order.client.flushall()
        self.order.tick(5)
        assert {query: self.of(query) for query in self.ids} == before
