"""Writes entries of the audit log: who did what to which target."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert

from dashboard.db.models.audit import audit_log

#: Where from: a page of Lineup, a command of `app.py`, or the provider of accounts (OIDC).
PAGE, COMMAND, PROVIDER = "page", "command", "provider"
VIAS = (PAGE, COMMAND, PROVIDER)


class Actor(NamedTuple):
    """Who did it and from where.

    In the page: the admin, the caller's IP address and what the browser calls itself; without an
    admin, nobody is known yet. A command: the operating system's user, and the name of the machine.
    """

    via: str
    admin_id: int | None = None
    name: str = ""
    email: str | None = None
    address: str = ""
    user_agent: str = ""


class Action(NamedTuple):
    """A kind of act: what it is done to, and the names of what an entry says of it."""

    name: str
    target: str
    fields: frozenset[str]


_declared: dict[str, Action] = {}


def _action(name: str, target: str, *fields: str) -> Action:
    made = _declared[name] = Action(name, target, frozenset(fields))
    return made


# Accounts: the target is the admin, by id and e-mail address.
ACCOUNT_CREATED = _action("account.created", "account", "name", "role", "desks", "method")
ACCOUNT_LINKED = _action("account.linked", "account", "method")
ACCOUNT_CHANGED = _action("account.changed", "account", "name", "email", "locale", "timezone")
ACCOUNT_ROLE_CHANGED = _action("account.role_changed", "account", "role", "reason")
ACCOUNT_DESKS_CHANGED = _action("account.desks_changed", "account", "desks", "reason")
ACCOUNT_PASSWORD_CHANGED = _action("account.password_changed", "account")
ACCOUNT_DISABLED = _action("account.disabled", "account", "reason")
ACCOUNT_ENABLED = _action("account.enabled", "account")
INVITATION_CREATED = _action(
    "invitation.created", "invitation", "name", "role", "desks", "expires_at"
)
INVITATION_REVOKED = _action("invitation.revoked", "invitation")
INVITATION_ACCEPTED = _action("invitation.accepted", "invitation")
SECOND_FACTOR_ENABLED = _action("second_factor.enabled", "account")
SECOND_FACTOR_DISABLED = _action("second_factor.disabled", "account")
SECOND_FACTOR_RESET = _action("second_factor.reset", "account")
RECOVERY_CODES_CREATED = _action("recovery_codes.created", "account")

# Sign-ins: `method` is how (password, oidc), `second_factor` by what (totp, recovery_code).
SIGNIN_SUCCEEDED = _action("signin.succeeded", "account", "method", "second_factor")
SIGNIN_FAILED = _action("signin.failed", "account", "reason", "attempts", "since", "accounts")
SESSIONS_ENDED = _action("sessions.ended", "account", "count", "reason")

DESK_CREATED = _action("desk.created", "desk")
KEY_CREATED = _action(
    "key.created", "key", "source", "scopes", "rate_per_second", "handoff_only", "desk"
)
KEY_REVOKED = _action("key.revoked", "key", "source")
# The target of a webhook is named by scheme and host: the rest of its address may be a secret.
WEBHOOK_CREATED = _action("webhook.created", "webhook", "source", "events")
WEBHOOK_ROTATED = _action("webhook.rotated", "webhook", "source")
WEBHOOK_ENABLED = _action("webhook.enabled", "webhook", "source")
WEBHOOK_REVOKED = _action("webhook.revoked", "webhook", "source")
WEBHOOK_REPLAYED = _action(
    "webhook.replayed", "webhook", "source", "events", "event", "since", "until"
)

# Views that others see; an admin's own ones are their own affair.
VIEW_SHARED = _action("view.shared", "view", "owner", "query", "sort")
VIEW_CHANGED = _action("view.changed", "view", "name", "query", "sort", "timezone", "owner")
VIEW_UNSHARED = _action("view.unshared", "view", "query", "sort")
VIEW_DELETED = _action("view.deleted", "view", "query", "sort")
SORT_CREATED = _action("sort.created", "sort", "title", "rules", "timezone")
SORT_CHANGED = _action("sort.changed", "sort", "title", "rules", "timezone")
SORT_DELETED = _action("sort.deleted", "sort", "title", "rules", "timezone")
CALENDAR_CREATED = _action("calendar.created", "calendar", "timezone", "week", "exceptions")
CALENDAR_CHANGED = _action("calendar.changed", "calendar", "name", "timezone", "week", "exceptions")
CALENDAR_DELETED = _action("calendar.deleted", "calendar", "timezone", "week", "exceptions")
_POLICY = ("query", "calendar", "first_reply", "next_reply")
POLICY_CREATED = _action("policy.created", "policy", *_POLICY)
POLICY_CHANGED = _action("policy.changed", "policy", "name", *_POLICY)
POLICY_DELETED = _action("policy.deleted", "policy", *_POLICY)
POLICIES_ORDERED = _action("policies.ordered", "policies", "order")

# The target is the row that is gone, and the name of its source: nothing of the person.
CUSTOMER_DELETED = _action("customer.deleted", "customer", "source", "threads", "events")
# All that there is, in one file.
BACKUP_MADE = _action("backup.made", "backup")
BACKUP_RESTORED = _action("backup.restored", "backup", "made_at", "version")
EVENTS_IMPORTED = _action("events.imported", "export")
EXPORT_MADE = _action("export.made", "export", "format", "filters")

#: All of them, by name.
ACTIONS = dict(_declared)

#: Longest text within an entry's data; a longer one is cut.
TEXT_MAX = 2_000
#: Controls, also those of a text's direction, and what is no character of UTF-8.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ADDED = insert(audit_log)
_LENGTHS = {
    name: audit_log.c[name].type.length  # type: ignore[attr-defined]
    for name in ("actor_name", "actor_email", "address", "user_agent", "target_id", "target_name")
}


class Target(NamedTuple):
    """What something was done to, by its id (None: it has none) and its name as of then."""

    id: int | str | None
    name: str = ""


def add(
    connection: Connection,
    at_ms: int,
    actor: Actor,
    action: Action,
    target: Target,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Adds an entry; it is there if the transaction is committed.

    `data` says what was set, or by `changes` what was there before; never a secret, a password or
    the text of a message. Raises ValueError for a field that the action does not declare.
    """
    given = dict(data or {})
    if ACTIONS.get(action.name) != action or not action.fields.issuperset(given):
        raise ValueError(f"the audit log does not know {action.name} with {sorted(given)}")
    if actor.via not in VIAS:
        raise ValueError(f"the audit log does not know “{actor.via}”")
    values = {
        "at": at_ms,
        "action": action.name,
        "via": actor.via,
        "admin_id": actor.admin_id,
        "actor_name": actor.name,
        "actor_email": actor.email,
        "address": actor.address,
        "user_agent": actor.user_agent,
        "target_kind": action.target,
        "target_id": None if target.id is None else str(target.id),
        "target_name": target.name,
    }
    for name, length in _LENGTHS.items():
        values[name] = _shown(values[name], length)
    connection.execute(_ADDED, values | {"data": _shown(given, TEXT_MAX)})


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ, each as `{"from": …, "to": …}`; both have the same names."""
    return {
        name: {"from": before[name], "to": value}
        for name, value in after.items()
        if before[name] != value
    }


def _shown(value: Any, length: int) -> Any:
    """The value with texts that every database takes, and that a terminal can show."""
    if isinstance(value, str):
        cut = value if len(value) <= length else f"{value[: length - 1]}…"
        return _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", cut)
    if isinstance(value, Mapping):
        return {str(name): _shown(each, length) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(each, length) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(_shown(each, length) for each in value)
    return value
