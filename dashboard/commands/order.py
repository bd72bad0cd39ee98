"""Commands about the order in Redis: rebuild it from SQL, compare it with SQL."""

import sys
import time
from argparse import Namespace
from itertools import islice

from redis.exceptions import RedisError
from tqdm import tqdm

from dashboard.errors import StartError
from dashboard.intake.compare import Comparison, Difference
from dashboard.intake.rebuild import Rebuilder
from dashboard.store import threads
from dashboard.store.database import Database
from scoring.ranking import RankingLost
from scoring.rebuilding import RebuildBusy, RebuildLost

#: How long a rebuild of another process is waited for.
BUSY_SECONDS = 60.0
LOOK_AGAIN_SECONDS = 1.0


def rebuild(args: Namespace, database: Database, rebuilder: Rebuilder) -> int:
    """Replaces all lists; browsers open them anew."""
    with database.read() as connection:
        total = threads.last_id(connection)
    started = time.monotonic()
    with tqdm(total=total, unit=" threads", desc="rebuilding", file=sys.stderr) as bar:
        count = _rebuild(rebuilder, bar)
        bar.total = count
    print(f"{count} threads in {time.monotonic() - started:.1f} s")
    return 0


def check(args: Namespace, comparison: Comparison, rebuilder: Rebuilder) -> int:
    """Compares every list; what differs twice is no change on its way."""
    try:
        differing = _differences(comparison, rebuilder, args.most)
    except RankingLost as error:
        print(f"Redis does not hold the order: {error}.")
        return 1
    except RedisError as error:
        raise StartError(f"Redis is away: {error}.") from error
    for difference in differing:
        print(_line(difference))
    if not differing:
        print("Redis and SQL have the same order on every list.")
    return 1 if differing else 0


def _rebuild(rebuilder: Rebuilder, bar: tqdm) -> int:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return rebuilder.rebuild(rebuilder.tags(), bar.update)
        except (RebuildBusy, RebuildLost) as error:
            if time.monotonic() > deadline:
                raise StartError(f"The order cannot be rebuilt: {error}.") from error
            bar.reset()
            time.sleep(0.2)
        except RedisError as error:
            raise StartError(f"Redis is away: {error}.") from error


def _differences(comparison: Comparison, rebuilder: Rebuilder, most: int) -> list[Difference]:
    """The first entries that differ at two looks: others were changes on their way."""
    tags = rebuilder.tags()
    first = set(comparison.differences(tags))
    if not first:
        return []
    time.sleep(LOOK_AGAIN_SECONDS)
    lasting = (found for found in comparison.differences(tags) if found in first)
    return list(islice(lasting, most))


def _line(difference: Difference) -> str:
    id, score = difference.entry
    who = "Redis has, SQL has not," if difference.is_in_redis else "SQL has, Redis has not,"
    return f"{difference.tag}/{difference.sort}: {who} thread {id} at {score}"
