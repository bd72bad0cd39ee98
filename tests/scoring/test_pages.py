"""The views that hold a thread."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.facts import ThreadEvent, fold
from scoring.views import VIEWS, views_of
from tests.scoring import oracle
from tests.scoring.events import event_lists, moments


@given(event_lists, st.booleans(), st.none() | moments)
def test_views_are_those_of_the_requirements(events, handoff_only, until):
    facts = fold(events, handoff_only=handoff_only)._replace(snoozed_until=until)
    assert set(views_of(facts)) == oracle.views(oracle.facts(events, handoff_only), until)


def test_pages_stand_in_their_order():
    assert VIEWS == ("arrival", "not_respond", "history")
    waiting = fold([ThreadEvent("client", 1)])
    assert views_of(waiting) == ("arrival", "not_respond")
