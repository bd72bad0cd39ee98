"""The saved views of the benches are queries, the same ones each time, and no two of ten alike."""

from datetime import UTC

from bench.saved_views import saved_views, worst_views
from dashboard.db.lists.allowances import QUERY_MAX, SAVED
from scoring.conditions.language.parser import parse
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import together


def test_saved_views_are_queries_that_differ_and_stay_the_same():
    found = saved_views(100)
    texts = {parse(view.query).canonical for view in found}
    assert len(texts) > 90
    assert found == saved_views(200)[:100]


def test_the_worst_views_may_all_be_saved_and_hardly_any_more():
    queries = [resolve(parse(view.query), None, {}.get, UTC) for view in worst_views(1_000)]
    cost = together(queries)
    assert max(query.conditions for query in queries) <= QUERY_MAX
    assert SAVED.most.conditions * 0.7 < cost.conditions <= SAVED.most.conditions
    assert (cost.weight, cost.quiet) == (SAVED.most.weight, SAVED.most.quiet)
    assert len({query.key for query in queries}) == 1_000
