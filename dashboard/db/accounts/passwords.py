"""Passwords: argon2id hashes; a check takes the same time for an unknown account."""

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: OWASP's smallest recommended setting: 19 MiB and about 20 ms a hash.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
#: The hash that a password for an unknown account is compared with.
_NO_ACCOUNT = _HASHER.hash("no account has this password")
#: How many hashes a process should compute at once, of 19 MiB each. The caller sees to it: a lock
#: here would be one of green threads, taken in the threads that hash, and some would never get it.
AT_ONCE = 4


def hashed(password: str) -> str:
    """The hash to store. It takes about 20 ms: do not call it in a transaction.

    Keyboards write `ế` composed or not: the composed form is hashed (RFC 8265, section 4.2).
    """
    return _HASHER.hash(unicodedata.normalize("NFC", password))


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is the hashed one; None (no account) takes as long and is False."""
    # The text as it was typed: hashes of earlier times are of any form.
    forms = dict.fromkeys((unicodedata.normalize("NFC", password), password))
    found = [_is_hashed(form, password_hash or _NO_ACCOUNT) for form in forms]
    return any(found) and password_hash is not None


def _is_hashed(password: str, password_hash: str) -> bool:
    try:
        return _HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
