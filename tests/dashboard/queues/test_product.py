"""What queues promise holds for the product, in any history, on both databases."""

import itertools
import shutil
from collections.abc import Callable

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from dashboard.db.database import Database
from tests.dashboard.queues.machine import QueueMachine
from tests.dashboard.queues.product import ProductDesk

NewDatabase = Callable[[], Database]


@pytest.fixture
def new_sqlite(tmp_path, sqlite_at_head) -> NewDatabase:
    paths = (tmp_path / f"{number}.sqlite" for number in itertools.count())
    return lambda: Database(f"sqlite:///{shutil.copy(sqlite_at_head, next(paths))}")


@pytest.fixture
def new_postgres(new_postgres_url, template) -> NewDatabase:
    return lambda: Database(new_postgres_url(template))


def run(new_database: NewDatabase, examples: int, steps: int, derandomize: bool = False) -> None:
    opened: list[Database] = []

    def make(queues, people) -> ProductDesk:
        opened.append(new_database())
        return ProductDesk(opened[-1], queues, people)

    class ProductMachine(QueueMachine):
        def teardown(self):
            while opened:
                opened.pop().close()

    ProductMachine.make = staticmethod(make)
    run_state_machine_as_test(
        ProductMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=derandomize,
            phases=[Phase.generate],
        ),
    )


def test_what_queues_promise_holds_for_the_product(new_sqlite):
    run(new_sqlite, 12, 40, derandomize=True)


@pytest.mark.postgres
def test_it_holds_on_postgresql(new_postgres):
    run(new_postgres, 3, 40, derandomize=True)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize(
    ("new_database", "examples"),
    [
        *[pytest.param("new_sqlite", 400)] * 5,
        pytest.param("new_postgres", 100, marks=pytest.mark.postgres),
    ],
)
def test_it_holds_in_long_histories(request, new_database, examples):
    """200,000 steps together on SQLite."""
    run(request.getfixturevalue(new_database), examples, 100)
