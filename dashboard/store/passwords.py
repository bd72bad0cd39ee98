"""Passwords: hashed with argon2id, checked in the same time whether the account exists or not."""

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: OWASP's smallest setting: 19 MiB and some 20 ms, so that many sign-ins at once do no harm.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
#: What an unknown account's password is compared with.
_NOBODY = _HASHER.hash("nobody has this password")
#: How many are worked on at once: 19 MiB each.
_TURNS = threading.Semaphore(4)

PASSWORD_MIN_CHARACTERS = 8
PASSWORD_MAX_CHARACTERS = 1024


def hashed(password: str) -> str:
    """The hash that is kept; takes some 20 ms, so never inside a transaction."""
    with _TURNS:
        return _HASHER.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is the hashed one; takes as long where there is no hash."""
    with _TURNS:
        try:
            is_right = _HASHER.verify(password_hash or _NOBODY, password)
        except (VerificationError, InvalidHashError):
            return False
    return is_right and password_hash is not None
