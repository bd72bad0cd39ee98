"""The versions of saved sorts by which lists of queries are ordered."""

from collections.abc import Mapping

from sqlalchemy import Connection

from dashboard.db.lists import sorts
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import Sort
from scoring.sorts import BUILT_IN


class Orders:
    """What sorts say, each version of one resolved once."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._versions: Mapping[int, Sort] | None = None
        self._found: dict[int, ResolvedSort] = {}

    def of(self, name: str, sort_id: int | None) -> ResolvedSort:
        """What a sort says in this version of it, None: a built-in one. Raises QueryError."""
        if sort_id is None:
            return BUILT_IN[name]
        if self._versions is None:
            self._versions = sorts.versions(self._connection)
        if sort_id not in self._found:
            self._found[sort_id] = sorts.resolved(self._connection, self._versions[sort_id])
        return self._found[sort_id]
