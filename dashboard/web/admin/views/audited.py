"""What the audit log says of views that others see."""

from typing import Any

from sqlalchemy import Connection

from dashboard.db.audit import actions
from dashboard.db.audit.actors import Actor
from dashboard.db.audit.entries import Target, add, changes
from dashboard.db.lists.views import View

_FIELDS = ("name", "query", "sort", "timezone")


def audit_change(
    connection: Connection, at_ms: int, actor: Actor, before: View | None, after: View | None
) -> None:
    """Adds the entry of a view that was made (`before` None), changed or deleted (`after` None).

    There is none of an admin's own view that nobody else sees.
    """
    was_shared, is_shared = (each is not None and each.owner_id is None for each in (before, after))
    view = after or before
    assert view is not None, "a view was or is there"
    data: dict[str, Any] = {"query": view.query, "sort": view.sort}
    if was_shared and is_shared:
        assert before is not None, "it was shared"
        action = actions.VIEW_CHANGED
        data = changes(_said(before), _said(view))
    elif is_shared:
        action, data = actions.VIEW_SHARED, data | {"owner": view.shared_with}
    elif was_shared:
        action = actions.VIEW_UNSHARED if after else actions.VIEW_DELETED
    if data and (was_shared or is_shared):
        add(connection, at_ms, actor, action, Target(view.public_id, view.name), data)


def _said(view: View) -> dict[str, str | None]:
    return {name: getattr(view, name) for name in _FIELDS} | {"owner": view.shared_with}
