"""What admins do to a thread: events of the dashboard's own source, and claims."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.errors import NotFound, Problem
from dashboard.intake import way_out
from dashboard.intake.outcomes import Recorded
from dashboard.intake.record import write_once
from dashboard.intake.recording import Author, Recording
from dashboard.intake.schema import ParsedEvent, event
from dashboard.intake.way_out import Admin
from dashboard.store import admins, events, messages, sent_messages, sources, thread_states
from dashboard.store.database import Database
from dashboard.store.thread_states import ThreadState
from scoring.ranking import Placement

__all__ = ["Actions", "Admin", "Replied", "Reply"]

Placements = Sequence[Placement]


class Reply(NamedTuple):
    """An admin's message, public or a note.

    `token` is the browser's: the same one is the same message. `seen_message_id` is the newest
    message that the admin had seen; `confirm` sends whatever came after it.
    """

    body: str
    token: str
    private: bool = False
    seen_message_id: int | None = None
    confirm: bool = False


class Replied(NamedTuple):
    """The stored message, and whether it is new."""

    message: messages.Message
    created: bool


class Actions:
    """Each method does one thing in one write and gives (result, where its thread now belongs).

    All raise NotFound for an unknown thread and StorageUnavailable with nothing stored.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def reply(self, admin: Admin, thread_id: int, reply: Reply) -> tuple[Replied, Placements]:
        """Writes in a thread, closed or not. Raises Problem (409, `conversation_moved`)."""
        now = self._clock()

        def write(connection: Connection) -> tuple[Replied, Placements]:
            state = _locked(connection, thread_id)
            author = _author(connection, admin)
            said = _reply_event(admin, state, reply, now)
            known = events.known(connection, author.source_id, {said.id}).get(said.id)
            if known is not None:
                return Replied(_same(connection, known, said, reply, state), False), []
            if not reply.private and not reply.confirm:
                _check_nothing_came(connection, admin, thread_id, reply.seen_message_id or 0)
            recorded = _record(connection, state, author, said, now)
            message = recorded.messages[0]
            if not reply.private:
                message = way_out.send_out(connection, state, message, now)
            return Replied(message, True), recorded.placements

        return write_once(self._database, write)

    def close(self, admin: Admin, thread_id: int) -> tuple[None, Placements]:
        """Closes the thread; one that is closed stays as it is."""
        return self._write_event(admin, thread_id, "thread.close", "thread.closed", _is_open)

    def reopen(self, admin: Admin, thread_id: int) -> tuple[None, Placements]:
        """Undoes a close; an open thread stays as it is."""
        return self._write_event(
            admin,
            thread_id,
            "thread.reopen",
            "thread.reopened",
            lambda state: not _is_open(state),
        )

    def set_priority(self, admin: Admin, thread_id: int, priority: str) -> tuple[None, Placements]:
        """Says how urgent the thread is."""
        return self._write_event(
            admin,
            thread_id,
            "thread.priority",
            "thread.priority_changed",
            lambda state: True,
            data={"priority": priority},
        )

    def send_again(
        self, admin: Admin, thread_id: int, message_id: int
    ) -> tuple[messages.Message, Placements]:
        """Tries once more to bring a message to the customer.

        What the chatbot never got goes to it again; what it could not hand on is told it anew.
        Raises NotFound for a message that does not go out, Problem (409) for one that is there.
        """
        now = self._clock()

        def write(connection: Connection) -> messages.Message:
            state = _locked(connection, thread_id)
            stage = sent_messages.stage_of(connection, message_id, thread_id)
            if stage is None:
                raise NotFound("There is no such message on its way.")
            if stage in sent_messages.THERE:
                raise Problem(409, "already_delivered", "The message has arrived.")
            return way_out.send_again(connection, state, message_id, stage, now)

        return self._database.write(write), []

    def claim(self, admin: Admin, thread_id: int) -> tuple[None, Placements]:
        """Takes a thread that nobody has. Raises Problem (409, `already_claimed`)."""
        now = self._clock()

        def change(connection: Connection, state: ThreadState) -> None:
            _check_not_anothers(connection, admin, state)
            if state.kept["assignee_id"] is None:
                state.kept |= {"assignee_id": admin.id, "assigned_at": now}
                assigned = {"assignee": {"id": admin.id, "name": admin.name}}
                way_out.tell(connection, admin, state, "thread.assigned", now, assigned)

        return self._change(thread_id, change)

    def release(self, admin: Admin, thread_id: int) -> tuple[None, Placements]:
        """Gives a thread back; supervisors also another's. Raises Problem (409) as `claim`."""
        now = self._clock()

        def change(connection: Connection, state: ThreadState) -> None:
            if admin.role != "supervisor":
                _check_not_anothers(connection, admin, state)
            if state.kept["assignee_id"] is not None:
                state.kept |= {"assignee_id": None, "assigned_at": None}
                way_out.tell(connection, admin, state, "thread.released", now, {"assignee": None})

        return self._change(thread_id, change)

    def _change(
        self, thread_id: int, change: Callable[[Connection, ThreadState], None]
    ) -> tuple[None, Placements]:
        def write(connection: Connection) -> Placements:
            state = _locked(connection, thread_id)
            change(connection, state)
            return thread_states.save(connection, [state])

        return None, self._database.write(write)

    def _write_event(
        self,
        admin: Admin,
        thread_id: int,
        type: str,
        told_as: str,
        applies: Callable[[ThreadState], bool],
        **content: Any,
    ) -> tuple[None, Placements]:
        now = self._clock()

        def write(connection: Connection) -> Placements:
            state = _locked(connection, thread_id)
            if not applies(state):
                return []
            said = event(
                f"{admin.id}:{uuid.uuid4().hex}", type, now, thread=state.external_id, **content
            )
            done = _record(connection, state, _author(connection, admin), said, now).placements
            if way_out.changed(connection, state):
                way_out.tell(connection, admin, state, told_as, now, content.get("data", {}))
            return done

        return None, self._database.write(write)


