"""Entries of the audit log about requests: the actor, refused access, and sign-ins that failed."""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import g, request
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admins
from dashboard.db.accounts.admins import Admin
from dashboard.db.accounts.sessions import Identity
from dashboard.db.audit import PAGE, Actor, Target, add
from dashboard.db.database import Database
from dashboard.errors import Problem, StorageUnavailable
from dashboard.logs import RefusedAccess
from dashboard.validation.accounts import network_of
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
    address, reason = environ.get("REMOTE_ADDR") or "", problem.code
    if reason == "untrusted_host":
        reason += f" (LINEUP_ORIGINS does not name {environ.get('HTTP_HOST', '')[:100]!r})"
    refused.note(network_of(address), f"{target} refused to {who} at {address}: {reason}")


log = logging.getLogger(__name__)

WINDOW_MS = 60_000
#: Groups of failures that get their own entries in a minute.
KEYS_MAX = 30
#: Accounts that the entry of all others names, and typed addresses that are counted for it.
NAMED_MAX = 50
_COUNTED_MAX = 1_000
#: Reasons of failures. `credentials` is divided when it is written: wrong_password,
#: unknown_account, disabled. `wrong_code`: of the second factor. `others`: of many groups.
CREDENTIALS, RATE_LIMITED, OTHERS = "credentials", "rate_limited", "others"
WRONG_CODE = "wrong_code"


def signed_in(
    method: str, second_factor: str | None = None
) -> Callable[[Connection, int, int], None]:
    """Returns a function of `(connection, now_ms, admin_id)` that adds the entry of a sign-in."""

    def write(connection: Connection, now_ms: int, admin_id: int) -> None:
        admin = admins.by_id(connection, admin_id)
        assert admin is not None, "who signs in has an account"
        details = {"method": method} | ({"second_factor": second_factor} if second_factor else {})
        target = Target(admin.id, admin.email)
        add(connection, now_ms, signing_in(admin), audit.SIGNIN_SUCCEEDED, target, details)

    return write


@dataclass
class _Group:
    """Unstored failures of one account, from one network, for one reason."""

    actor: Actor
    email: str
    reason: str
    since_ms: int
    attempts: int = 0


@dataclass
class _Window:
    """The failures of a minute; `others` counts failures beyond the groups by the typed text."""

    began_ms: int
    groups: dict[tuple[bytes, str, str], _Group] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)


class FailedSignIns:
    """Counts failures and stores them. `clock` gives milliseconds.

    The text typed as an address is kept in memory for a minute, and stored only if an account has
    this address: it may be a password in the wrong field.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock
        self._window: _Window | None = None

    def failed(self, email: str, reason: str) -> None:
        """Counts a failed sign-in of the current request; `email` is canonical, "" for no address.

        Takes the same time for an address without an account.
        """
        now = self._clock()
        if self._window is not None and now >= self._window.began_ms + WINDOW_MS:
            self.flush()
        window = self._window = self._window or _Window(now)
        actor = signing_in()
        key = hashlib.sha256(email.encode()).digest(), network_of(actor.address), reason
        is_first = key not in window.groups
        if is_first and len(window.groups) >= KEYS_MAX:
            address = email if email in window.others or len(window.others) < _COUNTED_MAX else ""
            window.others[address] += 1
            return
        group = window.groups.setdefault(key, _Group(actor, email, reason, now))
        if group.attempts == 0:
            group.since_ms = now
        group.attempts += 1
        if is_first:
            self._store(window, [group], alone=True)

    def flush(self, *, at_once: bool = False) -> None:
        """Stores the counts of a minute that is over; with `at_once` also before."""
        window = self._window
        if window is None or not (at_once or self._clock() >= window.began_ms + WINDOW_MS):
            return
        # Comes first: failures during this write are counted in another minute.
        self._window = None
        if not self._store(window, [*window.groups.values()]):
            self._give_back(window)

    def _store(self, window: _Window, groups: list[_Group], *, alone: bool = False) -> bool:
        """Stores the counts; False if that fails: they stay. `alone`: without `window.others`."""
        now = self._clock()
        # Taken before the write, during which other threads may run.
        counts = [(group, group.attempts, group.since_ms) for group in groups if group.attempts]
        others = Counter() if alone else Counter(window.others)
        for group, _, _ in counts:
            group.attempts = 0

        def write(connection: Connection) -> None:
            for group, attempts, since in counts:
                _add_group(connection, now, group, attempts, since)
            if others:
                _add_others(connection, now, window.began_ms, others)

        try:
            if counts or others:
                self._database.write(write)
        except StorageUnavailable:
            log.warning("failed sign-ins are not in the audit log yet: the database is away")
            for group, attempts, since in counts:
                group.attempts, group.since_ms = group.attempts + attempts, since
            return False
        return True

    def _give_back(self, window: _Window) -> None:
        """Adds counts that could not be stored to the counts of later failures."""
        since, self._window = self._window, window
        for key, group in () if since is None else since.groups.items():
            window.groups.setdefault(key, group)
            if window.groups[key] is not group:
                window.groups[key].attempts += group.attempts
        if since is not None:
            window.others.update(since.others)


def _add_group(
    connection: Connection, now_ms: int, group: _Group, attempts: int, since_ms: int
) -> None:
    admin = admins.by_email(connection, group.email)
    reason = group.reason
    if reason == CREDENTIALS:
        reason = "unknown_account"
        if admin is not None:
            reason = "wrong_password" if admin.disabled_at is None else "disabled"
    target = Target(None) if admin is None else Target(admin.id, admin.email)
    details = {"reason": reason, "attempts": attempts, "since": since_ms}
    add(connection, now_ms, group.actor, audit.SIGNIN_FAILED, target, details)


def _add_others(connection: Connection, now_ms: int, since_ms: int, others: Counter[str]) -> None:
    accounts = sorted(admins.ids_of(connection, filter(None, others)))
    details = {
        "reason": OTHERS,
        "attempts": others.total(),
        "since": since_ms,
        "accounts": accounts[:NAMED_MAX],
    }
    add(connection, now_ms, Actor(PAGE), audit.SIGNIN_FAILED, Target(None), details)
