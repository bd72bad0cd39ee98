"""The second step of a sign-in: a code of the app, or a recovery code."""

from flask import request
from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.second_factor import factors
from dashboard.db.accounts.second_factor.codes import Codes
from dashboard.db.database import Database
from dashboard.web.admin.sign_in.guard import Guard
from dashboard.web.admin.sign_in.pending import PendingSignIns, SignInExpired
from dashboard.web.http.audit.signins import WRONG_CODE, signed_in
from dashboard.web.http.identity import Identities, Unauthorized, origin_of

_WRONG = "The code is wrong, or was used before."


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
        """A new session's cookie, and the address of its account; uses the code up.

        Raises SignInExpired for a token that holds no more, Unauthorized for a wrong code, and
        RateLimitExceeded.
        """
        pending = self._pending.read(token)
        with self._database.read() as connection:
            admin = admins.by_id(connection, pending.admin_id)
        if admin is None:
            raise SignInExpired()
        attempt = self._guard.begin(admin.email)

        def decide(connection: Connection, now_ms: int, admin_id: int) -> None:
            stored = admins.password_hash_of(connection, admin_id)
            is_valid = self._pending.is_of(pending, stored)
            if not is_valid or not factors.has(connection, [admin_id]):
                raise SignInExpired()
            kind = self._codes.use(connection, admin_id, code)
            if kind is None:
                raise Unauthorized(_WRONG)
            signed_in("password", kind)(connection, now_ms, admin_id)

        try:
            cookie = self._identities.begin(admin.id, decide, origin_of(request))
        except Unauthorized:
            self._guard.failed(attempt, WRONG_CODE)
            raise
        self._guard.succeeded(attempt)
        return cookie, admin.email
