"""What the audit log says of policies, in the transactions that change them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from dashboard.db.audit import actions
from dashboard.db.audit.entries import Target, add, changes
from dashboard.db.hours import calendars, policies
from dashboard.db.hours.policies import SavedPolicy
from dashboard.web.http.audit.actors import acting


def policy_created(connection: Connection, now_ms: int, made: SavedPolicy) -> None:
    said = _said(connection, made)
    add(connection, now_ms, acting(), actions.POLICY_CREATED, _target(made), said)


def policy_changed(
    connection: Connection, now_ms: int, before: SavedPolicy, after: SavedPolicy
) -> None:
    was, said = ({"name": each.name} | _said(connection, each) for each in (before, after))
    differences = changes(was, said)
    if differences:
        add(connection, now_ms, acting(), actions.POLICY_CHANGED, _target(after), differences)


def policy_deleted(connection: Connection, now_ms: int, policy: SavedPolicy) -> None:
    said = _said(connection, policy)
    add(connection, now_ms, acting(), actions.POLICY_DELETED, _target(policy), said)


def policies_ordered(connection: Connection, now_ms: int, before: Sequence[SavedPolicy]) -> None:
    """`before` are all policies in the order that they had."""
    was, said = (
        {"order": [policy.name for policy in order]}
        for order in (before, policies.listing(connection))
    )
    differences = changes(was, said)
    if differences:
        add(connection, now_ms, acting(), actions.POLICIES_ORDERED, Target(None), differences)


def _target(policy: SavedPolicy) -> Target:
    return Target(policy.id, policy.name)


def _said(connection: Connection, policy: SavedPolicy) -> dict[str, Any]:
    """What is said of a policy besides its name; of its calendar the name."""
    names = {calendar.id: calendar.name for calendar in calendars.listing(connection)}
    return {
        "query": policy.query,
        "calendar": names.get(policy.calendar_id),
        "first_reply": policy.first_reply,
        "next_reply": policy.next_reply,
    }
