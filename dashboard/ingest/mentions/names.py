"""Which names a note calls by `@`: a pure function of its text.

The rule is in docs/requirements/mentions.md.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice

from scoring.conditions.folding import folded, plain

#: `@` in all widths.
_AT = re.compile("[@\ufe6b\uff20]")
#: Places of `@` that are looked at, in the order of the text.
PLACES_MAX = 100
#: Characters before `@` with which it belongs to an address, besides letters and digits.
_JOINING = "_.-+@\ufe6b\uff20"
#: Beginnings of the Unicode names of letters that are written without blanks between words, or take
#: what follows a name without one.
_RUN_ON = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")


def names_in(body: str, names: Collection[str]) -> dict[str, str]:
    """Each of these names that the text calls, to how it is written there, at its first place.

    At each `@` that does not follow a letter or digit, the longest name that fits counts.
    """
    by_form = _by_form(names)
    longest = max(map(len, by_form), default=0)
    found: dict[str, str] = {}
    for at in _places(body):
        written = _longest(body, at + 1, by_form, longest)
        for name in by_form.get(folded(written), ()) if written else ():
            found.setdefault(name, written)
    return found


def may_call(body: str) -> bool:
    """Whether a text has an `@` of any width at all."""
    return _AT.search(body) is not None


def _by_form(names: Collection[str]) -> dict[str, list[str]]:
    """Form to the names that have it."""
    found: dict[str, list[str]] = {}
    for name in names:
        if folded(name):
            found.setdefault(folded(name), []).append(name)
    return found


def _places(body: str) -> Iterator[int]:
    """Where an `@` may begin a mention."""
    for match in islice(_AT.finditer(body), PLACES_MAX):
        at = match.start()
        before = body[at - 1] if at else " "
        if before not in _JOINING and (not before.isalnum() or _runs_on(before)):
            yield at


def _longest(body: str, begin: int, forms: Collection[str], longest: int) -> str:
    """The longest text from there on that is a name; "" where none is."""
    # Decomposed, a text may be longer than its form.
    end = min(len(body), begin + 2 * longest + 8)
    if begin == end or body[begin].isspace():
        return ""
    for until in range(end, begin, -1):
        if body[until - 1].isspace() or not _ends(body, until):
            continue
        if folded(body[begin:until]) in forms:
            return body[begin:until]
    return ""


def _ends(body: str, until: int) -> bool:
    """Whether a name may end there: not within a word."""
    if until == len(body):
        return True
    after = plain(body[until])[:1]
    if not after:
        return True
    if unicodedata.category(after).startswith("M"):
        return False
    return not after.isalnum() or _runs_on(after) or _runs_on(body[until - 1])


def _runs_on(character: str) -> bool:
    return unicodedata.name(character, "").startswith(_RUN_ON)
