"""Many green threads store events at the same time.

    python -m tests.dashboard.ingest.recorder.green_writers eventlet|gevent FILE

Prints how often one waited for the write lock of SQLite.
"""

import sys

WRITERS = 20
EVENTS = 15

if sys.argv[1] == "eventlet":
    import eventlet

    eventlet.monkey_patch()
    pool = eventlet.GreenPool(WRITERS)
    sleep = eventlet.sleep
    spawn, wait = pool.spawn, pool.waitall
else:
    import gevent.monkey
    import gevent.pool

    gevent.monkey.patch_all()
    pool = gevent.pool.Pool(WRITERS)
    sleep = gevent.sleep
    spawn, wait = pool.spawn, pool.join


from dashboard.db.database import Database  # noqa: E402
from tests.dashboard.ingest.shop import Shop, message  # noqa: E402
from tests.support import now_ms  # noqa: E402

waited: list[float] = []


def count_and_sleep(seconds: float) -> None:
    waited.append(seconds)
    sleep(seconds)


def write(shop: Shop, writer: int) -> None:
    for number in range(EVENTS):
        roles = ("client", "admin", "bot")
        shop.send(message(number, thread=f"t-{number % 4}", role=roles[writer % 3]))
        sleep(0)


database = Database(f"sqlite:///{sys.argv[2]}", sleep=count_and_sleep)
shop = Shop(database, now_ms)
for writer in range(WRITERS):
    spawn(write, shop, writer)
wait()
print(len(waited))
