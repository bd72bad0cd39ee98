"""Counts every try to sign in against the limits before it is checked; notes it if it fails."""

from contextlib import suppress

from flask import Response, request

from dashboard.db.accounts import admins
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.rate_limits import RateLimitExceeded
from dashboard.validation.accounts import EMAIL_MAX_CHARACTERS
from dashboard.web.admin.sign_in.attempts import Attempt, Attempts, Devices
from dashboard.web.http.audit.signins import RATE_LIMITED, FailedSignIns
from dashboard.web.http.identity import Identities, Unauthorized


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
