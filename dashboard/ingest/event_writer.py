"""Writes a batch of events: finds known ones, stores the others, folds their threads."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts import admin_desks
from dashboard.db.driver import RowValues, answers
from dashboard.db.outbox import sent_messages
from dashboard.db.queues.news import watch_place
from dashboard.db.search import search_index
from dashboard.db.threads import customers, edits, events, thread_states
from dashboard.db.threads.customers import Customer
from dashboard.db.threads.edits import Edited
from dashboard.db.threads.events import held_back, stamped, wins
from dashboard.db.threads.messages import Message
from dashboard.db.threads.thread_states import ChangedCustomer, Locked, ThreadState
from dashboard.db.threads.thread_tags import change_of, name_of_admins
from dashboard.errors import CustomerErased, Problem
from dashboard.event_types import ADVICE, EDITS, MESSAGE, RECEIPT, TAGS
from dashboard.ingest import advising
from dashboard.ingest.erase import require_none
from dashboard.ingest.folding import (
    NewEdit,
    add_acts,
    apply,
    apply_edits,
    apply_tags,
    edit_refused,
    fold_new,
    take_back,
)
from dashboard.ingest.releases import IsAbsent, release_unanswered
from dashboard.ingest.saving import save
from dashboard.ingest.schema import Outcome, ParsedEvent, WriteResult, repeated
from dashboard.ingest.snoozes import follow
from dashboard.validation.field_errors import field_error
from scoring.facts import ThreadEvent


class WrittenCustomers(NamedTuple):
    """The customers of a batch of events.

    `rows` has them by the source's id. `touched` are the ids of customers with changed rows on the
    dashboard; `changed` has the ranked values before and after; `renamed` are the new ones and
    those with a new name, which the search index needs.
    """

    rows: dict[str, Customer]
    touched: set[int]
    changed: dict[int, ChangedCustomer]
    renamed: dict[int, Customer]


def write_customers(
    connection: Connection,
    source_id: int,
    stating: Iterable[tuple[ParsedEvent, int]],
    known_customers: dict[str, Customer],
    received_at: int,
) -> WrittenCustomers:
    """Writes the fields that events state about their customers. `stating`: the events, each with
    its `ranked_at` in ms. `known_customers`: the existing customers, locked; the others are added.
    """
    new = list(stating)
    names = {event.customer for event, _ in new if event.customer is not None}
    rows = customers.with_missing(connection, source_id, names, known_customers, received_at)
    before = {row.id: row.ranked_values for row in rows.values()}
    renamed = {row.id: row for row in rows.values() if row.is_new}
    written: dict[int, Customer] = {}
    touched: set[int] = set()
    for event, ranked_at in new:
        customer = rows[event.customer or ""]
        won = _won(customer, event, ranked_at)
        if won:
            written[customer.id] = customer
            if any(getattr(customer, name) != value for name, value in won.items()):
                touched.add(customer.id)
            if won.get("name", customer.name) != customer.name:
                renamed[customer.id] = customer
            for name, value in won.items():
                setattr(customer, name, value)
            stamps = dict.fromkeys(won, (ranked_at, event.id))
            customer.stamps = stamped(customer.stamps, stamps)
    customers.save(connection, written.values())
    changed = {row.id: ChangedCustomer(before[row.id], row.ranked_values) for row in rows.values()}
    return WrittenCustomers(rows, touched, changed, renamed)


def _won(customer: Customer, event: ParsedEvent, ranked_at: int) -> Mapping[str, Any]:
    """Returns the fields that this event was the last to write."""
    stamp = (ranked_at, event.id)
    return {
        name: value
        for name, value in event.customer_fields.items()
        if wins(customer.stamps, name, stamp)
    }


class Author(NamedTuple):
    """The admin who acts on the dashboard, and the id of the dashboard's source.

    `seen_id` is the id up to which the author has seen the thread's events; `undoes_id` that of the
    close, reopen or change of tags that the new event undoes. `adds_acts`: the effect of the event
    is added to the conversation here, and not by the caller.
    """

    id: int
    name: str
    source_id: int
    seen_id: int = 0
    undoes_id: int | None = None
    adds_acts: bool = False


class EventWriter:
    """Writes events of one source's threads, on the connection of a write transaction.

    With an author they are events of the dashboard: their ids belong to its source, their threads
    to `source_id`. `received_at` in milliseconds. Events with ids in `erased` are refused.
    `is_absent`: threads of such an admin are released when an event of a chatbot reopens them.
    """

    def __init__(
        self,
        connection: Connection,
        source_id: int,
        received_at: int,
        author: Author | None = None,
        erased: Collection[str] = (),
        is_absent: IsAbsent = lambda admin_id: False,
    ):
        self._connection = connection
        self._erased = erased
        self._source_id = source_id
        self._events_source_id = author.source_id if author else source_id
        self._author = author
        self._undoes_id = author.undoes_id if author else None
        self._received_at = received_at
        self._is_absent = is_absent
        self._outcomes: list[Outcome] = []
        self._new: list[ParsedEvent] = []
        self._customers: dict[str, Customer] = {}
        self._changed_customers: Mapping[int, ChangedCustomer] = {}
        self._renamed_customers: Mapping[int, Customer] = {}
        self._locked: Locked
        self._threads: dict[str, ThreadState] = {}
        self._ids: dict[str, int] = {}
        self._sent: dict[int, int] = {}
        self._edited: dict[str, Edited] = {}
        self._unknown_desks: Collection[str] = ()
        self._has_advice = False

    def run(self, parsed: Sequence[ParsedEvent]) -> WriteResult:
        """Writes the events that are new; one statement serves all events of the batch.

        Raises ErasedEvents for events of erased people, and IntegrityError if another transaction
        stored one of their ids meanwhile.
        """
        connection = self._connection
        known_customers = self._leave_out_known(parsed)
        if self._new:
            self._lock_threads(self._write_customers(known_customers))
            self._index_customers()
            if self._author is None:
                people = self._customers, self._threads
                require_none(connection, self._source_id, self._new, *people)
            self._change_tags()
            if self._has_advice:
                self._check_advice()
        if not self._new:
            return WriteResult(self._outcomes, advising.told_of(self._outcomes, parsed))
        texts = self._store()
        self._watch_places()
        if self._has_advice:
            self._keep_advice()
        self._apply()
        texts |= self._edit()
        self._take_receipts()
        states, versions, handoff_only = self._locked
        if self._has_advice:
            # Advice changes nothing of a thread.
            states = [state for state in states if state.events or state.row_changed]
        fold_new(connection, states, handoff_only)
        thread_states.read_customers(connection, states, self._changed_customers)
        self._follow(states)
        index = search_index.adding_messages(connection, texts.items())
        placements = save(connection, states, self._received_at, versions, [index])
        outcomes = list(map(self._with_thread, self._outcomes, parsed))
        if self._has_advice:
            placements += advising.told_of(outcomes, parsed)
        messages = self._messages(self._author) if self._author else []
        return WriteResult(outcomes, placements, messages)

    def _leave_out_known(self, parsed: Sequence[ParsedEvent]) -> dict[str, Customer]:
        """Decides the outcome of each event, and keeps the new ones (of equal ids the first);
        returns the known customers, which are locked from now on."""
        stored_events, known_customers = answers(
            self._connection,
            [
                events.ask_known(self._events_source_id, {event.id for event in parsed}),
                customers.ask_locked(
                    self._source_id, {item.customer for item in parsed if item.customer is not None}
                ),
            ],
        )
        self._sent = events.sent(
            self._connection,
            self._source_id,
            {event.data["message_id"] for event in parsed if event.type == RECEIPT.name},
        )
        self._edited = self._named_by_edits(parsed)
        desks = {event.data["desk"] for event in parsed if "desk" in event.data}
        self._unknown_desks = admin_desks.unknown(self._connection, desks)
        self._outcomes = outcomes = []
        new: dict[str, ParsedEvent] = {}
        for event in parsed:
            self._has_advice |= event.type in ADVICE
            first = stored_events.get(event.id) or new.get(event.id)
            if first is not None:
                outcomes.append(repeated(event, first))
            elif (problem := self._problem(event, new)) is not None:
                outcomes.append(Outcome("rejected", event.id, problem=problem))
            else:
                new[event.id] = event
                outcomes.append(Outcome("created", event.id))
        self._new = list(new.values())
        return known_customers

    def _named_by_edits(self, parsed: Iterable[ParsedEvent]) -> dict[str, Edited]:
        """Returns the stored events that edits and deletions name, by id."""
        names = {event.data["message"] for event in parsed if event.type in EDITS}
        return edits.named(self._connection, self._source_id, names) if names else {}

    def _problem(self, event: ParsedEvent, new: Mapping[str, ParsedEvent]) -> Problem | None:
        """Returns the problem of an event that is refused. `new`: those before it in the batch."""
        if event.id in self._erased:
            return CustomerErased()
        if event.type == RECEIPT.name and event.data["message_id"] not in self._sent:
            return field_error("/message_id", "unknown_value", "is not an outgoing message")
        if event.type in EDITS:
            name = event.data["message"]
            return edit_refused(event, self._edited.get(name) or new.get(name), self._erased)
        if event.data.get("desk") in self._unknown_desks:
            return field_error("/desk", "unknown_value", "names a desk that does not exist")
        return None

    def _write_customers(self, known_customers: dict[str, Customer]) -> set[int]:
        """Writes the customers; returns the ids of those that change on the dashboard."""
        stating = [
            (event, self._ranked_at(event)) for event in self._new if event.customer is not None
        ]
        result = write_customers(
            self._connection, self._source_id, stating, known_customers, self._received_at
        )
        self._customers, self._changed_customers = result.rows, result.changed
        self._renamed_customers = result.renamed
        return result.touched

    def _lock_threads(self, customer_ids: set[int]) -> None:
        """Locks the threads of the events and of these customers."""
        self._locked = thread_states.locked(
            self._connection,
            self._source_id,
            {event.thread for event in self._new if event.thread is not None},
            customer_ids,
            self._received_at,
        )
        self._threads = {state.external_id: state for state in self._locked.states}
        for state in self._locked.states:
            state.row_changed = state.columns.customer_id in customer_ids

    def _index_customers(self) -> None:
        """Puts into the search index new customers, those with a new name, and those who are new
        in a thread: presence adds customers before they write, and most of these never do."""
        written = dict(self._renamed_customers)
        for event in self._new:
            if event.customer is not None and event.thread is not None:
                row = self._customers[event.customer]
                if self._threads[event.thread].columns.customer_id != row.id:
                    written[row.id] = row
        search_index.put_customers(
            self._connection,
            [(id, row.external_id, row.name) for id, row in sorted(written.items())],
        )

    def _change_tags(self) -> None:
        """Changes the tags of the threads, and refuses events that would add too many."""
        changes = []
        for event in self._new:
            if event.type == TAGS.name:
                name = name_of_admins() if self._author else event.id
                changes.append((event, change_of(self._ranked_at(event), name, event.data)))
        if changes and self._undoes_id is not None:
            [(event, _)] = changes
            take_back(self._connection, self._threads[event.thread or ""], self._undoes_id)
            return
        self._refuse(apply_tags(self._connection, self._threads, changes))

    def _check_advice(self) -> None:
        """Refuses suggestions and summaries that name no message of their thread."""
        named = self._source_id, self._threads, self._new
        self._refuse(advising.refused(self._connection, *named))

    def _refuse(self, refused: Mapping[str, Problem]) -> None:
        """Leaves out new events with a problem, and the new threads that only they name."""
        if not refused:
            return
        self._new = [event for event in self._new if event.id not in refused]
        self._outcomes = [
            Outcome("rejected", outcome.id, problem=outcome.problem or refused[outcome.id])
            if outcome.id in refused
            else outcome
            for outcome in self._outcomes
        ]
        names, states = {event.thread for event in self._new}, self._locked.states
        unused = [
            state.id for state in states if not state.revision and state.external_id not in names
        ]
        if unused:
            thread_states.remove_unused(self._connection, unused)
            states[:] = [state for state in states if state.id not in unused]

    def _with_thread(self, outcome: Outcome, event: ParsedEvent) -> Outcome:
        """Adds the id of its thread, which may be new, to the outcome."""
        if event.thread is None or outcome.thread_id is not None or outcome.status == "rejected":
            return outcome
        return outcome._replace(thread_id=self._threads[event.thread].id)

    def _store(self) -> dict[int, str]:
        """Stores the events; returns the texts of messages for the search index, by id."""
        rows = [self._row(event) for event in self._new]
        self._ids = events.add(self._connection, rows)
        return {
            self._ids[row["external_id"]]: search_index.message_text(
                row["body"], row["attachments"]
            )
            for row in rows
            if row["role"] is not None
        }

    def _edit(self) -> dict[int, str]:
        """Carries out edits and deletions; returns the new texts of messages for the search index,
        by id."""
        new = [
            NewEdit(self._threads[event.thread or ""], event, self._ranked_at(event), id)
            for event in self._new
            if event.type in EDITS
            for id in [self._ids[event.id]]
        ]
        # Named again: now the threads are locked, and the messages of this batch are stored.
        return apply_edits(self._connection, new, self._named_by_edits(self._new)) if new else {}

    def _watch_places(self) -> None:
        """Notes for which threads the chatbot wants to know the customer's place in line."""
        for event in self._new:
            if (wants := event.data.get("watch_place")) is not None and event.thread is not None:
                watch_place(self._connection, self._threads[event.thread].id, wants)

    def _keep_advice(self) -> None:
        """Keeps suggestions and summaries, which admins who have the thread open will see."""
        advice = [
            (event, self._ids[event.id], self._ranked_at(event))
            for event in self._new
            if event.type in ADVICE
        ]
        if advice:
            named = self._source_id, advice, self._threads, self._received_at
            advising.keep(self._connection, *named)

    def _apply(self) -> None:
        """Applies the values of the events to their threads; for most, the last writer wins."""
        for event in self._new:
            if event.thread is None or event.type in EDITS or event.type in ADVICE:
                continue
            ranked_at, event_id = self._ranked_at(event), self._ids[event.id]
            kind = events.kind_of(event.type, event.role, event.private)
            # No sender's id contains "/", so the dashboard's ids never equal one.
            stamp = (ranked_at, f"/{event.id}" if self._author else event.id)
            apply(
                self._threads[event.thread],
                event,
                ThreadEvent(kind, ranked_at, event_id, self._seen_id(event), self._undoes_id),
                stamp,
                self._customers[event.customer].id if event.customer is not None else None,
            )

    def _take_receipts(self) -> None:
        receipts = (
            sent_messages.Receipt(id, self._sent[id], event.data["state"], self._ranked_at(event))
            for event in self._new
            if event.type == RECEIPT.name
            for id in [event.data["message_id"]]
        )
        sent_messages.apply_receipts(self._connection, receipts, self._received_at)

    def _follow(self, states: Sequence[ThreadState]) -> None:
        """Carries out the effects of the events: acts, releases, and ends of snoozes."""
        if self._author is None or self._author.adds_acts:
            add_acts(self._connection, states, self._author and self._author.id)
        if self._author is None:
            release_unanswered(self._connection, states, self._is_absent, self._received_at)
        follow(self._connection, states, self._received_at)

    def _messages(self, author: Author) -> list[Message]:
        """Returns the messages that the author wrote, as the dashboard shows them."""
        return [
            {
                "id": self._ids[event.id],
                "thread_id": self._threads[event.thread].id,
                "role": event.role,
                "author": {"id": author.id, "name": author.name},
                "body": event.body,
                "attachments": [*event.attachments],
                "private": event.private,
                "at": self._ranked_at(event),
                "delivery": None,
            }
            for event in self._new
            if event.type == MESSAGE.name and event.thread is not None
        ]

    def _row(self, event: ParsedEvent) -> RowValues:
        data = dict(event.data)
        if event.customer_fields:
            data["customer"] = dict(event.customer_fields)
        return {
            "source_id": self._events_source_id,
            "external_id": event.id,
            "fingerprint": event.fingerprint,
            "type": event.type,
            "thread_id": self._threads[event.thread].id if event.thread is not None else None,
            "customer_id": self._customer_id(event),
            "occurred_at": self._occurred_at(event),
            "received_at": self._event_received_at(event),
            "ranked_at": self._ranked_at(event),
            "role": event.role,
            "private": event.private,
            "body": event.body,
            "attachments": list(event.attachments) or None,
            "author_id": self._author.id if self._author else None,
            "data": data or None,
            "seen_id": self._seen_id(event),
            "undoes_id": self._undoes_id,
        }

    def _customer_id(self, event: ParsedEvent) -> int | None:
        """Returns the id of the event's customer; an edit has that of its message, with which it is
        erased."""
        name = event.data.get("message")
        if name is None:
            return self._customers[event.customer].id if event.customer else None
        if name in self._edited:
            return self._edited[name].customer_id
        return next(self._customer_id(message) for message in self._new if message.id == name)

    def _seen_id(self, event: ParsedEvent) -> int | None:
        """Returns the id up to which the author of an answer or close had seen; None for others."""
        if self._author is None:
            return None
        kind = events.kind_of(event.type, event.role, event.private)
        return self._author.seen_id if kind in ("admin", "close") else None

    def _ranked_at(self, event: ParsedEvent) -> int:
        """Returns the time that orders the event: a sender's fast clock must not lift a thread."""
        return min(self._occurred_at(event), self._event_received_at(event))

    def _occurred_at(self, event: ParsedEvent) -> int:
        return self._event_received_at(event) if self._author else event.occurred_at

    def _event_received_at(self, event: ParsedEvent) -> int:
        if event.received_at:
            return event.received_at
        state = self._threads.get(event.thread or "")
        return held_back(state.columns.stamps, self._received_at) if state else self._received_at
