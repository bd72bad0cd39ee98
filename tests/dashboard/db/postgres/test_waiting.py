"""PostgreSQL under green threads: waiting for it stops nobody else, and has an end."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["eventlet", "gevent"])
def test_others_run_while_a_query_is_waited_for(postgres_database, mode):
    command = [sys.executable, "-m", "tests.dashboard.db.postgres.waiting", mode]
    done = subprocess.run(
        [*command, postgres_database.url], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["given", "given up", "answers"]
