"""The audit log in tests: who acts where no request and no command does, and what was written."""

from typing import Any

from sqlalchemy import select

from dashboard.db.audit import COMMAND, Actor
from dashboard.db.database import Database
from dashboard.db.models.accounts import audit_log

OPERATOR = Actor(COMMAND, name="operator", address="server-1")


def entries(database: Database, *, beside: str = "signin.") -> list[dict[str, Any]]:
    """All entries, the oldest first, but for those whose action begins with `beside`."""
    with database.read() as connection:
        rows = connection.execute(select(audit_log).order_by(audit_log.c.id))
        return [dict(row._mapping) for row in rows if not row.action.startswith(beside)]


def acts(database: Database, **more: str) -> list[tuple[Any, ...]]:
    """The same, as (action, id of the target, name of the target, data)."""
    names = ("action", "target_id", "target_name", "data")
    return [tuple(each[name] for name in names) for each in entries(database, **more)]
