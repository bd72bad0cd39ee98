"""A 2xx is durable: whatever was acknowledged is there after the process was killed (F28)."""

import random
import subprocess
import sys
import time
from pathlib import Path

from sqlalchemy import func, select

from dashboard.store import events as stored_events
from dashboard.store.database import Database
from dashboard.store.models import events, threads
from scoring.facts import fold

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def write_until_killed(path: str, round: int, seconds: float) -> int:
    """How many batches of three events a writer was told of before its end."""
    command = [sys.executable, "-m", "tests.intake.endless_writer", path, f"r{round}"]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "0\n", "the writer has begun"
    time.sleep(seconds)
    writer.kill()
    told = 1 + len(writer.stdout.read().split())
    writer.wait()
    writer.stdout.close()
    return told


def test_what_was_acknowledged_survives_any_moment_of_death(database: Database, tmp_path: Path):
    moments = random.Random(5)
    path = str(tmp_path / "lineup.sqlite")
    for round in range(ROUNDS):
        told = write_until_killed(path, round, moments.uniform(0.01, 0.2))
        with database.read() as connection:
            kept = connection.scalar(
                select(func.count()).where(events.c.external_id.startswith(f"r{round}-"))
            )
            assert kept % 3 == 0, "a batch is stored whole or not at all"
            # One more may have been committed and not told.
            assert kept // 3 in (told, told + 1)
            check_facts(connection)


def check_facts(connection) -> None:
    rows = connection.execute(select(threads)).all()
    found = stored_events.folded(connection, [row.id for row in rows])
    for row in rows:
        facts = fold(found[row.id])
        for fact in ("last_client_at", "last_admin_at", "closed", "next_call_at", "unanswered"):
            assert getattr(row, fact) == getattr(facts, fact), fact
