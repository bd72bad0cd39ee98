"""Calls of supervisors on accounts, invitations and keys, and their entries in the audit log."""

from collections.abc import Callable
from typing import Any

from tests.dashboard.web.admin.audit.acts_of_calls import Chief


def _account_changed(chief: Chief) -> None:
    chief.dashboard.create_admin("Mai")
    for _ in range(2):
        body = {"name": "Mai Anh", "role": "supervisor", "desks": ["main"]}
        chief.does("PUT", "accounts/2", body)


def _account_disabled(chief: Chief) -> None:
    chief.dashboard.create_admin("Mai")
    for _ in range(2):
        chief.does("POST", "accounts/2/disable")


def _account_enabled(chief: Chief) -> None:
    chief.dashboard.create_admin("Mai")
    chief.does("POST", "accounts/2/disable")
    for _ in range(2):
        chief.does("POST", "accounts/2/enable")


def _invited(chief: Chief) -> int:
    body = {"email": "lan@example.com", "role": "admin"}
    return chief.does("POST", "invitations", body)["invitation"]["id"]


def _key(chief: Chief) -> int:
    body = {"source": "shop", "scopes": ["read", "events"], "rate": 5, "desk": "billing"}
    made = chief.does("POST", "keys", body)
    chief.prefix = made["key"].split("_")[1]
    return made["id"]


def _key_revoked(chief: Chief) -> None:
    id = _key(chief)
    for _ in range(2):
        chief.does("DELETE", f"keys/{id}")


_DISABLED = ("account.disabled", "2", "mai@example.com", {})
_INVITED = {
    "name": "",
    "role": "admin",
    "desks": ["main"],
    "expires_at": 1_790_000_000_000 + 7 * 86_400_000,
}
_INVITATION = ("invitation.created", "1", "lan@example.com", _INVITED)
_KEY = {
    "source": "shop",
    "scopes": ["events", "read"],
    "rate_per_second": 5,
    "handoff_only": False,
    "desk": "billing",
}
_NEW_KEY = [("desk.created", None, "billing", {}), ("key.created", "KEY", "", _KEY)]
#: Operation → the calls that do it, and their entries, with those of the calls before.
ENTRIES_OF_ACCESS: dict[str, tuple[Callable[[Chief], object], list[tuple[Any, ...]]]] = {
    "putAccount": (
        _account_changed,
        [
            (
                "account.role_changed",
                "2",
                "mai@example.com",
                {"role": {"from": "admin", "to": "supervisor"}},
            ),
            (
                "account.changed",
                "2",
                "mai@example.com",
                {"name": {"from": "Mai", "to": "Mai Anh"}},
            ),
        ],
    ),
    "postDisable": (_account_disabled, [_DISABLED]),
    "postEnableAccount": (
        _account_enabled,
        [_DISABLED, ("account.enabled", "2", "mai@example.com", {})],
    ),
    "postInvitation": (_invited, [_INVITATION]),
    "deleteInvitation": (
        lambda chief: chief.does("DELETE", f"invitations/{_invited(chief)}"),
        [_INVITATION, ("invitation.revoked", "1", "lan@example.com", {})],
    ),
    "postKey": (_key, _NEW_KEY),
    "postDesk": (
        lambda chief: chief.does("POST", "desks", {"name": "billing"}),
        [("desk.created", None, "billing", {})],
    ),
    "deleteKey": (_key_revoked, [*_NEW_KEY, ("key.revoked", "KEY", "", {"source": "shop"})]),
}
