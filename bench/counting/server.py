"""Saved views of a product that keeps no lists: throttled COUNT and SELECT.

Lineup's own recorder stores events; its own SQL reader and indexes evaluate the
conditions. After a change each view on a screen is selected again, at most every `--list-seconds`,
and each badge is counted again, only up to 99, at most every `--badge-seconds`.

    python -m bench.counting.server --port P --database PATH --views N --list-seconds S …
"""

# Comes before all other imports, because it changes what they import.
# ruff: noqa: E402
import warnings

warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
import eventlet

eventlet.monkey_patch()

import argparse
import time
from datetime import datetime
from typing import Any

from flask import Flask, request
from flask_socketio import SocketIO, join_room
from sqlalchemy import func, literal, select

from bench.dataset import SOURCE, fill
from bench.saved_views import SavedView, saved_views
from dashboard.db.accounts import sources
from dashboard.db.conditions import threads_of, where
from dashboard.db.database import Database
from dashboard.db.lists import entries
from dashboard.db.lists.query_lists import ListedQuery, QueryList, list_of
from dashboard.db.migrate import bring_to_head
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.schema import parse

HEAD = 50
#: The highest count of a badge, shown as “99+”.
COUNT_MAX = 100
TURN_SECONDS = 0.05

app = Flask("counting")
socketio = SocketIO(app, async_mode="eventlet", cors_allowed_origins="*")


class Counting:
    """Selects and counts views. `newest`: time of the newest stored message, for benches."""

    def __init__(self, database: Database, found: list[SavedView], pauses: tuple[float, float]):
        self._database = database
        self._list_seconds, self._badge_seconds = pauses
        self._recorder = Recorder(database, _now)
        self._source_id = database.write(
            lambda connection: sources.ensure(connection, SOURCE, _now())
        )
        with database.read() as connection:
            self._lists = [
                list_of(connection, ListedQuery(view.query, view.sort, "UTC")) for view in found
            ]
        self._selected_at = dict.fromkeys(range(len(found)), 0.0)
        self._counted_at = dict.fromkeys(range(len(found)), 0.0)
        self._changed_at = 0.0
        self.newest = 0
        self.badges: dict[int, int] = {}
        #: By list or badge: [newest event in it, when it was read (ns), whether it changed].
        self.reads: dict[str, list[list[int]]] = {}
        self._last: dict[str, Any] = {}
        self.open: set[int] = set()

    def take(self, event: dict[str, Any]) -> None:
        self._recorder.record(self._source_id, [parse(event)])
        at = int(datetime.fromisoformat(event["occurred_at"]).timestamp() * 1000)
        self.newest = max(self.newest, at)
        self._changed_at = time.monotonic()

    def run(self) -> None:
        """Updates views that are due. After an event any view may have changed."""
        while True:
            for number in sorted(self.open):
                if self._is_due(self._selected_at, number, self._list_seconds):
                    self.push(number)
            for number in range(len(self._lists)):
                if self._is_due(self._counted_at, number, self._badge_seconds):
                    self._count(number)
            socketio.sleep(TURN_SECONDS)

    def push(self, number: int) -> None:
        content: dict[str, Any] = {"at": self.newest, "view": number}
        with self._database.read() as connection:
            found = entries.entries(connection, self._lists[number], _now(), HEAD)
        content["threads"] = [entry.id for entry in found]
        socketio.emit("view", content, to=f"view:{number}")
        self._note(f"list {number}", content["at"], [(entry.score, entry.id) for entry in found])
        socketio.sleep(0)

    def wrong_badges(self) -> int:
        """Returns how many badges differ from a count made now."""
        return sum(
            self._counted(query_list) != self.badges.get(number)
            for number, query_list in enumerate(self._lists)
        )

    def _count(self, number: int) -> None:
        newest = self.newest
        counted = self._counted(self._lists[number])
        self._note(f"badge {number}", newest, counted)
        if self.badges.get(number) != counted:
            self.badges[number] = counted
            socketio.emit("badge", {"view": number, "total": counted})
        socketio.sleep(0)

    def _note(self, what: str, newest: int, found: Any) -> None:
        is_changed = self._last.get(what) != found
        self._last[what] = found
        self.reads.setdefault(what, []).append([newest, time.monotonic_ns(), int(is_changed)])

    def _counted(self, query_list: QueryList) -> int:
        held = where(query_list.resolved, _now())
        some = select(literal(1)).select_from(threads_of(query_list.resolved)).where(held)
        with self._database.read() as connection:
            limited = some.limit(COUNT_MAX).subquery()
            return connection.scalar(select(func.count()).select_from(limited)) or 0

    def _is_due(self, done_at: dict[int, float], number: int, pause_seconds: float) -> bool:
        now = time.monotonic()
        if self._changed_at < done_at[number] or now - done_at[number] < pause_seconds:
            return False
        done_at[number] = now
        return True


def _now() -> int:
    return time.time_ns() // 1_000_000


def routes(counting: Counting) -> None:
    @app.post("/api/v1/events")
    def post() -> tuple[dict[str, str], int]:
        event = request.get_json()
        counting.take(event)
        return {"status": "created", "id": event["id"]}, 201

    @app.get("/wrong-badges")
    def wrong_badges() -> dict[str, int]:
        return {"wrong": counting.wrong_badges(), "of": len(counting.badges)}

    @app.get("/read")
    def read() -> dict[str, list[list[int]]]:
        return counting.reads

    @socketio.on("open_view")
    def open_view(number: int) -> None:
        join_room(f"view:{number}")
        counting.open.add(number)
        counting.push(number)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--port", "--threads", "--newest-ms", "--views"):
        parser.add_argument(name, type=int, required=True)
    for name in ("--list-seconds", "--badge-seconds"):
        parser.add_argument(name, type=float, required=True)
    parser.add_argument("--database", required=True)
    args = parser.parse_args()
    database = Database(f"sqlite:///{args.database}")
    bring_to_head(database)
    database.write(lambda connection: sources.ensure(connection, SOURCE, _now()))
    fill(database.url, args.threads, args.newest_ms)
    found = saved_views(args.views)
    counting = Counting(database, found, (args.list_seconds, args.badge_seconds))
    routes(counting)
    eventlet.spawn(counting.run)
    socketio.run(app, "127.0.0.1", args.port, log_output=False)


if __name__ == "__main__":
    main()
