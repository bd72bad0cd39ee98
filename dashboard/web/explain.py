"""Explains a thread's place on a list: the rule, the fact it goes by, and the rank."""

from dataclasses import asdict
from typing import Any

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.errors import NotFound
from dashboard.store import standing, threads
from dashboard.store.database import Database
from scoring.pages import tag
from scoring.ranking import Ranking
from scoring.sorts import SORTS


class Explainer:
    """The rank is that of Redis, which the lists show; of SQL while Redis is away."""

    def __init__(self, database: Database, ranking: Ranking):
        self._database = database
        self._ranking = ranking

    def explain(
        self, thread_id: int, page: str, filter: str, sort: str, admin_id: int
    ) -> dict[str, Any]:
        """`rank` counts from 0 and is None where the thread is not on the list.

        Raises NotFound for an unknown thread.
        """
        with self._database.read() as connection:
            facts = standing.facts(connection, thread_id)
            if facts is None:
                raise NotFound("There is no such thread.")
            rank, total = self._rank(connection, thread_id, page, filter, sort, admin_id)
        return asdict(SORTS[sort].explain(facts)) | {"rank": rank, "total": total}

    def _rank(
        self,
        connection: Connection,
        thread_id: int,
        page: str,
        filter: str,
        sort: str,
        admin_id: int,
    ) -> tuple[int | None, int]:
        try:
            return self._ranking.rank(tag(page, filter, admin_id), sort, thread_id)
        except RedisError:
            rank = standing.rank(connection, page, filter, admin_id, sort, thread_id)
            return rank, threads.total(connection, page, filter, admin_id)
