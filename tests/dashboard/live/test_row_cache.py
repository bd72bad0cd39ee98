"""Rows of opened lists are read once, and never stale."""

import itertools
import random

import pytest

from dashboard.live.handlers import ROWS_MAX, RowCache
from scoring.placing import Placement
from scoring.ranking import Ranking


class FakeReads:
    def __init__(self):
        self.names = {}
        self.read = 0

    def rows(self, ids, desks=None):
        self.read += len(ids)
        return {id: {"id": id, "name": self.names[id]} for id in ids if id in self.names}


class CacheDriver:
    def __init__(self, client):
        self.ranking = Ranking(client)
        self.reads = FakeReads()
        self.row_cache = RowCache(self.ranking, self.reads)
        self.revisions = itertools.count(1)
        self.rebuild("one")

    def rebuild(self, epoch):
        with self.ranking.begin_rebuild(["arrival"]) as rebuild:
            rebuild.swap("arrival", epoch)

    def write(self, id, name, score=5):
        self.reads.names[id] = name
        scores = (score,) * len(self.ranking.sorts)
        self.ranking.place([Placement(id, next(self.revisions), {"arrival": scores})])

    def open(self, limit=500):
        head = self.ranking.head("arrival", "arrival", limit)
        return self.row_cache.rows("arrival", head)

    def slowly(self, limit=500):
        head = self.ranking.head("arrival", "arrival", limit)
        return [
            f'{{"id":{id},"name":"{self.reads.names[id]}"}}'
            for id, _ in head.entries
            if id in self.reads.names
        ]


@pytest.fixture
def driver(client):
    return CacheDriver(client)


def test_opening_a_list_again_reads_no_rows(driver):
    for id in range(1, 6):
        driver.write(id, "a")
    assert driver.open() == driver.open() == driver.slowly()
    assert driver.reads.read == 5


def test_only_changed_rows_are_read_again(driver):
    for id in range(1, 6):
        driver.write(id, "a")
    driver.open()
    driver.write(3, "b")
    assert driver.open() == driver.slowly()
    assert driver.reads.read == 6


def test_another_epoch_reads_all_rows(driver):
    driver.write(1, "a")
    driver.open()
    driver.rebuild("two")
    driver.reads.names[1] = "b"
    driver.write(1, "c")
    assert driver.open() == driver.slowly()


def test_cached_rows_equal_rows_read_each_time(driver):
    rng = random.Random(7)
    for step in range(300):
        driver.write(rng.randrange(1, 40), f"step {step}", rng.randrange(1000))
        if rng.random() < 0.3:
            limit = rng.randrange(1, 50)
            assert driver.open(limit) == driver.slowly(limit)


def test_the_cache_is_bounded(driver):
    for id in range(1, 50):
        driver.write(id, "a")
    driver.open()
    [cached] = driver.row_cache._cached.values()
    cached.rows |= dict.fromkeys(range(10_000, 10_000 + ROWS_MAX), "{}")
    driver.write(1, "b")
    driver.open()
    assert len(cached.rows) <= ROWS_MAX
