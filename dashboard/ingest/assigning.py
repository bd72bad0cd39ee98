"""Assigns threads to admins, and takes them back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts import admin_desks, admins
from dashboard.db.database import Database
from dashboard.db.queues.admins import is_over_capacity
from dashboard.db.threads.conversations import Act
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import Problem
from dashboard.event_types import MESSAGE
from dashboard.ingest import acting, outgoing
from dashboard.ingest.mentioning import mentioned_in, store
from dashboard.ingest.outgoing import Admin, Assignee
from dashboard.ingest.saving import save
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement


class HandOver(NamedTuple):
    """The new assignee of a thread (None: nobody), a note for the assignee, and the new desk (None:
    unchanged). `held_by`: only if the thread is assigned to this admin; None: in any case."""

    admin_id: int | None
    note: str | None = None
    desk: str | None = None
    held_by: int | None = None


class Assigning:
    """Hands threads over; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def hand_over(
        self, admin: Admin, thread_id: int, handover: HandOver
    ) -> tuple[int | None, Sequence[Placement]]:
        """Assigns a thread to an admin or to nobody, at its desk or at another one. The thread
        keeps its place and its wait.

        A colleague's thread is handed over by that colleague or by a supervisor. The note is a
        private message, stored with the act or not at all. Returns the id of the act, and the
        placements of the thread; the id is None, and no note is stored, if nothing would change.
        Raises NotFound for an unknown thread, Invalid for an admin who takes no threads or does not
        see the desk, and for an unknown desk, Problem (409, `already_claimed`, `done_meanwhile` if
        `held_by` lost it), StorageUnavailable with nothing stored.
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[int | None, Sequence[Placement]]:
            to = _receiver(connection, handover.admin_id)
            _check_desk(connection, handover.desk)
            state = acting.locked(connection, thread_id, admin.desks)
            check_may_give(connection, admin, state)
            _check_is_held(connection, state, handover.held_by)
            desk = handover.desk or state.columns.desk
            if to is not None and not admin_desks.is_seen_by(connection, desk, to.id, to.role):
                raise field_error("/admin_id", "unknown_value", f"sees no threads of {desk}")
            if (state.columns.assignee_id, state.columns.desk) == (handover.admin_id, desk):
                return None, []
            placements: list[Placement] = []
            if handover.note is not None:
                placements += _write_note(connection, admin, state, (handover.note, desk), now)
                state = acting.locked(connection, thread_id, admin.desks)
            act_id = _move(connection, admin, state, (to, desk), now)
            return act_id, [*placements, *save(connection, [state], now)]

        return self._database.write(write)


def assign(
    connection: Connection,
    admin: Admin,
    state: ThreadState,
    to: Assignee | None,
    now: int,
    desk: str | None = None,
) -> int:
    """Assigns the thread to an admin, or unassigns it; the caller saves it. The act says if the
    admin has more threads by it than queues would give. `desk`: the desk that it goes to.

    Returns the act's id.
    """
    before = _assignee_of(connection, state)
    data: Mapping[str, Any] = {}
    if to is None and desk not in (None, state.columns.desk):
        data = {"desk": desk}
    elif to and is_over_capacity(connection, to.id, state):
        data = {"over_capacity": True}
    at = to and now
    return outgoing.set_assignee(connection, admin, state, to, at, now, data, before=before)


def check_may_give(connection: Connection, admin: Admin, state: ThreadState) -> None:
    """Raises Problem (409) for a thread of a colleague; a supervisor may give anyone's away."""
    if admin.role != "supervisor":
        check_not_claimed_by_another(connection, admin, state)


def check_not_claimed_by_another(connection: Connection, admin: Admin, state: ThreadState) -> None:
    """Raises Problem (409) for a thread that an enabled colleague has."""
    assignee_id = state.columns.assignee_id
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
            "assigned_at": state.columns.assigned_at,
        },
    )


