"""One write of events: sorts out known ones, stores the rest, folds their threads."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.intake.field_errors import one
from dashboard.intake.last_writer import Stamp, stamped, wins
from dashboard.intake.outcomes import EventIdConflict, Outcome, Recorded
from dashboard.intake.preview import cut
from dashboard.intake.schema import ParsedEvent
from dashboard.store import (
    customers,
    events,
    search_index,
    sent_messages,
    sources,
    thread_states,
)
from dashboard.store.messages import message
from dashboard.store.thread_states import ThreadState
from scoring.facts import ThreadEvent, advance


class Author(NamedTuple):
    """The admin who does something on the dashboard, and the source that stands for it."""

    id: int
    name: str
    source_id: int


class Recording:
    """Records events of one source's threads on a connection that is writing.

    With an author they are the dashboard's own events: under its ids, in the source's threads.
    """

    def __init__(
        self,
        connection: Connection,
        source_id: int,
        received_at: int,
        author: Author | None = None,
    ):
        self._connection = connection
        self._source_id = source_id
        self._events_source_id = author.source_id if author else source_id
        self._author = author
        self._received_at = received_at
        self._customers: dict[str, dict[str, Any]] = {}
        self._threads: dict[str, ThreadState] = {}
        self._sent: dict[int, int] = {}

    def run(self, parsed: Sequence[ParsedEvent]) -> Recorded:
        """Records what is new. A statement counts for all events, so that batches are cheap."""
        outcomes, fresh = self._sort_out(parsed)
        new = list(fresh.values())
        if not new:
            return Recorded(outcomes)
        touched = self._write_customers(new)
        states = self._lock_threads(new, touched)
        ids = self._store(new)
        for event in new:
            if event.thread is not None:
                self._apply(self._threads[event.thread], event, ids[event.id])
        sent_messages.receive(self._connection, self._receipts(new), self._received_at)
        self._fold(states)
        placements = thread_states.save(self._connection, states)
        return Recorded(
            list(map(self._completed, outcomes, parsed)),
            placements,
            [self._message(event, ids[event.id]) for event in new if event.type == "message"],
        )

    def _sort_out(
        self, parsed: Sequence[ParsedEvent]
    ) -> tuple[list[Outcome], dict[str, ParsedEvent]]:
        """The outcome of each event, and the events to record; the first of an id counts."""
        known = events.known(
            self._connection, self._events_source_id, {event.id for event in parsed}
        )
        self._sent = events.sent(
            self._connection,
            self._source_id,
            {event.data["message_id"] for event in parsed if event.type == "receipt"},
        )
        outcomes: list[Outcome] = []
        fresh: dict[str, ParsedEvent] = {}
        for event in parsed:
            before = known.get(event.id) or fresh.get(event.id)
            if before is not None:
                outcomes.append(_again(event, before))
            elif event.type == "receipt" and event.data["message_id"] not in self._sent:
                problem = one("/message_id", "unknown_value", "is no message that went out")
                outcomes.append(Outcome("rejected", event.id, problem=problem))
            else:
                fresh[event.id] = event
                outcomes.append(Outcome("created", event.id))
        return outcomes, fresh

    def _completed(self, outcome: Outcome, event: ParsedEvent) -> Outcome:
        """The outcome with its thread, which was not known before it was made."""
        if event.thread is None or outcome.thread_id is not None or outcome.status == "rejected":
            return outcome
        return outcome._replace(thread_id=self._threads[event.thread].id)

    def _write_customers(self, new: Iterable[ParsedEvent]) -> set[int]:
        """Writes what was said of customers; whose rows look different now."""
        named = {event.customer for event in new if event.customer is not None}
        self._customers = customers.locked(
            self._connection, self._source_id, named, self._received_at
        )
        written: dict[int, dict[str, Any]] = {}
        seen: set[int] = set()
        # Findable by what they are called: who is new, and who is called otherwise now.
        renamed = {row["id"]: row for row in self._customers.values() if row.get("is_new")}
        for event in new:
            if event.customer is None or not event.customer_fields:
                continue
            customer = self._customers[event.customer]
            stamp = (self._ranked_at(event), event.id)
            won = {
                name: value
                for name, value in event.customer_fields.items()
                if wins(customer["stamps"], name, stamp)
            }
            if won:
                written[customer["id"]] = customer
                if any(customer[name] != value for name, value in won.items()):
                    seen.add(customer["id"])
                if won.get("name", customer["name"]) != customer["name"]:
                    renamed[customer["id"]] = customer
                customer.update(won)
                customer["stamps"] = stamped(customer["stamps"], dict.fromkeys(won, stamp))
        customers.save(self._connection, written.values())
        search_index.put_customers(
            self._connection,
            [(id, row["external_id"], row["name"]) for id, row in sorted(renamed.items())],
        )
        return seen

    def _lock_threads(
        self, new: Iterable[ParsedEvent], customer_ids: set[int]
    ) -> list[ThreadState]:
        states = thread_states.locked(
            self._connection,
            self._source_id,
            {event.thread for event in new if event.thread is not None},
            customer_ids,
            self._received_at,
        )
        self._threads = {state.external_id: state for state in states}
        for state in states:
            state.row_changed = state.kept["customer_id"] in customer_ids
        return states

    def _store(self, new: Iterable[ParsedEvent]) -> dict[str, int]:
        rows = [self._row(event) for event in new]
        ids = events.add(self._connection, rows)
        said = [
            (
                ids[row["external_id"]],
                search_index.message_text(row["body"], row["attachments"]),
            )
            for row in rows
            if row["role"] is not None
        ]
        search_index.add_messages(self._connection, said)
        return ids

    def _row(self, event: ParsedEvent) -> dict[str, Any]:
        data = dict(event.data)
        if event.customer_fields:
            data["customer"] = dict(event.customer_fields)
        return {
            "source_id": self._events_source_id,
            "external_id": event.id,
            "fingerprint": event.fingerprint,
            "type": event.type,
            "thread_id": self._threads[event.thread].id if event.thread is not None else None,
            "customer_id": self._customers[event.customer]["id"] if event.customer else None,
            "occurred_at": event.occurred_at,
            "received_at": self._received_at,
            "ranked_at": self._ranked_at(event),
            "role": event.role,
            "private": event.private,
            "body": event.body,
            "attachments": list(event.attachments) or None,
            "author_id": self._author.id if self._author else None,
            "data": data or None,
        }

    def _receipts(self, new: Iterable[ParsedEvent]) -> Iterator[sent_messages.Receipt]:
        for event in new:
            if event.type == "receipt":
                id, at = event.data["message_id"], self._ranked_at(event)
                yield sent_messages.Receipt(id, self._sent[id], event.data["state"], at)

    def _ranked_at(self, event: ParsedEvent) -> int:
        """A sender's fast clock never lifts a thread."""
        return min(event.occurred_at, self._received_at)

    def _apply(self, state: ThreadState, event: ParsedEvent, event_id: int) -> None:
        """What the last writer decides; what the fold decides is gathered for it."""
        ranked_at = self._ranked_at(event)
        state.events.append(
            ThreadEvent(events.kind_of(event.type, event.role, event.private), ranked_at)
        )
        # "/" stands in no id of a sender: the dashboard's ids and theirs never tie.
        stamp = (ranked_at, f"/{event.id}" if self._author else event.id)
        won: dict[str, Stamp] = {}
        stamps = state.kept["stamps"]
        if "priority" in event.data and wins(stamps, "priority", stamp):
            won["priority"] = stamp
            state.facts = state.facts._replace(priority=event.data["priority"])
        if event.customer is not None and wins(stamps, "customer", stamp):
            won["customer"] = stamp
            state.kept["customer_id"] = self._customers[event.customer]["id"]
        if event.role is not None and not event.private and wins(stamps, "preview", stamp):
            won["preview"] = stamp
            state.kept |= _preview(event, ranked_at, event_id)
        if won:
            state.kept["stamps"] = stamped(stamps, won)
        # A note, or a message older than the newest, leaves all as it is; but who has the
        # thread open learns of it by the thread's change.
        state.row_changed |= event.role is not None

    def _fold(self, states: Sequence[ThreadState]) -> None:
        handoff_only = sources.is_handoff_only(self._connection, self._source_id)
        statuses = self._member_statuses(states)
        moved: dict[int, int | None] = {}
        for state in states:

            def later(settled_at: int | None, id: int = state.id) -> tuple[None, int]:
                # Asked for all threads at once, below.
                moved[id] = settled_at
                return None, 0

            status = statuses.get(state.kept["customer_id"], -1)
            facts = advance(state.facts, state.events, later, handoff_only=handoff_only)
            state.facts = facts._replace(member_status=status)
        found = events.later(self._connection, moved, handoff_only)
        for state in states:
            if state.id in found:
                next_call_at, unanswered = found[state.id]
                state.facts = state.facts._replace(next_call_at=next_call_at, unanswered=unanswered)

    def _member_statuses(self, states: Iterable[ThreadState]) -> dict[int | None, int]:
        known: dict[int | None, int] = {
            row["id"]: row["member_status"] for row in self._customers.values()
        }
        wanted = {state.kept["customer_id"] for state in states} - known.keys() - {None}
        return known | customers.member_statuses(self._connection, wanted)

    def _message(self, event: ParsedEvent, event_id: int) -> dict[str, Any]:
        assert event.thread is not None
        author = {"id": self._author.id, "name": self._author.name} if self._author else None
        return message(
            event_id,
            self._threads[event.thread].id,
            event.role,
            author,
            event.body,
            [dict(entry) for entry in event.attachments],
            event.private,
            self._ranked_at(event),
        )


def _again(event: ParsedEvent, before: events.KnownEvent | ParsedEvent) -> Outcome:
    if event.fingerprint == before.fingerprint:
        return Outcome("duplicate", event.id, getattr(before, "thread_id", None))
    return Outcome("rejected", event.id, problem=EventIdConflict())


def _preview(event: ParsedEvent, ranked_at: int, event_id: int) -> dict[str, Any]:
    text = event.body or next((entry["name"] for entry in event.attachments if entry["name"]), "")
    return {
        "preview_role": event.role,
        "preview_body": cut(text),
        "preview_at": ranked_at,
        "preview_event_id": event_id,
    }
