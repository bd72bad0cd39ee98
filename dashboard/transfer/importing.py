"""Imports the lines of an export in batches: each batch is stored as a whole, each event once."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, sources
from dashboard.db.audit import Actor, Target, add
from dashboard.db.database import Database
from dashboard.ingest.accounts.notes import account_created
from dashboard.ingest.event_writer import Author
from dashboard.ingest.recorder import retry_on_conflict
from dashboard.ordering.placer import Placer
from dashboard.transfer.batches import BatchWriter, Key, Known, Written, repeated_without_erased
from dashboard.transfer.lines import LINE_BYTES, Event, LineError, parsed
from dashboard.transfer.models import Admin, Desk, Source, Thread
from dashboard.validation.field_errors import field_error

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

    `clock` gives milliseconds. `password_hash` is that of a password that nobody knows. It is for
    authors without an account here: they get accounts that are disabled.
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
        self._imported = Imported()

    def run(
        self, lines: Iterable[bytes], progress: Callable[[int], object] = lambda count: None
    ) -> Imported:
        """Stores all lines; `progress` gets the number of bytes of each batch.

        Raises LineError for the first line that is wrong, and StorageUnavailable; batches before it
        stay stored. Importing the file again continues from there.
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
                    line, field_error("/source", "unknown_value", "is named by no line before it")
                )
            self._begun[source_id, entry.thread] = entry
        elif isinstance(entry, Desk):
            self._database.write(partial(self._add_desk, entry=entry))
        elif isinstance(entry, Source):
            self._database.write(partial(self._add_source, entry=entry, line=line))
        else:
            made = partial(self._add_admin, entry=entry, password_hash=self._password_hash())
            self._authors[entry.admin] = self._database.write(made)

    def _check_received(self, entry: Event) -> None:
        if (entry.event.received_at or 0) > self._clock() + AHEAD_MS:
            raise LineError(
                entry.line,
                field_error("/received_at", "timestamp_out_of_range", "is in the future"),
            )

    def _begin(self, connection: Connection) -> None:
        """Adds the audit log entry once, at the start: also for an import that is cut off."""
        dashboard = sources.named(connection, sources.DASHBOARD)
        assert dashboard is not None, "bring_to_head adds the dashboard's source"
        self._sources[sources.DASHBOARD] = dashboard
        add(connection, self._clock(), self._actor, audit.EVENTS_IMPORTED, Target(None, "events"))

    def _add_desk(self, connection: Connection, entry: Desk) -> None:
        now = self._clock()
        if admin_desks.add(connection, entry.desk, now):
            target = Target(None, entry.desk)
            add(connection, now, self._actor, audit.DESK_CREATED, target)

    def _add_source(self, connection: Connection, entry: Source, line: int) -> None:
        """Raises LineError if the source is here with another setting: its facts would differ."""
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
        now, found = self._clock(), admins.by_email(connection, entry.admin)
        dashboard = self._sources[sources.DASHBOARD]
        if found is not None:
            return Author(found.id, found.name, dashboard, adds_acts=True)
        given = (entry.admin, entry.name, admins.ADMIN, password_hash, now, ())
        id = admins.create(connection, *given)
        admins.disable(connection, id, now)
        target = Target(id, entry.admin)
        account_created(
            connection, now, self._actor, target, entry.name, admins.ADMIN, (), "import"
        )
        return Author(id, entry.name, dashboard, adds_acts=True)

    def _flush(self) -> None:
        if not self._batch:
            return
        known, batch, now = Known(self._sources, self._authors), self._batch, self._clock()

        def write(erased: Mapping[int, set[str]]) -> Written:
            def run(connection: Connection) -> Written:
                return BatchWriter(connection, known, self._begun, erased, now).run(batch)

            return retry_on_conflict(self._database, run)

        written = repeated_without_erased(write)
        self._placer.place(list(written.placements.values()))
        self._placer.save_placed_revisions_if_due()
        self._imported.created += written.created
        self._imported.duplicates += written.duplicates
        self._imported.refused += written.refused
        last = batch[-1].event.thread
        # The next batch may continue the last thread, but begins with no event of an earlier one.
        self._begun = {key: each for key, each in self._begun.items() if key[1] == last}
        self._batch = []
