"""Passwords: argon2id hashes; a check takes the same time for an unknown account."""

import importlib
import re
import unicodedata
from functools import cache
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from dashboard.errors import Problem
from scoring.conditions.folding import folded

#: OWASP's smallest recommended setting: 19 MiB and about 20 ms a hash.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
#: The hash that a password is compared with when the account is unknown.
_NO_ACCOUNT = _HASHER.hash("no account has this password")
#: Maximum number of hashes to compute at once, at 19 MiB each. Callers ensure it: a lock here would
#: be a lock of green threads, taken in real threads, and some of these would never get it.
AT_ONCE = 4


def hashed(password: str) -> str:
    """Returns the hash to store. It takes about 20 ms: do not call it in a transaction.

    Keyboards write `ế` composed or not: the composed form is hashed (RFC 8265, section 4.2).
    """
    return _HASHER.hash(unicodedata.normalize("NFC", password))


def matches(password: str, password_hash: str | None) -> bool:
    """Whether the password is the hashed one; None (no account) takes as long and is False."""
    # The text as typed is tried too: older hashes were made of any form.
    forms = dict.fromkeys((unicodedata.normalize("NFC", password), password))
    results = [_is_hashed(form, password_hash or _NO_ACCOUNT) for form in forms]
    return any(results) and password_hash is not None


def _is_hashed(password: str, password_hash: str) -> bool:
    try:
        return _HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False


LENGTH_MIN = 8
LENGTH_MAX = 1024
#: Passwords that take fewer guesses are refused. Among them are the 100,000 commonest and their
#: usual variations: capitals, years, repetitions, rows of keys.
GUESSES_MIN = 1_000_000
#: Longer passwords are estimated by this many characters: the time grows with their square.
_ESTIMATED_CHARACTERS = 72
_WORDS = re.compile(r"\w+")


class WeakPassword(Problem):
    """`reason` is one of `length`, `text`, `own` and `guessed`."""

    def __init__(self, reason: str, detail: str):
        super().__init__(422, "weak_password", detail)
        self.reason = reason


def require_strong(password: str, email: str, name: str = "") -> None:
    """Raises WeakPassword; `email` and `name` belong to the account.

    There are no rules of composition (NIST SP 800-63B, section 5.1.1.2).
    """
    if not LENGTH_MIN <= len(password) <= LENGTH_MAX:
        raise WeakPassword("length", f"A password has {LENGTH_MIN} to {LENGTH_MAX} characters.")
    try:
        password.encode()
    except UnicodeEncodeError:
        raise WeakPassword("text", "A password is text in UTF-8.") from None
    own = [email, name, *_WORDS.findall(email), *_WORDS.findall(name)]
    if folded(password) in map(folded, own):
        raise WeakPassword("own", "The password must not be your own address or name.")
    if _guesses(password[:_ESTIMATED_CHARACTERS], own) < GUESSES_MIN:
        detail = "This password is easy to guess; choose another one."
        raise WeakPassword("guessed", detail)


def _guesses(password: str, own: list[str]) -> int:
    return int(_estimate()(password, [text for text in own if text])["guesses"])


@cache
def _estimate() -> Any:
    # Not imported with this module: its word lists take 14 MB, and half a second to read.
    return importlib.import_module("zxcvbn").zxcvbn