def restore_desk(
    connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int
) -> None:
    """Undoes a move of the thread to another desk; the caller saves it.

    Raises Problem as `restore_assignee`.
    """
    before = act.data["before"]
    assignee = before.get("assignee")
    if (assignee and assignee["id"]) != state.columns.assignee_id:
        restore_assignee(connection, admin, state, assignee, now, act.id, before["desk"])
    outgoing.set_desk(connection, admin, state, before["desk"], now, undoes=act.id)


def restore_assignee(
    connection: Connection,
    admin: Admin,
    state: ThreadState,
    before: Mapping[str, Any] | None,
    now: int,
    undoes: int,
    desk: str | None = None,
) -> None:
    """Gives the thread back to its assignee before an act, None for nobody; the caller saves it.

    `desk`: its desk after the undo; None: its desk now. Raises Problem (409, `done_meanwhile`) if
    the assignee can no longer have threads of this desk.
    """
    to = admins.by_id(connection, before["id"]) if before else None
    desk = desk or state.columns.desk
    if before and not (
        to is not None
        and to.disabled_at is None
        and admin_desks.is_seen_by(connection, desk, to.id, to.role)
    ):
        detail = f"{before['name']} can no longer have this thread."
        raise Problem(409, "done_meanwhile", detail, extra={"by": None})
    assigned_at = before["assigned_at"] if before else None
    # Nobody gave it back to the chatbot: it waits at its desk.
    data = {} if to else {"desk": desk}
    outgoing.set_assignee(connection, admin, state, to, assigned_at, now, data, undoes=undoes)


def _move(
    connection: Connection,
    admin: Admin,
    state: ThreadState,
    to: tuple[Assignee | None, str],
    now: int,
) -> int:
    """Sets the assignee and the desk if they differ; returns the id of the act to undo."""
    assignee, desk = to
    before = {"desk": state.columns.desk, "assignee": _assignee_of(connection, state)}
    act_id = 0
    if state.columns.assignee_id != (assignee and assignee.id):
        act_id = assign(connection, admin, state, assignee, now, desk)
    if state.columns.desk != desk:
        act_id = outgoing.set_desk(connection, admin, state, desk, now, before=before)
    return act_id


def _assignee_of(connection: Connection, state: ThreadState) -> dict[str, object] | None:
    """Returns the assignee and the time of the assignment, as acts keep them."""
    id = state.columns.assignee_id
    if id is None:
        return None
    admin = admins.by_id(connection, id)
    name = admin.name if admin else ""
    return {"id": id, "name": name, "assigned_at": state.columns.assigned_at}


def _check_is_held(connection: Connection, state: ThreadState, admin_id: int | None) -> None:
    """Raises Problem (409) if this admin no longer has the thread; None: does nothing."""
    if admin_id is None or state.columns.assignee_id == admin_id:
        return
    assignee = _assignee_of(connection, state)
    by = assignee and {"id": assignee["id"], "name": assignee["name"]}
    raise Problem(409, "done_meanwhile", "Another admin has this thread now.", extra={"by": by})


def _check_desk(connection: Connection, desk: str | None) -> None:
    if desk is not None and admin_desks.unknown(connection, [desk]):
        raise field_error("/desk", "unknown_value", "names a desk that does not exist")


def _receiver(connection: Connection, admin_id: int | None) -> admins.Admin | None:
    """Returns the admin, who stays enabled until the transaction ends. Raises Invalid."""
    if admin_id is None:
        return None
    admin = admins.lock(connection, admin_id)
    if admin is None or admin.disabled_at is not None:
        raise field_error("/admin_id", "unknown_value", "is not the id of an enabled admin")
    return admin


def _write_note(
    connection: Connection, admin: Admin, state: ThreadState, note: tuple[str, str], now: int
) -> Sequence[Placement]:
    """Writes a note, given with the desk to which the thread goes: those at it are mentioned."""
    body, desk = note
    mentions = mentioned_in(connection, admin, desk, body)
    now = state.act_at(now)
    event = acting.new_act(admin, state, MESSAGE, now, role="admin", body=body, private=True)
    result = acting.write(connection, state, acting.author(connection, admin), event, now)
    placements = store(connection, state.id, result.messages[0]["id"], mentions, now)
    return [*result.placements, *placements]
