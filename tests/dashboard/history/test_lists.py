"""Random days: any list at any moment is the list that was shown, and all else that the past says
agrees with it."""

import itertools
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dashboard.db.database import Database
from tests.dashboard.history.checks import (
    check_changes,
    check_explanations,
    check_lengths,
    check_marks,
)
from tests.dashboard.history.days import acts_of
from tests.dashboard.history.desk import LISTS, HistoryDesk

#: Makes an empty desk.
NewDesk = Callable[[], HistoryDesk]
#: The seeds of the days in the gate.
SEEDS = (15, 7, 17)
#: Many more days, which differ for each run of them, and the tests that share them: one of 25 days
#: took longer than a test may on a busy machine.
MANY, TURNS = 25, 5


@pytest.fixture(scope="module")
def days(tmp_path_factory, sqlite_at_head: Path) -> Iterator[list[HistoryDesk]]:
    """Desks at the end of their days, on SQLite."""
    folder = tmp_path_factory.mktemp("days")
    with ExitStack() as stack:
        made = []
        for seed in SEEDS:
            path = shutil.copy(sqlite_at_head, folder / f"{seed}.sqlite")
            desk = stack.enter_context(HistoryDesk(folder, Database(f"sqlite:///{path}")))
            made.append(passed(desk, seed, 1))
        yield made


@pytest.fixture
def new_sqlite_desk(tmp_path, sqlite_at_head) -> NewDesk:
    paths = (tmp_path / f"{number}.sqlite" for number in itertools.count())

    def make() -> HistoryDesk:
        path = shutil.copy(sqlite_at_head, next(paths))
        return HistoryDesk(tmp_path, Database(f"sqlite:///{path}"))

    return make


@pytest.fixture
def new_postgres_desk(tmp_path, new_postgres_url, template) -> NewDesk:
    return lambda: HistoryDesk(tmp_path, Database(new_postgres_url(template)))


def passed(desk: HistoryDesk, seed: int, lists: int) -> HistoryDesk:
    """Lets a day pass; after each act so many lists of each admin are recorded."""
    for act in acts_of(seed):
        desk.do(*act)
        desk.record(lists)
    desk.pass_time(1_000)
    return desk


def check_all(desk: HistoryDesk, seed: int) -> None:
    chosen = random.Random(seed)
    desk.compare()
    check_explanations(desk, chosen, 12)
    check_changes(desk, chosen)
    check_marks(desk, chosen, 4)
    check_lengths(desk, chosen, 8)


def test_lists_are_as_they_were_shown(days):
    known = [desk.compare() for desk in days]
    assert sum(known) > len(days) * 60, "most of what was recorded is known still"
    assert any(desk.erased for desk in days) and any(desk.done["cleaned"] for desk in days)
    for type in ("message.edited", "message.deleted"):
        assert any(desk.done[type] for desk in days)


def test_explanations_agree_with_the_lists_of_their_moment(days):
    for seed, desk in zip(SEEDS, days, strict=True):
        check_explanations(desk, random.Random(seed), 8)


def test_pages_of_changes_join_and_name_what_was_stored_with_each(days):
    for seed, desk in zip(SEEDS, days, strict=True):
        check_changes(desk, random.Random(seed))


def test_marks_count_the_changes_of_threads_on_the_list(days):
    for seed, desk in zip(SEEDS, days, strict=True):
        check_marks(desk, random.Random(seed), 3)


def test_the_length_of_a_list_over_time_is_that_of_each_moment(days):
    for seed, desk in zip(SEEDS, days, strict=True):
        check_lengths(desk, random.Random(seed), 12)


@pytest.mark.postgres
def test_all_holds_on_postgresql(new_postgres_desk):
    with new_postgres_desk() as desk:
        check_all(passed(desk, SEEDS[0], 1), SEEDS[0])


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize(
    ("new_desk", "days"),
    [
        ("new_sqlite_desk", MANY // TURNS),
        pytest.param("new_postgres_desk", 1 + MANY // TURNS // 3, marks=pytest.mark.postgres),
    ],
)
@pytest.mark.parametrize("turn", range(TURNS))
def test_all_holds_on_many_days(request, new_desk, days, turn):
    """Each list of each admin, after each act; a test takes two minutes at most."""
    first = random.SystemRandom().randrange(2**32)
    for seed in range(first, first + days):
        with request.getfixturevalue(new_desk)() as desk:
            print("the day of seed", seed)
            check_all(passed(desk, seed, len(LISTS) // 4), seed)
