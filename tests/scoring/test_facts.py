"""Facts are a function of the set of events: no order, split or repetition changes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import pages
from scoring.facts import Facts, ThreadEvent, advance, fold
from scoring.sorts import scores
from tests.scoring import oracle
from tests.scoring.events import event_lists


class Thread:
    """A thread as the store keeps it: events by id, so that a repetition is none."""

    def __init__(self, handoff_only: bool):
        self.facts = Facts()
        self.handoff_only = handoff_only
        self._stored: dict[int, ThreadEvent] = {}

    def take(self, batch: list[tuple[int, ThreadEvent]]) -> None:
        new = {id: event for id, event in batch if id not in self._stored}
        self._stored |= new
        self.facts = advance(self.facts, new.values(), self._later, handoff_only=self.handoff_only)

    def _later(self, settled_at: int | None) -> tuple[int | None, int]:
        kept = [e for e in self._stored.values() if settled_at is None or e.ranked_at > settled_at]
        calling = ("handoff",) if self.handoff_only else ("client", "handoff")
        calls = oracle.times(kept, *calling)
        return oracle.first(calls), len(oracle.times(kept, "client"))


@given(event_lists, st.booleans())
def test_facts_are_those_of_the_contracts_table(events, handoff_only):
    facts = fold(events, handoff_only=handoff_only)
    expected = oracle.facts(events, handoff_only)
    assert {name: getattr(facts, name) for name in expected} == expected


@given(event_lists, st.booleans(), st.data())
def test_any_order_split_and_repetition_give_the_same(events, handoff_only, data):
    numbered = list(enumerate(events))
    repeated = data.draw(st.lists(st.sampled_from(numbered))) if numbered else []
    delivered = data.draw(st.permutations(numbered + repeated))
    thread = Thread(handoff_only)
    while delivered:
        size = data.draw(st.integers(1, len(delivered)))
        thread.take(delivered[:size])
        delivered = delivered[size:]
    whole = fold(events, handoff_only=handoff_only)
    assert thread.facts == whole
    assert scores(thread.facts) == scores(whole)
    assert pages.pages_of(thread.facts) == pages.pages_of(whole)


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
    def never(settled_at):
        raise AssertionError("asked for what the facts already say")

    facts = advance(Facts(), [ThreadEvent("client", 5), ThreadEvent("handoff", 3)], never)
    facts = advance(facts, [ThreadEvent("client", 2), ThreadEvent("note", 9)], never)
    assert (facts.waiting_since, facts.unanswered) == (2, 2)
