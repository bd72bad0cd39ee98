"""What queues promise holds for the product, in any history, on both databases."""

import itertools
import shutil

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from dashboard.db.database import Database
from tests.dashboard.queues.machine import QueueMachine
from tests.dashboard.queues.product import ProductDesk


@pytest.fixture
def new_sqlite(tmp_path, sqlite_at_head):
    numbers = itertools.count()

    def new() -> Database:
        return Database(
            f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / f'{next(numbers)}.sqlite')}"
        )

    return new


def run(new_database, examples: int, steps: int, derandomize: bool = False) -> None:
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
