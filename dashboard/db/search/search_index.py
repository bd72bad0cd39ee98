"""The search index: the words of messages, and of names and ids of customers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, TextClause, text

from dashboard.db.driver import RowStatement, Write
from dashboard.db.search.words import Term, words

#: Limits of a tsvector: the greatest position, and the number of positions of one word.
_POSITION_MAX = 16_383
_POSITIONS_A_WORD_MAX = 255
#: A word that marks texts with incomplete positions because of these limits: a search for a phrase
#: finds them by its words alone, and must then read the texts.
_POSITIONS_MISSING = "\ue0ff"
#: The word as a query of PostgreSQL.
POSITIONS_MISSING_QUERY = f"'{_POSITIONS_MISSING}'"

_ADD_POSTGRES = (
    "INSERT INTO {table} (id, words) SELECT id, CAST(words AS tsvector)"
    " FROM json_to_recordset(%s) AS given (id bigint, words text)"
)
_ADD_MESSAGES = RowStatement(
    "INSERT INTO message_search (rowid, words) VALUES (:id, :words)",
    _ADD_POSTGRES.format(table="message_search"),
)
_PUT_CUSTOMERS = RowStatement(
    "INSERT OR REPLACE INTO customer_search (rowid, words) VALUES (:id, :words)",
    _ADD_POSTGRES.format(table="customer_search")
    + " ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words",
)
_DELETE = {
    "sqlite": "DELETE FROM {table} WHERE rowid = :id",
    "postgresql": "DELETE FROM {table} WHERE id = :id",
}


def _statements(by_dialect: Mapping[str, str], table: str) -> dict[str, TextClause]:
    return {name: text(statement.format(table=table)) for name, statement in by_dialect.items()}


_DELETE_MESSAGES = _statements(_DELETE, "message_search")
_DELETE_CUSTOMERS = _statements(_DELETE, "customer_search")


def message_text(body: str | None, attachments: Iterable[Mapping[str, Any]] | None) -> str:
    """Returns the text by which a message is found: its body and the names of its attachments."""
    names = (attachment.get("name") for attachment in attachments or ())
    return "\n".join(part for part in (body, *names) if part)


def adding_messages(connection: Connection, texts: Iterable[tuple[int, str]]) -> Write:
    """Returns the write that adds new messages to the index, given as (event id, text)."""
    return Write(_ADD_MESSAGES, _rows(connection, [pair for pair in texts if pair[1]]))


def put_customers(connection: Connection, named: Sequence[tuple[int, str, str | None]]) -> None:
    """Adds customers to the index or replaces them, given as (row id, external id, name)."""
    texts = [(id, f"{name or ''} {external_id}") for id, external_id, name in named]
    _PUT_CUSTOMERS.write(connection, _rows(connection, texts))


def remove_messages(connection: Connection, ids: Iterable[int]) -> None:
    """Deletes messages from the index, if they are there."""
    _delete(connection, _DELETE_MESSAGES, ids)


def remove_customers(connection: Connection, ids: Iterable[int]) -> None:
    """Deletes customers from the index."""
    _delete(connection, _DELETE_CUSTOMERS, ids)


def matching(dialect: str, terms: Sequence[Term]) -> str:
    """Returns the index's own query for texts that contain all of these terms."""
    if dialect == "postgresql":
        return " & ".join(_tsquery(term) for term in terms)
    return " AND ".join(_match(term) for term in terms)


def _rows(connection: Connection, texts: Iterable[tuple[int, str]]) -> list[dict[str, object]]:
    packed = _tsvector if connection.dialect.name == "postgresql" else " ".join
    return [{"id": id, "words": packed(words(text))} for id, text in texts]


def _delete(
    connection: Connection, statements: Mapping[str, TextClause], ids: Iterable[int]
) -> None:
    rows = [{"id": id} for id in ids]
    if rows:
        connection.execute(statements[connection.dialect.name], rows)


def _tsvector(word_list: Sequence[str]) -> str:
    """Formats words with their positions. No word holds a quote or a backslash."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(word_list, 1):
        positions.setdefault(word, []).append(min(position, _POSITION_MAX))
    longest = max(map(len, positions.values()), default=0)
    if longest > _POSITIONS_A_WORD_MAX or len(word_list) > _POSITION_MAX:
        positions.setdefault(_POSITIONS_MISSING, [_POSITION_MAX])
    return " ".join(
        f"'{word}':{','.join(map(str, places[:_POSITIONS_A_WORD_MAX]))}"
        for word, places in positions.items()
    )


def _match(term: Term) -> str:
    return f'"{" ".join(term.words)}"' + (" *" if term.open_end else "")


def _tsquery(term: Term) -> str:
    *first, last = (f"'{word}'" for word in term.words)
    in_order = [*first, last + ":*" if term.open_end else last]
    if not first:
        return in_order[0]
    anywhere = " & ".join([POSITIONS_MISSING_QUERY, *in_order])
    return f"({' <-> '.join(in_order)} | {anywhere})"
