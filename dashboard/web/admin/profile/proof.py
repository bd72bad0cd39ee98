"""Has the signed-in admin show once more who they are: by the password, and by a code."""

from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.second_factor.codes import Codes
from dashboard.errors import Invalid
from dashboard.validation.field_errors import field_error
from dashboard.web.admin.attempts import Attempt, Attempts
from dashboard.web.admin.signing_in.password_check import PasswordCheck
from dashboard.web.http.identity import Unauthorized, current


class Proof:
    """Wrong passwords and codes count as those of a sign-in do."""

    def __init__(self, passwords: PasswordCheck, attempts: Attempts, codes: Codes):
        """`attempts` are those of codes."""
        self.passwords = passwords
        self._attempts = attempts
        self._codes = codes

    def require_password(self, password: str, pointer: str) -> str:
        """Its hash. Raises Invalid at the pointer for a wrong one, and RateLimitExceeded."""
        try:
            return self.passwords.check(current().email, password).password_hash
        except Unauthorized:
            raise _wrong_password(pointer) from None

    def hold_password(self, connection: Connection, password_hash: str, pointer: str) -> None:
        """Locks the account. Raises Invalid where the password was changed meanwhile."""
        stored = admins.password_hash_of(connection, current().admin_id, alone=True)
        if stored != password_hash:
            raise _wrong_password(pointer)

    def begin_code(self) -> Attempt:
        """Counts an attempt before its code is checked. Raises RateLimitExceeded."""
        attempt = self.passwords.attempt_of(current().email)
        self._attempts.begin(attempt)
        return attempt

    def use_code(self, connection: Connection, code: str) -> None:
        """Uses the code up. Raises Invalid for a wrong one."""
        if self._codes.use(connection, current().admin_id, code) is None:
            raise wrong_code()

    def confirm_code(self, connection: Connection, code: str) -> None:
        """Makes the second factor that was set up count. Raises Invalid for a wrong code."""
        if not self._codes.confirm(connection, current().admin_id, code):
            raise wrong_code()

    def code_succeeded(self, attempt: Attempt) -> None:
        """Takes back the count of the attempt."""
        self._attempts.succeeded(attempt)


def wrong_code() -> Invalid:
    return field_error("/code", "wrong_code", "is wrong, or was used before")


def _wrong_password(pointer: str) -> Invalid:
    return field_error(pointer, "wrong_password", "is not the password of this account")
