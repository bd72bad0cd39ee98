"""The commands `rebuild` and `check`: make the order in Redis from SQL, or compare both."""

import sys
import time
from itertools import islice

import click
from redis.exceptions import RedisError
from tqdm import tqdm

from dashboard.cli.context import open_services
from dashboard.cli.params import command
from dashboard.db.threads import threads
from dashboard.errors import StartError
from dashboard.ordering.diff import Diff, Difference
from dashboard.ordering.rebuild import RebuildBusy, Rebuilder
from scoring.ranking import RankingLost
from scoring.rebuilding import RebuildLost

#: Longest wait for the rebuild of another process.
BUSY_SECONDS = 60.0
BUSY_RETRY_SECONDS = 0.2
#: Pause between the two comparisons of a check.
SECOND_COMPARISON_SECONDS = 1.0


@command("rebuild", example="rebuild")
def rebuild() -> None:
    """Replaces all lists; browsers open them again."""
    with open_services(needs_redis=True) as services:
        with services.database.read() as connection:
            total = threads.last_id(connection)
        started = time.monotonic()
        with tqdm(total=total, unit=" threads", desc="rebuilding", file=sys.stderr) as bar:
            count = _rebuild(services.rebuilder, bar)
            bar.total = count
        click.echo(f"{count} threads in {time.monotonic() - started:.1f} s")


@command("check", example="check --most 50")
@click.option(
    "--most",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    help="Maximum number of differences to print.",
)
def check(most: int) -> int:
    with open_services() as services:
        try:
            services.redis_client.ping()
        except RedisError as error:
            raise StartError("Redis is away, so there is no order to compare.") from error
        return _check(services.diff, services.rebuilder, most)


def _check(diff: Diff, rebuilder: Rebuilder, most: int) -> int:
    """Compares every list. A difference seen in only one comparison was a change under way."""
    try:
        differing = _differences(diff, rebuilder, most)
    except RankingLost as error:
        click.echo(f"Redis does not hold the order: {error}.")
        return 1
    except RedisError as error:
        raise StartError(f"Redis is away: {error}.") from error
    for difference in differing:
        click.echo(_line(difference))
    if not differing:
        click.echo("Redis and SQL have the same order on every list.")
    return 1 if differing else 0


def _rebuild(rebuilder: Rebuilder, bar: tqdm) -> int:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return rebuilder.rebuild(rebuilder.list_ids(), bar.update)
        except (RebuildBusy, RebuildLost) as error:
            if time.monotonic() > deadline:
                raise StartError(f"The order cannot be rebuilt: {error}.") from error
            bar.reset()
            time.sleep(BUSY_RETRY_SECONDS)
        except RedisError as error:
            raise StartError(f"Redis is away: {error}.") from error


def _differences(diff: Diff, rebuilder: Rebuilder, most: int) -> list[Difference]:
    """Returns the first entries that differ in two comparisons; others were changes under way."""
    list_ids = rebuilder.list_ids()
    first = set(diff.differences(list_ids))
    if not first:
        return []
    time.sleep(SECOND_COMPARISON_SECONDS)
    lasting = (entry for entry in diff.differences(list_ids) if entry in first)
    return list(islice(lasting, most))


def _line(difference: Difference) -> str:
    id, score = difference.entry
    who = "Redis has, SQL has not," if difference.is_in_redis else "SQL has, Redis has not,"
    return f"{difference.list_id}/{difference.sort}: {who} thread {id} at {score}"
