"""Imports the lines of an export in batches: each batch is stored as a whole, each event once."""

from codecs import BOM_UTF8
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import audit, erasures
from dashboard.db.accounts import admin_desks, admins, sources
from dashboard.db.audit import Actor, Target, account_created, add
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.db.threads import customer_notes, customers, events, thread_states, threads
from dashboard.errors import CustomerErased, Problem
from dashboard.event_types import ADVICE, RECEIPT
from dashboard.ingest import schema
from dashboard.ingest.advising import GivenOutcome, restore
from dashboard.ingest.erase import ErasedEvents
from dashboard.ingest.event_writer import Author, EventWriter
from dashboard.ingest.recorder import retry_on_conflict
from dashboard.ingest.schema import NO_FINGERPRINT, Outcome
from dashboard.ordering.placer import Placer
from dashboard.transfer.lines import LINE_BYTES, Event, LineError, parsed
from dashboard.transfer.models import OF_DASHBOARD, Admin, Desk, Note, Source, Thread
from dashboard.transfer.models import Outcome as Decided
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement

#: A thread: (id of its source, its own id there).
Key = tuple[int, str]


class Known(NamedTuple):
    """The names that lines refer to: ids of sources by name, authors by e-mail address."""

    sources: Mapping[str, int]
    authors: Mapping[str, Author]


@dataclass
class Written:
    """The result of a batch; `refused` counts events of people who were deleted since."""

    created: int = 0
    duplicates: int = 0
    refused: int = 0
    placements: dict[int, Placement] = field(default_factory=dict)


class ErasedHere(Exception):
    """Ends a transaction that added deleted people again: repeat it without these events."""

    def __init__(self, source_id: int, ids: set[str]):
        super().__init__(source_id, ids)
        self.source_id = source_id
        self.ids = ids


