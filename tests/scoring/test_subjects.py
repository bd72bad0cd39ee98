"""What conditions know of a thread, from its facts."""

from scoring.facts import ThreadEvent, fold
from scoring.subjects import subject_of_facts


def test_there_is_a_time_of_the_close_while_the_thread_is_closed():
    """`closed:` is of `closed_at` while the thread is closed: not once it was reopened."""
    events = [ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)]
    assert subject_of_facts(fold(events)).closed_at == 2_000
    reopened = fold([*events, ThreadEvent("reopen", 3_000)])
    assert reopened.closed_at == 2_000 and not reopened.closed
    assert subject_of_facts(reopened).closed_at is None


def test_a_closed_thread_is_not_snoozed():
    """`is:snoozed` is an open thread, whatever time is kept with it."""
    facts = fold([ThreadEvent("client", 1_000)])._replace(snoozed_until=9_000)
    subject = subject_of_facts(facts)
    assert (subject.snoozed, subject.snoozed_until) == (True, 9_000)
    closed = fold([ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)])
    subject = subject_of_facts(closed._replace(snoozed_until=9_000))
    assert (subject.snoozed, subject.snoozed_until) == (False, None)


def test_who_asked_and_was_not_answered_is_so_after_a_close_too():
    """`is:unanswered`: not answered, and there is a request, settled or not."""
    events = [ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)]
    closed = fold(events)
    assert closed.unanswered_since is None and subject_of_facts(closed).unanswered
    assert not subject_of_facts(fold([*events, ThreadEvent("admin", 3_000)])).unanswered
    assert not subject_of_facts(fold([ThreadEvent("bot", 1_000)])).unanswered
