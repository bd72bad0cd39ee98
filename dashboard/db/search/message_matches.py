"""Messages that contain all terms of a query: the newest of all threads, or those of one thread."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, String, TextClause, bindparam, text

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.search.search_index import POSITIONS_MISSING_QUERY, matching, message_text
from dashboard.db.search.words import Term, places, words_with_positions
from dashboard.db.threads import messages

_NEWEST = {
    "sqlite": text(
        "SELECT events.thread_id, events.id, events.ranked_at, 0 FROM"
        " (SELECT rowid AS id FROM message_search WHERE words MATCH :query"
        "  ORDER BY rowid DESC LIMIT :most) AS found JOIN events ON events.id = found.id"
    ),
    # MATERIALIZED: otherwise the planner may scan all messages by id, assuming a frequent word.
    "postgresql": text(
        "WITH found AS MATERIALIZED"
        " (SELECT id, words @@ CAST(:unsure AS tsquery) AS is_unsure"
        "  FROM message_search WHERE words @@ CAST(:query AS tsquery))"
        " SELECT events.thread_id, events.id, events.ranked_at, newest.is_unsure FROM"
        " (SELECT id, is_unsure FROM found ORDER BY id DESC LIMIT :most) AS newest"
        " JOIN events ON events.id = newest.id"
    ),
}
#: The same queries for threads at some desks.
_NEWEST_AT = {
    "sqlite": text(
        "SELECT events.thread_id, events.id, events.ranked_at, 0"
        " FROM message_search CROSS JOIN events ON events.id = message_search.rowid"
        " CROSS JOIN threads ON threads.id = events.thread_id"
        " WHERE words MATCH :query AND threads.desk IN :desks"
        " ORDER BY message_search.rowid DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
    "postgresql": text(
        "WITH found AS MATERIALIZED"
        " (SELECT id, words @@ CAST(:unsure AS tsquery) AS is_unsure"
        "  FROM message_search WHERE words @@ CAST(:query AS tsquery))"
        " SELECT events.thread_id, events.id, events.ranked_at, found.is_unsure"
        " FROM found JOIN events ON events.id = found.id"
        " JOIN threads ON threads.id = events.thread_id WHERE threads.desk IN :desks"
        " ORDER BY events.id DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
}
_IN_THREAD_POSTGRES = text(
    "SELECT events.thread_id, events.id, events.ranked_at, words @@ CAST(:unsure AS tsquery)"
    " FROM events JOIN message_search ON message_search.id = events.id"
    " WHERE events.thread_id = :thread_id AND words @@ CAST(:query AS tsquery)"
)
_IN_THREAD_SQLITE = (
    "SELECT events.thread_id, events.id, events.ranked_at, 0"
    " FROM events CROSS JOIN message_search ON message_search.rowid = events.id"
    " WHERE events.thread_id = :thread_id AND events.role IS NOT NULL"
)


class MessageMatch(NamedTuple):
    """A message that matches; `at` is the time that orders conversations, in ms."""

    thread_id: int
    id: int
    at: int


def newest(
    connection: Connection, terms: Sequence[Term], most: int, desks: Desks = None
) -> tuple[list[MessageMatch], bool]:
    """Returns the matches among the newest `most` that the index gives, and whether these are all;
    only in threads at these desks, None: at any."""
    dialect = connection.dialect.name
    # One more than the limit shows whether there are more.
    parameters: dict[str, Any] = {"query": matching(dialect, terms), "most": most + 1}
    statement = _NEWEST[dialect]
    if desks is not None:
        statement, parameters["desks"] = _NEWEST_AT[dialect], [*desks]
    if dialect == "postgresql":
        parameters["unsure"] = POSITIONS_MISSING_QUERY
    found = connection.execute(statement, parameters).all()
    return _sure(connection, found, terms), len(found) <= most


def in_thread(connection: Connection, thread_id: int, terms: Sequence[Term]) -> list[MessageMatch]:
    """Returns all matches in a thread, in the order of the conversation."""
    if not terms:
        return []
    if connection.dialect.name == "postgresql":
        parameters = {
            "thread_id": thread_id,
            "query": matching("postgresql", terms),
            "unsure": POSITIONS_MISSING_QUERY,
        }
        found = connection.execute(_IN_THREAD_POSTGRES, parameters).all()
    else:
        found = connection.execute(*_in_thread_sqlite(thread_id, terms)).all()
    return sorted(_sure(connection, found, terms), key=lambda match: (match.at, match.id))


def _in_thread_sqlite(
    thread_id: int, terms: Sequence[Term]
) -> tuple[TextClause, dict[str, int | str]]:
    """Returns the statement with its parameters.

    It reads the indexed words of the thread's messages: the index itself would be asked once a
    message, or for the messages of all threads.
    """
    wanted = {
        f"term_{at}": f" {' '.join(term.words)}{'' if term.open_end else ' '}"
        for at, term in enumerate(terms)
    }
    conditions = (f" AND instr(' ' || message_search.words || ' ', :{name})" for name in wanted)
    return text(_IN_THREAD_SQLITE + "".join(conditions)), {"thread_id": thread_id, **wanted}


def _sure(
    connection: Connection,
    found: Collection[tuple[int, int, int, bool]],
    terms: Sequence[Term],
) -> list[MessageMatch]:
    """Returns the matches (thread id, id, time, unsure), after reading the texts of unsure ones."""
    unsure = [id for _, id, _, is_unsure in found if is_unsure]
    wrong = {
        id
        for id, message in messages.several(connection, unsure).items()
        if not _contains(message_text(message["body"], message["attachments"]), terms)
    }
    return [MessageMatch(thread, id, at) for thread, id, at, _ in found if id not in wrong]


def _contains(text: str, terms: Sequence[Term]) -> bool:
    found_words = words_with_positions(text)
    return all(places(found_words, term) for term in terms)