class BatchWriter:
    """Writes one batch on the connection of a write transaction.

    `begun` holds the threads that lines have named; `erased` holds the refused ids of events by
    source.
    """

    def __init__(
        self,
        connection: Connection,
        known: Known,
        begun: Mapping[Key, Thread],
        erased: Mapping[int, set[str]],
        now_ms: int,
    ):
        self._connection = connection
        self._known = known
        self._begun = begun
        self._erased = erased
        self._now = now_ms
        self._written = Written()

    def run(self, batch: Sequence[Event]) -> Written:
        """Writes the events that are new. Raises LineError, ErasedHere and IntegrityError.

        The events of a thread are stored in the order of their lines. Events of several threads are
        stored together as long as they have the same source.
        """
        queues: dict[Key, deque[Event]] = defaultdict(deque)
        for entry in batch:
            if entry.event.thread is not None:
                queues[self._key(entry)].append(entry)
        added = self._add_threads(queues)
        while queues:
            self._store_sent(queues)
            for queue in queues.values():
                while queue and _is_alone(queue[0]):
                    self._store_alone(queue.popleft())
            queues = {key: queue for key, queue in queues.items() if queue}
        others = (entry for entry in batch if entry.event.thread is None)
        for source_id, some in groupby(others, self._source_id):
            self._store(source_id, [self._with_message(entry) for entry in some])
        thread_states.remove_unused(self._connection, added)
        return self._written

    def _store_sent(self, queues: Mapping[Key, deque[Event]]) -> None:
        """Stores the events of chatbots at the beginning of each queue."""
        entries: dict[int, list[Event]] = defaultdict(list)
        for (source_id, _), queue in queues.items():
            while queue and not _is_alone(queue[0]):
                entries[source_id].append(queue.popleft())
        for source_id, some in entries.items():
            self._store(source_id, some)

    def _store_alone(self, entry: Event) -> None:
        if entry.author is not None:
            self._store_act(entry)
        else:
            self._store(self._source_id(entry), [self._with_message(entry)])

    def _store(self, source_id: int, some: Sequence[Event]) -> None:
        erased = self._erased.get(source_id, ())
        writer = EventWriter(self._connection, source_id, self._now, erased=erased)
        try:
            result = writer.run([entry.event for entry in some])
        except ErasedEvents as error:
            raise ErasedHere(source_id, error.ids) from None
        for entry, outcome in zip(some, result.outcomes, strict=True):
            self._count(entry, outcome, source_id)
        self._keep(result.placements)

    def _store_act(self, entry: Event) -> None:
        key = self._key(entry)
        if entry.event.id in self._erased.get(key[0], ()):
            self._written.refused += 1
            return
        author = self._known.authors.get(entry.author or "")
        if author is None:
            raise _unknown(entry, "/author", "is not on an earlier line")
        author = author._replace(
            seen_id=self._row_id(entry, "/seen", entry.seen) or 0,
            undoes_id=self._row_id(entry, "/undoes", entry.undoes),
        )
        writer = EventWriter(self._connection, key[0], self._now, author)
        result = writer.run([entry.event])
        self._count(entry, result.outcomes[0], author.source_id)
        self._keep(result.placements)

    def _add_threads(self, queues: Mapping[Key, deque[Event]]) -> list[int]:
        """Adds missing threads in the order of their lines; returns their ids.

        Ids decide the order of threads with the same time.
        """
        by_source: dict[int, list[str]] = defaultdict(list)
        for source_id, name in queues:
            by_source[source_id].append(name)
        there = {
            (source_id, name)
            for source_id, names in by_source.items()
            for name in threads.known(self._connection, source_id, names)
        }
        new = {key: queue for key, queue in queues.items() if key not in there}
        self._refuse_erased(new)
        rows = [self._new_thread(key, queue[0]) for key, queue in new.items()]
        return thread_states.add(self._connection, rows)

    def _refuse_erased(self, new: Mapping[Key, deque[Event]]) -> None:
        """Refuses acts in threads deleted after them; `_store` finds erased events of chatbots."""
        by_source: dict[int, list[str]] = defaultdict(list)
        for source_id, name in new:
            by_source[source_id].append(name)
        for source_id, names in by_source.items():
            rows = erasures.among(self._connection, source_id, [("thread", n) for n in names])
            for (_, name), erased_at in rows.items():
                acts = (entry for entry in new[source_id, name] if entry.author is not None)
                late = {entry.event.id for entry in acts if entry.event.occurred_at <= erased_at}
                if not late <= self._erased.get(source_id, set()):
                    raise ErasedHere(source_id, late)

    def _new_thread(self, key: Key, first: Event) -> dict[str, object]:
        begun = self._begun.get(key)
        desk = begun.desk if begun else sources.desk_of(self._connection, key[0])
        stamp = begun.desk_set if begun else None
        received_at = first.event.received_at or self._now
        return thread_states.new_row(key[0], key[1], desk, received_at) | {
            "stamps": {} if stamp is None else {"desk": [stamp.at, stamp.by]}
        }

    def _with_message(self, entry: Event) -> Event:
        """Returns an event that names a message by its number with the number that it has here;
        other events as they are."""
        if entry.message is None:
            return entry
        id = self._row_id(entry, "/message", entry.message)
        event = entry.event
        member = "message_id" if event.type == RECEIPT.name else ADVICE[event.type]
        content = {name: getattr(event, name) for name in ("thread", "body")}
        data = {**event.data, member: id}
        named = schema.event(event.id, event.type, event.occurred_at, data=data, **content)
        return entry._replace(event=named._replace(received_at=event.received_at))

    def _row_id(self, entry: Event, pointer: str, reference: str | None) -> int | None:
        """Returns the id here of an event that a line refers to. Raises LineError."""
        if reference is None:
            return None
        name = reference.removeprefix(OF_DASHBOARD)
        is_act = name != reference
        source_id = self._known.sources[sources.DASHBOARD if is_act else entry.source]
        row = events.known(self._connection, source_id, {name}).get(name)
        if row is None:
            raise _unknown(entry, pointer, "is not an event before this one")
        return row.id

    def _count(self, entry: Event, outcome: Outcome, source_id: int) -> None:
        """Counts an outcome; raises LineError for a mistake. `source_id` owns the event's id."""
        if outcome.status == "created":
            self._written.created += 1
        elif outcome.status == "duplicate":
            self._written.duplicates += 1
        elif isinstance(outcome.problem, CustomerErased) or self._is_erased(entry, source_id):
            self._written.refused += 1
        else:
            assert outcome.problem is not None
            raise LineError(entry.line, _below_event(outcome.problem))

    def _is_erased(self, entry: Event, source_id: int) -> bool:
        """Whether the event was deleted here with its person: its id stays taken."""
        id = entry.event.id
        row = events.known(self._connection, source_id, {id}).get(id)
        return row is not None and row.fingerprint == NO_FINGERPRINT

    def _keep(self, placements: Iterable[Placement]) -> None:
        """Keeps one placement for each thread: the latest one, which also leaves the lists of the
        earlier ones."""
        for new in placements:
            old = self._written.placements.get(new.thread_id)
            if new.revision == 0:
                continue  # It only tells admins of advice.
            if old is not None:
                is_shown = old.is_shown or new.is_shown
                new = new._replace(lists={**old.lists, **new.lists}, is_shown=is_shown)
            self._written.placements[new.thread_id] = new

    def _source_id(self, entry: Event) -> int:
        id = self._known.sources.get(entry.source)
        if id is None:
            raise _unknown(entry, "/source", "is not on an earlier line")
        return id

    def _key(self, entry: Event) -> Key:
        assert entry.event.thread is not None
        return self._source_id(entry), entry.event.thread