def _locked(connection: Connection, thread_id: int) -> ThreadState:
    states = thread_states.locked_by_id(connection, [thread_id])
    if not states:
        raise NotFound("There is no such thread.")
    return states[0]


def _is_open(state: ThreadState) -> bool:
    return not state.facts.closed


def _author(connection: Connection, admin: Admin) -> Author:
    source_id = sources.named(connection, sources.DASHBOARD)
    assert source_id is not None, "bringing the schema to head makes the dashboard's source"
    return Author(admin.id, admin.name, source_id)


def _record(
    connection: Connection, state: ThreadState, author: Author, said: ParsedEvent, now: int
) -> Recorded:
    return Recording(connection, state.source_id, now, author).run([said])


def _reply_event(admin: Admin, state: ThreadState, reply: Reply, now: int) -> ParsedEvent:
    return event(
        f"{admin.id}:{reply.token}",
        "message",
        now,
        thread=state.external_id,
        role="admin",
        body=reply.body,
        private=reply.private,
    )


def _same(
    connection: Connection,
    known: events.KnownEvent,
    said: ParsedEvent,
    reply: Reply,
    state: ThreadState,
) -> messages.Message:
    """The message that a token stands for. Raises Problem where it stands for another one."""
    message = messages.one(connection, known.id)
    if message is None or (message["thread_id"], message["body"], message["private"]) != (
        state.id,
        reply.body,
        reply.private,
    ):
        raise Problem(409, "event_id_conflict", "Another message was sent with this token.")
    return message


def _check_nothing_came(
    connection: Connection, admin: Admin, thread_id: int, seen_message_id: int
) -> None:
    unseen = messages.after(connection, thread_id, seen_message_id)
    if any(_stops_reply(message, admin) for message in unseen):
        raise Problem(
            409,
            "conversation_moved",
            "Messages came in that were not seen yet.",
            extra={"unseen": unseen},
        )


def _stops_reply(message: messages.Message, admin: Admin) -> bool:
    if message["role"] == "client":
        return True
    by_another = message["author"] is None or message["author"]["id"] != admin.id
    return message["role"] == "admin" and not message["private"] and by_another


def _check_not_anothers(connection: Connection, admin: Admin, state: ThreadState) -> None:
    assignee_id = state.kept["assignee_id"]
    if assignee_id is None or assignee_id == admin.id:
        return
    assignee = admins.by_id(connection, assignee_id)
    name = assignee.name if assignee else "Somebody"
    raise Problem(
        409,
        "already_claimed",
        f"{name} has this thread.",
        extra={
            "assignee": {"id": assignee_id, "name": name},
            "assigned_at": state.kept["assigned_at"],
        },
    )
