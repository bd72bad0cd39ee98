"""Records demo conversations as events, the way the bot API does."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from tqdm import tqdm

from dashboard.db.database import Database
from dashboard.db.models.threads import events
from dashboard.errors import LineupError, quoted
from dashboard.ingest.schema import Outcome, ParsedEvent, parse
from demo.conversation import iso
from demo.stories import Story, customer, stories, story_prefix

#: Records events of the source and places their threads: `Ingest.accept` for the source.
Accept = Callable[[Sequence[ParsedEvent]], Sequence[Outcome]]

BATCH_EVENTS = 500
_REFUSAL = (
    "The demo event {} was refused: {}. "
    "Another version of the demo may have recorded this random seed; take another one."
)


class SeedError(LineupError):
    """The demo data was refused; what was recorded before stays."""


class Seeded(NamedTuple):
    """The number of threads now, and of events that were new or recorded before."""

    threads: int
    created: int
    duplicates: int


def seed(
    accept: Accept,
    database: Database,
    source_id: int,
    *,
    threads: int,
    messages: int,
    random_seed: int,
    now_ms: int,
    at_desk: bool = False,
    show_progress: bool = True,
) -> Seeded:
    """Records the stories of these arguments; those recorded before stay as they are.

    Times are counted back from `now_ms`, or from the time of the first run with this seed for this
    source, so that a second run, or one after an interruption, gives the same events.
    Raises SeedError if an event is refused, StorageUnavailable if SQL is away.
    """
    prefix = story_prefix(messages, random_seed, at_desk=at_desk)
    begin_id = f"{prefix}:begin"
    begun_ms = _begun_at(database, source_id, begin_id) or now_ms
    begin = {
        "id": begin_id,
        "type": "customer",
        "occurred_at": iso(begun_ms),
        "customer": customer(prefix, 0, is_covering=True).facts(),
    }
    statuses = {"created": 0, "duplicate": 0}
    bar = tqdm(
        desc="seeding", total=threads, unit=" threads", file=sys.stderr, disable=not show_progress
    )
    with bar:
        drawn = stories(threads, messages, random_seed, begun_ms, at_desk=at_desk)
        for batch in _batches([begin], drawn, bar.update):
            for outcome in accept([parse(event) for event in batch]):
                if outcome.status not in statuses:
                    raise SeedError(_REFUSAL.format(quoted(outcome.id), outcome.problem))
                statuses[outcome.status] += 1
    return Seeded(threads, statuses["created"], statuses["duplicate"])


def _begun_at(database: Database, source_id: int, event_id: str) -> int | None:
    query = select(events.c.occurred_at).where(
        events.c.source_id == source_id, events.c.external_id == event_id
    )
    with database.read() as connection:
        return connection.execute(query).scalar()


def _batches(
    first: list[dict[str, Any]], drawn: Iterable[Story], advance: Callable[[int], object]
) -> Iterator[list[dict[str, Any]]]:
    """Yields batches of events, each story in one if it fits; `advance` counts recorded ones."""
    batch, ended = first, 0
    for story in drawn:
        if len(batch) + len(story.events) > BATCH_EVENTS:
            yield batch
            advance(ended)
            batch, ended = [], 0
        batch = [*batch, *story.events]
        ended += 1
    yield batch
    advance(ended)
