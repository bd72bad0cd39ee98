"""The commands `seed` and `simulate`: demo data, and events that keep coming."""

from collections.abc import Callable, Sequence

import click
from sqlalchemy import Connection

from dashboard.cli.context import open_services, operator
from dashboard.cli.params import RANDOM_SEED, THREADS, Rate, command
from dashboard.db.accounts import api_keys, sources
from dashboard.db.database import Database
from dashboard.ingest.accounts import key_created
from dashboard.ingest.schema import Outcome, ParsedEvent
from dashboard.services import Services
from demo.seed import seed as record_stories
from demo.simulate import simulate_until_signalled

#: The chatbot of the demo's threads.
DEMO_SOURCE = "demo"


@command(
    "seed", "Add demo threads; the same seed gives equal threads.", example="seed --threads 100000"
)
@click.option("--threads", type=THREADS, required=True, help="Number of threads.")
@click.option(
    "--messages",
    type=click.IntRange(1, 1_000),
    default=3,
    show_default=True,
    help="Messages a thread, on average.",
)
@click.option("--random-seed", type=RANDOM_SEED, default=1, show_default=True)
def seed(threads: int, messages: int, random_seed: int) -> None:
    with open_services() as services:
        seed_threads(services, threads, messages, random_seed)


@command(
    "simulate",
    "Post events as chatbots would, until interrupted.",
    example="simulate --rate 20 --url http://localhost:5000 --key lu_…",
)
@click.option("--rate", type=Rate(), required=True, help="Events a second.")
@click.option(
    "--url",
    default="http://localhost:5000",
    show_default=True,
    help="Address at which Lineup is served.",
)
@click.option("--key", help="An API key; by default one for the source “demo” is made.")
@click.option("--random-seed", type=RANDOM_SEED, default=1, show_default=True)
def simulate(rate: float, url: str, key: str | None, random_seed: int) -> None:
    with open_services() as services:
        key = key or demo_key(services.database, services.clock)
        sent = simulate_until_signalled(url, key, rate, now=services.clock, random_seed=random_seed)
        click.echo(f"{sent} events")


def seed_threads(services: Services, count: int, messages: int, random_seed: int) -> None:
    """Records `count` demo threads with `messages` each on average, and prints the result."""
    clock, placer = services.clock, services.placer
    source_id = services.database.write(
        lambda connection: sources.ensure(connection, DEMO_SOURCE, clock())
    )

    def accept(parsed: Sequence[ParsedEvent]) -> Sequence[Outcome]:
        outcomes = services.ingest.accept(source_id, parsed)
        placer.save_placed_revisions_if_due()
        return outcomes

    seeded = record_stories(
        accept,
        services.database,
        source_id,
        threads=count,
        messages=messages,
        random_seed=random_seed,
        now_ms=clock(),
    )
    placer.save_placed_revisions()
    click.echo(
        f"{seeded.threads} threads: {seeded.created} new events, {seeded.duplicates} known ones"
    )


def demo_key(database: Database, clock: Callable[[], int]) -> str:
    """Creates a key of the demo's source, with all scopes."""

    def write(connection: Connection) -> str:
        source_id = sources.ensure(connection, DEMO_SOURCE, clock())
        key = api_keys.create(connection, source_id, api_keys.SCOPES, None, clock())
        key_created(connection, clock(), operator(), key, DEMO_SOURCE, api_keys.SCOPES)
        return key

    return database.write(write)