def repeated_without_erased(write: Callable[[Mapping[int, set[str]]], Written]) -> Written:
    """Runs a write; if it meets events of deleted people, runs it again without them."""
    erased: dict[int, set[str]] = defaultdict(set)
    while True:
        try:
            return write(erased)
        except ErasedHere as error:
            erased[error.source_id] |= error.ids


def _is_alone(entry: Event) -> bool:
    """Whether an event is stored after those before it: an admin's, and one that names a message of
    its thread by its number, which is another one here."""
    return entry.author is not None or entry.message is not None


def _unknown(entry: Event, pointer: str, detail: str) -> LineError:
    return LineError(entry.line, field_error(pointer, "unknown_value", detail))


def _below_event(problem: Problem) -> Problem:
    """Returns the problem with pointers into the line."""
    if not problem.errors:
        return problem
    first = problem.errors[0]
    detail = first.detail.partition("” ")[2] or first.detail
    return field_error(f"/event{first.pointer}", first.code, detail.rstrip("."))


#: Number of events that one transaction stores.
BATCH = 500
#: How far the clock of the exporting machine may be ahead.
AHEAD_MS = 5 * 60_000


@dataclass
class Imported:
    """The result of an import."""

    created: int = 0
    duplicates: int = 0
    refused: int = 0


