"""The first step of a sign-in, and of what asks for the password again: the password itself."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from flask import Response, request
from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.password_rules import LENGTH_MAX
from dashboard.db.accounts.passwords import AT_ONCE, hashed, matches
from dashboard.db.accounts.second_factor import factors
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.db.database import Database
from dashboard.web.admin.attempts import Attempt, Attempts, Devices
from dashboard.web.admin.signing_in.pending import PendingSignIns, SecondFactorRequired
from dashboard.web.http.identity import Identities, Unauthorized, origin_of

#: Runs a function where it does not stop the other green threads, and gives its result.
Offload = Callable[..., Any]
_WRONG = "The e-mail address or the password is wrong."


class Checked(NamedTuple):
    """A password that was right: whose, and its hash at that time."""

    admin_id: int
    password_hash: str


class PasswordCheck:
    """Begins a session for the right password; limits the attempts.

    `offload(function, *arguments)` runs the slow hashing where no other request waits for it.
    """

    def __init__(
        self,
        database: Database,
        identities: Identities,
        attempts: Attempts,
        devices: Devices,
        pending: PendingSignIns,
        offload: Offload,
    ):
        self._database = database
        self._identities = identities
        self._attempts = attempts
        self._devices = devices
        self._pending = pending
        self.offload = offload
        self._hashing = threading.Semaphore(AT_ONCE)

    def begin_session(self, email: str, password: str) -> str:
        """A new session's cookie, for the current request.

        Raises SecondFactorRequired where the password alone is not enough, Unauthorized and
        RateLimitExceeded.
        """
        found = self.check(email, password)

        def decide(connection: Connection) -> None:
            # In the transaction of the session: the account may have been changed meanwhile.
            stored = admins.password_hash_of(connection, found.admin_id)
            if stored != found.password_hash:
                raise Unauthorized(_WRONG)
            if factors.has(connection, [found.admin_id]):
                raise SecondFactorRequired(self._pending.token(*found))

        return self._identities.begin(found.admin_id, decide, origin_of(request))

    def check(self, email: str, password: str) -> Checked:
        """Whose password it is. Raises Unauthorized and RateLimitExceeded."""
        email = admins.canonical_email(email)
        attempt = self.attempt_of(email)
        self._attempts.begin(attempt)
        is_email = len(email) <= admins.EMAIL_MAX_CHARACTERS and email.isprintable()
        if not is_email or len(password) > LENGTH_MAX:
            raise Unauthorized(_WRONG)
        with self._database.read() as connection:
            found = admins.credentials(connection, email)
        admin_id, password_hash = found or (None, None)
        with self._hashing:
            is_right = self.offload(matches, password, password_hash)
        if not is_right or admin_id is None or password_hash is None:
            raise Unauthorized(_WRONG)
        self._attempts.succeeded(attempt)
        return Checked(admin_id, password_hash)

    def hash_of(self, password: str) -> str:
        """The hash to store of a new password."""
        with self._hashing:
            return self.offload(hashed, password)

    def remember_device(self, response: Response, email: str) -> None:
        """Marks the request's device as known: other devices cannot use up its attempts."""
        email = admins.canonical_email(email)
        self._devices.remember(request, response, email, secure=self._identities.is_https())

    def attempt_of(self, email: str) -> Attempt:
        """An attempt of the current request to act as the admin with this address."""
        return Attempt(email, request.remote_addr or "", self._device(email))

    def _device(self, email: str) -> str:
        """The request's device, if it signed in to this account before; else ""."""
        with suppress(Unauthorized):
            identity = self._identities.of(request.environ)
            if identity.email == email:
                return connection_prefix(identity.session)
        return self._devices.known(request, email)
