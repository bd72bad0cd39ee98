"""The loops run under eventlet and under gevent, beside others."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.redis import RedisServer


@pytest.mark.real_redis
@pytest.mark.parametrize("kind", ["eventlet", "gevent"])
def test_a_worker_of_green_threads_receives_sweeps_and_publishes(
    kind: str, redis_server: RedisServer
) -> None:
    """No thread of its own, and no wait that blocks other green threads. (R43, R74, B14)"""
    host = Path(__file__).with_name("green_host.py")
    root = host.parents[2]
    done = subprocess.run(
        [sys.executable, str(host), kind, str(redis_server.socket)],
        capture_output=True, text=True, timeout=60, cwd=root, env={"PYTHONPATH": str(root)},
        check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "done", done.stderr
