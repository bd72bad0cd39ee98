"""Last seen in SQL: the cost for a heartbeat, and that of a list after Redis has lost its data.

Data: the people of bench/presence/online.py, in SQLite. They are saved as they come, then once more
as people who stay online are saved, both in the batches of the product. Then Redis is emptied,
and every page comes from SQL.
"""

import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import redis

from bench.presence import online
from bench.presence.measures import CHUNK, chunks, redis_seconds
from bench.presence.report import Result
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.last_seen import SeenCustomers, save_customers
from dashboard.db.migrate import bring_to_head
from dashboard.presence.tasks import ONLINE_STORED_MS, STORED_AT_ONCE
from presence.keys import Space
from presence.listing import Listing
from presence.outbox import Departure, OnlineTimes, Outbox
from presence.people import Connection, People
from presence.settings import Settings

#: Interval of a person's heartbeats.
BEAT_MS = 30_000


def measure(client: redis.Redis, count: int, rounds: int = online.ROUNDS) -> Result:
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder)}/lineup.sqlite")
        bring_to_head(database)
        for source in ["few", "many", *(f"other-{number}" for number in range(online.OTHERS))]:
            database.write(partial(sources.ensure, name=source, now_ms=0))
        try:
            return _measure(client, database, count, rounds)
        finally:
            database.close()


def _measure(client: redis.Redis, database: Database, count: int, rounds: int) -> Result:
    people = People(client, Space("stored"))
    outbox = Outbox(people)
    outbox.read_once()
    coming = 0.0
    for part in chunks(online.crowd(count), CHUNK):
        people.open_all([(Connection(name, "s1"), Settings(), None) for name in part])
        coming += _seconds(client, database, _announced(outbox))
    archive = SeenCustomers(database)
    times = OnlineTimes(people, ONLINE_STORED_MS)
    shards = (times.batches(STORED_AT_ONCE) for _ in range(people.space.shards))
    staying = _seconds(client, database, (batch for shard in shards for batch in shard))
    client.flushall()
    result = {
        "people": float(count),
        "coming_us": 1e6 * coming / count,
        "staying_us": 1e6 * staying / count,
        "staying_us_a_beat": 1e6 * staying / count * BEAT_MS / ONLINE_STORED_MS,
    }
    return result | online.pages(Listing(people, online.no_contacts, archive), count, rounds)


def _announced(outbox: Outbox) -> Iterable[list[Departure]]:
    while departures := outbox.read_once(STORED_AT_ONCE):
        yield departures
        outbox.acknowledge()


def _seconds(client: redis.Redis, database: Database, batches: Iterable[list[Departure]]) -> float:
    """Returns processor seconds of this process and of Redis, including the reading."""
    ours, theirs = time.process_time(), redis_seconds(client)
    for batch in batches:
        database.write(partial(save_customers, departures=batch))
    return time.process_time() - ours + redis_seconds(client) - theirs
