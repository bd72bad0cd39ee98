"""Bytes that customers, threads and events take in SQL, with their indexes.

python -m bench.sizes                         100,000 threads in SQLite and in PostgreSQL
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Inspector, func, inspect, select, text

from bench import dataset
from bench.processes import ROOT
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.db.models.threads import customers, events, threads
from tests.servers.postgres import DURABLE, PostgresServer
from tests.support import now_ms

RESULTS = ROOT / "bench" / "results" / "sizes.json"
KINDS = ("sqlite", "postgres")


def measured(kind: str, count: int) -> dict[str, float]:
    """Returns the rows of each table, and the bytes of one row with its share of the indexes."""
    with _database(kind) as url:
        database = Database(url)
        bring_to_head(database)
        database.write(lambda connection: sources.ensure(connection, dataset.SOURCE, now_ms()))
        before = _bytes(database)
        dataset.fill(url, count, now_ms())
        after = _bytes(database)
        found: dict[str, float] = {}
        with database.read() as connection:
            for table in (customers, threads, events):
                rows = connection.scalar(select(func.count()).select_from(table)) or 0
                found[f"{table.name}_rows"] = rows
                found[f"{table.name}_bytes"] = round(
                    (after[table.name] - before[table.name]) / rows
                )
        database.close()
    return found


@contextmanager
def _database(kind: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/lineup.sqlite"
            return
        server = PostgresServer(DURABLE).start()
        try:
            yield server.new_database()
        finally:
            server.close()


def _bytes(database: Database) -> dict[str, int]:
    """Maps tables to bytes, including their indexes."""
    names = (customers.name, threads.name, events.name)
    with database.read() as connection:
        if not database.is_sqlite:
            size = text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
            return {name: connection.scalar(size, {"name": name}) or 0 for name in names}
        size = text("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = :name")
        read = inspect(connection)
        parts = {name: [name, *_indexes(read, name)] for name in names}
        return {
            name: sum(connection.scalar(size, {"name": part}) or 0 for part in parts[name])
            for name in names
        }


def _indexes(read: Inspector, table: str) -> Iterator[str]:
    yield from (str(each["name"]) for each in read.get_indexes(table))
    # SQLite names the indexes of UNIQUE constraints by itself.
    yield from (f"sqlite_autoindex_{table}_{number}" for number in range(1, 9))


def main() -> None:
    made = argparse.ArgumentParser(prog="python -m bench.sizes", description="Bytes in SQL.")
    made.add_argument("--threads", type=int, default=100_000)
    made.add_argument("--out", type=Path, default=RESULTS)
    given = made.parse_args()
    found = {kind: measured(kind, given.threads) for kind in KINDS}
    given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
