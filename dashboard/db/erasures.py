"""Hashes of erased people and threads, so that no retry brings them back; removal of remains."""

import hashlib
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, select, text
from sqlalchemy.exc import SQLAlchemyError

from dashboard.db.database import Database
from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import sources
from dashboard.db.models.base import SEARCH_TABLES
from dashboard.db.models.threads import customers, erasures, threads
from dashboard.errors import StorageUnavailable

Kind = Literal["customer", "thread"]

DAY_MS = 24 * 3_600_000
#: No chatbot retries an event for longer than this. A hash may be traced back to a person, so it is
#: not kept for good.
KEPT_MS = 30 * DAY_MS

_FIND = select(erasures.c.name_hash, erasures.c.erased_at).where(
    erasures.c.source_id == bindparam("source"),
    erasures.c.name_hash.in_(bindparam("hashes", expanding=True)),
)

_FIND_BY_SOURCE = (
    select(erasures.c.name_hash)
    .join(sources, sources.c.id == erasures.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        erasures.c.name_hash.in_(bindparam("hashes", expanding=True)),
    )
)
_KNOWN = (
    select(customers.c.external_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
)


def remember(
    connection: Connection, source_id: int, names: Iterable[tuple[Kind, str]], now_ms: int
) -> None:
    """Records what is erased now, by the source's ids; deletes old records."""
    connection.execute(delete(erasures).where(erasures.c.erased_at < now_ms - KEPT_MS))
    rows = [
        {"source_id": source_id, "name_hash": _hash(kind, name), "erased_at": now_ms}
        for kind, name in sorted(names)
    ]
    statement = insert_on(connection, erasures)
    key = [erasures.c.source_id, erasures.c.name_hash]
    values = {"erased_at": statement.excluded.erased_at}
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=values), rows)


def among(
    connection: Connection, source_id: int, names: Collection[tuple[Kind, str]]
) -> dict[tuple[Kind, str], int]:
    """Maps the erased names among these to the time, in milliseconds since 1970."""
    if not names:
        return {}
    by_hash = {_hash(kind, name): (kind, name) for kind, name in names}
    parameters = {"source": source_id, "hashes": list(by_hash)}
    rows = connection.execute(_FIND, parameters)
    return {by_hash[bytes(hash)]: erased_at for hash, erased_at in rows}


def gone(connection: Connection, people: Iterable[str]) -> set[str]:
    """Returns the people (SOURCE/ID) among these who were erased and have not written since.

    Requests without a time of their own, such as heartbeats, are refused for them.
    """
    by_source: dict[str, list[str]] = defaultdict(list)
    for person in people:
        source, _, name = person.partition("/")
        by_source[source].append(name)
    gone_people: set[str] = set()
    for source, names in by_source.items():
        by_hash = {_hash("customer", name): name for name in names}
        hashes = connection.scalars(_FIND_BY_SOURCE, {"source": source, "hashes": list(by_hash)})
        erased = {by_hash[bytes(hash)] for hash in hashes}
        if erased:
            known_names = connection.scalars(_KNOWN, {"source": source, "names": sorted(erased)})
            gone_people |= {f"{source}/{name}" for name in erased.difference(known_names)}
    return gone_people


def take_time(connection: Connection) -> None:
    """Lets each statement of this transaction take an hour: a customer may have most of all
    events. Other transactions have limits on PostgreSQL."""
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        driver.silence_seconds = _HOUR_SECONDS
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{_HOUR_SECONDS:.0f}s'")


def _hash(kind: Kind, name: str) -> bytes:
    return hashlib.sha256(f"{kind}/{name}".encode()).digest()


log = logging.getLogger(__name__)

#: Pages of the index that one transaction merges; other writes run in between.
_MERGED_PAGES = 500
#: How long to wait for readers of the log.
_CHECKPOINT_SECONDS = 10.0
_RETRY_SECONDS = 0.05
_HOUR_SECONDS = 3_600.0
#: Longer than any VACUUM, and short enough for a wait for a descriptor.
_WEEK_SECONDS = 7 * 24 * 3600.0


def _vacuumed() -> Iterator[str]:
    """Yields the tables from which rows of a person were deleted, on PostgreSQL: those of customers
    and threads, all that refer to them, and the search index."""
    personal = {customers, threads}
    for table in customers.metadata.sorted_tables:
        refers = any(key.column.table in personal for key in table.foreign_keys)
        if table in personal or refers or "thread_id" in table.columns:
            personal.add(table)
            yield table.name
    yield from SEARCH_TABLES


def remove(database: Database, wait_seconds: float | None = None) -> None:
    """Removes deleted rows from every page, index and log of the database.

    SQLite overwrites deleted data (`secure_delete`), but its search index and its log keep them
    until they are merged and written back. PostgreSQL keeps dead rows until they are vacuumed, and
    its log for as long as configured. Large tables take minutes: the work goes on if it is not done
    within `wait_seconds`. Raises StorageUnavailable, also in that case.
    """
    if not database.is_sqlite:
        _vacuum_within(database, wait_seconds)
        return
    for table in SEARCH_TABLES:
        _merge(database, table)
    _write_log_back(database)


def _merge(database: Database, table: str) -> None:
    """Merges the index into one segment, in steps: older ones keep the words of deleted rows."""
    # A negative number begins a merge of all segments, positive ones carry it on.
    if database.write(partial(_merge_step, table=table, pages=-_MERGED_PAGES)):
        while database.write(partial(_merge_step, table=table, pages=_MERGED_PAGES)):
            pass


def _merge_step(connection: Connection, table: str, pages: int) -> bool:
    """Merges some pages; returns whether more may be left. A step in vain counts as one change."""
    before = _changes(connection)
    connection.execute(
        text(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', :pages)"), {"pages": pages}
    )
    return _changes(connection) - before >= 2


def _changes(connection: Connection) -> int:
    return int(connection.scalar(text("SELECT total_changes()")) or 0)


def _write_log_back(database: Database) -> None:
    """Writes the WAL into the database and empties it, as soon as no reader uses it."""
    deadline = time.monotonic() + _CHECKPOINT_SECONDS
    while not database.empty_log():
        if time.monotonic() > deadline:
            raise StorageUnavailable("The log of the database is in use; it was not emptied.")
        time.sleep(_RETRY_SECONDS)


def _vacuum_within(database: Database, wait_seconds: float | None) -> None:
    done = []

    def vacuum() -> None:
        try:
            _vacuum(database)
            done.append(True)
        except SQLAlchemyError as error:
            log.warning("what was deleted is not vacuumed yet: %s", error)

    thread = threading.Thread(target=vacuum, daemon=True)
    thread.start()
    thread.join(wait_seconds)
    if not done:
        raise StorageUnavailable("All is deleted; PostgreSQL has yet to remove it from its files.")


def _vacuum(database: Database) -> None:
    """Vacuums the tables. Raises SQLAlchemyError, also if another VACUUM holds a table for longer
    than `lock_timeout`: repeated attempts then take one connection, not all."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        driver: Any = connection.connection.driver_connection
        # Removed from the pool: it is closed afterwards, and its limits with it.
        connection.detach()
        driver.silence_seconds = _WEEK_SECONDS
        connection.exec_driver_sql("SET statement_timeout = 0")
        connection.exec_driver_sql(f"VACUUM {', '.join(_vacuumed())}")
