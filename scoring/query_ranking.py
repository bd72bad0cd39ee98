"""What the lists of queries have in common: which of them changed, how long they are, their end;
and which revisions they and views hold."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from lua_scripts.runner import LuaCall, text_of
from lua_scripts.servers import Client
from scoring.keys import Keys, member, sort_of
from scoring.placing import keys_of_query
from scoring.server_life import LifeUnknown, ServerLife
from scoring.unlisted import UnlistedChanges, unlisted_since
from scoring.views import VIEWS


class QueryTotals(NamedTuple):
    """The lengths of lists at one moment, by list id.

    `number` is that of the last call that changed a list; `is_whole`: lists may have changed that
    are not among them, because Redis has lost data.
    """

    number: int
    totals: dict[str, int]
    is_whole: bool


class QueryRanking:
    """All lists of queries lie on one node, so that one call reads many of them."""

    def __init__(self, client: Client, keys: Keys, life: ServerLife):
        self.keys = keys
        self._client = client
        self._life = life

    def last_changes(self, list_ids: Sequence[str]) -> dict[str, int | None]:
        """The number of the call that last changed each list; None where none is known."""
        if not list_ids:
            return {}
        found = self._client.zmscore(self.keys.touched, list(list_ids))
        return {
            list_id: None if number is None else int(number)
            for list_id, number in zip(list_ids, found, strict=True)
        }

    def query_totals(self, since: int) -> QueryTotals:
        """The lengths of the lists that calls after number `since` changed; -1: of all lists.

        Lists that are lost, or are being built for the first time, are left out.
        """
        keys = [self.keys.touched, self.keys.query_calls]
        try:
            [answer] = self._life.run_all(
                [LuaCall("queries/totals", keys, [since, self.keys.of_queries])]
            )
        except LifeUnknown:
            return QueryTotals(0, {}, is_whole=False)
        number, names, totals = answer
        found = dict(zip(map(text_of, names), totals, strict=True))
        return QueryTotals(number, found, is_whole=number >= since)

    def unlisted_since(self, number: int | None) -> UnlistedChanges:
        """What has changed of threads on no view since a call of this number. Raises RedisError."""
        return unlisted_since(self._client, self.keys, number)

    def progress(self, list_id: str) -> float | None:
        """How far (0 to 1) the rebuild of a query's list is; None where there is none."""
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.exists(self.keys.lease(list_id))
            pipeline.hget(self.keys.next(list_id), "progress")
            is_under_way, progress = pipeline.execute()
        return float(progress or 0.0) if is_under_way else None

    def held_queries(self) -> set[str]:
        """The lists of queries of which Redis holds keys, needed or not."""
        return set(map(text_of, self._client.zrange(self.keys.touched, 0, -1)))

    def held_revisions(self, ids: Collection[int]) -> dict[int, float]:
        """Thread id to the latest revision that a view, or the lists of queries, hold of it.

        What is no number is left out, as it is where threads are placed.
        """
        names = [member(id) for id in ids]
        pipeline = self._client.pipeline(transaction=False)
        for key in (*map(self.keys.revisions, VIEWS), self.keys.query_revisions):
            pipeline.hmget(key, names)
        held: dict[int, float] = {}
        for found in pipeline.execute() if names else ():
            for id, value in zip(ids, found, strict=True):
                with suppress(ValueError):
                    revision = float(text_of(value or "").partition(":")[0])
                    held[id] = max(revision, held.get(id, revision))
        return held

    def forget_revisions_of_queries(self) -> None:
        """Forgets which revisions placed threads on lists of queries, which all of them share: no
        rebuild of them does."""
        self._client.unlink(self.keys.query_revisions, self.keys.query_left)

    def remove(self, list_ids: Iterable[str]) -> None:
        """Removes the lists of queries that nobody needs any more, half-built ones, too."""
        for list_id in list_ids:
            rest = [self.keys.next_sort(list_id, sort_of(list_id)), self.keys.lease(list_id)]
            rest.append(self.keys.next(list_id))
            self._client.unlink(*keys_of_query(self.keys.prefix, list_id), *rest)
            # Last: whoever dies before this leaves a name by which the rest is found.
            self._client.zrem(self.keys.touched, list_id)
