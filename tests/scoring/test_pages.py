"""Which pages, filters and tags hold a thread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.facts import ThreadEvent, fold
from scoring.pages import PAGES, all_tags, pages_of, tag, tags
from tests.scoring import oracle
from tests.scoring.events import event_lists, thread_facts


@given(event_lists, st.booleans())
def test_pages_are_those_of_the_contract(events, handoff_only):
    facts = fold(events, handoff_only=handoff_only)
    assert set(pages_of(facts)) == oracle.pages(oracle.facts(events, handoff_only))


@given(thread_facts(), st.none() | st.integers(1, 99))
def test_each_page_holds_a_thread_under_all_and_one_other_filter(facts, assignee):
    suffix = "unassigned" if assignee is None else f"mine:{assignee}"
    expected = {name for page in pages_of(facts) for name in (page, f"{page}:{suffix}")}
    assert tags(facts, assignee) == expected


@given(thread_facts(), st.sampled_from([None, 3, 7]))
def test_every_tag_of_a_thread_is_among_all_tags(facts, assignee):
    assert tags(facts, assignee) <= set(all_tags([3, 7]))


def test_all_tags_are_each_page_under_each_filter():
    assert len(all_tags([])) == len(set(all_tags([]))) == 6
    assert len(all_tags([1, 2])) == 12


@pytest.mark.parametrize(
    ("filter", "name"),
    [("all", "history"), ("unassigned", "history:unassigned"), ("mine", "history:mine:7")],
)
def test_a_tag_is_named_by_page_and_filter(filter, name):
    assert tag("history", filter, 7) == name


def test_pages_stand_in_their_order():
    assert PAGES == ("arrival", "not_respond", "history")
    waiting = fold([ThreadEvent("client", 1)])
    assert pages_of(waiting) == ("arrival", "not_respond")
