"""A ranking whose lists are there, and short ways to use it."""

import redis

from scoring.ranking import Placement, Ranking
from scoring.sorts import SORTS

TAGS = ("arrival", "arrival:unassigned", "history")


def scores(first: int, *rest: int) -> tuple[int, ...]:
    """A score for each sort; those not given are the first."""
    return (first, *rest, *[first] * (len(SORTS) - 1 - len(rest)))


def placed(
    id: int, revision: int, enter: str, score: int | tuple[int, ...], leave: str = ""
) -> Placement:
    """A placement; tags are given as words of one string."""
    row = score if isinstance(score, tuple) else scores(score)
    return Placement(id, revision, frozenset(leave.split()), frozenset(enter.split()), row)


class Desk:
    """The ranking of one Redis."""

    def __init__(self, client: redis.Redis):
        self.client = client
        self.ranking = Ranking(client)
        self.keys = self.ranking.keys

    def open(self, *tags: str, epoch: str = "e1") -> None:
        """Gives the tags an epoch and empty lists."""
        with self.ranking.begin_rebuild(tags) as rebuild:
            for tag in tags:
                rebuild.swap(tag, epoch)

    def zrange(self, tag: str, sort: str) -> list[tuple[int, int]]:
        """(id, score) as Redis itself has them."""
        found = self.client.zrange(self.keys.sort(tag, sort), 0, -1, withscores=True)
        return [(int(name), int(score)) for name, score in found]

    def version(self, tag: str) -> int:
        return self.ranking.states([tag])[tag].version
