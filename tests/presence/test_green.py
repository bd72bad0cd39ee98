"""The loops run under eventlet and under gevent, beside others."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.presence.servers import Server


@pytest.mark.real_redis
@pytest.mark.parametrize("kind", ["eventlet", "gevent"])
def test_a_worker_of_green_threads_hears_sweeps_and_tells(kind: str, server: Server) -> None:
    """R43, R74, B14: no thread of its own, no wait that stops the others."""
    host = Path(__file__).with_name("green_host.py")
    root = host.parents[2]
    done = subprocess.run(
        [sys.executable, str(host), kind, server.socket],
        capture_output=True, text=True, timeout=60, cwd=root, env={"PYTHONPATH": str(root)},
        check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "done", done.stderr
