"""The rest of an attempt to connect that was given up."""

import gc
import weakref

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from dashboard.db.postgres import BoundedConnection, postgres_engine


class Begun:
    """A connection that is not made yet; the server keeps a place for it."""


def test_it_is_closed_at_once_and_not_by_the_garbage_collector(monkeypatch):
    """F35: after a silence of the server all its places for connections are free again."""
    attempts: list[weakref.ref[Begun]] = []

    def connect(*args, **kwargs):
        """As the driver does it: the frame that holds the attempt holds the error, too."""
        begun, errors = Begun(), []
        attempts.append(weakref.ref(begun))
        errors.append(psycopg.errors.ConnectionTimeout("connection timeout expired"))
        raise errors[0].with_traceback(None)

    monkeypatch.setattr(BoundedConnection, "connect", connect)
    engine = postgres_engine("postgresql+psycopg://localhost/nothing", None)
    gc.disable()
    try:
        with pytest.raises(OperationalError, match="timeout expired"):
            engine.connect()
        assert [attempt() for attempt in attempts] == [None]
    finally:
        gc.enable()
