"""Queries run by the driver give the same as with SQLAlchemy."""

import pytest
from sqlalchemy import insert, select, text

from dashboard.db import driver
from dashboard.db.driver import Ask, Query, answer, answers, by_name
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers
from dashboard.db.threads import events, thread_states

NAMES = ["plain", "Nguyễn “Mai” 😀", 'it\'s \\ {"a": 1}', "%s :name ?"]
COLUMNS = ["id", "external_id", "name", "stamps", "created_at"]
FREE, LOCKED = by_name(customers, COLUMNS), by_name(customers, COLUMNS, locked=True)
HANDOFF_ONLY = Query(
    [sources.c.handoff_only], "SELECT handoff_only FROM sources WHERE name = :name"
)


@pytest.fixture
def shop_id(any_database) -> int:
    """The id of a source with a customer for each of NAMES."""

    def write(connection) -> int:
        added = insert(sources).values(name="shop", created_at=1).returning(sources.c.id)
        source_id = connection.execute(added).scalar_one()
        rows = [
            {"source_id": source_id, "external_id": name, "name": name, "created_at": 1}
            | {"stamps": {"name": [at, name]}}
            for at, name in enumerate(NAMES)
        ]
        connection.execute(insert(customers), rows)
        return source_id

    return any_database.write(write)


def ask(query: Query, source_id: int, *names: str) -> Ask:
    return Ask(query, {"source": source_id, "names": driver.dumps(names)}, names_of)


def names_of(rows) -> list[str]:
    return [row[1] for row in rows]


@pytest.mark.parametrize("query", [FREE, LOCKED])
def test_rows_are_those_of_sqlalchemy(any_database, shop_id, query):
    with any_database.read() as connection:
        found = answer(connection, ask(query, shop_id, *NAMES)._replace(read=list))
        own = [customers.c[name] for name in COLUMNS]
        expected = connection.execute(select(*own).order_by(customers.c.id)).all()
    assert sorted(map(tuple, found)) == [tuple(row) for row in expected]
    assert {row[1]: row[3] for row in found}[NAMES[2]] == {"name": [2, NAMES[2]]}


@pytest.mark.parametrize("handoff_only", [True, False])
def test_a_boolean_is_one(any_database, shop_id, handoff_only):
    with any_database.engine.connect() as connection:
        connection.execute(sources.update().values(handoff_only=handoff_only))
        [row] = answer(connection, Ask(HANDOFF_ONLY, {"name": "shop"}, list))
    assert row[0] is handoff_only


@pytest.mark.parametrize("count", range(len(NAMES) + 1))
def test_rows_are_found_by_a_list_of_any_length(any_database, shop_id, count):
    names = [*NAMES[:count], "unknown"]
    with any_database.read() as connection:
        for query in (FREE, LOCKED):
            assert sorted(answer(connection, ask(query, shop_id, *names))) == sorted(NAMES[:count])
            assert answer(connection, ask(query, shop_id + 1, *names)) == []
            assert answer(connection, ask(query, shop_id)) == []


def test_locked_rows_come_in_the_order_of_their_ids(any_database, shop_id):
    with any_database.read() as connection:
        assert answer(connection, ask(LOCKED, shop_id, *reversed(NAMES))) == NAMES


def test_questions_are_answered_in_their_order(any_database, shop_id):
    asks = [ask(LOCKED, shop_id, name) for name in (*reversed(NAMES), "unknown")]
    with any_database.read() as connection:
        assert answers(connection, asks) == [*([name] for name in reversed(NAMES)), []]


@pytest.mark.postgres
def test_rows_are_locked(postgres_database):
    source_id = postgres_database.write(
        lambda connection: connection.execute(
            insert(sources).values(name="shop", created_at=1).returning(sources.c.id)
        ).scalar_one()
    )
    row = {"source_id": source_id, "external_id": "a", "created_at": 1}
    postgres_database.write(lambda connection: connection.execute(insert(customers), row))
    engine = postgres_database.engine
    unlocked = select(customers.c.external_id).with_for_update(skip_locked=True)
    with engine.begin() as one, engine.begin() as other:
        answer(one, ask(FREE, source_id, "a"))
        assert other.scalars(unlocked).all() == ["a"]
    with engine.begin() as one, engine.begin() as other:
        answer(one, ask(LOCKED, source_id, "a"))
        assert other.scalars(unlocked).all() == []


@pytest.mark.postgres
@pytest.mark.parametrize(
    "query", [events._KNOWN, thread_states._BY_NAME], ids=["events", "threads"]
)
def test_each_name_is_looked_up_in_a_database_without_statistics(postgres_database, query):
    """The plan is kept while the tables grow: it must not scan them."""
    with postgres_database.engine.begin() as connection:
        connection.execute(text("SET LOCAL plan_cache_mode = force_generic_plan"))
        sql = query._postgres.replace("%(names)s", "$1").replace("%(source)s", "$2")
        connection.exec_driver_sql(f"PREPARE asked AS {sql}")
        plan = str(connection.exec_driver_sql("EXPLAIN EXECUTE asked ('[]', 1)").all())
        connection.exec_driver_sql("DEALLOCATE asked")
    assert "source_id = $2) AND ((external_id)::text = asked.name" in plan
    assert "Seq Scan" not in plan
