"""Who has a thread: taken, given back, and handed over to a colleague."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.database import Database
from dashboard.db.threads import thread_states
from dashboard.db.threads.thread_state import ThreadState
from dashboard.errors import Problem
from dashboard.ingest import acting, outgoing
from dashboard.ingest.outgoing import Admin, Assignee
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement


class HandOver(NamedTuple):
    """To whom a thread goes, None for nobody, with a note for whoever has it next."""

    admin_id: int | None
    note: str | None = None


class Assigning:
    """Hands threads over; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def hand_over(
        self, admin: Admin, thread_id: int, given: HandOver
    ) -> tuple[int | None, Sequence[Placement]]:
        """Assigns a thread to an admin, or to nobody: neither its place nor its wait changes.

        What a colleague has is handed over by that colleague and by supervisors. The note is a
        private message, stored with the act or not at all. Returns the id of the act, and the
        placements of the thread; where whoever gets it has it already, None, and no note is stored.
        Raises NotFound for an unknown thread, Invalid for an admin who takes no threads, Problem
        (409, `already_claimed`), StorageUnavailable with nothing stored.
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[int | None, Sequence[Placement]]:
            to = _receiver(connection, given.admin_id)
            state = acting.locked(connection, thread_id)
            check_may_give(connection, admin, state)
            if state.columns["assignee_id"] == given.admin_id:
                return None, []
            placements: list[Placement] = []
            if given.note is not None:
                placements += _write_note(connection, admin, state, given.note, now)
                state = acting.locked(connection, thread_id)
            act_id = assign(connection, admin, state, to, now)
            return act_id, [*placements, *thread_states.save(connection, [state], now)]

        return self._database.write(write)


def assign(
    connection: Connection, admin: Admin, state: ThreadState, to: Assignee | None, now: int
) -> int:
    """Assigns the thread to an admin, or unassigns it; the caller saves it.

    Returns the act's id.
    """
    before = None
    if state.columns["assignee_id"] is not None:
        held = admins.by_id(connection, state.columns["assignee_id"])
        name = held.name if held else ""
        before = {
            "id": state.columns["assignee_id"],
            "name": name,
            "assigned_at": state.columns["assigned_at"],
        }
    return outgoing.set_assignee(connection, admin, state, to, to and now, now, before=before)


def check_may_give(connection: Connection, admin: Admin, state: ThreadState) -> None:
    """Raises Problem (409) for a thread of a colleague; a supervisor may give anyone's away."""
    if admin.role != "supervisor":
        check_not_claimed_by_another(connection, admin, state)


def check_not_claimed_by_another(connection: Connection, admin: Admin, state: ThreadState) -> None:
    """Raises Problem (409) for a thread that an enabled colleague has."""
    assignee_id = state.columns["assignee_id"]
    if assignee_id is None or assignee_id == admin.id:
        return
    assignee = admins.by_id(connection, assignee_id)
    if assignee is not None and assignee.disabled_at is not None:
        return
    name = assignee.name if assignee else "Somebody"
    raise Problem(
        409,
        "already_claimed",
        f"{name} has this thread.",
        extra={
            "assignee": {"id": assignee_id, "name": name},
            "assigned_at": state.columns["assigned_at"],
        },
    )


def _receiver(connection: Connection, admin_id: int | None) -> admins.Admin | None:
    """The admin, who stays enabled until the transaction ends. Raises Invalid."""
    if admin_id is None:
        return None
    found = admins.lock(connection, admin_id)
    if found is None or found.disabled_at is not None:
        raise field_error("/admin_id", "unknown_value", "is nobody who takes threads")
    return found


def _write_note(
    connection: Connection, admin: Admin, state: ThreadState, body: str, now: int
) -> Sequence[Placement]:
    event = acting.new_act(admin, state, "message", now, role="admin", body=body, private=True)
    return acting.write(connection, state, acting.author(connection, admin), event, now).placements
