"""Runs the machine of all readers over a copy of the sources: `planted.py EXAMPLES` in its root.

Exits with 1 and the first fault if the readers do not agree. Examples are not shrunk: a mistake
need only be found.
"""

import sys
import tempfile
from itertools import count
from pathlib import Path

import fakeredis
from hypothesis import Phase, Verbosity, settings
from hypothesis.stateful import run_state_machine_as_test

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests.dashboard.live.queries.test_all_readers import ReadersMachine

STEPS = 40


def main(examples: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        head = Path(folder, "head.sqlite")
        database = Database(f"sqlite:///{head}")
        bring_to_head(database)
        database.close()
        given = {"head": head, "folder": Path(folder), "examples": count()}
        given["client"] = fakeredis.FakeRedis()
        run_state_machine_as_test(
            type("HereMachine", (ReadersMachine,), given),
            settings=settings(
                max_examples=examples,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                verbosity=Verbosity.quiet,
            ),
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
