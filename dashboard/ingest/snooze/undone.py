"""Undoes snoozes and wakes: the thread is as if the act had not been, with what came in since."""

from sqlalchemy import Connection

from dashboard.db.threads import acts, events
from dashboard.db.threads.acts import Act
from dashboard.db.threads.thread_state import ThreadState
from dashboard.ingest import outgoing
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.snooze.marks import NONE, Marks, kept_in, marks_of, set_marks

TYPES = ("thread.snoozed", "thread.woken")


def reverse(connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int) -> None:
    """Reverses a snooze or a wake; the caller saves the thread."""
    before, marks = marks_of(state), _without(connection, state, act, now)
    set_marks(state, marks)
    if marks.snoozed_until is not None and marks[:4] != before[:4]:
        until = {"until": marks.snoozed_until, "wake": marks.wake}
        outgoing.add_event(connection, admin, state, "thread.snoozed", now, until, undoes=act.id)
    elif marks.snoozed_until is None and before.snoozed_until is not None:
        reason = {"reason": "admin"}
        outgoing.add_event(connection, admin, state, "thread.woken", now, reason, undoes=act.id)
    else:
        # The thread is as wanted already; the act says that this was undone.
        acts.add(connection, state.id, now, act.type, admin.id, None, {"undoes": act.id})
        state.row_changed = True


def bring_back(state: ThreadState, act: Act) -> bool:
    """Brings back what a close or reopen that was undone has taken: whether there was any.

    A close took how a snooze ended, a reopening the snooze that the close had left. What was set
    since stays, and what has ended since. The caller saves the thread.
    """
    taken = kept_in(act.data)
    if taken == NONE or marks_of(state) != NONE:
        return False
    # A close leaves the snooze; where it is gone, it was undone, or another reopening ended it.
    if (taken.snoozed_until is not None) != state.facts.closed:
        return False
    set_marks(state, taken)
    return True


def _without(connection: Connection, state: ThreadState, act: Act, now: int) -> Marks:
    """The marks that the thread would have without an act."""
    marks = kept_in(act.data)
    if marks.snoozed_until is not None and marks.snoozed_until <= now:
        return NONE
    since = acts.after(connection, state.id, act.id)
    if any(each.type == "thread.reopened" and "undoes" not in each.data for each in since):
        return NONE
    arrived = events.arrived_after(connection, state.id, act.data["last_event"])
    if arrived.called_at is not None and marks.snoozed_until is not None and marks.wake == "reply":
        marks = marks.woken("reply", arrived.called_at)
    if state.facts.closed or arrived.is_answered:
        marks = marks.seen_to()
    return marks
