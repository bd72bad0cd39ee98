"""Undoes acts of admins: the thread is as if the act had not happened."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import sees
from dashboard.db.database import Database
from dashboard.db.threads import conversations
from dashboard.db.threads.conversations import Act
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import NotFound, Problem
from dashboard.event_types import ACT_TYPES, DESK_CHANGED, EVENT_TYPES, PRIORITY_CHANGED, WOKEN
from dashboard.ingest import acting, assigning, outgoing, snoozing, tagging
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.saving import save
from scoring.placing import Placement

#: An act may be undone for this long. The page offers it for a minute after the answer to the last
#: part of a bulk act, which may have begun long before.
UNDO_MS = 60 * 60 * 1000
#: Causes of acts that follow from a customer's message or a handoff.
_BY_ITSELF = ("message", "handoff")
#: Maps the type of an act to the type of event that reverses it.
_REVERSING = {type.undoes.name: type for type in EVENT_TYPES.values() if type.undoes is not None}


class Undo:
    """Undoes acts of admins; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def undo(self, admin: Admin, act_id: int) -> tuple[int, Sequence[Placement]]:
        """Undoes one act of the admin; a second call changes nothing. Returns the thread's id.

        A close, a reopen or a change of tags that was undone counts as never made: the thread is as
        before, plus later events. Later acts are never overwritten. Raises NotFound for an id that
        is no act of this admin, Problem (409): `done_meanwhile` if the same value was set again
        since, `too_late` after `UNDO_MS`; Invalid if there is no room for restored tags;
        StorageUnavailable with nothing stored.
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[int, Sequence[Placement]]:
            act = conversations.one_act(connection, act_id)
            if act is None or act.admin_id != admin.id or "undoes" in act.data:
                raise NotFound("There is no such act of yours.")
            # An admin who moved a thread to a desk that is not their own may take it back.
            desks = None if act.type == DESK_CHANGED.name else admin.desks
            state = acting.locked(connection, act.thread_id, desks)
            try:
                is_undone = self._is_undone(connection, act)
            except Problem:
                if not sees(admin.desks, state.columns.desk):
                    raise NotFound("There is no such thread.") from None
                raise
            if is_undone:
                return act.thread_id, []
            if now - act.at > UNDO_MS:
                raise Problem(409, "too_late", "This was done too long ago to be undone.")
            return act.thread_id, _undo(connection, admin, state, act, now)

        return self._database.write(write, is_idempotent=True)

    def _is_undone(self, connection: Connection, act: Act) -> bool:
        """Whether the act was undone before. Raises Problem if its value was set again since.

        A later act that was undone, and its undoing, leave the value as the act has set it.
        """
        sets = ACT_TYPES[act.type].sets
        same = {type.name for type in ACT_TYPES.values() if type.sets == sets}
        since = conversations.acts_after(connection, act.thread_id, act.id)
        undone = {later.data.get("undoes") for later in since}
        if act.id in undone:
            return True
        reverted = undone & {later.id for later in since}
        for later in since:
            if later.id in reverted or later.data.get("undoes") in reverted:
                continue
            if (
                later.type in same
                and not _is_by_itself(later)
                and not tagging.is_about_others(act, later)
            ):
                by = {"id": later.admin_id, "name": later.admin_name} if later.admin_id else None
                detail = f"{later.admin_name or 'The chatbot'} has changed this since."
                raise Problem(409, "done_meanwhile", detail, extra={"by": by})
        return False


def _is_by_itself(act: Act) -> bool:
    """Whether the customer or time caused the act: then it replaces no decision of a person."""
    if act.type == WOKEN.name:
        return act.admin_id is None
    return act.data.get("cause") in _BY_ITSELF


def _undo(
    connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int
) -> Sequence[Placement]:
    now = state.act_at(now)
    sets = ACT_TYPES[act.type].sets
    if sets == "tags":
        return tagging.reverse(connection, admin, state, act, now)
    if act.type in _REVERSING:
        return _reverse(connection, admin, state, act, now)
    if sets == "snooze":
        snoozing.reverse(connection, admin, state, act, now)
    elif act.type == DESK_CHANGED.name:
        assigning.restore_desk(connection, admin, state, act, now)
    else:
        before = act.data.get("before")
        assigning.restore_assignee(connection, admin, state, before, now, undoes=act.id)
    return save(connection, [state], now)


def _reverse(
    connection: Connection, admin: Admin, state: ThreadState, act: Act, now: int
) -> Sequence[Placement]:
    event_type = _REVERSING[act.type]
    outgoing_type = event_type.outgoing
    assert outgoing_type is not None, "admins write it"
    author, data = acting.author(connection, admin), {}
    extra: dict[str, object] = {"undoes": act.id}
    if act.type == PRIORITY_CHANGED.name:
        data = {"priority": act.data["before"]}
        extra["before"] = state.facts.priority
    else:
        author = author._replace(undoes_id=act.event_id)
    event = acting.new_act(admin, state, event_type, now, data=data)
    placements = acting.write(connection, state, author, event, now).placements
    if outgoing.is_changed(connection, state):
        outgoing.add_event(connection, admin, state, outgoing_type, now, data, **extra)
    else:
        # The thread is already in the wanted state; the act records the undoing.
        conversations.add_act(connection, state.id, now, outgoing_type.name, admin.id, None, extra)
    return [*placements, *_bring_back(connection, act, now)]


def _bring_back(connection: Connection, act: Act, now: int) -> Sequence[Placement]:
    """Restores the snooze that an undone close or reopen had removed."""
    state = acting.locked(connection, act.thread_id, None)
    return save(connection, [state], now) if snoozing.bring_back(state, act) else []
