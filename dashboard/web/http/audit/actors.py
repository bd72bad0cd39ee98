"""The actors of requests for the audit log."""

from flask import request

from dashboard.db.accounts.admins import Admin
from dashboard.db.audit import PAGE, Actor
from dashboard.web.http.identity import current


def acting() -> Actor:
    """Returns the signed-in admin who sent the current request, after `Identities.require`."""
    identity = current()
    return _from_here(identity.admin_id, identity.name, identity.email)


def signing_in(admin: Admin | None = None) -> Actor:
    """Returns the sender of a request without a session: an admin who has proved their identity, or
    an unknown person."""
    return _from_here() if admin is None else _from_here(admin.id, admin.name, admin.email)


def _from_here(admin_id: int | None = None, name: str = "", email: str | None = None) -> Actor:
    user_agent = request.headers.get("User-Agent", "")
    return Actor(PAGE, admin_id, name, email, request.remote_addr or "", user_agent)
