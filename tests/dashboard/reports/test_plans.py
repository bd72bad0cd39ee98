"""The plans of SQLite and PostgreSQL for the statements of reports."""

import sqlite3

import pytest
from sqlalchemy import inspect, text

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.db.models.reports import report_facts
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


@pytest.fixture
def plans_on_postgres(postgres_database, monkeypatch):
    """Returns a function from a report to what PostgreSQL does for it, with 40,000 facts."""
    database, plans, read_beside = postgres_database, [], Database.read_beside

    def explained(self, statement):
        given = statement.compile(self.engine, compile_kwargs={"literal_binds": True})
        with self.read() as connection:
            plans.extend(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {given}"))
        return read_beside(self, statement)

    with database.engine.begin() as connection:
        # Without foreign keys: the plans need no threads.
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text(SOME_FACTS), {"until": now_ms()})
        connection.execute(text("ANALYZE report_facts"))
    monkeypatch.setattr(Database, "read_beside", explained)

    def plans_of(**report):
        plans.clear()
        Reports(database, now_ms).report(ReportQuery.model_validate(report), Reader(1))
        return "\n".join(plans)

    return plans_of


SOME_FACTS = """
    INSERT INTO report_facts (kind, at, id, thread_id, source_id, value, bucket, desk, tier)
    SELECT 1 + n % 9, :until - n * CAST(60000 AS bigint), n, n, 1, 1000 * n, n % 300, 'main', 0
    FROM generate_series(1, 40000) AS n
"""

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


@pytest.mark.parametrize(
    "report",
    [
        {"metric": "new", "step": "day", "query": "lang:vi"},
        {"metric": "waiting", "step": "day", "by": "desk"},
        {"metric": "waiting", "by": "hour", "timezone": "Europe/Berlin"},
        {"metric": "handled", "step": "day"},
        {"metric": "first_reply", "step": "day"},
        {"metric": "first_reply", "by": "hour", "timezone": "Europe/Berlin"},
    ],
    ids=str,
)
def test_postgres_compares_no_fact_with_each_step_or_percentile(plans_on_postgres, report):
    """A join of a million facts with 90 steps took 4 s, and a list of 500 percentiles 11 s."""
    plans = plans_on_postgres(**report)
    assert "report_facts" in plans and "Join Filter" not in plans
    assert plans.count(" OR ") < 10


def test_postgres_takes_as_many_parts_as_there_are(plans_on_postgres, postgres_database):
    """A statement has 65,535 parameters at most."""
    tags = "string_agg('t-' || id * 40 + n, ' ')"
    with postgres_database.engine.begin() as connection:
        some = f"SELECT {tags} FROM generate_series(0, 39) AS n"
        connection.exec_driver_sql(f"UPDATE report_facts SET tags = ({some})")
    query = ReportQuery.model_validate({"metric": "first_reply", "by": "tag"})
    parts = Reports(postgres_database, now_ms).report(query, Reader(1))["parts"]
    assert len(parts) > 40_000 and all(part["total"]["count"] == 1 for part in parts)


@pytest.mark.parametrize("metric", ["new", "first_reply", "close_time"])
def test_postgres_reads_the_key_alone(plans_on_postgres, postgres_database, metric):
    """In the table the facts of one kind stand between those of all others: it read all of it."""
    with postgres_database.read() as connection:
        connection.exec_driver_sql("VACUUM report_facts")
    plans = plans_on_postgres(metric=metric, step="day")
    assert "Index Only Scan using pk_report_facts" in plans
    assert "Bitmap" not in plans and "Seq Scan on report_facts" not in plans


def test_postgres_vacuums_facts_early(postgres_database):
    """Pages that no vacuum has marked are read in the table, too."""
    with postgres_database.read() as connection:
        options = connection.exec_driver_sql(
            "SELECT unnest(reloptions) FROM pg_class WHERE relname = 'report_facts'"
        ).scalars()
        assert set(options) == {
            "autovacuum_vacuum_scale_factor=0.02",
            "autovacuum_vacuum_insert_scale_factor=0.02",
        }


def test_the_key_has_the_columns_of_the_model(postgres_database):
    with postgres_database.read() as connection:
        key = inspect(connection).get_pk_constraint("report_facts")
    options = report_facts.primary_key.dialect_options["postgresql"]
    assert key["dialect_options"]["postgresql_include"] == list(options["include"])
