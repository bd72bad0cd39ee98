"""The versions of saved sorts by which lists of queries are ordered."""

from collections.abc import Mapping

from sqlalchemy import Connection

from dashboard.db.lists import sorts
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import Sort
from scoring.sorts import BUILT_IN


class Orders:
    """What sorts say, each version of one resolved once for each time zone."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._versions: Mapping[int, Sort] | None = None
        self._found: dict[tuple[int, str], ResolvedSort] = {}

    def of(self, name: str, timezone: str, sort_id: int | None) -> ResolvedSort:
        """What a sort says in this version of it, None: a built-in one. Raises QueryError."""
        if sort_id is None:
            return BUILT_IN[name]
        if self._versions is None:
            self._versions = sorts.versions(self._connection)
        key = sort_id, timezone
        if key not in self._found:
            sort = self._versions[sort_id]
            self._found[key] = sorts.resolved(self._connection, sort, timezone)
        return self._found[key]
