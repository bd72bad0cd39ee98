"""Seeding through the record path: all of it, once, and again without harm."""

from collections import Counter
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from dashboard.demo.seed import BATCH_EVENTS, SeedError, seed
from dashboard.demo.stories import stories
from dashboard.intake.record import Recorder
from dashboard.store import sources
from dashboard.store.database import Database
from dashboard.store.models import customers, events, threads
from scoring.sorts import MEMBER_STATUSES, PRIORITIES
from tests.support import SettableClock


class Desk:
    """A database with one source, seeded through a Recorder."""

    def __init__(self, database: Database, clock: SettableClock):
        self.database = database
        self.clock = clock
        self.batches: list[int] = []
        self.most = 10**9
        self.shop = database.write(lambda connection: sources.ensure(connection, "shop", clock()))
        self._recorder = Recorder(database, clock)

    def accept(self, parsed):
        if sum(self.batches) >= self.most:
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
def desk(database: Database, clock: SettableClock) -> Iterator[Desk]:
    yield Desk(database, clock)


def test_all_stories_are_recorded(desk):
    told = list(stories(120, 6, 3, desk.clock()))
    seeded = desk.seed()
    assert seeded.threads == 120
    assert seeded.created == sum(len(story.events) for story in told) + 1
    assert desk.rows(func.count(threads.c.id)) == [(120,)]
    assert {row.external_id for row in desk.rows(threads.c.external_id)} == {
        story.thread for story in told
    }


def test_every_priority_member_status_locale_and_page_is_in_sql(desk):
    desk.seed(50)
    assert {row.priority for row in desk.rows(threads.c.priority)} == set(PRIORITIES)
    assert {row.member_status for row in desk.rows(customers.c.member_status)} == set(
        MEMBER_STATUSES
    )
    assert {row.locale for row in desk.rows(customers.c.locale)} == {"en", "vi", "ja"}
    states = {
        (row.closed, row.waiting_since is not None)
        for row in desk.rows(threads.c.closed, threads.c.waiting_since)
    }
    assert states == {(True, False), (False, True), (False, False)}


def test_a_second_run_days_later_changes_nothing(desk):
    first = desk.seed()
    before = desk.rows(*threads.c)
    desk.clock.advance(3 * 86_400_000)
    second = desk.seed()
    assert (second.created, second.duplicates) == (0, first.created)
    assert desk.rows(*threads.c) == before


def test_an_interrupted_run_is_finished_by_the_next(desk):
    desk.most = 300
    with pytest.raises(KeyboardInterrupt):
        desk.seed()
    desk.most = 10**9
    desk.clock.advance(60_000)
    seeded = desk.seed()
    assert seeded.created > 0 < seeded.duplicates
    assert desk.rows(func.count(threads.c.id)) == [(120,)]


def test_more_threads_of_the_same_seed_go_on_where_the_first_run_ended(desk):
    few = desk.seed(30)
    desk.clock.advance(60_000)
    many = desk.seed(60)
    assert many.duplicates == few.created
    assert desk.rows(func.count(threads.c.id)) == [(60,)]


def test_two_seeds_lie_beside_each_other(desk):
    desk.seed(30, random_seed=1)
    desk.seed(30, random_seed=2)
    desk.seed(30, random_seed=2, messages=9)
    assert desk.rows(func.count(threads.c.id)) == [(90,)]


def test_one_thread_works(desk):
    assert desk.seed(1, messages=1).threads == 1


def test_events_go_in_batches_of_the_size_that_the_api_takes(desk):
    desk.seed(400, messages=12)
    assert max(desk.batches) <= BATCH_EVENTS
    assert min(desk.batches[1:-1]) > BATCH_EVENTS / 2


def test_another_event_under_one_of_its_ids_is_told(desk):
    desk.seed(20)
    (first,) = desk.rows(func.min(events.c.id))
    desk.database.write(
        lambda connection: connection.execute(
            events.update().where(events.c.id > first[0]).values(fingerprint=b"x" * 32)
        )
    )
    with pytest.raises(SeedError, match="was refused: event_id_conflict"):
        desk.seed(20)


def test_outcomes_and_events_are_counted_alike(desk):
    seeded = desk.seed(40)
    assert seeded.created == sum(desk.batches)
    kinds = Counter(row.type for row in desk.rows(events.c.type))
    assert sum(kinds.values()) == seeded.created
