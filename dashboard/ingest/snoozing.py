"""Snoozes threads, wakes them, and undoes both."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from dashboard.db.database import Database
from dashboard.db.policies import DueTimes
from dashboard.db.threads import conversations, events
from dashboard.db.threads.conversations import Act
from dashboard.db.threads.thread_states import ThreadState, Wake
from dashboard.errors import Problem
from dashboard.event_types import DUE, REOPENED, SNOOZED, WOKEN, OutgoingType
from dashboard.ingest import acting, outgoing
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.saving import save
from dashboard.ingest.snoozes import NONE, Snooze, kept, kept_in, set_snooze, snooze_of, wake
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement
from scoring.policies import Promise


def take_effect(connection: Connection, states: Collection[ThreadState], now: int) -> None:
    """Applies changes due by `now` (ms) to locked threads; saves nothing.

    One of several processes changes each thread; the others find nothing to do. (W3, W21, W24)
    """
    due_times = DueTimes.of(connection, states)
    for state in states:
        facts = state.facts
        if facts.snoozed and facts.snoozed_until is not None and facts.snoozed_until <= now:
            wake(connection, state, "time", now, at=facts.snoozed_until)
        if state.columns.due_told_for != facts.waiting_since:
            promise = _broken(due_times, state, now)
            if promise is not None:
                state.columns.due_told_for = facts.waiting_since
                outgoing.add_event(connection, None, state, DUE, now, _json(state, promise))


def _broken(due_times: DueTimes, state: ThreadState, now: int) -> Promise | None:
    """Returns the promise that is broken by now, if any."""
    due_at = state.facts.due_at
    if due_at is not None and due_at <= now and due_times.are_of_today(state):
        # The policy that applied when the thread fell due: another, later one may apply by now.
        promise = due_times.promise(state, due_at)
        if promise is not None and promise.due_at <= now:
            return promise
    promise = due_times.promise(state, state.moment(now))
    return promise if promise is not None and promise.due_at <= now else None


def _json(state: ThreadState, promise: Promise) -> dict[str, object]:
    return {
        "due_at": promise.due_at,
        "waiting_since": state.facts.waiting_since,
        "policy": promise.policy.name,
        "target": promise.target,
    }


#: A thread may be snoozed for this long.
YEARS_MAX = 5
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

Placements = Sequence[Placement]


class Snoozing:
    """Each method is one write transaction and returns (id of the act, placements of its thread).

    The id is None if nothing had to be done. Both raise NotFound for an unknown thread, and
    StorageUnavailable with nothing stored. `clock` gives milliseconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def check_until(self, until: int) -> None:
        """Raises Invalid for a moment that is not in the future, or beyond five years."""
        now = self._clock()
        if until <= now:
            raise field_error("/until", "until_in_the_past", "is not in the future")
        if until > _latest(now):
            detail = f"is more than {YEARS_MAX} years away"
            raise field_error("/until", "until_too_far", detail)

    def snooze(
        self, admin: Admin, thread_id: int, until: int, wake: Wake
    ) -> tuple[int | None, Placements]:
        """Snoozes an open thread until a moment in ms; a snoozed one gets the new moment.

        With `reply` the customer's next message wakes it, too. Raises Invalid as `check_until`, and
        Problem (409, `thread_closed`).
        """
        self.check_until(until)

        def change(connection: Connection, state: ThreadState, now: int) -> int | None:
            if state.facts.closed:
                raise Problem(409, "thread_closed", "A closed thread cannot be snoozed.")
            before = snooze_of(state)
            snooze = Snooze(until, now, admin.id, wake)
            if before == snooze._replace(snoozed_at=before.snoozed_at):
                return None
            data = {"until": until, "wake": wake}
            act_id = self._add(connection, admin, state, SNOOZED, now, data)
            set_snooze(state, snooze)
            return act_id

        return self._change(admin, thread_id, change)

    def wake(self, admin: Admin, thread_id: int) -> tuple[int | None, Placements]:
        """Wakes a snoozed thread; any other one stays as it is."""

        def change(connection: Connection, state: ThreadState, now: int) -> int | None:
            if not state.facts.snoozed:
                return None
            data = {"reason": "admin"}
            act_id = self._add(connection, admin, state, WOKEN, now, data)
            set_snooze(state, snooze_of(state).woken("admin", now))
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
            return act_id, save(connection, [state], now)

        return self._database.write(write)

    def _add(
        self,
        connection: Connection,
        admin: Admin,
        state: ThreadState,
        type: OutgoingType,
        now: int,
        data: Mapping[str, Any],
    ) -> int:
        """Writes the act, with the snooze before it and the last stored event: undoing the act
        depends on later events."""
        last_id = events.last_id(connection, state.id)
        return outgoing.add_event(
            connection, admin, state, type, now, data, last_event=last_id, **kept(state)
        )


def reverse(connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int) -> None:
    """Reverses a snooze or a wake; the caller saves the thread."""
    before, snooze = snooze_of(state), _without(connection, state, act, now)
    set_snooze(state, snooze)
    if snooze.snoozed_until is not None and snooze[:4] != before[:4]:
        until = {"until": snooze.snoozed_until, "wake": snooze.wake}
        outgoing.add_event(connection, admin, state, SNOOZED, now, until, undoes=act.id)
    elif snooze.snoozed_until is None and before.snoozed_until is not None:
        reason = {"reason": "admin"}
        outgoing.add_event(connection, admin, state, WOKEN, now, reason, undoes=act.id)
    else:
        # The thread is already in the wanted state; the act records the undoing.
        conversations.add_act(
            connection, state.id, now, act.type, admin.id, None, {"undoes": act.id}
        )
        state.row_changed = True


def bring_back(state: ThreadState, act: Act) -> bool:
    """Restores the snooze that an undone close or reopen removed. Returns whether there was one.

    A close removes an ended snooze, a reopening the snooze that the close had left. A snooze that
    was set or ended since stays. The caller saves the thread.
    """
    snooze = kept_in(act.data)
    if snooze == NONE or snooze_of(state) != NONE:
        return False
    # A close leaves the snooze. If that is gone, the close was undone, or a reopening ended it.
    if (snooze.snoozed_until is not None) != state.facts.closed:
        return False
    set_snooze(state, snooze)
    return True


def _latest(now: int) -> int:
    """Returns the same day and time in five years, in UTC; 1 March for 29 February."""
    at = _BEGINNING + timedelta(milliseconds=now)
    year = at.year + YEARS_MAX
    try:
        then = at.replace(year=year)
    except ValueError:
        then = at.replace(year=year, month=3, day=1)
    return now + (then - at) // timedelta(milliseconds=1)


def _without(connection: Connection, state: ThreadState, act: Act, now: int) -> Snooze:
    """Returns the snooze that the thread would have without an act."""
    snooze = kept_in(act.data)
    if snooze.snoozed_until is not None and snooze.snoozed_until <= now:
        return NONE
    since = conversations.acts_after(connection, state.id, act.id)
    if any(later.type == REOPENED.name and "undoes" not in later.data for later in since):
        return NONE
    arrived = events.arrived_after(connection, state.id, act.data["last_event"])
    if (
        arrived.called_at is not None
        and snooze.snoozed_until is not None
        and snooze.wake == "reply"
    ):
        snooze = snooze.woken("reply", arrived.called_at)
    if state.facts.closed or arrived.is_answered:
        snooze = snooze.seen_to()
    return snooze
