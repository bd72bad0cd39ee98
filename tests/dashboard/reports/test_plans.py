"""The plans of SQLite for the statements of reports."""

import sqlite3

import pytest

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.web.http.reports import Reader, ReportQuery, Reports
from tests.support import now_ms


@pytest.fixture
def plan(tmp_path):
    """Returns a function from a report to what SQLite does for it."""
    texts = []

    def recorded(work, path, *arguments):
        texts[:] = arguments
        return work(path, *arguments)

    path = tmp_path / "plans.sqlite"
    database = Database(f"sqlite:///{path}", offload=recorded)
    bring_to_head(database)
    reports = Reports(database, now_ms)

    def plan_of(**report):
        reports.report(ReportQuery.model_validate(report), Reader(1))
        with sqlite3.connect(path) as connection:
            return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {texts[0]}")]

    yield plan_of
    database.close()


FACTS_OF_A_STEP = "SEARCH report_facts USING PRIMARY KEY (kind=? AND at>? AND at<?)"


@pytest.mark.parametrize(
    "report",
    [
        {"metric": "new", "step": "day"},
        {"metric": "new", "step": "day", "query": "lang:vi"},
        {"metric": "new", "step": "day", "query": "tag:vip", "by": "view"},
        {"metric": "waiting", "step": "day", "by": "desk"},
        {"metric": "waiting", "by": "hour", "query": "lang:vi"},
        {"metric": "handled", "step": "day", "query": "lang:vi"},
        {"metric": "first_reply", "step": "day", "query": "lang:vi"},
    ],
    ids=str,
)
def test_each_step_reads_its_own_facts_alone(plan, report):
    assert FACTS_OF_A_STEP in plan(**report)


def test_which_views_hold_a_thread_is_found_once(plan):
    assert "MATERIALIZE masks" in plan(metric="new", step="day", by="view")
