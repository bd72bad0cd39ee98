"""Records demo conversations, through the door that every event takes."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from tqdm import tqdm

from dashboard.demo.conversation import iso
from dashboard.demo.customers import customer
from dashboard.demo.stories import Story, stories, story_prefix
from dashboard.errors import LineupError, quoted
from dashboard.intake.outcomes import Outcome
from dashboard.intake.schema import ParsedEvent, parse
from dashboard.store.database import Database
from dashboard.store.models import events

#: Records events of the source and places their threads: `Intake.accept`, told the source.
Accept = Callable[[Sequence[ParsedEvent]], Sequence[Outcome]]

BATCH_EVENTS = 500


class SeedError(LineupError):
    """The demo data was refused; what was recorded before stays."""


@dataclass(frozen=True)
class Seeded:
    """How many threads there are now, and how many events were new or there before."""

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
    show_progress: bool = True,
) -> Seeded:
    """Records the stories of these arguments; those that are there already stay as they are.

    Times are counted back from `now_ms`, or from that of the first time that this seed was
    recorded for this source: so a second run, or one after an interruption, meets its own
    events again. Raises SeedError where an event is refused, StorageUnavailable where SQL is away.
    """
    begin = _begin(story_prefix(messages, random_seed), now_ms)
    begun_ms = _begun_at(database, source_id, begin["id"])
    if begun_ms is not None:
        begin["occurred_at"] = iso(begun_ms)
    told = stories(threads, messages, random_seed, now_ms if begun_ms is None else begun_ms)
    statuses = {"created": 0, "duplicate": 0}
    with _progress(threads, show_progress) as bar:
        for batch in _batches([begin], told, bar.update):
            for outcome in accept([parse(event) for event in batch]):
                if outcome.status not in statuses:
                    raise SeedError(_refusal(outcome))
                statuses[outcome.status] += 1
    return Seeded(threads, statuses["created"], statuses["duplicate"])


def _begin(prefix: str, now_ms: int) -> dict[str, Any]:
    """The event that remembers, by its time, from when the stories are counted back."""
    first = customer(prefix, 0, toured=True)
    return {
        "id": f"{prefix}:begin",
        "type": "customer",
        "occurred_at": iso(now_ms),
        "customer": first.facts(),
    }


def _begun_at(database: Database, source_id: int, event_id: str) -> int | None:
    query = select(events.c.occurred_at).where(
        events.c.source_id == source_id, events.c.external_id == event_id
    )
    with database.read() as connection:
        return connection.execute(query).scalar()


def _batches(
    first: list[dict[str, Any]], told: Iterable[Story], advance: Callable[[int], object]
) -> Iterator[list[dict[str, Any]]]:
    """Events in batches, stories kept together where they fit; `advance` counts the recorded."""
    batch, ended = first, 0
    for story in told:
        if len(batch) + len(story.events) > BATCH_EVENTS:
            yield batch
            advance(ended)
            batch, ended = [], 0
        batch = [*batch, *story.events]
        ended += 1
    yield batch
    advance(ended)


def _progress(threads: int, shown: bool) -> Any:
    return tqdm(
        total=threads,
        desc="seeding",
        unit=" threads",
        file=sys.stderr,
        mininterval=0.5,
        disable=not shown,
    )


def _refusal(outcome: Outcome) -> str:
    return (
        f"The demo event {quoted(outcome.id)} was refused: {outcome.problem}. "
        "Another version of the demo may have recorded this random seed; take another one."
    )
