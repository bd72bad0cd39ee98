"""Runs statements on the driver's connection, and translates its errors."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

Result = TypeVar("Result")


def drive(connection: Connection, run: Callable[[Any], Result]) -> Result:
    """Returns the result of `run(connection of the driver)`, within the transaction.

    Errors are those that SQLAlchemy raises: DBAPIError and its subclasses.
    """
    driver: Any = connection.connection.driver_connection
    try:
        return run(driver)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _translated(connection, driver, error) from error
    except Exception:
        raise
    except BaseException:
        # A statement may still be running: its results must not reach the next user.
        connection.invalidate()
        raise


def _translated(connection: Connection, driver: Any, error: Exception) -> BaseException:
    dialect: Any = connection.dialect
    is_lost = dialect.is_disconnect(error, driver, None)
    if is_lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        None,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=is_lost,
        dialect=dialect,
    )
