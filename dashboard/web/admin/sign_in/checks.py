"""Checks passwords and codes, counts wrong ones, and keeps a sign-in between its two steps."""

import hmac
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from flask import Response, request
from sqlalchemy import Connection

from dashboard.db.accounts import admins, second_factor
from dashboard.db.accounts.passwords import AT_ONCE, LENGTH_MAX, hashed, matches
from dashboard.db.accounts.second_factor import Codes
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.db.database import Database
from dashboard.errors import Problem
from dashboard.rate_limits import RateLimitExceeded
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.validation.accounts import EMAIL_MAX_CHARACTERS
from dashboard.web.admin.sign_in.attempts import Attempt, Attempts, Devices
from dashboard.web.http.audit import CREDENTIALS, RATE_LIMITED, WRONG_CODE, FailedSignIns, signed_in
from dashboard.web.http.identity import Identities, Unauthorized, origin_of

#: Longest time until the code is sent.
TOKEN_MS = 5 * 60_000
TOKEN_CHARACTERS_MAX = 400
_SALT = "lineup_signin"


class SecondFactorRequired(Problem):
    """The password was right; the session begins with a code, sent with `token`."""

    def __init__(self, token: str):
        self.token = token
        super().__init__(
            401,
            "second_factor_required",
            "This account signs in with a second factor: send its code.",
            headers=Unauthorized().headers,
            extra={"token": token},
        )


class SignInExpired(Problem):
    def __init__(self) -> None:
        super().__init__(
            401,
            "sign_in_expired",
            "This sign-in took too long, or the account was changed; start again.",
            headers=Unauthorized().headers,
        )


class Pending(NamedTuple):
    """A sign-in with a right password; `fingerprint` identifies the password's hash."""

    admin_id: int
    fingerprint: str
    expires_at: int


class PendingSignIns:
    """Makes and reads the tokens. A token alone lets nobody in, and a new password ends it."""

    def __init__(self, secret_key: str, clock: Callable[[], int]):
        self._key = secret_key.encode()
        self._clock = clock
        self._texts = SignedTexts(secret_key, _SALT, TOKEN_CHARACTERS_MAX)

    def token(self, admin_id: int, password_hash: str) -> str:
        """Returns a token that is valid for TOKEN_MS, as long as the password stays."""
        expires_at = self._clock() + TOKEN_MS
        return self._texts.text_of([admin_id, self._fingerprint(password_hash), expires_at])

    def read(self, token: str) -> Pending:
        """Reads a token. Raises SignInExpired for one that is forged or too old."""
        try:
            pending = Pending(*self._texts.read(token))
        except NotSigned:
            raise SignInExpired() from None
        if pending.expires_at <= self._clock():
            raise SignInExpired()
        return pending

    def is_of(self, pending: Pending, password_hash: str | None) -> bool:
        """Whether the account, with this hash now (None: disabled), still has that password."""
        return password_hash is not None and hmac.compare_digest(
            pending.fingerprint, self._fingerprint(password_hash)
        )

    def _fingerprint(self, password_hash: str) -> str:
        return hmac.digest(self._key, f"{_SALT}|{password_hash}".encode(), "sha256").hex()


class Guard:
    """Limits attempts to guess a password or a one-time code. Each kind is counted separately."""

    def __init__(
        self,
        attempts: Attempts,
        devices: Devices,
        identities: Identities,
        failed_sign_ins: FailedSignIns,
    ):
        self._attempts = attempts
        self._devices = devices
        self._identities = identities
        self._failed_sign_ins = failed_sign_ins

    def begin(self, email: str) -> Attempt:
        """Counts a try of the current request to act as the admin with this canonical address.

        Raises RateLimitExceeded.
        """
        attempt = Attempt(email, request.remote_addr or "", self._device(email))
        try:
            self._attempts.begin(attempt)
        except RateLimitExceeded:
            self.failed(attempt, RATE_LIMITED)
            raise
        return attempt

    def succeeded(self, attempt: Attempt) -> None:
        """Takes back the count of this one try."""
        self._attempts.succeeded(attempt)

    def failed(self, attempt: Attempt, reason: str) -> None:
        """Notes the attempt for the audit log; not to be called within a transaction."""
        self._failed_sign_ins.failed(attempt.email if is_address(attempt.email) else "", reason)

    def remember_device(self, response: Response, email: str) -> None:
        """Marks the request's device as known: other devices cannot use up its attempts."""
        email = admins.canonical_email(email)
        self._devices.remember(request, response, email, secure=self._identities.is_https())

    def _device(self, email: str) -> str:
        """Returns the request's device if it signed in to this account before; else ""."""
        with suppress(Unauthorized):
            identity = self._identities.of(request.environ)
            if identity.email == email:
                return connection_prefix(identity.session)
        return self._devices.known(request, email)


