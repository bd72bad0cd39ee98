"""What moments do to threads: a snooze ends, and the chatbot is told that a thread is late."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection

from dashboard.db.hours.due_times import DueTimes
from dashboard.db.threads.thread_state import ThreadState
from dashboard.event_types import DUE
from dashboard.ingest import outgoing
from dashboard.ingest.snooze.following import wake
from scoring.hours.policies import Promise


def take_effect(connection: Connection, states: Collection[ThreadState], now: int) -> None:
    """Does to locked threads what was to happen by `now` (ms), and has not yet; saves nothing.

    Of several processes one gets each thread: the others find nothing to do. (W3, W21, W24)
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
    """What was promised to be done by now, if anything."""
    due_at = state.facts.due_at
    if due_at is not None and due_at <= now and due_times.are_of_today(state):
        # What counted at that moment: by now it may be another policy, whose time is to come.
        promise = due_times.promise(state, due_at)
        if promise is not None and promise.due_at <= now:
            return promise
    promise = due_times.promise(state, state.moment(now))
    return promise if promise is not None and promise.due_at <= now else None


def _json(state: ThreadState, promise: Promise) -> dict[str, Any]:
    return {
        "due_at": promise.due_at,
        "waiting_since": state.facts.waiting_since,
        "policy": promise.policy.name,
        "target": promise.target,
    }
