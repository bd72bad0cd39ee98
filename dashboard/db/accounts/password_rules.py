"""Which passwords are refused: short ones, and those that are guessed early."""

import importlib
import re
from functools import cache
from typing import Any

from dashboard.errors import Problem
from scoring.conditions.folding import folded

LENGTH_MIN = 8
LENGTH_MAX = 1024
#: Passwords that are guessed sooner are refused. The 100,000 commonest are, with what people make
#: of them: capitals, years, repetitions, rows of keys.
GUESSES_MIN = 1_000_000
#: More characters are not looked at: the estimate's time grows with their square.
_ESTIMATED_CHARACTERS = 72
_WORDS = re.compile(r"\w+")


class WeakPassword(Problem):
    """`reason` is one of `length`, `text`, `own` and `guessed`."""

    def __init__(self, reason: str, detail: str):
        super().__init__(422, "weak_password", detail)
        self.reason = reason


def require_strong(password: str, email: str, name: str = "") -> None:
    """Raises WeakPassword; `email` and `name` are whose password it is to be.

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
        raise WeakPassword("own", "The own address or name is no password.")
    if _guesses(password[:_ESTIMATED_CHARACTERS], own) < GUESSES_MIN:
        detail = "This password is among the first that are guessed; choose another one."
        raise WeakPassword("guessed", detail)


def _guesses(password: str, own: list[str]) -> int:
    return int(_estimate()(password, [each for each in own if each])["guesses"])


@cache
def _estimate() -> Any:
    # Not imported with this module: its lists of words take 14 MB, and half a second to read.
    return importlib.import_module("zxcvbn").zxcvbn
