"""Actions of admins on a thread: events of the dashboard's own source, and claims."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import Connection

from dashboard import event_types
from dashboard.db import files as stored_files
from dashboard.db.database import Database
from dashboard.db.outbox import sent_messages
from dashboard.db.threads import events, messages, threads
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import NotFound, Problem
from dashboard.ingest import acting, advising, mentioning, outgoing, replies, snoozes
from dashboard.ingest.assigning import assign, check_may_give, check_not_claimed_by_another
from dashboard.ingest.event_writer import Author
from dashboard.ingest.handing_out import release_to_queue
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.recorder import retry_on_conflict
from dashboard.ingest.replies import Reply, ReplyResult
from dashboard.ingest.saving import save
from scoring.placing import Placement

Placements = Sequence[Placement]


class Actions:
    """Each method is one write transaction and returns (result, placements of its thread).

    An act that may be undone returns its id as the result; None if nothing had to be done. All
    raise NotFound for an unknown thread, and StorageUnavailable with nothing stored. `clock` gives
    milliseconds since 1970. `read_customer` is asked before the transactions that send a message.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        read_customer: outgoing.ReadCustomer = lambda thread_id: outgoing.NOT_KNOWN,
    ):
        self._database = database
        self._clock = clock
        self._read_customer = read_customer

    def reply(self, admin: Admin, thread_id: int, reply: Reply) -> tuple[ReplyResult, Placements]:
        """Adds a message to a thread, open or closed.

        A public one settles what its author had seen (H28). Raises Problem (409):
        `conversation_moved` for unseen messages, `event_id_conflict` for a token of another
        message; Invalid for a `seen_message_id` that is no message of the thread, for files that
        were not uploaded for it, and for a mention of a colleague that the note does not name.
        """
        now = self._clock()
        seen_message_id = self._seen_message_id(thread_id, reply.seen_message_id)
        customer = outgoing.NOT_KNOWN if reply.private else self._read_customer(thread_id)

        def write(connection: Connection) -> tuple[ReplyResult, Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            author = acting.author(connection, admin)
            id = replies.event_id(admin, reply)
            first = events.known(connection, author.source_id, {id}).get(id)
            if first is not None:
                return ReplyResult(replies.stored_reply(connection, first, reply, state), False), []
            author = replies.seeing(connection, author, thread_id, seen_message_id)
            if not reply.private and not reply.confirm:
                replies.check_all_seen(connection, admin, thread_id, seen_message_id)
            waiting = advising.waiting(connection, thread_id)
            mentions = replies.mentioned(connection, admin, state, reply)
            files = replies.taken(connection, thread_id, admin.id, reply.files)
            at = state.act_at(now)
            event = replies.reply_event(admin, state, reply, files, at)
            result = acting.write(connection, state, author, event, at)
            message = result.messages[0]
            stored_files.attach(connection, reply.files, message["id"])
            if not reply.private:
                message = outgoing.send_out(connection, state, message, customer, at)
                if waiting.suggestions:
                    named = waiting, reply.suggestion, message
                    advising.answered(connection, admin, state, *named)
            placements = mentioning.store(connection, thread_id, message["id"], mentions, at)
            messages.attach_mentions(connection, [message])
            return ReplyResult(message, True), [*result.placements, *placements]

        return retry_on_conflict(self._database, write)

    def close(
        self,
        admin: Admin,
        thread_id: int,
        seen_message_id: int | None = None,
        pointer: str = replies.SEEN_POINTER,
    ) -> tuple[int | None, Placements]:
        """Closes the thread; a closed one stays as it is.

        A close settles what its author had seen, as a reply does: a thread with a newer message of
        the customer stays open (H28). Raises Invalid, at `pointer`, as `reply`.
        """
        message_id = self._seen_message_id(thread_id, seen_message_id)

        def seeing(connection: Connection, author: Author) -> Author:
            return replies.seeing(connection, author, thread_id, message_id, pointer)

        return self._write_event(admin, thread_id, event_types.CLOSE, acting.is_open, seeing)

    def last_messages(self, thread_ids: Collection[int]) -> dict[int, int]:
        """Maps threads to their last stored message, which an act settles if it names none."""
        with self._database.read() as connection:
            return threads.last_message_ids(connection, thread_ids)

    def reopen(self, admin: Admin, thread_id: int) -> tuple[int | None, Placements]:
        """Undoes a close; an open thread stays as it is."""
        return self._write_event(
            admin, thread_id, event_types.REOPEN, lambda state: not acting.is_open(state)
        )

    def set_priority(
        self, admin: Admin, thread_id: int, priority: str
    ) -> tuple[int | None, Placements]:
        """Sets the priority of the thread."""
        return self._write_event(
            admin, thread_id, event_types.PRIORITY, lambda state: True, data={"priority": priority}
        )

    def send_again(
        self, admin: Admin, thread_id: int, message_id: int
    ) -> tuple[messages.Message, Placements]:
        """Sends a message to the customer again.

        Pending and failed deliveries to the chatbot are retried; a message that the chatbot could
        not deliver is sent to it as a new event. Raises NotFound for a message that is not sent
        out, Problem (409, `already_delivered`) for one that has arrived.
        """
        now, customer = self._clock(), self._read_customer(thread_id)

        def write(connection: Connection) -> messages.Message:
            state = acting.locked(connection, thread_id, admin.desks)
            stage = sent_messages.stage_of(connection, message_id, thread_id)
            if stage is None:
                raise NotFound("There is no such undelivered message.")
            if stage in sent_messages.ARRIVED:
                raise Problem(409, "already_delivered", "The message has arrived.")
            return outgoing.send_again(connection, state, message_id, stage, customer, now)

        return self._database.write(write), []

    def dismiss_suggestion(
        self, admin: Admin, thread_id: int, suggestion_id: int
    ) -> tuple[None, Placements]:
        """Ends a suggestion of a thread; one with an outcome stays as it is. Raises NotFound."""
        now = self._clock()

        def write(connection: Connection) -> None:
            state = acting.locked(connection, thread_id, admin.desks)
            advising.dismiss(connection, admin, state, suggestion_id, state.moment(now))

        self._database.write(write, is_idempotent=True)
        return None, [advising.told(thread_id)]

    def claim(self, admin: Admin, thread_id: int) -> tuple[int | None, Placements]:
        """Assigns a thread to the admin, if it is unassigned or its assignee is disabled.

        Raises Problem (409, `already_claimed`).
        """
        now = self._clock()

        def change(connection: Connection, state: ThreadState) -> int | None:
            check_not_claimed_by_another(connection, admin, state)
            if state.columns.assignee_id == admin.id:
                return None
            return assign(connection, admin, state, admin, now)

        return self._change(admin, thread_id, change)

    def release(
        self, admin: Admin, thread_id: int, reason: str | None = None
    ) -> tuple[int | None, Placements]:
        """Unassigns a thread; a supervisor may release anyone's. Queues do not give it to the same
        admin again for a while. Raises Problem as `claim`."""
        now = self._clock()

        def change(connection: Connection, state: ThreadState) -> int | None:
            check_may_give(connection, admin, state)
            if state.columns.assignee_id is None:
                return None
            return release_to_queue(connection, admin, state, now, reason)

        # A repeated release may find that a queue has given the thread to another admin.
        return self._change(admin, thread_id, change, is_idempotent=False)

    def _seen_message_id(self, thread_id: int, id: int | None) -> int:
        return self.last_messages([thread_id]).get(thread_id, 0) if id is None else id

    def _change(
        self,
        admin: Admin,
        thread_id: int,
        change: Callable[[Connection, ThreadState], int | None],
        *,
        is_idempotent: bool = True,
    ) -> tuple[int | None, Placements]:
        now = self._clock()

        def write(connection: Connection) -> tuple[int | None, Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            act_id = change(connection, state)
            return act_id, save(connection, [state], now)

        return self._database.write(write, is_idempotent=is_idempotent)

    def _write_event(
        self,
        admin: Admin,
        thread_id: int,
        type: event_types.EventType,
        applies: Callable[[ThreadState], bool],
        seeing: Callable[[Connection, Author], Author] = lambda _, author: author,
        **content: Any,
    ) -> tuple[int | None, Placements]:
        now = self._clock()
        outgoing_type = type.outgoing
        assert outgoing_type is not None, "admins write it"

        def write(connection: Connection) -> tuple[int | None, Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            if not applies(state):
                return None, []
            before = {"before": state.facts.priority} if "data" in content else snoozes.kept(state)
            at = state.act_at(now)
            event = acting.new_act(admin, state, type, at, **content)
            author = seeing(connection, acting.author(connection, admin))
            placements = acting.write(connection, state, author, event, at).placements
            if not outgoing.is_changed(connection, state):
                return None, placements
            row = events.known(connection, author.source_id, {event.id})[event.id]
            act_id = outgoing.add_event(
                connection,
                admin,
                state,
                outgoing_type,
                at,
                content.get("data", {}),
                event_id=row.id,
                **before,
            )
            return act_id, placements

        return self._database.write(write)
