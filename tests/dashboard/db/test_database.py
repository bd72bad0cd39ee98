"""A request lets others run between its statements while it reads, and not while it writes."""

import greenlet
import pytest

from dashboard.turns import STEP_SECONDS, GreenClock, Turns


@pytest.fixture
def turns(monkeypatch):
    """Turns of a processor; each look at the time advances it by more than a step."""
    processor = iter(range(1_000_000))
    made = Turns(clock=GreenClock(lambda: next(processor) * 2 * STEP_SECONDS))
    made.given = []
    made._give_turn = lambda: made.given.append("turn")
    monkeypatch.setattr("dashboard.db.database.turns", made)
    before = greenlet.settrace(made._clock._switched)
    yield made
    greenlet.settrace(before)


def read_twice(connection):
    for _ in range(2):
        connection.exec_driver_sql("SELECT 1").all()


def test_others_run_before_each_statement_of_a_request_that_reads(database, turns):
    with turns.working("one"), database.read() as connection:
        turns.given.clear()
        read_twice(connection)
    assert len(turns.given) == 2


def test_nobody_runs_while_a_request_writes(database, turns):
    def write(connection):
        turns.given.clear()
        read_twice(connection)
        turns.step()

    with turns.working("one"):
        database.write(write)
        assert turns.given == []
        turns.step()
        assert turns.given == ["turn"], "afterwards they do"


def test_what_is_no_request_reads_without_turns(database, turns):
    with database.read() as connection:
        read_twice(connection)
    assert turns.given == []
