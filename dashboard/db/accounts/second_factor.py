"""The second factors of admins: codes of an app, recovery codes, and their rows in SQL.

In this order: codes of the app (RFC 6238), recovery codes, the rows of factors, the encryption of
their secrets, and `Codes`, which accepts both kinds.
"""

import base64
import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

import pyotp
from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import Connection, delete, func, insert, select, update

from dashboard.db.accounts import admins, sessions
from dashboard.db.models.accounts import recovery_codes, second_factors
from scoring.conditions.folding import plain

STEP_MS = 30_000
DIGITS = 6
#: A code is also accepted one step before and after its own: clocks of phones differ.
SKEW_STEPS = 1
ISSUER = "Lineup"


def new_secret() -> str:
    """Returns 160 random bits in base32, the form that authenticator apps read."""
    return pyotp.random_base32()


def uri(secret: str, email: str) -> str:
    """Returns the URI that an authenticator app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=ISSUER)


def step_of(secret: str, code: str, now_ms: int, after: int = 0) -> int | None:
    """Returns the time step of this code, if it is valid now and comes after `after`.

    None for a wrong code. All steps are compared, in a time that does not depend on the code.
    """
    now = now_ms // STEP_MS
    generate = pyotp.TOTP(secret, digits=DIGITS).generate_otp
    matching_step = None
    for step in range(now - SKEW_STEPS, now + SKEW_STEPS + 1):
        is_right = hmac.compare_digest(generate(step).encode(), code.encode("utf-8", "replace"))
        if is_right and step > after:
            matching_step = step
    return matching_step


RECOVERY_CODES = 10
#: Base32 without letters that look like digits (Crockford): 5 bits each, 120 in all. From 112 bits
#: on, a plain hash is enough (OWASP ASVS 5.0, 6.5.2).
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CHARACTERS = 24
_GROUP = 4
_READ_AS = str.maketrans("OIL", "011")


def new_codes() -> list[str]:
    """Returns new codes as the page shows them: groups of four with a hyphen between them."""
    return [_new_code() for _ in range(RECOVERY_CODES)]


def replace_codes(connection: Connection, admin_id: int, codes: Collection[str]) -> None:
    """Stores the codes of an admin, and deletes the earlier ones."""
    connection.execute(delete(recovery_codes).where(recovery_codes.c.admin_id == admin_id))
    if codes:
        rows = [{"admin_id": admin_id, "code_hash": _hash(code)} for code in codes]
        connection.execute(insert(recovery_codes), rows)


def use_code(connection: Connection, admin_id: int, code: str) -> bool:
    """Uses a code up, in upper or lower case; False for a wrong or used one.

    Of two uses at the same time one succeeds: only one of them deletes the row.
    """
    result = connection.execute(
        delete(recovery_codes).where(
            recovery_codes.c.admin_id == admin_id, recovery_codes.c.code_hash == _hash(code)
        )
    )
    return result.rowcount == 1


def codes_left(connection: Connection, admin_id: int) -> int:
    """Counts the codes that were not used yet."""
    statement = select(func.count()).where(recovery_codes.c.admin_id == admin_id)
    return connection.execute(statement).scalar_one()


def looks_like_recovery(code: str) -> bool:
    """Whether a text has as many characters as a recovery code."""
    return len(_canonical(code)) == CHARACTERS


def _new_code() -> str:
    text = "".join(secrets.choice(_ALPHABET) for _ in range(CHARACTERS))
    return "-".join(text[at : at + _GROUP] for at in range(0, CHARACTERS, _GROUP))


def _canonical(code: str) -> str:
    return code.replace("-", "").upper().translate(_READ_AS)


def _hash(code: str) -> bytes:
    return hashlib.sha256(_canonical(code).encode("utf-8", "replace")).digest()


class Factor(NamedTuple):
    """A second factor: `secret` is encrypted; without `confirmed_at` it is not active yet."""

    secret: str
    confirmed_at: int | None
    last_step: int


_COLUMNS = tuple(second_factors.c[name] for name in Factor._fields)


def has(connection: Connection, admin_ids: Collection[int]) -> set[int]:
    """Returns the ids, among these, of admins who sign in with a second factor."""
    statement = select(second_factors.c.admin_id).where(
        second_factors.c.admin_id.in_(admin_ids), second_factors.c.confirmed_at.is_not(None)
    )
    return set(connection.scalars(statement))


def of(connection: Connection, admin_id: int) -> Factor | None:
    """Returns the factor of an admin, confirmed or not."""
    row = connection.execute(select(*_COLUMNS).where(second_factors.c.admin_id == admin_id)).first()
    return None if row is None else Factor(*row)


def begin(connection: Connection, admin_id: int, sealed: str, now_ms: int) -> bool:
    """Stores a secret to be confirmed; it replaces one that was never confirmed.

    False if the admin has a confirmed one, which stays. The caller holds the lock of the admin.
    """
    mine = second_factors.c.admin_id == admin_id
    connection.execute(delete(second_factors).where(mine, second_factors.c.confirmed_at.is_(None)))
    if of(connection, admin_id) is not None:
        return False
    values = {"admin_id": admin_id, "secret": sealed, "created_at": now_ms}
    connection.execute(insert(second_factors).values(values))
    return True


def confirm(connection: Connection, admin_id: int, step: int, now_ms: int) -> bool:
    """Activates the stored secret; False if it is active already, or there is none."""
    confirmed = connection.execute(
        update(second_factors)
        .where(second_factors.c.admin_id == admin_id, second_factors.c.confirmed_at.is_(None))
        .values(confirmed_at=now_ms, last_step=step)
    )
    return confirmed.rowcount == 1


def take_step(connection: Connection, admin_id: int, step: int) -> bool:
    """Records that this step's code was used; False if it, or a later one, was used before.

    Of two uses at the same time one succeeds: the condition and the change are one statement.
    """
    result = connection.execute(
        update(second_factors)
        .where(
            second_factors.c.admin_id == admin_id,
            second_factors.c.confirmed_at.is_not(None),
            second_factors.c.last_step < step,
        )
        .values(last_step=step)
    )
    return result.rowcount == 1


def remove(connection: Connection, admin_id: int) -> bool:
    """Removes the factor and the recovery codes; False if no factor was active."""
    had = bool(has(connection, [admin_id]))
    connection.execute(delete(second_factors).where(second_factors.c.admin_id == admin_id))
    replace_codes(connection, admin_id, ())
    return had


def reset(connection: Connection, admin_id: int) -> tuple[bool, list[bytes]]:
    """Removes the factor of an admin who has lost it, and ends all sessions. Returns whether a
    factor was active, and the hashes of the sessions."""
    # Locked, so that no session begins meanwhile.
    admins.password_hash_of(connection, admin_id, alone=True)
    return remove(connection, admin_id), sessions.end_all(connection, admin_id)


class Sealing:
    """Encrypts with one key per admin: a secret of one admin cannot be read as that of another.

    With another secret key nothing can be read: then only recovery codes work.
    """

    def __init__(self, secret_key: str):
        self._secret_key = secret_key.encode()

    def seal(self, admin_id: int, secret: str) -> str:
        """Returns the encrypted text to store."""
        return self._fernet(admin_id).encrypt(secret.encode()).decode()

    def open(self, admin_id: int, sealed: str) -> str | None:
        """Returns the secret; None if it was encrypted with another key, or changed."""
        try:
            return self._fernet(admin_id).decrypt(sealed.encode()).decode()
        except InvalidToken:
            return None

    def _fernet(self, admin_id: int) -> Fernet:
        key = hmac.digest(self._secret_key, f"second factor of {admin_id}".encode(), "sha256")
        return Fernet(base64.urlsafe_b64encode(key))


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
        factor = of(connection, admin_id)
        if factor is None or factor.confirmed_at is None:
            return None
        if looks_like_recovery(code):
            return "recovery_code" if use_code(connection, admin_id, code) else None
        step = self._step(admin_id, factor, code)
        if step is None or not take_step(connection, admin_id, step):
            return None
        return "totp"

    def confirm(self, connection: Connection, admin_id: int, code: str) -> bool:
        """Activates the secret that was set up, by its first code. False for a wrong code."""
        factor = of(connection, admin_id)
        if factor is None or factor.confirmed_at is not None or len(code) > CODE_MAX:
            return False
        step = self._step(admin_id, factor, typed(code))
        return step is not None and confirm(connection, admin_id, step, self._clock())

    def _step(self, admin_id: int, factor: Factor, code: str) -> int | None:
        secret = self._sealing.open(admin_id, factor.secret)
        if secret is None:
            return None
        return step_of(secret, code, self._clock(), factor.last_step)
