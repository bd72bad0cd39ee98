"""Advice of chatbots is pushed to the sockets that have its thread open, as it changes."""

from dashboard.db.threads.suggestions import Advice
from dashboard.errors import StorageUnavailable
from dashboard.ingest.advising import told

SUGGESTION = {"id": 5, "body": "Try this", "for_message": 1}
SUMMARY = {"id": 6, "body": "In short", "through": 1, "through_at": 9}


def open_thread(driver, *sids):
    driver.place(1, 1)
    for sid in sids:
        driver.broadcaster.conversations.join(sid, 1)
        driver.broadcaster.conversations.has_read(1, 0, 0)
    driver.broadcaster.notify(None)
    driver.turn()


def advise(driver, suggestion=None, summary=None):
    driver.reads.advised[1] = Advice(suggestion, summary)
    driver.ranking.place([told(1)])
    driver.broadcaster.notify_unlisted()
    driver.turn()


def pushed(driver):
    given = driver.emitter.take("thread:advice")
    return [(each["suggestion"], each["summary"]) for each in given]


def test_advice_is_pushed_to_all_who_have_the_thread_open_and_changes_no_list(driver):
    open_thread(driver, "a", "b")
    assert pushed(driver) == [], "nobody advised anything"
    before = driver.ranking.states(["arrival"])
    advise(driver, SUGGESTION)
    assert pushed(driver) == [(SUGGESTION, None)] * 2
    assert driver.ranking.states(["arrival"]) == before
    assert driver.ranking.head("arrival", "arrival", 9).entries[0].id == 1


def test_advice_is_pushed_when_it_differs_also_that_there_is_no_more(driver):
    open_thread(driver, "a")
    for suggestion in (SUGGESTION, SUGGESTION, None, None):
        advise(driver, suggestion, SUMMARY)
    assert pushed(driver) == [(SUGGESTION, SUMMARY), (None, SUMMARY)]


def test_a_message_that_ends_a_suggestion_comes_before_it_ends(driver):
    open_thread(driver, "a")
    advise(driver, SUGGESTION)
    driver.emitter.take("thread:advice")
    driver.reads.advised[1] = Advice(None, None)
    driver.reads.stored.append({"id": 9, "thread_id": 1, "body": "One more thing"})
    driver.place(1, 2)
    driver.broadcaster.notify(["arrival"])
    driver.turn()
    names = [name for _, name, _ in driver.emitter.sent if name.startswith("thread:")]
    assert names == ["thread:message", "thread:advice"]


def test_a_socket_that_opens_the_thread_gets_what_is_shown_now(driver):
    open_thread(driver, "a")
    advise(driver, SUGGESTION)
    assert len(pushed(driver)) == 1
    open_thread(driver, "b")
    assert pushed(driver) == [(SUGGESTION, None)]
    driver.broadcaster.conversations.leave("b", 1)
    open_thread(driver, "b")
    open_thread(driver, "a")
    assert pushed(driver) == [(SUGGESTION, None)] * 2, "it has forgotten what it had"


def test_a_socket_at_another_desk_gets_nothing(driver, monkeypatch):
    monkeypatch.setattr(
        driver.reads, "desks_of", lambda ids: dict.fromkeys(ids, "main"), raising=False
    )
    driver.place(1, 1)
    driver.broadcaster.conversations.join("a", 1, frozenset({"sales"}))
    driver.broadcaster.conversations.has_read(1, 0, 0)
    advise(driver, SUGGESTION)
    assert pushed(driver) == []


def test_advice_is_read_again_after_sql_was_away(driver, monkeypatch):
    open_thread(driver, "a")
    with monkeypatch.context() as patched:

        def away(thread_id):
            raise StorageUnavailable

        patched.setattr(driver.reads, "advice", away)
        advise(driver, SUGGESTION)
    assert pushed(driver) == []
    driver.turn()
    assert pushed(driver) == [(SUGGESTION, None)]