def is_address(email: str) -> bool:
    """Whether an account may have this text as its e-mail address."""
    return len(email) <= EMAIL_MAX_CHARACTERS and email.isprintable()


#: Runs a function without stopping the other green threads, and returns its result.
Offload = Callable[..., Any]
_WRONG = "The e-mail address or the password is wrong."


class Checked(NamedTuple):
    """A right password: the admin it belongs to, and its hash at that time."""

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
        guard: Guard,
        pending: PendingSignIns,
        offload: Offload,
    ):
        self._database = database
        self._identities = identities
        self.guard = guard
        self._pending = pending
        self.offload = offload
        self._hashing = threading.Semaphore(AT_ONCE)

    def begin_session(self, email: str, password: str) -> str:
        """Returns a new session's cookie, for the current request.

        Raises SecondFactorRequired if the password alone is not enough, Unauthorized and
        RateLimitExceeded.
        """
        account = self.check(email, password)

        def decide(connection: Connection, now_ms: int, admin_id: int) -> None:
            # Read in the transaction of the session: the account may have been changed meanwhile.
            password_hash = admins.password_hash_of(connection, account.admin_id)
            if password_hash != account.password_hash:
                raise Unauthorized(_WRONG)
            if second_factor.has(connection, [account.admin_id]):
                raise SecondFactorRequired(self._pending.token(*account))
            signed_in("password")(connection, now_ms, admin_id)

        return self._identities.begin(account.admin_id, decide, origin_of(request))

    def check(self, email: str, password: str) -> Checked:
        """Returns the admin with this password. Raises Unauthorized and RateLimitExceeded."""
        email = admins.canonical_email(email)
        attempt = self.guard.begin(email)
        if not is_address(email) or len(password) > LENGTH_MAX:
            raise self._refused(attempt)
        with self._database.read() as connection:
            credentials = admins.credentials(connection, email)
        admin_id, password_hash = credentials or (None, None)
        with self._hashing:
            is_right = self.offload(matches, password, password_hash)
        if not is_right or admin_id is None or password_hash is None:
            raise self._refused(attempt)
        self.guard.succeeded(attempt)
        return Checked(admin_id, password_hash)

    def hash_of(self, password: str) -> str:
        """Returns the hash to store for a new password."""
        with self._hashing:
            return self.offload(hashed, password)

    def _refused(self, attempt: Attempt) -> Unauthorized:
        self.guard.failed(attempt, CREDENTIALS)
        return Unauthorized(_WRONG)


_WRONG_CODE = "The code is wrong, or was used before."


class CodeCheck:
    """Begins a session for a code after the right password; limits the attempts."""

    def __init__(
        self,
        database: Database,
        identities: Identities,
        guard: Guard,
        pending: PendingSignIns,
        codes: Codes,
    ):
        self._database = database
        self._identities = identities
        self._guard = guard
        self._pending = pending
        self._codes = codes

    def begin_session(self, token: str, code: str) -> tuple[str, str]:
        """Returns a new session's cookie, and the e-mail address of its account; uses up the code.

        Raises SignInExpired for a token that is no longer valid, Unauthorized for a wrong code, and
        RateLimitExceeded.
        """
        pending = self._pending.read(token)
        with self._database.read() as connection:
            admin = admins.by_id(connection, pending.admin_id)
        if admin is None:
            raise SignInExpired()
        attempt = self._guard.begin(admin.email)

        def decide(connection: Connection, now_ms: int, admin_id: int) -> None:
            password_hash = admins.password_hash_of(connection, admin_id)
            is_valid = self._pending.is_of(pending, password_hash)
            if not is_valid or not second_factor.has(connection, [admin_id]):
                raise SignInExpired()
            kind = self._codes.use(connection, admin_id, code)
            if kind is None:
                raise Unauthorized(_WRONG_CODE)
            signed_in("password", kind)(connection, now_ms, admin_id)

        try:
            cookie = self._identities.begin(admin.id, decide, origin_of(request))
        except Unauthorized:
            self._guard.failed(attempt, WRONG_CODE)
            raise
        self._guard.succeeded(attempt)
        return cookie, admin.email
