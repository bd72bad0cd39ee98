"""The state between the two steps of a sign-in: a signed token names the admin and the time."""

import hmac
from collections.abc import Callable
from typing import NamedTuple

from dashboard.errors import Problem
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.web.http.identity import Unauthorized

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
            "This sign-in took too long, or the account was changed; begin anew.",
            headers=Unauthorized().headers,
        )


class Pending(NamedTuple):
    """A sign-in with a right password; `fingerprint` is that of the password's hash."""

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
        """Whether the password is the one that was right; None: the account is disabled."""
        return password_hash is not None and hmac.compare_digest(
            pending.fingerprint, self._fingerprint(password_hash)
        )

    def _fingerprint(self, password_hash: str) -> str:
        return hmac.digest(self._key, f"{_SALT}|{password_hash}".encode(), "sha256").hex()
