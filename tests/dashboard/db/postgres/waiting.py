"""Green threads wait for PostgreSQL while others run.

    python -m tests.dashboard.db.postgres.waiting eventlet|gevent URL

Prints how often another green thread ran while one query took 0.3 s, whether a server that sends
nothing for 0.2 s is given up, and whether the database answers afterwards.
"""

import sys

if sys.argv[1] == "eventlet":
    import eventlet

    eventlet.monkey_patch()
else:
    from gevent import monkey

    monkey.patch_all()

import threading
import time

from sqlalchemy import text

from dashboard.db import postgres
from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable
from dashboard.web.server.server import green

mode = "eventlet" if sys.argv[1] == "eventlet" else "gevent"
database = Database(sys.argv[2], wait_ready=green(mode).wait_ready)
runs: list[None] = []


def run() -> None:
    while True:
        runs.append(None)
        time.sleep(0.005)


def query(seconds: float) -> None:
    with database.read() as connection:
        # More than a socket takes at once, there and back.
        found = connection.scalar(
            text("SELECT :text FROM pg_sleep(:seconds)"),
            {"text": "x" * 3_000_000, "seconds": seconds},
        )
    assert len(found) == 3_000_000


query(0)
threading.Thread(target=run, daemon=True).start()
before = len(runs)
query(0.3)
print(len(runs) - before)
postgres.SILENCE_SECONDS = 0.2
try:
    query(2)
    print("waited")
except StorageUnavailable:
    print("given up")
postgres.SILENCE_SECONDS = 17
query(0)
print("answers")
