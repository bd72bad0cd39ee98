"""Rows of opened lists are read once, and never stale."""

import itertools
import random

import pytest

from dashboard.live.shelf import ROWS_MAX, Shelf
from scoring.ranking import Placement, Ranking


class FakeReads:
    def __init__(self):
        self.names = {}
        self.read = 0

    def rows(self, ids):
        self.read += len(ids)
        return {id: {"id": id, "name": self.names[id]} for id in ids if id in self.names}


class World:
    def __init__(self, client):
        self.ranking = Ranking(client)
        self.reads = FakeReads()
        self.shelf = Shelf(self.ranking, self.reads)
        self.revisions = itertools.count(1)
        self.rebuild("one")

    def rebuild(self, epoch):
        with self.ranking.begin_rebuild(["arrival"]) as rebuild:
            rebuild.swap("arrival", epoch)

    def write(self, id, name, score=5):
        self.reads.names[id] = name
        scores = (score,) * len(self.ranking.sorts)
        enter = frozenset({"arrival"})
        given = (id, next(self.revisions), frozenset(), enter, scores)
        self.ranking.place([Placement(*given)])

    def open(self, limit=500):
        head = self.ranking.head("arrival", "arrival", limit)
        return self.shelf.rows("arrival", head)

    def slowly(self, limit=500):
        head = self.ranking.head("arrival", "arrival", limit)
        return [
            f'{{"id":{id},"name":"{self.reads.names[id]}"}}'
            for id, _ in head.entries
            if id in self.reads.names
        ]


@pytest.fixture
def world(client):
    return World(client)


def test_the_second_opening_reads_nothing(world):
    for id in range(1, 6):
        world.write(id, "a")
    assert world.open() == world.open() == world.slowly()
    assert world.reads.read == 5


def test_what_changed_alone_is_read_again(world):
    for id in range(1, 6):
        world.write(id, "a")
    world.open()
    world.write(3, "b")
    assert world.open() == world.slowly()
    assert world.reads.read == 6


def test_another_epoch_reads_everything(world):
    world.write(1, "a")
    world.open()
    world.rebuild("two")
    world.reads.names[1] = "b"
    world.write(1, "c")
    assert world.open() == world.slowly()


def test_it_equals_reading_everything_each_time(world):
    rng = random.Random(7)
    for step in range(300):
        world.write(rng.randrange(1, 40), f"step {step}", rng.randrange(1000))
        if rng.random() < 0.3:
            limit = rng.randrange(1, 50)
            assert world.open(limit) == world.slowly(limit)


def test_it_does_not_grow_for_ever(world):
    for id in range(1, 50):
        world.write(id, "a")
    world.open()
    [kept] = world.shelf._kept.values()
    kept.rows |= dict.fromkeys(range(10_000, 10_000 + ROWS_MAX), "{}")
    world.write(1, "b")
    world.open()
    assert len(kept.rows) <= ROWS_MAX
