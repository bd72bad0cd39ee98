"""The acts that the audit log knows, each with the fields that an entry of it may have.

A field that is not named here is refused, so that nothing secret gets into the log by mistake.
"""

from typing import NamedTuple


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
