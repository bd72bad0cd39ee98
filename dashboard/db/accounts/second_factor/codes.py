"""Checks a code of an admin's second factor and uses it up, within one transaction."""

import unicodedata
from collections.abc import Callable
from typing import Literal

from sqlalchemy import Connection

from dashboard.db.accounts.second_factor import factors, recovery, totp
from dashboard.db.accounts.second_factor.sealing import Sealing
from scoring.conditions.folding import plain

#: Longer texts are not checked as codes.
CODE_MAX = 64
#: The kinds of codes.
Kind = Literal["totp", "recovery_code"]


def typed(code: str) -> str:
    """Returns the letters and digits of a typed code, with digits of any script and width
    converted, without blanks, hyphens or other characters between them."""
    return "".join(str(unicodedata.decimal(one, one)) for one in plain(code) if one.isalnum())


class Codes:
    """Accepts codes of the app and recovery codes in the same field."""

    def __init__(self, sealing: Sealing, clock: Callable[[], int]):
        self._sealing = sealing
        self._clock = clock

    def use(self, connection: Connection, admin_id: int, code: str) -> Kind | None:
        """Uses the code up; None if it is wrong or was used before."""
        if len(code) > CODE_MAX:
            return None
        code = typed(code)
        factor = factors.of(connection, admin_id)
        if factor is None or factor.confirmed_at is None:
            return None
        if recovery.looks_like_one(code):
            return "recovery_code" if recovery.use(connection, admin_id, code) else None
        step = self._step(admin_id, factor, code)
        if step is None or not factors.take_step(connection, admin_id, step):
            return None
        return "totp"

    def confirm(self, connection: Connection, admin_id: int, code: str) -> bool:
        """Activates the secret that was set up, by its first code. False for a wrong code."""
        factor = factors.of(connection, admin_id)
        if factor is None or factor.confirmed_at is not None or len(code) > CODE_MAX:
            return False
        step = self._step(admin_id, factor, typed(code))
        return step is not None and factors.confirm(connection, admin_id, step, self._clock())

    def _step(self, admin_id: int, factor: factors.Factor, code: str) -> int | None:
        secret = self._sealing.open(admin_id, factor.secret)
        if secret is None:
            return None
        return totp.step_of(secret, code, self._clock(), factor.last_step)
