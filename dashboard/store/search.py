"""Finds threads by what was said in them and by whose they are, the newest match first."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text

from dashboard.store import messages, threads
from dashboard.store.excerpts import excerpt
from dashboard.store.models import customers, sources
from dashboard.store.models import threads as threads_table
from dashboard.store.search_index import matching, message_text
from dashboard.store.words import Term, terms

#: Of a word that stands in more messages than this only the last of them are looked at: a search
#: takes as long as it takes, however much was ever said.
MATCHES_MAX = 5_000
CUSTOMERS_MAX = 1_000

_MESSAGES = {
    "sqlite": text(
        "SELECT events.thread_id, events.id, events.ranked_at FROM"
        " (SELECT rowid AS id FROM message_search WHERE words MATCH :query"
        "  ORDER BY rowid DESC LIMIT :most) AS found JOIN events ON events.id = found.id"
    ),
    # Materialized: counted on to be rare, a word would be looked for through the whole table.
    "postgresql": text(
        "WITH found AS MATERIALIZED"
        " (SELECT id FROM message_search WHERE words @@ CAST(:query AS tsquery))"
        " SELECT events.thread_id, events.id, events.ranked_at FROM"
        " (SELECT id FROM found ORDER BY id DESC LIMIT :most) AS newest"
        " JOIN events ON events.id = newest.id"
    ),
}
_CUSTOMERS = {
    "sqlite": text(
        "SELECT rowid FROM customer_search WHERE words MATCH :query ORDER BY rowid DESC LIMIT :most"
    ),
    "postgresql": text(
        "SELECT id FROM customer_search WHERE words @@ CAST(:query AS tsquery)"
        " ORDER BY id DESC LIMIT :most"
    ),
}


#: What stands for each thread that was found, and whether those are all there are.
Matches = tuple[dict[int, tuple[int, int]], bool]


class Place(NamedTuple):
    """Where a result stands among the others: by time, then by thread."""

    at: int
    thread_id: int


class Found(NamedTuple):
    """Results as dashboards get them, how many there are in all, and where the next ones begin.

    Not `whole` where more matches than are looked at were found: then there may be older results.
    """

    results: list[dict[str, Any]]
    total: int
    next: Place | None
    whole: bool


def find(connection: Connection, query: str, limit: int, after: Place | None = None) -> Found:
    """Threads in which each term of the query stands in one message, or in their customer's name.

    A thread is found once: by its newest message that matches, or else by its customer.
    """
    looked_for = terms(query)
    customers_threads, all_customers = _by_customer(connection, query, looked_for)
    messages_threads, all_messages = _by_message(connection, looked_for)
    by_thread = customers_threads | messages_threads
    places = sorted((Place(at, id) for id, (at, _) in by_thread.items()), reverse=True)
    rest = [place for place in places if after is None or place < after]
    shown = rest[:limit]
    said = messages.several(connection, [by_thread[place.thread_id][1] for place in shown])
    rows = threads.rows(connection, [place.thread_id for place in shown])
    results = [
        {"row": rows[id], "message": _told(said.get(by_thread[id][1]), looked_for)}
        for _, id in shown
        if id in rows
    ]
    next = shown[-1] if len(rest) > limit else None
    return Found(results, len(places), next, all_customers and all_messages)


def _by_message(connection: Connection, looked_for: Sequence[Term]) -> Matches:
    """Thread to (time, id) of its newest message that matches."""
    if not looked_for:
        return {}, True
    dialect = connection.dialect.name
    # One more than are looked at tells that there are more.
    given = {"query": matching(dialect, looked_for), "most": MATCHES_MAX + 1}
    matches = connection.execute(_MESSAGES[dialect], given).all()
    newest: dict[int, tuple[int, int]] = {}
    for thread_id, id, at in matches:
        newest[thread_id] = max((at, id), newest.get(thread_id, (0, 0)))
    return newest, len(matches) <= MATCHES_MAX


def _by_customer(connection: Connection, query: str, looked_for: Sequence[Term]) -> Matches:
    """Thread to (when it last mattered, no message)."""
    customer_ids = _customers(connection, query, looked_for)
    found = connection.execute(
        select(threads_table.c.id, threads_table.c.recent_at)
        .where(threads_table.c.customer_id.in_(customer_ids))
        .order_by(threads_table.c.recent_at.desc())
        .limit(MATCHES_MAX + 1)
    ).all()
    whole = len(customer_ids) <= CUSTOMERS_MAX and len(found) <= MATCHES_MAX
    return {id: (recent_at, 0) for id, recent_at in found}, whole


def _customers(connection: Connection, query: str, looked_for: Sequence[Term]) -> list[int]:
    """By their names and ids, and by SOURCE/ID as dashboards write it."""
    source, _, name = query.strip().partition("/")
    exact = (
        select(customers.c.id)
        .join(sources, sources.c.id == customers.c.source_id)
        .where(sources.c.name == source, customers.c.external_id == name)
    )
    ids = list(connection.scalars(exact)) if name else []
    if looked_for:
        dialect = connection.dialect.name
        given = {"query": matching(dialect, looked_for), "most": CUSTOMERS_MAX + 1}
        ids += connection.scalars(_CUSTOMERS[dialect], given)
    return ids


def _told(message: messages.Message | None, looked_for: Sequence[Term]) -> dict[str, Any] | None:
    if message is None:
        return None
    shown, marks = excerpt(message_text(message["body"], message["attachments"]), looked_for)
    kept = {name: message[name] for name in ("id", "role", "private", "at")}
    return kept | {"excerpt": shown, "marks": marks}
