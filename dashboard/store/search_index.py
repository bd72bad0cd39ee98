"""The search index: words of messages and of customers' names and ids, kept as they are written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, TextClause, text

from dashboard.store.words import Term, words

#: PostgreSQL counts positions in a text no further, and keeps no more of them for one word.
_POSITION_MAX = 16_383
_POSITIONS_A_WORD_MAX = 255

_ADD = {
    "sqlite": "INSERT INTO {table} (rowid, words) VALUES (:id, :words)",
    "postgresql": "INSERT INTO {table} (id, words) VALUES (:id, CAST(:words AS tsvector))",
}
_PUT = {
    "sqlite": "INSERT OR REPLACE INTO {table} (rowid, words) VALUES (:id, :words)",
    "postgresql": _ADD["postgresql"] + " ON CONFLICT (id) DO UPDATE SET words = EXCLUDED.words",
}
_DELETE = {
    "sqlite": "DELETE FROM {table} WHERE rowid = :id",
    "postgresql": "DELETE FROM {table} WHERE id = :id",
}


def _statements(by_dialect: Mapping[str, str], table: str) -> dict[str, TextClause]:
    return {name: text(statement.format(table=table)) for name, statement in by_dialect.items()}


_ADD_MESSAGES = _statements(_ADD, "message_search")
_DELETE_MESSAGES = _statements(_DELETE, "message_search")
_PUT_CUSTOMERS = _statements(_PUT, "customer_search")
_DELETE_CUSTOMERS = _statements(_DELETE, "customer_search")


def message_text(body: str | None, attachments: Iterable[Mapping[str, Any]] | None) -> str:
    """What a message can be found by: its body and the names of what is attached."""
    names = (each.get("name") for each in attachments or ())
    return "\n".join(each for each in (body, *names) if each)


def add_messages(connection: Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Makes new messages findable: (event id, text) of each."""
    _write(connection, _ADD_MESSAGES, [each for each in texts if each[1]])


def put_customers(connection: Connection, named: Sequence[tuple[int, str, str | None]]) -> None:
    """Makes customers findable by (our id) what their source and they call themselves."""
    texts = [(id, f"{name or ''} {external_id}") for id, external_id, name in named]
    _write(connection, _PUT_CUSTOMERS, texts)


def forget_messages(connection: Connection, ids: Select[Any]) -> None:
    """Takes messages out again; call it while `ids` still selects their events."""
    _delete(connection, _DELETE_MESSAGES, ids)


def forget_customers(connection: Connection, ids: Select[Any]) -> None:
    """Takes customers out again."""
    _delete(connection, _DELETE_CUSTOMERS, ids)


def matching(dialect: str, terms: Sequence[Term]) -> str:
    """The index's own query for texts in which each of these terms stands."""
    if dialect == "postgresql":
        return " & ".join(_tsquery(term) for term in terms)
    return " AND ".join(_match(term) for term in terms)


def _write(
    connection: Connection,
    statements: Mapping[str, TextClause],
    texts: Sequence[tuple[int, str]],
) -> None:
    if not texts:
        return
    dialect = connection.dialect.name
    packed = _tsvector if dialect == "postgresql" else " ".join
    rows = [{"id": id, "words": packed(words(text))} for id, text in texts]
    connection.execute(statements[dialect], rows)


def _delete(connection: Connection, statements: Mapping[str, TextClause], ids: Select[Any]) -> None:
    rows = [{"id": id} for id in connection.scalars(ids)]
    if rows:
        connection.execute(statements[connection.dialect.name], rows)


def _tsvector(standing: Sequence[str]) -> str:
    """The words with their positions. None of them holds a quote or a backslash."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(standing, 1):
        positions.setdefault(word, []).append(min(position, _POSITION_MAX))
    return " ".join(
        f"'{word}':{','.join(map(str, held[:_POSITIONS_A_WORD_MAX]))}"
        for word, held in positions.items()
    )


def _match(term: Term) -> str:
    return f'"{" ".join(term.words)}"' + (" *" if term.open_end else "")


def _tsquery(term: Term) -> str:
    *first, last = (f"'{word}'" for word in term.words)
    return f"({' <-> '.join([*first, last + ':*' if term.open_end else last])})"
