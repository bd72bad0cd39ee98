"""Seeding through the record path: all of it, once, and again without harm."""

from collections import Counter
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.models.threads import customers, events, threads
from dashboard.ingest.recorder import Recorder
from demo.seed import BATCH_EVENTS, SeedError, seed
from demo.stories import TAGS, stories
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES
from tests.support import SettableClock


class Seeding:
    """A database with one source, seeded through a Recorder."""

    def __init__(self, database: Database, clock: SettableClock):
        self.database = database
        self.clock = clock
        self.batches: list[int] = []
        self.events_max = 10**9
        self.shop = database.write(lambda connection: sources.ensure(connection, "shop", clock()))
        self._recorder = Recorder(database, clock)

    def accept(self, parsed):
        if sum(self.batches) >= self.events_max:
            raise KeyboardInterrupt
        self.batches.append(len(parsed))
        return self._recorder.record(self.shop, parsed).outcomes

    def seed(self, count: int = 120, random_seed: int = 3, messages: int = 6):
        return seed(
            self.accept, self.database, self.shop, threads=count, messages=messages,
            random_seed=random_seed, now_ms=self.clock(), show_progress=False,
        )  # fmt: skip

    def rows(self, *columns) -> list:
        with self.database.read() as connection:
            return list(connection.execute(select(*columns)))


@pytest.fixture
def seeding(database: Database, clock: SettableClock) -> Iterator[Seeding]:
    yield Seeding(database, clock)


def test_all_stories_are_recorded(seeding):
    drawn = list(stories(120, 6, 3, seeding.clock()))
    seeded = seeding.seed()
    assert seeded.threads == 120
    assert seeded.created == sum(len(story.events) for story in drawn) + 1
    assert seeding.rows(func.count(threads.c.id)) == [(120,)]
    assert {row.external_id for row in seeding.rows(threads.c.external_id)} == {
        story.thread for story in drawn
    }


def test_every_priority_member_status_locale_and_page_is_in_sql(seeding):
    seeding.seed(50)
    assert {row.priority for row in seeding.rows(threads.c.priority)} == set(PRIORITIES)
    assert {row.member_status for row in seeding.rows(customers.c.member_status)} == set(
        MEMBER_STATUSES
    )
    assert {row.locale for row in seeding.rows(customers.c.locale)} == {"en", "vi", "ja"}
    tags = [(row.tags or "").split() for row in seeding.rows(threads.c.tags)]
    assert {tag for each in tags for tag in each} == set(TAGS)
    assert {len(each) for each in tags} == {0, 1, 2, 3}
    states = {
        (row.closed, row.waiting_since is not None)
        for row in seeding.rows(threads.c.closed, threads.c.waiting_since)
    }
    assert states == {(True, False), (False, True), (False, False)}


def test_a_second_run_days_later_changes_nothing(seeding):
    first = seeding.seed()
    before = seeding.rows(*threads.c)
    seeding.clock.advance(3 * 86_400_000)
    second = seeding.seed()
    assert (second.created, second.duplicates) == (0, first.created)
    assert seeding.rows(*threads.c) == before


def test_an_interrupted_run_is_finished_by_the_next(seeding):
    seeding.events_max = 300
    with pytest.raises(KeyboardInterrupt):
        seeding.seed()
    seeding.events_max = 10**9
    seeding.clock.advance(60_000)
    seeded = seeding.seed()
    assert seeded.created > 0 < seeded.duplicates
    assert seeding.rows(func.count(threads.c.id)) == [(120,)]


def test_more_threads_of_the_same_seed_go_on_where_the_first_run_ended(seeding):
    few = seeding.seed(30)
    seeding.clock.advance(60_000)
    many = seeding.seed(60)
    assert many.duplicates == few.created
    assert seeding.rows(func.count(threads.c.id)) == [(60,)]


def test_two_seeds_lie_beside_each_other(seeding):
    seeding.seed(30, random_seed=1)
    seeding.seed(30, random_seed=2)
    seeding.seed(30, random_seed=2, messages=9)
    assert seeding.rows(func.count(threads.c.id)) == [(90,)]


def test_one_thread_works(seeding):
    assert seeding.seed(1, messages=1).threads == 1


def test_events_go_in_batches_of_the_size_that_the_api_takes(seeding):
    seeding.seed(400, messages=12)
    assert max(seeding.batches) <= BATCH_EVENTS
    assert min(seeding.batches[1:-1]) > BATCH_EVENTS / 2


def test_another_event_under_one_of_its_ids_is_an_error(seeding):
    seeding.seed(20)
    (first,) = seeding.rows(func.min(events.c.id))
    seeding.database.write(
        lambda connection: connection.execute(
            events.update().where(events.c.id > first[0]).values(fingerprint=b"x" * 32)
        )
    )
    with pytest.raises(SeedError, match="was refused: event_id_conflict"):
        seeding.seed(20)


def test_outcomes_and_events_are_counted_alike(seeding):
    seeded = seeding.seed(40)
    assert seeded.created == sum(seeding.batches)
    kinds = Counter(row.type for row in seeding.rows(events.c.type))
    assert sum(kinds.values()) == seeded.created
