"""Facts are a function of the set of events: no order, split or repetition changes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import views
from scoring.facts import Facts, Settlement, ThreadEvent, advance, fold
from scoring.sorts import scores
from tests.scoring import oracle
from tests.scoring.events import event_lists


class Thread:
    """A thread as the store keeps it: events by id, so that a repetition is none."""

    def __init__(self, handoff_only: bool):
        self.facts = Facts()
        self.handoff_only = handoff_only
        self._stored: dict[int, ThreadEvent] = {}

    def take(self, batch: list[ThreadEvent]) -> None:
        new = {event.id: event for event in batch if event.id not in self._stored}
        self._stored |= new
        step = advance(self.facts, new.values(), handoff_only=self.handoff_only)
        self.facts = step.facts
        if step.needs_all:
            self.facts = fold(self._stored.values(), handoff_only=self.handoff_only)
        elif step.moved is not None:
            self._count(step.moved)

    def _count(self, settled: Settlement) -> None:
        kept = [event for event in self._stored.values() if not settled.settles(event)]
        calling = ("handoff",) if self.handoff_only else ("client", "handoff")
        self.facts = self.facts._replace(
            unanswered_since=oracle.first(oracle.times(kept, *calling)),
            unanswered=len(oracle.times(kept, "client")),
        )


@given(event_lists, st.booleans())
def test_facts_are_those_of_the_requirements(events, handoff_only):
    facts = fold(events, handoff_only=handoff_only)
    expected = oracle.facts(events, handoff_only)
    assert facts.settlement.at == expected.pop("settled_at")
    assert facts.subject().answered == expected.pop("answered")
    assert {name: getattr(facts, name) for name in expected} == expected


@given(event_lists, st.booleans(), st.data())
def test_any_order_split_and_repetition_give_the_same(events, handoff_only, data):
    repeated = data.draw(st.lists(st.sampled_from(events))) if events else []
    delivered = _what_is_undone_first(data.draw(st.permutations(events + repeated)))
    thread = Thread(handoff_only)
    while delivered:
        size = data.draw(st.integers(1, len(delivered)))
        thread.take(delivered[:size])
        delivered = delivered[size:]
    whole = fold(events, handoff_only=handoff_only)
    assert thread.facts == whole
    assert scores(thread.facts) == scores(whole)
    assert views.views_of(thread.facts) == views.views_of(whole)


def _what_is_undone_first(delivered: list[ThreadEvent]) -> list[ThreadEvent]:
    """Orders an act behind its undone event: only a stored event can be undone."""
    by_id = {event.id: event for event in delivered}
    pairs = ((by_id.get(event.undoes), event) for event in delivered)
    return [event for pair in pairs for event in pair if event is not None]


@given(event_lists.filter(bool), st.booleans())
def test_notes_and_bot_messages_move_no_thread_of_a_customer(events, handoff_only):
    events = [*events, ThreadEvent("client", 5)]
    silent = [ThreadEvent("note", 4), ThreadEvent("other", 9)]
    with_silent = fold(events + silent, handoff_only=handoff_only)
    assert scores(with_silent) == scores(fold(events, handoff_only=handoff_only))


@pytest.mark.parametrize(
    ("kinds", "closed", "waiting_since"),
    [
        (["client"], False, 1),
        (["client", "admin"], False, None),
        (["client", "admin", "client", "client"], False, 3),
        (["client", "close"], True, None),
        (["client", "close", "client"], False, 3),
        (["client", "close", "reopen"], False, 1),
        (["client", "admin", "close", "reopen"], False, None),
        (["client", "close", "handoff"], False, 3),
        (["client", "note"], False, 1),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_who_waits_and_since_when(kinds, closed, waiting_since):
    facts = fold(ThreadEvent(kind, at) for at, kind in enumerate(kinds, start=1))
    assert (facts.closed, facts.waiting_since) == (closed, waiting_since)


def test_a_tie_of_close_and_message_is_open():
    assert not fold([ThreadEvent("close", 5), ThreadEvent("client", 5)]).closed


def test_where_the_bot_answers_only_a_handoff_calls():
    chat = [ThreadEvent("client", 1), ThreadEvent("handoff", 2), ThreadEvent("client", 3)]
    assert fold(chat, handoff_only=True).waiting_since == 2
    assert fold(chat[:1], handoff_only=True).waiting_since is None


def test_the_store_is_asked_only_where_somebody_settled():
    first = advance(Facts(), [ThreadEvent("client", 5), ThreadEvent("handoff", 3)])
    second = advance(first.facts, [ThreadEvent("client", 2), ThreadEvent("note", 9)])
    assert [(step.moved, step.needs_all) for step in (first, second)] == [(None, False)] * 2
    assert (second.facts.waiting_since, second.facts.unanswered) == (2, 2)


def test_a_closed_thread_that_a_chatbot_uses_alone_is_never_folded_anew():
    facts = fold([ThreadEvent("client", 1), ThreadEvent("close", 2)])
    for kind in ("client", "admin", "close", "reopen", "handoff"):
        assert advance(facts, [ThreadEvent(kind, 3)]).needs_all is False, kind


#: Stored events, as (kind, ranked_at, seen_id); ids count from 1. An act of the dashboard has a
#: seen id.
SLOW_CHATBOT = [("client", 10, None), ("admin", 100, 1), ("client", 98, None)]


@pytest.mark.parametrize(
    ("stored", "closed", "waiting_since", "unanswered"),
    [
        pytest.param(SLOW_CHATBOT, False, 98, 1, id="a-slow-clock-after-an-answer"),
        pytest.param(
            [("client", 10, None), ("close", 100, 1), ("client", 98, None)],
            False,
            98,
            1,
            id="a-slow-clock-after-a-close",
        ),
        pytest.param(
            [("client", 10, None), ("admin", 100, None), ("client", 98, None)],
            False,
            None,
            0,
            id="an-answer-through-the-api-settles-by-time",
        ),
        pytest.param(
            [("client", 10, None), ("close", 100, None), ("client", 98, None)],
            True,
            None,
            0,
            id="a-close-through-the-api-settles-by-time",
        ),
        pytest.param(
            [("client", 10, None), ("client", 20, None), ("admin", 30, 1)],
            False,
            20,
            1,
            id="an-answer-to-the-first-of-two",
        ),
        pytest.param(
            [("client", 10, None), ("client", 20, None), ("close", 30, 1)],
            False,
            20,
            1,
            id="a-close-that-had-seen-the-first-of-two",
        ),
        pytest.param(
            [("client", 10, None), ("client", 10, None), ("admin", 10, 1)],
            False,
            10,
            1,
            id="the-same-millisecond-and-not-seen",
        ),
        pytest.param(
            [("client", 10, None), ("close", 10, 1)],
            True,
            None,
            0,
            id="the-same-millisecond-and-seen",
        ),
        pytest.param(
            [*SLOW_CHATBOT, ("admin", 110, 3)], False, None, 0, id="answered-once-it-was-seen"
        ),
        pytest.param(
            [("client", 9, None), ("close", 10, 1), ("client", 8, None), ("admin", 12, 3)],
            False,
            None,
            0,
            id="a-thread-that-reopened-stays-open-when-it-is-answered",
        ),
        pytest.param(
            [("client", 1, None), ("close", 2, 1), ("reopen", 3, None), ("close", 4, 0)],
            False,
            1,
            1,
            id="an-undone-close-settles-nothing",
        ),
        pytest.param(
            [("client", 1, None), ("close", 2, 1), ("client", 3, None), ("close", 4, 0)],
            False,
            3,
            1,
            id="what-an-earlier-close-had-seen-stays-settled",
        ),
    ],
)
def test_an_act_on_the_dashboard_settles_what_its_author_had_seen(
    stored, closed, waiting_since, unanswered
):
    """H28."""
    events = [ThreadEvent(kind, at, id, seen) for id, (kind, at, seen) in enumerate(stored, 1)]
    facts = fold(events)
    assert (facts.closed, facts.waiting_since, facts.unanswered) == (
        closed,
        waiting_since,
        unanswered,
    )
    thread = Thread(handoff_only=False)
    for event in events:
        thread.take([event])
    assert thread.facts == facts


def test_there_is_a_time_of_the_close_while_the_thread_is_closed():
    """`closed:` uses `closed_at` while the thread is closed: not once it was reopened."""
    events = [ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)]
    assert fold(events).subject().closed_at == 2_000
    reopened = fold([*events, ThreadEvent("reopen", 3_000)])
    assert reopened.closed_at == 2_000 and not reopened.closed
    assert reopened.subject().closed_at is None


def test_a_closed_thread_is_not_snoozed():
    """`is:snoozed` is an open thread, whatever time is kept with it."""
    facts = fold([ThreadEvent("client", 1_000)])._replace(snoozed_until=9_000)
    subject = facts.subject()
    assert (subject.snoozed, subject.snoozed_until) == (True, 9_000)
    closed = fold([ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)])
    subject = closed._replace(snoozed_until=9_000).subject()
    assert (subject.snoozed, subject.snoozed_until) == (False, None)


def test_who_asked_and_was_not_answered_is_so_after_a_close_too():
    """`is:unanswered`: no answer, and there is a request, settled or not."""
    events = [ThreadEvent("client", 1_000), ThreadEvent("close", 2_000)]
    closed = fold(events)
    assert closed.unanswered_since is None and closed.subject().unanswered
    assert not fold([*events, ThreadEvent("admin", 3_000)]).subject().unanswered
    assert not fold([ThreadEvent("other", 1_000)]).subject().unanswered
