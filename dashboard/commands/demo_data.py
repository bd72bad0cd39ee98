"""Commands that fill in demo data, and keep it moving."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from redis.exceptions import RedisError

from dashboard.attendance.attendance import Attendance
from dashboard.demo.seed import seed as record_stories
from dashboard.demo.simulate import simulate_until_signalled
from dashboard.errors import StartError
from dashboard.intake.erase import erase_customer
from dashboard.intake.intake import Intake
from dashboard.intake.outcomes import Outcome
from dashboard.intake.place import Placer
from dashboard.intake.schema import ParsedEvent
from dashboard.store import keys, sources
from dashboard.store.database import Database

#: The chatbot whose threads the demo shows.
DEMO_SOURCE = "demo"

Clock = Callable[[], int]


def seed(args: Namespace, database: Database, intake: Intake, placer: Placer, clock: Clock) -> int:
    source_id = database.write(lambda connection: sources.ensure(connection, DEMO_SOURCE, clock()))

    def accept(parsed: Sequence[ParsedEvent]) -> Sequence[Outcome]:
        outcomes = intake.accept(source_id, parsed)
        placer.note_placed_now_and_then()
        return outcomes

    seeded = record_stories(
        accept,
        database,
        source_id,
        threads=args.threads,
        messages=args.messages,
        random_seed=args.random_seed,
        now_ms=clock(),
    )
    placer.note_placed()
    print(f"{seeded.threads} threads: {seeded.created} new events, {seeded.duplicates} known ones")
    return 0


def simulate(args: Namespace, database: Database, clock: Clock) -> int:
    key = args.key or demo_key(database, clock)
    sent = simulate_until_signalled(
        args.url, key, args.rate, now=clock, random_seed=args.random_seed
    )
    print(f"{sent} events")
    return 0


def demo_key(database: Database, clock: Clock) -> str:
    """A new key of the demo's source, with all scopes."""

    def write(connection):
        source_id = sources.ensure(connection, DEMO_SOURCE, clock())
        return keys.create(connection, source_id, keys.SCOPES, None, clock())

    return database.write(write)


def delete_customer(
    args: Namespace, database: Database, placer: Placer, attendance: Attendance
) -> int:
    erased = erase_customer(database, placer, args.source, args.customer)
    if erased is None:
        raise StartError(f"The source {args.source} has no customer {args.customer}.")
    try:
        attendance.forget_customer(f"{args.source}/{args.customer}")
    except RedisError:
        print("Redis is away: it forgets within a day when they were last seen.", file=sys.stderr)
    print(
        f"Deleted {erased.threads} threads and the contents of {erased.events} events.",
        file=sys.stderr,
    )
    return 0
