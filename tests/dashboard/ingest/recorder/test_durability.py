"""A 2xx is durable: acknowledged events are stored when the process is killed. (F28)"""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select

from dashboard.db.database import Database
from dashboard.db.models.threads import events, threads
from dashboard.db.threads import events as stored_events
from scoring.facts import fold

ROOT = Path(__file__).parents[4]
ROUNDS = 5


def write_until_killed(path: str, round: int, seconds: float) -> int:
    """The number of batches of three events that were acknowledged before the kill."""
    command = [
        sys.executable,
        "-m",
        "tests.dashboard.ingest.recorder.endless_writer",
        path,
        f"r{round}",
    ]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "0\n", "the writer has begun"
    time.sleep(seconds)
    writer.kill()
    acknowledged = 1 + len(writer.stdout.read().split())
    writer.wait()
    writer.stdout.close()
    return acknowledged


@pytest.mark.slow
def test_acknowledged_events_survive_a_kill_at_any_moment(database: Database, tmp_path: Path):
    moments = random.Random(5)
    path = str(tmp_path / "lineup.sqlite")
    for round in range(ROUNDS):
        acknowledged = write_until_killed(path, round, moments.uniform(0.01, 0.2))
        with database.read() as connection:
            kept = connection.scalar(
                select(func.count()).where(events.c.external_id.startswith(f"r{round}-"))
            )
            assert kept % 3 == 0, "a batch is stored as a whole or not at all"
            # One more may have been committed and not acknowledged.
            assert kept // 3 in (acknowledged, acknowledged + 1)
            check_facts(connection)


def check_facts(connection) -> None:
    rows = connection.execute(select(threads)).all()
    found = stored_events.folded(connection, [row.id for row in rows])
    for row in rows:
        facts = fold(found[row.id])
        for fact in ("last_client_at", "last_admin_at", "closed", "unanswered_since", "unanswered"):
            assert getattr(row, fact) == getattr(facts, fact), fact
