"""The driver raises the errors of SQLAlchemy, and gives up a broken connection."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from dashboard.db.driver import drive
from dashboard.errors import StorageUnavailable


def test_an_error_is_that_of_sqlalchemy(any_database):
    with any_database.engine.connect() as connection:
        with pytest.raises(DBAPIError) as raised:
            drive(connection, lambda driver: driver.execute("SELECT secret FROM nowhere"))
        assert isinstance(raised.value.orig, connection.dialect.loaded_dbapi.Error)
        assert not raised.value.connection_invalidated


@pytest.mark.postgres
def test_a_write_whose_connection_ends_is_made_again(postgres_database):
    tries = []

    def write(connection):
        tries.append(connection.scalar(text("SELECT pg_backend_pid()")))
        if len(tries) == 1:
            with postgres_database.engine.connect() as other:
                other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": tries[0]})
        return drive(connection, lambda driver: driver.execute("SELECT 5").fetchone()[0])

    assert postgres_database.write(write) == 5
    assert len(tries) == 2


@pytest.mark.postgres
def test_a_read_whose_connection_ends_is_reported(postgres_database):
    with pytest.raises(StorageUnavailable), postgres_database.read() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        with postgres_database.engine.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        drive(connection, lambda driver: driver.execute("SELECT 5"))


def test_an_interrupted_statement_gives_up_its_connection(any_database):
    """A late answer must not reach another user of the connection."""

    def interrupted(driver):
        raise KeyboardInterrupt

    with any_database.engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1")
        with pytest.raises(KeyboardInterrupt):
            drive(connection, interrupted)
        assert connection.invalidated
