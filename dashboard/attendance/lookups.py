"""How many people somebody may look up: presence is for those at hand, not for collecting."""

import math
import time
from collections.abc import Callable

from dashboard.buckets import Buckets
from dashboard.errors import Problem
from presence.people import MOST_ASKED

#: Full look-ups a minute.
CALLS_A_MINUTE = 20
#: However they are spread over calls.
PEOPLE_A_MINUTE = CALLS_A_MINUTE * MOST_ASKED


class LookUps:
    """Counts the people that each key and each admin asks for, in this process."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._buckets = Buckets(monotonic)

    def by_key(self, key_id: int, people: int) -> None:
        """A chatbot asks for so many. Raises Problem (429): then it is told about none."""
        self._take(("key", key_id), people)

    def by_admin(self, admin_id: int, people: int) -> None:
        """An admin asks for so many, in whichever window. Raises Problem (429)."""
        self._take(("admin", admin_id), people)

    def _take(self, who: tuple[str, int], people: int) -> None:
        wait = self._buckets.take(who, people, PEOPLE_A_MINUTE, 60)
        if wait is not None:
            seconds = max(1, math.ceil(wait))
            detail = f"{PEOPLE_A_MINUTE} people may be looked up a minute; try in {seconds} s."
            headers = {"Retry-After": str(seconds)}
            raise Problem(429, "rate_limited", detail, headers=headers)
