"""Has the signed-in admin show once more who they are: by the password, and by a code."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.second_factor.codes import Codes
from dashboard.db.database import Database
from dashboard.errors import Invalid
from dashboard.validation.field_errors import field_error
from dashboard.web.admin.sign_in.guard import Guard
from dashboard.web.admin.sign_in.methods import require_passwords
from dashboard.web.admin.sign_in.password_check import PasswordCheck
from dashboard.web.http.audit.signins import WRONG_CODE
from dashboard.web.http.identity import Unauthorized, current

Result = TypeVar("Result")


class WrongCode(Invalid):
    """The code that came in the body is wrong."""

    def __init__(self) -> None:
        super().__init__(field_error("/code", "wrong_code", "is wrong, or was used before").errors)


class Proof:
    """Wrong passwords and codes count as those of a sign-in do."""

    def __init__(self, database: Database, passwords: PasswordCheck, guard: Guard, codes: Codes):
        """`guard` is that of codes."""
        self._database = database
        self.passwords = passwords
        self._guard = guard
        self._codes = codes

    def require_password(self, password: str, pointer: str) -> str:
        """Its hash. Raises Invalid at the pointer for a wrong one, and RateLimitExceeded."""
        require_passwords()
        try:
            return self.passwords.check(current().email, password).password_hash
        except Unauthorized:
            raise _wrong_password(pointer) from None

    def hold_password(self, connection: Connection, password_hash: str, pointer: str) -> None:
        """Locks the account. Raises Invalid where the password was changed meanwhile."""
        stored = admins.password_hash_of(connection, current().admin_id, alone=True)
        if stored != password_hash:
            raise _wrong_password(pointer)

    def write_with_code(self, work: Callable[[Connection], Result]) -> Result:
        """Does the work, which takes a code, in one transaction; counts it as a try.

        Raises WrongCode and RateLimitExceeded.
        """
        attempt = self._guard.begin(current().email)
        try:
            done = self._database.write(work)
        except WrongCode:
            self._guard.failed(attempt, WRONG_CODE)
            raise
        self._guard.succeeded(attempt)
        return done

    def use_code(self, connection: Connection, code: str) -> None:
        """Uses the code up. Raises WrongCode."""
        if self._codes.use(connection, current().admin_id, code) is None:
            raise WrongCode()

    def confirm_code(self, connection: Connection, code: str) -> None:
        """Makes the second factor that was set up count. Raises WrongCode."""
        if not self._codes.confirm(connection, current().admin_id, code):
            raise WrongCode()


def _wrong_password(pointer: str) -> Invalid:
    return field_error(pointer, "wrong_password", "is not the password of this account")
