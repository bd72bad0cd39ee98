"""Explains a thread's place on a list: the rule, the fact it orders by, and the rank."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db.conditions import subjects
from dashboard.db.database import Database
from dashboard.db.hours import due_times
from dashboard.db.lists import entries, named_lists
from dashboard.db.lists.named_lists import ListName, NamedList
from dashboard.db.threads import threads
from dashboard.errors import NotFound
from scoring.ranking import Ranking
from scoring.sorts import BUILT_IN

#: A time's name on the wire, if the code has another one; the wire's is older.
_WIRE_NAMES = {"first_request_at": "first_call_at"}
#: The name of a rule without a condition; a saved rule is named by its condition.
_OTHERS = "others"


class Explainer:
    """Ranks come from Redis, as in the lists; from SQL while Redis is away."""

    def __init__(self, database: Database, ranking: Ranking, clock: Callable[[], int]):
        """`clock` gives milliseconds since 1970."""
        self._database = database
        self._ranking = ranking
        self._clock = clock

    def explain(self, thread_id: int, name: ListName, admin_id: int) -> dict[str, Any]:
        """Explains the place. `rank` counts from 0; None if the thread is not on the list.

        Raises NotFound for an unknown thread, and the errors of `named_lists.find`.
        """
        now = self._clock()
        with self._database.read() as connection:
            found = subjects(connection, [thread_id])
            if thread_id not in found:
                raise NotFound("There is no such thread.")
            if name.is_built_in:
                sort = BUILT_IN[name.sort]
                rank, total = self._rank(connection, thread_id, name)
            else:
                named = named_lists.find(connection, name, admin_id)
                sort = named.query_list.order
                rank, total = self._rank_of_query(connection, thread_id, named, now)
            due = due_times.explained(connection, found[thread_id], now)
        explanation = sort.explain(found[thread_id], now)
        shown = {
            "fact": _WIRE_NAMES.get(explanation.fact, explanation.fact),
            "rule": explanation.rule or _OTHERS,
        }
        return asdict(explanation) | shown | {"rank": rank, "total": total, "due": due}

    def _rank(
        self, connection: Connection, thread_id: int, name: ListName
    ) -> tuple[int | None, int]:
        try:
            return self._ranking.rank(name.list_id, name.sort, thread_id)
        except RedisError:
            view = name.list_id
            rank = threads.rank(connection, view, "all", 0, name.sort, thread_id)
            return rank, threads.total(connection, view, "all", None)

    def _rank_of_query(
        self, connection: Connection, thread_id: int, named: NamedList, now: int
    ) -> tuple[int | None, int]:
        """Returns rank and total. A list that nobody looks at is counted in SQL."""
        query_list = named.query_list
        if named.epoch is not None:
            with suppress(RedisError):
                return self._ranking.rank(query_list.id, query_list.sort, thread_id)
        rank = entries.rank(connection, query_list, now, thread_id)
        return rank, entries.total(connection, query_list, now)
