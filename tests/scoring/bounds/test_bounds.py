"""Redis keeps a bounded number of threads that left a list, and of old changes."""

import pytest

from scoring import placing
from scoring.placing import PlacedLate
from tests.drivers.ranking import placed
from tests.scoring.queries.test_query_lists import LISTS, on


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(placing, "VIEW_LOG_ENTRIES", 20)
    monkeypatch.setattr(placing, "LEFT_ENTRIES", 30)


def test_the_log_of_a_view_keeps_the_last_changes_alone(driver):
    for id in range(1, 200):
        driver.ranking.place([placed(id, 1, "arrival", id)])
    version = driver.version("arrival")
    assert driver.client.zcard(driver.keys.changes("arrival")) < 20 + 64
    assert driver.ranking.since("arrival", ["arrival"], "e1", version - 100, 500) is None
    found = driver.ranking.since("arrival", ["arrival"], "e1", version - 20, 500)
    assert [entry.id for entry in found.sets["arrival"]] == list(range(180, 200))
    assert driver.client.hlen(driver.keys.group("arrival").revisions) == 199, "they are on the list"


def test_while_a_view_is_rebuilt_its_log_is_whole(driver):
    with driver.ranking.begin_rebuild(["arrival"]) as rebuild:
        for id in range(1, 200):
            driver.ranking.place([placed(id, 1, "arrival", id)])
        assert sorted(rebuild.swap("arrival", "e2")) == list(range(1, 200))


def test_the_revisions_of_the_last_that_left_are_kept(driver):
    for id in range(1, 101):
        driver.ranking.place([placed(id, 1, "arrival", id)])
        driver.ranking.place([placed(id, 2, "", id, leave="arrival")])
    assert driver.client.hlen(driver.keys.group("arrival").revisions) == 30
    assert driver.client.zcard(driver.keys.group("arrival").left) == 30
    driver.ranking.place([placed(100, 1, "arrival", 5)])
    assert driver.zrange("arrival", "arrival") == [], "a late call puts nothing back"
    driver.ranking.place([placed(100, 3, "arrival", 5)])
    for id in range(201, 301):
        driver.ranking.place([placed(id, 2, "", id, leave="arrival")])
    driver.ranking.place([placed(100, 2, "", 5, leave="arrival")])
    assert driver.zrange("arrival", "arrival") == [(100, 5)], "it is on the list again"
    assert driver.client.hlen(driver.keys.group("arrival").revisions) == 31


def test_a_rebuild_keeps_no_revisions_of_threads_that_left(driver):
    driver.ranking.place([placed(1, 1, "", 1, leave="arrival")])
    driver.open("arrival", epoch="e2")
    left = [driver.keys.group("arrival").left, driver.keys.group("arrival").revisions]
    assert driver.client.exists(*left) == 0


def test_the_revisions_of_the_last_that_left_all_queries_are_kept(driver):
    driver.open(*LISTS[:2])
    driver.ranking.place([on(500, 1, aa=1, bb=1)])
    driver.ranking.place([on(500, 2, aa=None, bb=2)])
    for id in range(1, 101):
        driver.ranking.place([on(id, 1, aa=id)])
        driver.ranking.place([on(id, 2, aa=None)])
    revisions = driver.keys.group(LISTS[0]).revisions
    assert driver.client.hlen(revisions) == 31, "one is still on a list"
    with pytest.raises(PlacedLate):
        driver.ranking.place([on(100, 1, aa=5)])
    assert driver.zrange(LISTS[0], "arrival") == []
    with driver.ranking.begin_rebuild([LISTS[0]]) as rebuild:
        rebuild.fill(LISTS[0], [(100, 2, (7,))])
        rebuild.swap(LISTS[0], "e2")
    for id in range(201, 301):
        driver.ranking.place([on(id, 1, aa=None)])
    assert driver.client.hget(revisions, "000000000100") is not None, "a rebuild put it on a list"
