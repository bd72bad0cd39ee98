"""A chatbot's source for tests: what it sends is parsed and stored as events of the API."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import Table, func, select

from dashboard.db.accounts import admins, sources
from dashboard.db.database import Database
from dashboard.db.threads import messages, thread_rows, threads
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.schema import Outcome, ParsedEvent, WriteResult, parse
from scoring.sorts import SORTS
from tests.support import SettableClock

#: Time of the first events of the tests, before that of the settable clock.
START_MS = 1_785_000_000_000
_numbers = count(1)


class Shop:
    """Sends events at `START_MS` + `at` milliseconds, in the thread `t`, by the customer `c`."""

    def __init__(self, database: Database, clock: SettableClock, name: str = "shop"):
        self.database = database
        self.name = name
        self.source_id = database.write(lambda connection: sources.ensure(connection, name, 0))
        self.recorder = Recorder(database, clock)

    def send(self, *events: ParsedEvent) -> WriteResult:
        return self.recorder.record(self.source_id, events)

    def says(self, at: int, body: str = "Xin chào", **given: Any) -> Outcome:
        """A message; of the client unless `role` says otherwise."""
        return self.send(message(at, body, **given)).outcomes[0]

    def does(self, type: str, at: int, **given: Any) -> Outcome:
        return self.send(thread_event(type, at, **given)).outcomes[0]

    def row(self, thread: str = "t") -> dict[str, Any]:
        with self.database.read() as connection:
            id = threads.id_of(connection, self.source_id, thread)
            assert id is not None, f"no thread {thread}"
            return thread_rows.rows(connection, [id])[id]

    def conversation(self, thread: str = "t") -> list[dict[str, Any]]:
        with self.database.read() as connection:
            id = threads.id_of(connection, self.source_id, thread)
            assert id is not None, f"no thread {thread}"
            return messages.at(connection, id, None, 0, 500).messages

    def count(self, table: Table) -> int:
        """The number of rows of a table."""
        with self.database.read() as connection:
            return connection.scalar(select(func.count()).select_from(table)) or 0

    def listed(self, view: str, sort: str) -> list[str]:
        """The source's ids of the threads on a list, in its order."""
        assert sort in SORTS
        with self.database.read() as connection:
            entries = threads.listed(connection, view, "all", None, sort, 1_000)
            names = threads.names(connection, [entry.id for entry in entries])
        return [names[entry.id].thread for entry in entries]


def message(at: int, body: str = "Xin chào", **given: Any) -> ParsedEvent:
    customer = {"id": given.pop("customer", "c")} | given.pop("fields", {})
    return _event("message", at, {"role": "client", "body": body, "customer": customer} | given)


def thread_event(type: str, at: int, **given: Any) -> ParsedEvent:
    return _event(type, at, given)


def customer_event(at: int, **given: Any) -> ParsedEvent:
    content = {"id": given.pop("id", f"e-{next(_numbers)}")}
    fields = {"id": given.pop("customer", "c")} | given
    return parse(
        content | {"type": "customer", "occurred_at": timestamp(START_MS + at), "customer": fields}
    )


def timestamp(ms: int) -> str:
    """RFC 3339, to the millisecond."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds")


def new_admin(database: Database, name: str, role: str = "admin") -> int:
    email = f"{name.lower()}@desk.example"
    return database.write(
        lambda connection: admins.create(connection, email, name, role, "no hash", 0)
    )


def _event(type: str, at: int, given: dict[str, Any]) -> ParsedEvent:
    content = {"id": f"e-{next(_numbers)}", "thread": "t"} | given
    if content["thread"] is None:
        del content["thread"]
    return parse(content | {"type": type, "occurred_at": timestamp(START_MS + at)})
