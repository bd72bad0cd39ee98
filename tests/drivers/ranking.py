"""A ranking whose lists are there, and short ways to use it."""

import redis

from lua_scripts.servers import run_id_of
from scoring.placing import Placement
from scoring.ranking import Ranking
from scoring.sorts import SORTS

LIST_IDS = ("arrival", "not_respond", "history")


def scores(first: int, *rest: int) -> tuple[int, ...]:
    """A score for each sort; those not given are the first."""
    return (first, *rest, *[first] * (len(SORTS) - 1 - len(rest)))


def placed(
    id: int,
    revision: int,
    enter: str,
    score: int | tuple[int, ...],
    leave: str = "",
    assignee_id: int | None = None,
) -> Placement:
    """A placement; list_ids are given as words of one string."""
    row = score if isinstance(score, tuple) else scores(score)
    lists = {**dict.fromkeys(leave.split()), **dict.fromkeys(enter.split(), row)}
    return Placement(id, revision, lists, assignee_id)


def entered(placement: Placement) -> set[str]:
    """The lists that a placement names with scores."""
    return {id for id, scores in placement.lists.items() if scores is not None}


def left(placement: Placement) -> set[str]:
    """The lists that a placement takes a thread off."""
    return placement.lists.keys() - entered(placement)


def run_id(connection: redis.Redis) -> str | None:
    """Answers as INFO would; fakeredis, which has no INFO, is one server that never ends."""
    return run_id_of(connection) or "fakeredis"


class RankingDriver:
    """The ranking of one Redis."""

    def __init__(self, client: redis.Redis, groups: int | None = None):
        self.client = client
        self.ranking = Ranking(client, run_id=run_id, groups=groups)
        self.keys = self.ranking.keys

    def open(self, *list_ids: str, epoch: str = "e1") -> None:
        """Gives the list_ids an epoch and empty lists."""
        with self.ranking.begin_rebuild(list_ids) as rebuild:
            for list_id in list_ids:
                rebuild.swap(list_id, epoch)

    def zrange(self, list_id: str, sort: str) -> list[tuple[int, int]]:
        """Returns (id, score) as Redis itself has them."""
        found = self.client.zrange(self.keys.sort(list_id, sort), 0, -1, withscores=True)
        return [(int(name), int(score)) for name, score in found]

    def version(self, list_id: str) -> int:
        return self.ranking.states([list_id])[list_id].version
