"""Admins snooze threads, and wake them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.threads import events, thread_states
from dashboard.db.threads.thread_state import ThreadState
from dashboard.errors import Problem
from dashboard.ingest import acting, outgoing
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.snooze.marks import Marks, Wake, kept, marks_of, set_marks
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement

#: How long a thread may be snoozed.
YEARS_MAX = 5
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

Placements = Sequence[Placement]


class Snoozing:
    """Each method is one write transaction and returns (id of the act, placements of its thread).

    The id is None where nothing was to be done. Both raise NotFound for an unknown thread, and
    StorageUnavailable with nothing stored. `clock` gives milliseconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def check_until(self, until: int) -> None:
        """Raises Invalid for a moment that is not ahead, or is beyond five years."""
        now = self._clock()
        if until <= now:
            raise field_error("/until", "until_in_the_past", "is not in the future")
        if until > _latest(now):
            detail = f"is more than {YEARS_MAX} years away"
            raise field_error("/until", "until_too_far", detail)

    def snooze(
        self, admin: Admin, thread_id: int, until: int, wake: Wake
    ) -> tuple[int | None, Placements]:
        """Snoozes an open thread until a moment in ms; one that is snoozed gets the new one.

        With `reply` the customer's next message wakes it, too. Raises Invalid as `check_until`,
        and Problem (409, `thread_closed`).
        """
        self.check_until(until)

        def change(connection: Connection, state: ThreadState, now: int) -> int | None:
            if state.facts.closed:
                raise Problem(409, "thread_closed", "A closed thread cannot be snoozed.")
            before = marks_of(state)
            wanted = Marks(until, now, admin.id, wake)
            if before == wanted._replace(snoozed_at=before.snoozed_at):
                return None
            act_id = self._add(
                connection, admin, state, "thread.snoozed", now, {"until": until, "wake": wake}
            )
            set_marks(state, wanted)
            return act_id

        return self._change(admin, thread_id, change)

    def wake(self, admin: Admin, thread_id: int) -> tuple[int | None, Placements]:
        """Wakes a snoozed thread; any other one stays as it is."""

        def change(connection: Connection, state: ThreadState, now: int) -> int | None:
            if not state.facts.snoozed:
                return None
            data = {"reason": "admin"}
            act_id = self._add(connection, admin, state, "thread.woken", now, data)
            set_marks(state, marks_of(state).woken("admin", now))
            return act_id

        return self._change(admin, thread_id, change)

    def _change(
        self,
        admin: Admin,
        thread_id: int,
        change: Callable[[Connection, ThreadState, int], int | None],
    ) -> tuple[int | None, Placements]:
        now = self._clock()

        def write(connection: Connection) -> tuple[int | None, Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            act_id = change(connection, state, now)
            return act_id, thread_states.save(connection, [state], now)

        return self._database.write(write)

    def _add(
        self,
        connection: Connection,
        admin: Admin,
        state: ThreadState,
        type: str,
        now: int,
        data: Mapping[str, Any],
    ) -> int:
        """Writes the act, with what is there before it and the last event that was stored: whoever
        undoes it must know what came in since."""
        last_id = events.last_id(connection, state.id)
        return outgoing.add_event(
            connection, admin, state, type, now, data, last_event=last_id, **kept(state)
        )


def _latest(now: int) -> int:
    """The same day and time in five years, in UTC; 1 March for 29 February."""
    at = _BEGINNING + timedelta(milliseconds=now)
    year = at.year + YEARS_MAX
    try:
        then = at.replace(year=year)
    except ValueError:
        then = at.replace(year=year, month=3, day=1)
    return now + (then - at) // timedelta(milliseconds=1)
