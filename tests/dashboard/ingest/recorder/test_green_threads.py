"""No green thread yields inside a write, so a process never waits for its own lock. (F26)"""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from dashboard.db.models.threads import events
from tests.dashboard.ingest.recorder.test_durability import check_facts

ROOT = Path(__file__).parents[4]
WRITERS_TIMES_EVENTS = 20 * 15


@pytest.mark.parametrize("mode", ["eventlet", "gevent"])
def test_green_threads_never_wait_for_a_write_lock(database, tmp_path, mode):
    path = str(tmp_path / "lineup.sqlite")
    command = [sys.executable, "-m", "tests.dashboard.ingest.recorder.green_writers", mode, path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0\n"
    with database.read() as connection:
        stored = connection.scalar(select(func.count()).select_from(events))
        assert stored == WRITERS_TIMES_EVENTS
        check_facts(connection)
