"""The snooze of a thread, and how it follows events and time; `snoozing` has the acts of admins."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.threads.thread_states import Reason, ThreadState, Wake
from dashboard.event_types import WOKEN
from dashboard.ingest import outgoing
from scoring.facts import ThreadEvent


class Snooze(NamedTuple):
    """The end, beginning and author of a snooze, or how the last snooze ended.

    Times in milliseconds. `snoozed_by_id` stays when the thread wakes, as long as `woken_at`.
    """

    snoozed_until: int | None = None
    snoozed_at: int | None = None
    snoozed_by_id: int | None = None
    wake: Wake | None = None
    woken_at: int | None = None
    woken_reason: Reason | None = None

    def woken(self, reason: Reason, at: int) -> "Snooze":
        """Returns the ended snooze."""
        return Snooze(snoozed_by_id=self.snoozed_by_id, woken_at=at, woken_reason=reason)

    def seen_to(self) -> "Snooze":
        """Returns the snooze after somebody has dealt with the thread: an ended one is dropped."""
        return NONE if self.snoozed_until is None else self


NONE = Snooze()


def snooze_of(state: ThreadState) -> Snooze:
    """Returns the snooze of a thread."""
    columns = state.columns
    return Snooze(
        state.facts.snoozed_until,
        columns.snoozed_at,
        columns.snoozed_by_id,
        columns.wake,
        columns.woken_at,
        columns.woken_reason,
    )


def set_snooze(state: ThreadState, snooze: Snooze) -> None:
    """Gives a thread this snooze; the caller saves it."""
    state.facts = state.facts._replace(snoozed_until=snooze.snoozed_until)
    columns = state.columns
    columns.snoozed_at = snooze.snoozed_at
    columns.snoozed_by_id = snooze.snoozed_by_id
    columns.wake = snooze.wake
    columns.woken_at = snooze.woken_at
    columns.woken_reason = snooze.woken_reason


def kept(state: ThreadState) -> dict[str, object]:
    """Returns the snooze as acts keep it, to restore it when the act is undone; empty for none."""
    snooze = snooze_of(state)
    return {} if snooze == NONE else {"marks": snooze._asdict()}


def kept_in(data: Mapping[str, Any]) -> Snooze:
    """Returns the snooze that an act has kept."""
    return Snooze(**data["marks"]) if "marks" in data else NONE


_CALLING = ("client", "handoff")


def follow(connection: Connection, states: Iterable[ThreadState], now: int) -> None:
    """Wakes folded threads on the customer's messages and on handoffs, and drops ended snoozes once
    somebody has dealt with the thread.

    A close keeps the snooze in case the close is undone; any other reopening ends the snooze. Saves
    nothing. (W4, W6, W7)
    """
    for state in states:
        # Most threads have none: nothing more is read.
        if state.facts.snoozed_until is not None or state.columns.woken_at is not None:
            _follow(connection, state, now)
        if state.columns.due_told_for is not None:
            _keep_told(state)


def wake(
    connection: Connection, state: ThreadState, reason: Reason, now: int, at: int | None = None
) -> None:
    """Ends the snooze of a thread, without an admin; the caller saves it.

    `at`: the time at which it ended, if that is before `now`.
    """
    set_snooze(state, snooze_of(state).woken(reason, now if at is None else at))
    outgoing.add_event(connection, None, state, WOKEN, now, {"reason": reason})


def _follow(connection: Connection, state: ThreadState, now: int) -> None:
    if state.facts.closed:
        set_snooze(state, snooze_of(state).seen_to())
    elif state.stored.closed:
        is_undone = any(event.undoes is not None for event in state.events)
        set_snooze(state, snooze_of(state) if is_undone else NONE)
    else:
        before = snooze_of(state)
        after = _after(before, state.events, now)
        if before.snoozed_until is not None and after.snoozed_until is None:
            wake(connection, state, "reply", now)
        set_snooze(state, after)


def _keep_told(state: ThreadState) -> None:
    """Keeps the mark of an announced wait if a late message moves the wait's beginning. (W24)"""
    told_for, since = state.columns.due_told_for, state.facts.waiting_since
    if told_for is None or since is None or told_for != state.stored.waiting_since:
        return
    if since < told_for:
        state.columns.due_told_for = since


def _after(snooze: Snooze, events: Iterable[ThreadEvent], now: int) -> Snooze:
    """Returns the snooze of an open thread after these events, in the order of their arrival."""
    for event in events:
        if event.kind in _CALLING and snooze.snoozed_until is not None and snooze.wake == "reply":
            snooze = snooze.woken("reply", now)
        elif event.kind == "admin":
            snooze = snooze.seen_to()
    return snooze
