"""The data that benches begin with is what the ingest would have made of the same events."""

import pytest
from sqlalchemy import select

from bench import dataset
from dashboard.db.accounts import sources
from dashboard.db.models.threads import threads as table
from dashboard.db.threads import threads
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.reporting import FactKeeper

COUNT = 60
NEWEST_MS = 1_790_000_000_000


@pytest.fixture
def filled(database):
    source_id = database.write(lambda connection: sources.ensure(connection, dataset.SOURCE, 1))
    dataset.fill(database.url, COUNT, NEWEST_MS)
    return source_id


def test_folding_the_stored_events_anew_changes_nothing(database, filled, clock):
    moved = [each for found in Recorder(database, clock).refold(filled) for each in found]
    assert moved == []


def test_thread_number_one_is_the_newest(database, filled):
    with database.read() as connection:
        listed = threads.listed(connection, "arrival", "all", None, "arrival", COUNT)
    expected = [number for number in range(1, COUNT + 1) if dataset.is_open(number)]
    assert [entry.id for entry in listed] == expected


def test_facts_are_those_of_the_stored_threads(database, filled):
    with database.read() as connection:
        found = dict(connection.execute(select(table.c.id, table.c.waiting_since)).all())
    for thread in dataset.all_threads(COUNT, NEWEST_MS):
        assert found[thread.number] == thread.facts.waiting_since
        assert (thread.facts.member_status >= 0) == dataset.is_member(thread.number)
        assert thread.facts._replace(member_status=-1).unanswered in (0, 1)


def test_a_server_does_not_begin_with_counting_for_reports(database, filled, clock):
    assert FactKeeper(database, clock).turn() == 0
