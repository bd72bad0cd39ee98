"""Green threads wait for PostgreSQL while others run.

    python -m tests.dashboard.db.postgres.waiting eventlet|gevent URL

One waits for a lock until its holder sees that and gives it back: prints whether the first one got
the lock. Then whether a server that sends nothing for 0.2 s is given up, and whether the database
answers afterwards.
"""

import sys

if sys.argv[1] == "eventlet":
    import eventlet

    eventlet.monkey_patch()
else:
    from gevent import monkey

    monkey.patch_all()

import threading

from sqlalchemy import text

from dashboard.db import postgres
from dashboard.db.database import Database
from dashboard.errors import StorageUnavailable
from dashboard.web.server.server import green
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

mode = "eventlet" if sys.argv[1] == "eventlet" else "gevent"
database = Database(sys.argv[2], wait_ready=green(mode).wait_ready)


def query(seconds: float) -> None:
    with database.read() as connection:
        # More than a socket takes at once, there and back.
        found = connection.scalar(
            text("SELECT :text FROM pg_sleep(:seconds)"),
            {"text": "x" * 3_000_000, "seconds": seconds},
        )
    assert len(found) == 3_000_000


query(0)
found: list[str] = []


def wait_for_the_lock() -> None:
    try:
        with database.read() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(1)"))
        found.append("given")
    except StorageUnavailable:
        found.append("not within the time of a lock")


waiting = threading.Thread(target=wait_for_the_lock)
with database.read() as connection:
    connection.execute(text("SELECT pg_advisory_xact_lock(1)"))
    waiting.start()
    wait_until(lambda: found or waits_for_a_lock(database), what="that it waits for the lock")
waiting.join()
print(found[0])
postgres.SILENCE_SECONDS = 0.2
try:
    query(2)
    print("waited")
except StorageUnavailable:
    print("given up")
postgres.SILENCE_SECONDS = 17
query(0)
print("answers")
