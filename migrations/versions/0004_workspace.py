"""Canned replies, and the full-text index of messages and customers.

The index is filled with the words of all stored texts. The code that cuts a text into words is a
copy of the product's code of that time: revisions do not change when the product does.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
SEARCH_TABLES = ("message_search", "customer_search")
#: Number of texts that one statement indexes.
SLICE = 2_000
#: PostgreSQL's limits: the highest position in a text, and the positions stored for one word.
_POSITION_MAX = 16_383
_POSITIONS_A_WORD_MAX = 255
#: Number of indexed characters of a word; PostgreSQL refuses lexemes of 2 KB.
WORD_MAX = 64

#: Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul. Runs of their
#: characters are split into overlapping pairs, so that a search finds any two adjacent characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_PART = re.compile(rf"([{_UNSPACED}]+)|[^\W_{_UNSPACED}]+|\S")
#: Marks that people omit when they type: diacritics, Hebrew and Arabic vowels, and variation
#: selectors of emoji.
_DROPPED = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f]"
)
#: Letters without a Unicode decomposition, and the ASCII letters that people type for them.
_TYPED_AS = {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe"}
#: Offset of ASCII punctuation in the index: tokenizers and query languages would interpret it.
_PUNCTUATION = 0xE000

events = sa.table(
    "events",
    sa.column("id", sa.BigInteger),
    sa.column("role", sa.String),
    sa.column("thread_id", sa.BigInteger),
    sa.column("body", sa.Text),
    sa.column("attachments", Json),
)
customers = sa.table(
    "customers",
    sa.column("id", sa.BigInteger),
    sa.column("external_id", sa.String),
    sa.column("name", sa.Text),
)


def upgrade() -> None:
    op.create_table(
        "canned_replies",
        sa.Column("id", Id, primary_key=True),
        sa.Column("shortcut", sa.String(32), nullable=False, unique=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    for name in SEARCH_TABLES:
        _create_search_table(name)
    _index_messages()
    _index_customers()


def downgrade() -> None:
    for name in (*SEARCH_TABLES, "canned_replies"):
        op.drop_table(name)


def _create_search_table(name: str) -> None:
    """Words are stored folded and separated by spaces: the tokenizer only splits at spaces."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"CREATE VIRTUAL TABLE {name} USING fts5(words, tokenize='ascii')")
        return
    op.create_table(
        name,
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("words", postgresql.TSVECTOR, nullable=False),
    )
    op.create_index(f"ix_{name}_words", name, ["words"], postgresql_using="gin")


def _index_messages() -> None:
    said = sa.select(events.c.id, events.c.body, events.c.attachments).where(
        events.c.role.is_not(None), events.c.thread_id.is_not(None)
    )
    for rows in _slices(said, events.c.id):
        texts = [(row.id, _message_text(row.body, row.attachments)) for row in rows]
        _add("message_search", [(id, text) for id, text in texts if text])


def _index_customers() -> None:
    named = sa.select(customers.c.id, customers.c.external_id, customers.c.name)
    for rows in _slices(named, customers.c.id):
        texts = [(row.id, f"{row.name or ''} {row.external_id}") for row in rows]
        _add("customer_search", texts)


def _message_text(body: str | None, attachments: list[dict[str, Any]] | None) -> str:
    names = (each.get("name") for each in attachments or ())
    return "\n".join(each for each in (body, *names) if each)


def _slices(statement: sa.Select[Any], id: sa.ColumnElement[int]) -> Iterator[Sequence[Any]]:
    after = 0
    while (
        rows := op.get_bind().execute(statement.where(id > after).order_by(id).limit(SLICE)).all()
    ):
        yield rows
        after = rows[-1].id


def _add(table: str, texts: Sequence[tuple[int, str]]) -> None:
    if not texts:
        return
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    columns, value = ("rowid", ":words") if is_sqlite else ("id", "CAST(:words AS tsvector)")
    op.get_bind().execute(
        sa.text(f"INSERT INTO {table} ({columns}, words) VALUES (:id, {value})"),
        [
            {"id": id, "words": " ".join(words(text)) if is_sqlite else _tsvector(words(text))}
            for id, text in texts
        ],
    )


def _tsvector(found: Sequence[str]) -> str:
    """Formats words with their positions. No word holds a quote or a backslash."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(found, 1):
        positions.setdefault(word, []).append(min(position, _POSITION_MAX))
    return " ".join(
        f"'{word}':{','.join(map(str, held[:_POSITIONS_A_WORD_MAX]))}"
        for word, held in positions.items()
    )


class _Folding(dict[int, str]):
    """Maps characters to their folded text; filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _fold(chr(code))
        return made


def _fold(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    whole = unicodedata.normalize("NFKC", character)
    if _RUN.fullmatch(whole):
        return whole
    spelled = _DROPPED.sub("", unicodedata.normalize("NFKD", whole.casefold()))
    return "".join(_coded(_TYPED_AS.get(each, each)) for each in spelled)


def _coded(text: str) -> str:
    is_punctuation = text.isascii() and text.isprintable() and not text.isalnum() and text != " "
    return chr(_PUNCTUATION + ord(text)) if is_punctuation else text


_FOLDING = _Folding()


def folded(text: str) -> str:
    """Removes the differences that a search ignores: case, marks, widths."""
    made = text.translate(_FOLDING)
    if "\u3099" in made or "\u309a" in made:
        return unicodedata.normalize("NFC", made)
    return made


def words(text: str) -> list[str]:
    folded_text = folded(text)
    return [word for match in _PART.finditer(folded_text) for word in _words_of(match)]


def _words_of(match: re.Match[str]) -> list[str]:
    start, end = match.span()
    if match[1] is None:
        return [match[0][:WORD_MAX]]
    return [match.string[at : min(at + 2, end)] for at in range(start, end)]
