"""Walks the lists for chatbots: from Redis, and from SQL where Redis cannot tell."""

from collections.abc import Sequence
from typing import Any

from redis.exceptions import RedisError

from dashboard.errors import NotFound
from dashboard.store import threads
from dashboard.store.database import Database
from dashboard.web.cursors import cursor, place
from scoring.pages import PAGES, tag
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Entry, Head
from scoring.sorts import SORTS


class BotLists:
    """Pages through the desk's lists, all sources in one."""

    def __init__(self, database: Database, ranking: Ranking):
        self._database = database
        self._ranking = ranking

    def walk(self, page: str, sort: str, limit: int, after: str | None) -> dict[str, Any]:
        """Up to `limit` threads after a cursor, and the cursor that goes on.

        A cursor is a place in the order, not a count: who does not move is met exactly once.
        Raises NotFound for an unknown list and Invalid for a wrong cursor.
        """
        if page not in PAGES or sort not in SORTS:
            raise NotFound("There is no such list.")
        since = place(after, page, sort) if after is not None else None
        # One more than asked for tells whether there is more.
        head = self._head(page, sort, since, limit + 1)
        entries, more = head.entries[:limit], len(head.entries) > limit
        last = entries[-1] if more else None
        return {
            "page": page,
            "sort": sort,
            "epoch": head.epoch or None,
            "version": head.version,
            "total": head.total,
            "threads": self._named(entries),
            "next": cursor(page, sort, last.score, last.id) if last else None,
        }

    def _head(self, page: str, sort: str, since: tuple[int, int] | None, limit: int) -> Head:
        try:
            if since is None:
                return self._ranking.head(tag(page), sort, limit)
            return self._ranking.after(tag(page), sort, *since, limit)
        except (RedisError, RankingLost):
            with self._database.read() as connection:
                entries = threads.listed(connection, page, "all", None, sort, limit, since)
                total = threads.total(connection, page, "all", None)
            return Head(epoch="", version=0, total=total, entries=entries)

    def _named(self, entries: Sequence[Entry]) -> list[dict[str, Any]]:
        with self._database.read() as connection:
            names = threads.names(connection, [entry.id for entry in entries])
        return [
            {"id": id, "source": names[id].source, "thread": names[id].thread, "score": score}
            for id, score in entries
            if id in names
        ]
