"""Which views, filters and list_ids hold a thread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.facts import ThreadEvent, fold
from scoring.views import VIEWS, all_list_ids, list_id, list_ids, views_of
from tests.scoring import oracle
from tests.scoring.events import event_lists, moments, thread_facts


@given(event_lists, st.booleans(), st.none() | moments)
def test_views_are_those_of_the_requirements(events, handoff_only, until):
    facts = fold(events, handoff_only=handoff_only)._replace(snoozed_until=until)
    assert set(views_of(facts)) == oracle.views(oracle.facts(events, handoff_only), until)


@given(thread_facts(), st.none() | st.integers(1, 99))
def test_each_page_holds_a_thread_under_all_and_one_other_filter(facts, assignee):
    suffix = "unassigned" if assignee is None else f"mine:{assignee}"
    expected = {name for view in views_of(facts) for name in (view, f"{view}:{suffix}")}
    assert list_ids(facts, assignee) == expected


@given(thread_facts(), st.sampled_from([None, 3, 7]))
def test_every_tag_of_a_thread_is_among_all_list_ids(facts, assignee):
    assert list_ids(facts, assignee) <= set(all_list_ids([3, 7]))


def test_all_tags_are_each_page_under_each_filter():
    assert len(all_list_ids([])) == len(set(all_list_ids([]))) == 6
    assert len(all_list_ids([1, 2])) == 12


@pytest.mark.parametrize(
    ("filter", "name"),
    [("all", "history"), ("unassigned", "history:unassigned"), ("mine", "history:mine:7")],
)
def test_a_tag_is_named_by_page_and_filter(filter, name):
    assert list_id("history", filter, 7) == name


def test_pages_stand_in_their_order():
    assert VIEWS == ("arrival", "not_respond", "history")
    waiting = fold([ThreadEvent("client", 1)])
    assert views_of(waiting) == ("arrival", "not_respond")
