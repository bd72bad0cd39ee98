"""What the routes of calendars and of policies share."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.db.database import Database
from dashboard.errors import Problem

Saved = TypeVar("Saved")


class HoursApi:
    """Saves what has a name of its own, from which due times are recomputed."""

    def __init__(self, database: Database, clock: Callable[[], int], wake: Callable[[], object]):
        """`clock` gives milliseconds; `wake()` begins to recompute."""
        self._database = database
        self._clock = clock
        self._wake = wake

    def _write_named(self, taken: str, work: Callable[[Connection], Saved]) -> Saved:
        """Raises Problem (409), which says `taken`, where another one has the name."""
        try:
            return self._database.write(work)
        except IntegrityError as error:
            raise Problem(409, "name_taken", taken) from error
