"""The SQL of the recipe and of polling: threads with their facts, and messages."""

import sqlite3
from collections.abc import Collection, Iterable
from typing import Any

from bench.dataset import Thread
from scoring.facts import Facts, ThreadEvent, advance
from scoring.sorts import SORTS, scores

_KEPT: tuple[str, ...] = ("first_event_at", "last_client_at", "last_admin_at", "closed_at")
_KEPT += ("first_request_at", "unanswered_since", "unanswered", "member_status")
_KEPT += ("api_answered_at", "api_closed_at", "closed")
_SCORES = tuple(f"score_{sort}" for sort in SORTS)
_COLUMNS = ("id", *_KEPT, "preview", "waiting", *_SCORES)
_WHERE = {
    "arrival": "closed = 0",
    "not_respond": "closed = 0 AND waiting = 1",
    "history": "closed = 1",
}


class Store:
    """Stores events. Commits are as durable as Lineup's: WAL, and on disk before the answer."""

    def __init__(self, path: str):
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "cache_size=-65536"):
            self._connection.execute(f"PRAGMA {pragma}")
        columns = ", ".join(f"{name} INTEGER" for name in (*_KEPT, "waiting", *_SCORES))
        self._connection.executescript(
            f"CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, preview TEXT, {columns});"
            "CREATE TABLE IF NOT EXISTS messages"
            " (id TEXT PRIMARY KEY, thread TEXT, role TEXT, body TEXT, at INTEGER);"
            + "".join(
                f"CREATE INDEX IF NOT EXISTS by_{sort} ON threads (closed, score_{sort}, id);"
                for sort in SORTS
            )
        )

    def fill(self, found: Iterable[Thread]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany(
            _INSERT, (_row(each.name, each.facts, f"Customer {each.number}") for each in found)
        )
        self._connection.execute("COMMIT")

    def record(self, event: dict[str, Any], at: int) -> tuple[Facts, Facts]:
        """Stores a client's message; returns the thread's facts before and after."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.execute(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?)",
                (event["id"], event["thread"], event["role"], event["body"], at),
            )
            before = self._facts(event["thread"])
            after = advance(before, [ThreadEvent("client", at)]).facts
            after = after._replace(member_status=before.member_status)
            self._connection.execute(_INSERT, _row(event["thread"], after, event["body"][:140]))
        finally:
            self._connection.execute("COMMIT")
        return before, after

    def facts(self) -> Iterable[tuple[str, Facts]]:
        """Returns all threads."""
        names = ", ".join(_KEPT)
        for id, *values in self._connection.execute(f"SELECT id, {names} FROM threads"):
            yield id, Facts(**dict(zip(_KEPT, values, strict=True)))

    def listed(self, view: str, sort: str, limit: int) -> list[tuple[str, str, int]]:
        """Returns (id, preview, last_client_at) from the head of a list, in Lineup's order."""
        return self._connection.execute(
            f"SELECT id, preview, last_client_at FROM threads WHERE {_WHERE[view]}"
            f" ORDER BY score_{sort}, id LIMIT ?",
            (limit,),
        ).fetchall()

    def previews(self, ids: Collection[str]) -> dict[str, str]:
        marks = ", ".join("?" * len(ids))
        found = self._connection.execute(
            f"SELECT id, preview FROM threads WHERE id IN ({marks})", list(ids)
        )
        return dict(found.fetchall())

    def _facts(self, id: str) -> Facts:
        found = self._connection.execute(
            f"SELECT {', '.join(_KEPT)} FROM threads WHERE id = ?", (id,)
        ).fetchone()
        return Facts(**dict(zip(_KEPT, found, strict=True))) if found else Facts()


_INSERT = (
    f"INSERT OR REPLACE INTO threads ({', '.join(_COLUMNS)})"
    f" VALUES ({', '.join('?' * len(_COLUMNS))})"
)


def _row(id: str, facts: Facts, preview: str) -> tuple[Any, ...]:
    kept = tuple(getattr(facts, name) for name in _KEPT)
    waiting = facts.waiting_since is not None
    return (id, *kept, preview, int(waiting), *scores(facts))