class Importer:
    """Stores the events of an export; events that are there already are duplicates.

    `clock` gives milliseconds. Authors without an account here get a disabled account;
    `password_hash` returns the hash of a password that nobody knows, for these accounts.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        actor: Actor,
        password_hash: Callable[[], str],
    ):
        self._database = database
        self._placer = placer
        self._clock = clock
        self._actor = actor
        self._password_hash = password_hash
        self._sources: dict[str, int] = {}
        self._authors: dict[str, Author] = {}
        self._begun: dict[Key, Thread] = {}
        self._batch: list[Event] = []
        self._decided: list[tuple[Decided, int]] = []
        self._imported = Imported()

    def run(
        self, lines: Iterable[bytes], progress: Callable[[int], object] = lambda count: None
    ) -> Imported:
        """Stores all lines; `progress` gets the number of bytes of each batch.

        Raises LineError for the first line that is wrong, and StorageUnavailable; earlier batches
        stay stored. Import the file again to continue from there.
        """
        size = 0
        is_first = True
        for number, line in enumerate(lines, 1):
            size += len(line)
            # Editors add empty lines, and a byte order mark at the beginning.
            data = line.removeprefix(BOM_UTF8) if number == 1 else line
            if not data.strip():
                continue
            self._take(data, number, is_first=is_first)
            is_first = False
            if len(self._batch) >= BATCH:
                self._flush()
                progress(size)
                size = 0
        if is_first:
            raise LineError(1, field_error("", "missing_field", "is missing: the file is empty"))
        self._flush()
        self._flush_outcomes()
        progress(size)
        self._placer.save_placed_revisions()
        return self._imported

    def _take(self, data: bytes, line: int, *, is_first: bool) -> None:
        if len(data) > LINE_BYTES:
            raise LineError(line, field_error("", "too_long", f"has more than {LINE_BYTES} bytes"))
        entry = parsed(data, line, is_first=is_first)
        if entry is None:
            self._database.write(self._begin)
        elif isinstance(entry, Event):
            self._check_received(entry)
            self._batch.append(entry)
        elif isinstance(entry, Thread):
            source_id = self._sources.get(entry.source)
            if source_id is None:
                raise LineError(
                    line, field_error("/source", "unknown_value", "is not on an earlier line")
                )
            self._begun[source_id, entry.thread] = entry
        elif isinstance(entry, Note):
            self._flush()
            self._database.write(partial(self._add_note, entry=entry, line=line))
        elif isinstance(entry, Decided):
            self._flush()
            self._decided.append((entry, line))
            if len(self._decided) >= BATCH:
                self._flush_outcomes()
        elif isinstance(entry, Desk):
            self._database.write(partial(self._add_desk, entry=entry))
        elif isinstance(entry, Source):
            self._database.write(partial(self._add_source, entry=entry, line=line))
        else:
            write = partial(self._add_admin, entry=entry, password_hash=self._password_hash())
            self._authors[entry.admin] = self._database.write(write)

    def _check_received(self, entry: Event) -> None:
        if (entry.event.received_at or 0) > self._clock() + AHEAD_MS:
            raise LineError(
                entry.line,
                field_error("/received_at", "timestamp_out_of_range", "is in the future"),
            )

    def _begin(self, connection: Connection) -> None:
        """Adds the audit log entry once, at the start, so that an interrupted import has one."""
        dashboard = sources.named(connection, sources.DASHBOARD)
        assert dashboard is not None, "bring_to_head adds the dashboard's source"
        self._sources[sources.DASHBOARD] = dashboard
        add(connection, self._clock(), self._actor, audit.EVENTS_IMPORTED, Target(None, "events"))

    def _add_desk(self, connection: Connection, entry: Desk) -> None:
        now = self._clock()
        if admin_desks.add(connection, entry.desk, now):
            target = Target(None, entry.desk)
            add(connection, now, self._actor, audit.DESK_CREATED, target)

    def _add_note(self, connection: Connection, entry: Note, line: int) -> None:
        """Adds the note on a customer, unless there is a later one, or the customer was deleted."""
        source_id, author = self._named(entry, line)
        assert author is not None
        person: tuple[erasures.Kind, str] = ("customer", entry.customer)
        erased_at = erasures.among(connection, source_id, [person]).get(person, -1)
        customer_id = customers.named(connection, source_id, entry.customer)
        if customer_id is None or entry.at <= erased_at:
            self._imported.refused += 1
            return
        old = customer_notes.stored(connection, customer_id, locked=True)
        if old is None or old["at"] < entry.at:
            customer_notes.put(connection, customer_id, entry.note, author.id, entry.at)

    def _named(self, entry: Note | Decided, line: int) -> tuple[int, Author | None]:
        """Returns the source and the author of a line. Raises LineError for unknown ones."""
        source_id, author = self._sources.get(entry.source), self._authors.get(entry.author or "")
        if source_id is None or (entry.author is not None and author is None):
            pointer = "/source" if source_id is None else "/author"
            raise LineError(
                line, field_error(pointer, "unknown_value", "is not on an earlier line")
            )
        return source_id, author

    def _add_outcome(self, connection: Connection, entry: Decided, line: int) -> None:
        """Adds the outcome of a suggestion, unless it has one here, or was deleted."""
        source_id, author = self._named(entry, line)
        given = entry.outcome, entry.at, entry.reason, author and author.id
        reply = (entry.reply or "").removeprefix(OF_DASHBOARD)
        outcome = GivenOutcome(source_id, entry.suggestion, *given, reply)
        if not restore(connection, outcome, self._sources[sources.DASHBOARD]):
            self._imported.refused += 1

    def _add_source(self, connection: Connection, entry: Source, line: int) -> None:
        """Adds the source. Raises LineError if it is here with another setting: facts differ."""
        id = sources.named(connection, entry.source)
        if id is None:
            id = sources.ensure(connection, entry.source, self._clock())
            sources.set_desk(connection, id, entry.desk)
            if entry.handoff_only:
                sources.set_handoff_only(connection, id)
        elif sources.is_handoff_only(connection, id) != entry.handoff_only:
            detail = f"is {str(not entry.handoff_only).lower()} for this source here"
            raise LineError(line, field_error("/handoff_only", "unknown_value", detail))
        self._sources[entry.source] = id

    def _add_admin(self, connection: Connection, entry: Admin, password_hash: str) -> Author:
        now, admin = self._clock(), admins.by_email(connection, entry.admin)
        dashboard = self._sources[sources.DASHBOARD]
        if admin is not None:
            return Author(admin.id, admin.name, dashboard, adds_acts=True)
        given = entry.name, admins.ADMIN
        id = admins.create(connection, entry.admin, *given, password_hash, now, ())
        admins.disable(connection, id, now)
        views.follow_addresses(connection, [entry.admin], now)
        target = Target(id, entry.admin)
        account_created(connection, now, self._actor, target, *given, (), "import")
        return Author(id, entry.name, dashboard, adds_acts=True)

    def _flush_outcomes(self) -> None:
        def write(connection: Connection) -> None:
            for entry, line in self._decided:
                self._add_outcome(connection, entry, line)

        self._database.write(write)
        self._decided = []

    def _flush(self) -> None:
        if not self._batch:
            return
        known, batch, now = Known(self._sources, self._authors), self._batch, self._clock()

        def write(erased: Mapping[int, set[str]]) -> Written:
            def run(connection: Connection) -> Written:
                return BatchWriter(connection, known, self._begun, erased, now).run(batch)

            return retry_on_conflict(self._database, run)

        result = repeated_without_erased(write)
        self._placer.place(list(result.placements.values()))
        self._placer.save_placed_revisions_if_due()
        self._imported.created += result.created
        self._imported.duplicates += result.duplicates
        self._imported.refused += result.refused
        last = batch[-1].event.thread
        # The next batch may continue the last thread, but begins with no event of an earlier one.
        self._begun = {key: thread for key, thread in self._begun.items() if key[1] == last}
        self._batch = []
