"""Folds signs and widths in the search index and in the tags of threads in the same way.

Texts with a sign that now has another form in the index are indexed again, in slices. Revision 0004
has the code that cuts texts into words; the signs are frozen as of this revision.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

#: Marks a text that has more positions than PostgreSQL can store.
_POSITIONS_MISSING = "\ue0ff"
_POSITION_MAX = 16_383
_POSITIONS_A_WORD_MAX = 255
#: The signs that people type on a keyboard, each with the signs that it stands for.
_SIGNS = {
    "'": "\u0060\u00b4\u02b9\u02bb\u02bc\u02bd\u02bf\u02c8\u02ca\u02cb\u055a\u05f3\u2018\u2019"
    "\u201a\u201b\u2032\u2035\u2039\u203a\u275b\u275c",
    '"': "\u00ab\u00bb\u02ba\u02ee\u05f4\u201c\u201d\u201e\u201f\u2033\u2036\u275d\u275e\u301d"
    "\u301e\u301f",
    "-": "\u02d7\u058a\u05be\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u207b\u208b\u2212"
    "\u2e3a\u2e3b\ufe31\ufe32\ufe58",
    "~": "\u02dc\u2053\u223c\u301c\u3030",
    "/": "\u2044\u2215",
    ":": "\u2236\ua789",
    "*": "\u204e\u2217",
    "=": "\u30a0",
    "...": "\u22ef",
    "\u30fb": "\u00b7\u2022\u2027\u2219\u22c5",
}
_TYPED = {ord(sign): typed for typed, signs in _SIGNS.items() for sign in signs}
#: Invisible characters that the index did not omit before.
_UNSEEN = re.compile(
    "[\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\uffa0\ufff0-\ufff8"
    "\U00013439-\U0001343f\U000e0000-\U000e0fff]"
)
#: Characters that contain these signs or decompose into them.
_MADE_OF_SIGNS = (
    "\u00bc-\u00be\u013f\u0140\u0149\u0374\u0387\u1fef\u2034\u2037\u2057\u2150-\u215f\u2189\u33a7"
    "\u33a8\u33ae\u33af\u33c6\u33de\u33df\uff40"
)
_CHANGED = re.compile(
    f"[{''.join(map(re.escape, map(chr, _TYPED)))}{_MADE_OF_SIGNS}{_UNSEEN.pattern[1:-1]}]"
)
#: Unicode categories of the characters that tags may contain, besides `-`.
_OF_TAGS = ("Lu", "Lt", "Ll", "Lm", "Lo", "Mn", "Mc", "Nd")

threads = sa.table("threads", sa.column("id", sa.BigInteger), sa.column("tags", sa.Text))


def upgrade() -> None:
    _index_anew(_plain)
    _fold_tags()


def downgrade() -> None:
    """Indexes texts as before; tags stay folded, which was possible before, too."""
    _index_anew(lambda text: text)


def _plain(text: str) -> str:
    whole = unicodedata.normalize("NFKC", _UNSEEN.sub("", text).translate(_TYPED))
    return whole.translate(_TYPED)


def _index_anew(form: Callable[[str], str]) -> None:
    """Indexes again each text that has a sign with another form now."""
    first = _revision_0004()
    said = sa.select(first.events.c.id, first.events.c.body, first.events.c.attachments).where(
        first.events.c.role.is_not(None), first.events.c.thread_id.is_not(None)
    )
    for rows in first._slices(said, first.events.c.id):
        texts = [(row.id, first._message_text(row.body, row.attachments)) for row in rows]
        _put("message_search", texts, form)
    named = sa.select(first.customers.c.id, first.customers.c.external_id, first.customers.c.name)
    for rows in first._slices(named, first.customers.c.id):
        texts = [(row.id, f"{row.name or ''} {row.external_id}") for row in rows]
        _put("customer_search", texts, form)


def _put(table: str, texts: Sequence[tuple[int, str]], form: Callable[[str], str]) -> None:
    words = _revision_0004().words
    cut = [(id, words(form(text))) for id, text in texts if _CHANGED.search(text)]
    if not cut:
        return
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    key, value = ("rowid", ":words") if is_sqlite else ("id", "CAST(:words AS tsvector)")
    packed = " ".join if is_sqlite else _tsvector
    op.get_bind().execute(
        sa.text(f"UPDATE {table} SET words = {value} WHERE {key} = :id"),
        [{"id": id, "words": packed(found)} for id, found in cut],
    )


def _tsvector(found: Sequence[str]) -> str:
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(found, 1):
        positions.setdefault(word, []).append(min(position, _POSITION_MAX))
    most = max(map(len, positions.values()), default=0)
    if most > _POSITIONS_A_WORD_MAX or len(found) > _POSITION_MAX:
        positions.setdefault(_POSITIONS_MISSING, [_POSITION_MAX])
    return " ".join(
        f"'{word}':{','.join(map(str, at[:_POSITIONS_A_WORD_MAX]))}"
        for word, at in positions.items()
    )


def _fold_tags() -> None:
    tagged = sa.select(threads.c.id, threads.c.tags).where(threads.c.tags.is_not(None))
    for rows in _revision_0004()._slices(tagged, threads.c.id):
        folded = {row.id: _folded_tags(row.tags) for row in rows if not row.tags.isascii()}
        changed = [
            {"row_id": row.id, "folded": folded[row.id]}
            for row in rows
            if folded.get(row.id, row.tags) != row.tags
        ]
        if changed:
            update = sa.update(threads).where(threads.c.id == sa.bindparam("row_id"))
            op.get_bind().execute(update.values(tags=sa.bindparam("folded")), changed)


def _folded_tags(column: str) -> str:
    return f" {' '.join(sorted({_folded_tag(tag) for tag in column.split()}))} "


def _folded_tag(tag: str) -> str:
    """Folds width and composition; keeps a character if its form may not stand in a tag."""
    forms = [(character, _plain(character)) for character in tag]
    kept = "".join(form if _is_of_tags(form) else character for character, form in forms)
    return unicodedata.normalize("NFC", kept.lower())


def _is_of_tags(text: str) -> bool:
    return text != "" and all(
        character == "-" or unicodedata.category(character) in _OF_TAGS for character in text
    )


def _revision_0004() -> Any:
    script = op.get_context().script
    assert script is not None
    return script.get_revision("0004").module
