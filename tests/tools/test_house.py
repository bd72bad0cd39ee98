"""The product grows no further, and its prose sounds no more translated than today."""

import pytest

from tools.house import prose
from tools.house.measures import MEASURES, WALKS
from tools.house.walks import walks


@pytest.mark.parametrize("name", MEASURES)
def test_no_measure_is_above_what_was_reached(name):
    assert MEASURES[name].value() <= MEASURES[name].held


def test_a_request_crosses_no_more_than_it_did():
    for name, walk in walks().items():
        crossed = (len(walk.files), len(walk.folders), len(walk.functions), walk.depth)
        assert all(map(int.__le__, crossed, WALKS[name].held)), (name, crossed)


@pytest.mark.parametrize(
    ("text", "begins_with_a_clause"),
    [
        ("What an admin sees.", True),
        ("Of passwords or of codes.", True),
        ("Until when a thread is snoozed.", True),
        ("Whole lists, read at once.", False),
        ("Returns whatever is there.", False),
    ],
)
def test_a_docstring_begins_with_a_verb_or_a_noun(text, begins_with_a_clause):
    assert bool(prose.OPENINGS.match(text)) == begins_with_a_clause


def test_the_words_that_are_counted():
    assert len(prose.RIDDLES.findall("Whoever reads, whose list, for whom; the whole.")) == 3
