"""Stores the mentions of a note in its transaction, and marks them as read or unread."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection

from dashboard.db import mentions
from dashboard.db.accounts import admin_desks, team
from dashboard.db.accounts.admin_desks import sees
from dashboard.db.database import Database
from dashboard.db.mentions import Mentioned
from dashboard.db.threads.thread_states import ThreadState
from dashboard.db.threads.thread_tags import in_column
from dashboard.errors import FieldError, Invalid, NotFound
from dashboard.ingest import acting
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.saving import save
from scoring.conditions.folding import folded, plain
from scoring.placing import Placement

#: `@` in all widths.
_AT = re.compile("[@\ufe6b\uff20]")
#: Maximum number of `@` that are looked at, in the order of the text.
PLACES_MAX = 100
#: Characters, besides letters and digits, that make a following `@` part of an address.
_JOINING = "_.-+@\ufe6b\uff20"
#: Beginnings of the Unicode names of letters that are written without blanks between words, or
#: follow a name without one.
_RUN_ON = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")


def names_in(body: str, names: Collection[str]) -> dict[str, str]:
    """Maps the names that a text mentions to their spelling at the first place.

    At each `@` that is not part of an address, the longest name that fits counts.
    """
    by_form = _by_form(names)
    longest = max(map(len, by_form), default=0)
    spellings: dict[str, str] = {}
    for at in _places(body):
        spelling = _longest(body, at + 1, by_form, longest)
        for name in by_form.get(folded(spelling), ()) if spelling else ():
            spellings.setdefault(name, spelling)
    return spellings


def may_call(body: str) -> bool:
    """Whether a text has an `@` of any width."""
    return _AT.search(body) is not None


def _by_form(names: Collection[str]) -> dict[str, list[str]]:
    """Maps folded forms to the names that have them."""
    names_of: dict[str, list[str]] = {}
    for name in names:
        if folded(name):
            names_of.setdefault(folded(name), []).append(name)
    return names_of


def _places(body: str) -> Iterator[int]:
    """Yields the position of each `@` that may begin a mention."""
    for match in islice(_AT.finditer(body), PLACES_MAX):
        at = match.start()
        before = body[at - 1] if at else " "
        if before not in _JOINING and (not before.isalnum() or _runs_on(before)):
            yield at


def _longest(body: str, begin: int, forms: Collection[str], longest: int) -> str:
    """Returns the longest name that begins there, as it is written; "" if there is none."""
    # A decomposed text may be longer than its folded form.
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


Placements = Sequence[Placement]


def mentioned_in(
    connection: Connection, admin: Admin, desk: str, body: str, chosen: Sequence[int] = ()
) -> list[Mentioned]:
    """Returns the mentions in an admin's note in a thread of this desk.

    The mentioned are all colleagues who see the thread and are named in the note; of several with
    the same name only the `chosen` ones, if any. Raises Invalid for a wrong id in `chosen`.
    """
    if not chosen and not may_call(body):
        return []
    named = _named(connection, admin, desk, body)
    errors = [
        FieldError(f"/mentions/{at}", "unknown_value", "is not a colleague named in the note")
        for at, id in enumerate(chosen)
        if id not in named
    ]
    if errors:
        raise Invalid(errors)
    meant = {folded(named[id]) for id in chosen}
    return [
        Mentioned(id, name)
        for id, name in named.items()
        if id in chosen or folded(name) not in meant
    ]


def store(
    connection: Connection, thread_id: int, note_id: int, named: Sequence[Mentioned], now: int
) -> Placements:
    """Stores the mentions of a note that was just written; returns the thread's placements."""
    if not named:
        return []
    mentions.add(connection, thread_id, note_id, now, named)
    return _saved(connection, acting.locked(connection, thread_id, None), now)


class Mentioning:
    """Marks an admin's mentions as read or unread; `clock` gives milliseconds since 1970.

    Each method is one write transaction, returns (the notes that mention the admin and are unread,
    placements of the thread), and raises NotFound for a thread that the admin does not see, and
    StorageUnavailable with nothing stored.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def read(self, admin: Admin, thread_id: int, through: int) -> tuple[list[int], Placements]:
        """Marks the mentions up to a message as read; later ones stay unread."""

        def change(connection: Connection, now: int) -> bool:
            return mentions.read(connection, thread_id, admin.id, through, now)

        return self._change(admin, thread_id, change)

    def unread(self, admin: Admin, thread_id: int, note_id: int) -> tuple[list[int], Placements]:
        """Marks the mention in a note as unread again. Raises NotFound if there is none."""

        def change(connection: Connection, now: int) -> bool:
            if not mentions.unread_again(connection, thread_id, admin.id, note_id):
                raise NotFound("There is no such mention.")
            return True

        return self._change(admin, thread_id, change)

    def _change(
        self, admin: Admin, thread_id: int, change: Callable[[Connection, int], bool]
    ) -> tuple[list[int], Placements]:
        now = self._clock()

        def write(connection: Connection) -> tuple[list[int], Placements]:
            state = acting.locked(connection, thread_id, admin.desks)
            is_changed = change(connection, now)
            placements = _saved(connection, state, now) if is_changed else []
            return mentions.unread(connection, thread_id, admin.id), placements

        return self._database.write(write, is_idempotent=True)


def _saved(connection: Connection, state: ThreadState, now: int) -> Placements:
    """Updates the unread mentions of a locked thread, and saves it."""
    unread = mentions.have_unread(connection, state.id)
    state.columns.mentioned = in_column([str(id) for id in unread])
    return save(connection, [state], now)


def _named(connection: Connection, admin: Admin, desk: str, body: str) -> dict[int, str]:
    """Maps the ids of colleagues who see the thread to their names in the note."""
    colleagues = {one["id"]: one for one in team.members(connection) if one["id"] != admin.id}
    desks = admin_desks.seen_by(connection, {id: one["role"] for id, one in colleagues.items()})
    names = {id: one["name"] for id, one in colleagues.items() if sees(desks[id], desk)}
    spellings = names_in(body, set(names.values()))
    return {id: spellings[name] for id, name in names.items() if name in spellings}
