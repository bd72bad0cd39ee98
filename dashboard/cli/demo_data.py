"""Records demo threads, and makes the API key of their chatbot."""

from collections.abc import Callable, Sequence

import click
from sqlalchemy import Connection

from dashboard.cli.context import operator
from dashboard.core_services import CoreServices
from dashboard.db.accounts import api_keys, sources
from dashboard.db.audit import key_created
from dashboard.db.database import Database
from dashboard.ingest.schema import Outcome, ParsedEvent
from demo.seed import seed as record_stories

#: The chatbot of the demo's threads.
DEMO_SOURCE = "demo"


def seed_threads(
    services: CoreServices, count: int, messages: int, random_seed: int, *, at_desk: bool = False
) -> None:
    """Records `count` demo threads with `messages` each on average, and prints the result.

    `at_desk`: few of them wait, as at the demo's desk.
    """
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
        at_desk=at_desk,
        now_ms=clock(),
    )
    placer.save_placed_revisions()
    click.echo(
        f"{seeded.threads} threads: {seeded.created} new events, {seeded.duplicates} known ones"
    )


def demo_key(database: Database, source: str, clock: Callable[[], int]) -> str:
    """Creates a key of one of the demo's sources, with all scopes."""

    def write(connection: Connection) -> str:
        source_id = sources.ensure(connection, source, clock())
        key = api_keys.create(connection, source_id, api_keys.SCOPES, None, clock())
        key_created(connection, clock(), operator(), key, source, api_keys.SCOPES)
        return key

    return database.write(write)
