"""Looks at Redis again and again, and answers with the samples of `bench.exactness`.

The first line holds the settings: `url` of Redis, `screens` (the ids of the lists on screens). It
begins at once, says so with `true`, and ends with the next line, to which it answers.
"""

import json
import sys
import threading
import time
from typing import Any

import redis

from scoring.ranking import Ranking
from scoring.views import VIEWS

#: Pause between two looks: an event counts as exact up to so much later than it was.
PAUSE_SECONDS = 0.005


class Observer:
    """The samples up to now."""

    def __init__(self, ranking: Ranking, screens: list[str]):
        self._ranking = ranking
        self._screens = [*screens, *VIEWS]
        self._since: tuple[int, ...] | None = None
        self._totals: dict[str, int] = {}
        self.samples: list[list[Any]] = []

    def look(self) -> None:
        """Adds a sample, or notes that the last one is still true."""
        begun = time.monotonic_ns()
        found = self._ranking.totals(self._since)
        totals = {id: total for id, total in found.totals.items() if self._totals.get(id) != total}
        self._since = found.numbers
        self._totals |= totals
        # Later than the numbers: what has changed in between counts against Lineup.
        states = self._ranking.states(self._screens)
        versions = {id: states[id].version for id in self._screens}
        pages = {view: (states[view].version, states[view].total) for view in VIEWS}
        content = [found.numbers, versions, pages]
        if self.samples and self.samples[-1][2:5] == content and not totals:
            self.samples[-1][1] = begun
        else:
            self.samples.append([begun, begun, *content, totals])


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    observer = Observer(Ranking(redis.Redis.from_url(settings["url"])), settings["screens"])
    over = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        over.set()

    observer.look()
    print("true", flush=True)
    threading.Thread(target=wait, daemon=True).start()
    while not over.wait(PAUSE_SECONDS):
        observer.look()
    observer.look()
    print(json.dumps(observer.samples), flush=True)


if __name__ == "__main__":
    main()
