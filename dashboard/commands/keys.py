"""Commands about API keys: how a chatbot may call."""

import sys
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection

from dashboard.errors import StartError
from dashboard.intake.place import Placer
from dashboard.intake.record import Recorder
from dashboard.store import keys, sources
from dashboard.store.database import Database

Clock = Callable[[], int]


def create_key(
    args: Namespace, database: Database, clock: Clock, recorder: Recorder, placer: Placer
) -> int:
    """Prints the key; with `--handoff` the source's threads are folded anew."""

    def write(connection: Connection) -> tuple[str, int]:
        source_id = sources.ensure(connection, args.source, clock())
        if args.handoff:
            sources.set_handoff_only(connection, source_id)
        return keys.create(connection, source_id, args.scopes, args.rate, clock()), source_id

    key, source_id = database.write(write)
    if args.handoff:
        # Also where that is no news: an earlier call may have been interrupted here.
        for placements in recorder.refold(source_id):
            placer.place(placements)
    print(key)
    return 0


def list_keys(args: Namespace, database: Database) -> int:
    with database.read() as connection:
        for line in keys.listing(connection):
            print("\t".join(_shown(line)))
    return 0


def revoke_key(args: Namespace, database: Database, clock: Clock) -> int:
    if not database.write(lambda connection: keys.revoke(connection, args.key, clock())):
        raise StartError("There is no such key; list-keys shows them.")
    print("The key is revoked.", file=sys.stderr)
    return 0


def _shown(line: keys.KeyLine) -> list[str]:
    return [
        line.prefix,
        line.source,
        ",".join(line.scopes),
        "handoff" if line.handoff_only else "all messages call",
        "no quota" if line.rate_per_second is None else f"{line.rate_per_second}/s",
        _day(line.created_at),
        "active" if line.revoked_at is None else f"revoked {_day(line.revoked_at)}",
    ]


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
