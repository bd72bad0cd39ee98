"""The saved views of the benches are queries, the same ones each time, and no two of ten alike."""

from bench.saved_views import saved_views
from scoring.conditions.language.parser import parse


def test_saved_views_are_queries_that_differ_and_stay_the_same():
    found = saved_views(100)
    texts = {parse(view.query).canonical for view in found}
    assert len(texts) > 90
    assert found == saved_views(200)[:100]
