"""A killed restore has done all of its work or nothing."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from sqlalchemy import inspect

from tests.servers.lineup import COMMAND, ROOT
from tests.support import examples

pytestmark = pytest.mark.slow


def test_a_restore_that_is_killed_at_any_moment_leaves_all_or_nothing(place, new_place, tmp_path):
    place.fill()
    path = tmp_path / "x.backup"
    path.write_bytes(place.back_up()[0])
    expected, chosen = place.rows(), random.Random(3)
    seconds = _restored_in(new_place(), path)
    outcomes = set()
    for _ in range(examples(16)):
        other = new_place()
        process = _start(other, path)
        # By the end of the restore its parts follow each other within milliseconds.
        time.sleep(seconds * chosen.uniform(0.3, 1.02))
        process.send_signal(signal.SIGKILL)
        process.wait()
        with other.database.read() as connection:
            is_empty = not inspect(connection).get_table_names()
        assert is_empty or other.rows() == expected
        outcomes.add(is_empty)
        # The remains of one restore do not hinder the next one.
        assert _start(other, path, "--force").wait() == 0
        assert other.rows() == expected and other.contents() == place.contents()
    assert True in outcomes


def _restored_in(place, path) -> float:
    begun = time.monotonic()
    assert _start(place, path).wait() == 0
    return time.monotonic() - begun


def _start(place, path, *options: str) -> subprocess.Popen:
    place.database.close()
    environment = {
        **os.environ,
        "LINEUP_DATABASE_URL": place.database.url,
        "LINEUP_FILES": str(place.folder / "files"),
    }
    return subprocess.Popen(
        [*COMMAND, "restore", *options, str(path)],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.DEVNULL if not options else sys.stderr,
    )
