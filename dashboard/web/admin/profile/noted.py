"""What admins do to their own accounts, in the audit log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from dashboard.db.audit.actions import Action
from dashboard.db.audit.entries import Target, add
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import current


def note(
    connection: Connection, now_ms: int, action: Action, said: Mapping[str, Any] | None = None
) -> None:
    """Adds an entry about the signed-in admin, by this admin."""
    identity = current()
    target = Target(identity.admin_id, identity.email)
    add(connection, now_ms, acting(), action, target, said)
