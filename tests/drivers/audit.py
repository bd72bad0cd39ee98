"""The audit log in tests: the actor of acts without a request or command, and the entries."""

from typing import Any

from sqlalchemy import select

from dashboard.db.audit import COMMAND, Actor
from dashboard.db.database import Database
from dashboard.db.models.accounts import audit_log

OPERATOR = Actor(COMMAND, name="operator", address="server-1")


def entries(database: Database, *, beside: str = "signin.") -> list[dict[str, Any]]:
    """Returns all entries, the oldest first, without those whose action begins with `beside`."""
    with database.read() as connection:
        rows = connection.execute(select(audit_log).order_by(audit_log.c.id))
        return [dict(row._mapping) for row in rows if not row.action.startswith(beside)]


def acts(database: Database, **more: str) -> list[tuple[Any, ...]]:
    """Returns the same entries as (action, id of the target, name of the target, data)."""
    names = ("action", "target_id", "target_name", "data")
    return [tuple(each[name] for name in names) for each in entries(database, **more)]
