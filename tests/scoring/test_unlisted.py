"""Changes of threads that are on no view, and so in no view's log."""

from scoring import placing
from scoring.placing import Placement
from tests.drivers.ranking import placed


def unlisted(id: int, revision: int = 1, leave: str | None = None) -> Placement:
    """Snoozed, or archived."""
    return placed(id, revision, "", 5, leave or "")


def changed_since(driver, number):
    return driver.ranking.unlisted_since(number)


def test_a_thread_on_no_view_is_named_at_each_of_its_changes(driver):
    start = changed_since(driver, None)
    assert start == (0, None), "what came before is not known"
    driver.ranking.place([unlisted(1), placed(2, 1, "arrival", 5), unlisted(3)])
    first, ids = changed_since(driver, start.number)
    assert ids is None, "nothing was there before"
    driver.ranking.place([unlisted(1, 2)])
    assert changed_since(driver, first) == (first + 1, {1})
    assert changed_since(driver, first + 1) == (first + 1, set())
    assert changed_since(driver, first - 1) == (first + 1, {1, 3})


def test_it_is_named_when_it_leaves_the_last_view(driver):
    driver.ranking.place([unlisted(2), placed(1, 1, "arrival", 5)])
    number, _ = changed_since(driver, None)
    driver.ranking.place([unlisted(1, 2, leave="arrival")])
    assert changed_since(driver, number).ids == {1}


def test_all_are_named_that_change_together(driver, monkeypatch):
    monkeypatch.setattr(placing, "THREADS_PER_CALL", 2)
    driver.ranking.place([unlisted(9)])
    number, _ = changed_since(driver, None)
    driver.ranking.place([unlisted(id) for id in range(1, 6)])
    assert changed_since(driver, number) == (number + 3, {1, 2, 3, 4, 5})


def test_who_missed_more_than_is_kept_is_told_so(driver, monkeypatch):
    monkeypatch.setattr(placing, "UNLISTED_ENTRIES", 3)
    for id in range(1, 6):
        driver.ranking.place([unlisted(id)])
    last, _ = changed_since(driver, None)
    assert changed_since(driver, last - 4) == (last, None), "the change of thread 2 is forgotten"
    assert changed_since(driver, last - 3) == (last, {3, 4, 5})


def test_a_redis_that_was_emptied_begins_anew(driver):
    driver.ranking.place([unlisted(1)])
    before, _ = changed_since(driver, None)
    driver.client.flushall()
    assert changed_since(driver, before) == (0, None)
    driver.ranking.place([unlisted(2)])
    after = changed_since(driver, before)
    assert after.number > before and after.ids is None
