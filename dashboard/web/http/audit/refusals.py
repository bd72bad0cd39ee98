"""Logs requests that were refused because of their sender."""

from collections.abc import Mapping
from typing import Any

from flask import g, request

from dashboard.db.accounts.sessions import Identity
from dashboard.errors import Problem
from dashboard.logs import RefusedAccess
from dashboard.validation.addresses import network_of

#: Nobody is signed in; the role, the scope or the page is wrong; or there are too many requests.
_STATUSES = (401, 403, 429)
#: A token that the provider did not sign, and a request under a foreign name.
_CODES = ("invalid_logout_token", "untrusted_host")


def note(refused: RefusedAccess, problem: Problem, route: str) -> None:
    """Logs the refusal of the current request, unless it is for an ordinary mistake.

    A 404 for a signed-in admin is logged: threads that they may not see look missing. Numbers in
    the path are logged; other parts of it may name a person.
    """
    identity: Identity | None = g.get("identity")
    if _is_of_access(problem) or (problem.status == 404 and identity is not None):
        numbers = {
            name: value
            for name, value in (request.view_args or {}).items()
            if isinstance(value, int)
        }
        target = f"{request.method} {route} {numbers or ''}".rstrip()
        who = "nobody" if identity is None else f"admin {identity.admin_id}"
        _note(refused, request.environ, target, who, problem)


def note_handshake(refused: RefusedAccess, problem: Problem, environ: Mapping[str, Any]) -> None:
    """Logs that a socket was refused, unless it is for an ordinary mistake."""
    if _is_of_access(problem):
        _note(refused, environ, "a socket", "nobody", problem)


def _is_of_access(problem: Problem) -> bool:
    return problem.status in _STATUSES or problem.code in _CODES


def _note(
    refused: RefusedAccess, environ: Mapping[str, Any], target: str, who: str, problem: Problem
) -> None:
    address = environ.get("REMOTE_ADDR") or ""
    refused.note(network_of(address), f"{target} refused to {who} at {address}: {problem.code}")
