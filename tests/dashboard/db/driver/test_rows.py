"""Many rows are written at once, on both databases alike."""

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError

from dashboard.db.driver import Write, insert_of, update_of, write_all
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import events

COLUMNS = [column.key for column in events.c if column.key != "id"]
ADD = insert_of(events, COLUMNS)
TEXT = "Grüße, “Mai” 😀\n\t\\ 'one' %s :body ? {\"a\": 1}"


@pytest.fixture
def source_id(any_database) -> int:
    return any_database.write(
        lambda connection: connection.execute(
            insert(sources).values(name="shop", created_at=1).returning(sources.c.id)
        ).scalar_one()
    )


def event(source_id: int, name: str, **values):
    row = dict.fromkeys(COLUMNS) | {"source_id": source_id, "external_id": name, "type": "message"}
    row |= {"fingerprint": bytes(range(0, 256, 8)), "private": False}
    return row | dict.fromkeys(["occurred_at", "received_at", "ranked_at"], 2**53 - 1) | values


def stored(database) -> list[dict]:
    with database.read() as connection:
        return [
            dict(row) for row in connection.execute(select(events).order_by(events.c.id)).mappings()
        ]


def test_values_of_all_kinds_are_stored_as_they_are(any_database, source_id):
    rows = [
        event(source_id, "a", role="client", body=TEXT, data={TEXT: [TEXT, None, 1, True]}),
        event(source_id, "b", private=True, attachments=[{"url": "https://a/", "name": None}]),
        event(source_id, "c"),
    ]
    ids = any_database.write(lambda connection: ADD.insert(connection, rows, "external_id"))
    found = stored(any_database)
    assert {row["external_id"]: row.pop("id") for row in found} == ids
    assert [row | {"fingerprint": bytes(row["fingerprint"])} for row in found] == rows


def test_a_row_without_a_value_has_null(any_database, source_id):
    """Also in a JSON column, where PostgreSQL has a JSON null, too."""
    any_database.write(lambda connection: ADD.write(connection, [event(source_id, "a")]))
    with any_database.read() as connection:
        found = select(events.c.id).where(events.c.data.is_(None), events.c.attachments.is_(None))
        assert connection.scalars(found).all() == [1]


def test_columns_are_changed_of_the_rows_that_are_named(any_database, source_id):
    def write(connection):
        added = [event(source_id, name) for name in ("a", "b", "c")]
        ids = ADD.insert(connection, added, "external_id")
        change = update_of(events, ["body", "data"])
        change.write(
            connection,
            [
                {"id": ids["c"], "body": TEXT, "data": {"x": 1}},
                {"id": ids["a"], "body": "", "data": None},
            ],
        )

    any_database.write(write)
    found = [(row["external_id"], row["body"], row["data"]) for row in stored(any_database)]
    assert found == [("a", "", None), ("b", None, None), ("c", TEXT, {"x": 1})]


def test_all_writes_are_made_in_their_order(any_database, source_id):
    def write(connection):
        ids = ADD.insert(connection, [event(source_id, "a")], "external_id")
        body = update_of(events, ["body"])
        changes = [Write(body, [{"id": ids["a"], "body": text}]) for text in ("one", "two")]
        write_all(connection, [Write(body, []), *changes])

    any_database.write(write)
    assert [row["body"] for row in stored(any_database)] == ["two"]


def test_nothing_is_sent_without_rows(any_database, monkeypatch):
    monkeypatch.setattr("dashboard.db.driver.drive", None)
    any_database.write(lambda connection: ADD.write(connection, []))


@pytest.mark.parametrize("last", ["a", "b"])
def test_an_id_that_is_taken_is_an_integrity_error_and_nothing_is_stored(
    any_database, source_id, last
):
    def write(connection):
        ADD.write(connection, [event(source_id, "a")])
        write_all(
            connection, [Write(ADD, [event(source_id, last)]), Write(ADD, [event(source_id, "a")])]
        )

    with pytest.raises(IntegrityError):
        any_database.write(write)
    assert stored(any_database) == []


@pytest.mark.postgres
def test_each_row_is_looked_up_in_a_database_without_statistics(postgres_database):
    """The plan is kept while the table grows: it must not scan it."""
    with postgres_database.engine.begin() as connection:
        connection.execute(text("SET LOCAL plan_cache_mode = force_generic_plan"))
        sql = update_of(events, ["body"]).postgresql.replace("%s", "$1")
        connection.exec_driver_sql(f"PREPARE change AS {sql}")
        plan = str(connection.exec_driver_sql("EXPLAIN EXECUTE change ('[]')").all())
        connection.exec_driver_sql("DEALLOCATE change")
    assert "Index Scan using pk_events" in plan and "Seq Scan" not in plan
