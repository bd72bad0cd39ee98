"""What a thread that is being written says of its snooze, and of how the last one ended."""

from typing import Any, NamedTuple

from dashboard.db.threads.thread_state import Reason, ThreadState, Wake


class Marks(NamedTuple):
    """Until when a thread is snoozed, since when and by whom, or how its last snooze ended.

    Times in milliseconds. `snoozed_by_id` stays when the thread wakes, as long as `woken_at`.
    """

    snoozed_until: int | None = None
    snoozed_at: int | None = None
    snoozed_by_id: int | None = None
    wake: Wake | None = None
    woken_at: int | None = None
    woken_reason: Reason | None = None

    def woken(self, reason: Reason, at: int) -> "Marks":
        """The same once the snooze has ended."""
        return Marks(snoozed_by_id=self.snoozed_by_id, woken_at=at, woken_reason=reason)

    def seen_to(self) -> "Marks":
        """The same once somebody has dealt with the thread: a snooze stays."""
        return NONE if self.snoozed_until is None else self


NONE = Marks()


def marks_of(state: ThreadState) -> Marks:
    """The marks of a thread."""
    columns = state.columns
    return Marks(
        state.facts.snoozed_until,
        columns.snoozed_at,
        columns.snoozed_by_id,
        columns.wake,
        columns.woken_at,
        columns.woken_reason,
    )


def set_marks(state: ThreadState, marks: Marks) -> None:
    """Gives a thread these marks; the caller saves it."""
    state.facts = state.facts._replace(snoozed_until=marks.snoozed_until)
    columns = state.columns
    columns.snoozed_at = marks.snoozed_at
    columns.snoozed_by_id = marks.snoozed_by_id
    columns.wake = marks.wake
    columns.woken_at = marks.woken_at
    columns.woken_reason = marks.woken_reason


def kept(state: ThreadState) -> dict[str, Any]:
    """The marks as acts keep them, so that they come back when the act is undone; nothing where
    there are none."""
    marks = marks_of(state)
    return {} if marks == NONE else {"marks": marks._asdict()}


def kept_in(data: dict[str, Any]) -> Marks:
    """The marks that an act has kept."""
    return Marks(**data["marks"]) if "marks" in data else NONE
