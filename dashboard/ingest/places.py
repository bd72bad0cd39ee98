"""Tells chatbots the places of their customers in line, as these change."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.outbox import outgoing
from dashboard.db.queues import news, standing
from dashboard.db.queues.news import Watch
from dashboard.db.queues.standing import NO_PLACE
from dashboard.db.threads import thread_states
from dashboard.errors import StorageUnavailable
from dashboard.event_types import POSITION
from dashboard.tasks import PeriodicTask, RunsTask

#: A chatbot is told of a thread's place at most once in this time.
TOLD_MS = 15_000
#: Interval of looking at places, and the same while nobody wants to know one.
READ_SECONDS, REST_SECONDS = 3.0, 15.0
#: Threads of which one transaction tells; other writes run in between.
AT_ONCE = 100


class PlaceNews(RunsTask):
    """Writes `thread.position` into the outbox for threads with chatbots that asked for it.

    Every process runs one; the lock of a thread keeps them apart. `on_told` starts deliveries.
    """

    def __init__(self, database: Database, clock: Callable[[], int], on_told: Callable[[], object]):
        self._database = database
        self._clock = clock
        self._on_told = on_told
        self._has_watches = False
        self._task = PeriodicTask(
            "telling places in line",
            self.turn,
            interval_seconds=lambda: READ_SECONDS if self._has_watches else REST_SECONDS,
            expected=(StorageUnavailable,),
        )

    def turn(self) -> int:
        """Tells all places that have changed; returns their number. Raises StorageUnavailable."""
        now = self._clock()
        with self._database.read() as connection:
            watches = news.watches(connection)
            self._has_watches = bool(watches)
            if not watches:
                return 0
            ids = [watch.thread_id for watch in watches]
            places = standing.places(connection, ids)
        today = {id: places[id].to_json() if id in places else NO_PLACE for id in ids}
        due = [watch.thread_id for watch in watches if _is_due(watch, today, now)]
        for first in range(0, len(due), AT_ONCE):
            some = due[first : first + AT_ONCE]
            self._database.write(partial(_tell, ids=some, today=today, now=now))
        if due:
            self._on_told()
        return len(due)


def _is_due(watch: Watch, today: dict[int, dict[str, Any]], now: int) -> bool:
    if watch.closed:
        return True
    is_news = _without_time(watch.told) != _without_time(today[watch.thread_id])
    return is_news and (watch.told_at is None or now - watch.told_at >= TOLD_MS)


def _without_time(told: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns a place without the expected time, which alone is no news; None: nothing told, which
    is as good as no place."""
    if told is None or told["queue"] is None:
        return None
    return {name: value for name, value in told.items() if name != "expected_seconds"}


def _tell(
    connection: Connection, ids: Sequence[int], today: dict[int, dict[str, Any]], now: int
) -> None:
    states = {state.id: state for state in thread_states.locked_by_id(connection, ids)}
    # Another process may have told it while this one waited for the lock.
    due = [watch for watch in news.watches(connection, ids) if _is_due(watch, today, now)]
    news.end_watches(connection, [watch.thread_id for watch in due if watch.closed])
    for watch in due:
        if watch.closed:
            continue
        state, place = states[watch.thread_id], today[watch.thread_id]
        data = {"thread_id": state.id, "by": None, **place}
        outgoing.add(connection, state.source_id, state.id, POSITION.name, now, data)
        news.set_told(connection, state.id, place, now)
