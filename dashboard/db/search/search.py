"""Finds threads by their messages, customers and conditions, the newest match first."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    bindparam,
    func,
    select,
    text,
    true,
)

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.conditions import threads_of, where
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.models.threads import threads as threads_table
from dashboard.db.search import message_matches
from dashboard.db.search.message_matches import excerpt, marks
from dashboard.db.search.search_index import matching, message_text
from dashboard.db.search.words import Term, terms
from dashboard.db.threads import customer_notes, messages, thread_rows
from dashboard.db.threads.thread_rows import rows
from dashboard.turns import turns
from scoring.conditions.folding import plain
from scoring.conditions.resolved import Resolved

#: Ids in one statement, and threads that one statement looks at.
_BATCH, _SLICE = 500, 20_000
#: A search by conditions alone looks for threads for this long.
_SECONDS = 2.0

#: Maps thread ids to (time, message id; 0 for a match that is no message).
Matches = dict[int, tuple[int, int]]


class HoldsAt(NamedTuple):
    """Conditions, and the instant at which they must hold, in milliseconds."""

    resolved: Resolved
    now_ms: int


def narrowed(connection: Connection, condition: HoldsAt, matches: Matches) -> Matches:
    """Returns the matches in threads for which a condition holds."""
    result: Matches = {}
    for ids in turns.slices(list(matches), _BATCH):
        holding = connection.execute(_holding(condition).where(threads.c.id.in_(ids)))
        result |= {row.id: matches[row.id] for row in holding}
    return result


def newest_of(connection: Connection, condition: HoldsAt, most: int) -> tuple[Matches, bool]:
    """Maps up to `most` threads for which a condition holds to (`recent_at`, 0), and returns
    whether these are all. The newest threads are looked at first."""
    end = time.monotonic() + _SECONDS
    matches: Matches = {}
    last_id = connection.scalar(select(func.max(threads.c.id))) or 0
    while last_id > 0 and len(matches) <= most and time.monotonic() < end:
        of_slice = (threads.c.id > last_id - _SLICE, threads.c.id <= last_id)
        statement = _holding(condition).where(*of_slice).order_by(threads.c.id.desc())
        rows = connection.execute(statement.limit(most + 1 - len(matches)))
        matches |= {row.id: (row.recent_at, 0) for row in rows}
        last_id -= _SLICE
        turns.give()
    is_whole = last_id <= 0 and len(matches) <= most
    return dict(list(matches.items())[:most]), is_whole


def _holding(condition: HoldsAt) -> Select[tuple[int, int]]:
    return (
        select(threads.c.id, threads.c.recent_at)
        .select_from(threads_of(condition.resolved))
        .where(where(condition.resolved, condition.now_ms))
    )


#: Maximum number of listed messages of a thread, the newest ones.
THREAD_MATCHES_MAX = 1_000
#: Maximum number of marks in one message.
MARKS_MAX = 200


def find_in_thread(connection: Connection, thread_id: int, query: str) -> dict[str, object]:
    """Returns the messages of the thread that contain all terms of the query, for the dashboard.

    They are in the order of the conversation, with the number of all of them.
    """
    query_terms = terms(query)
    all_matches = message_matches.in_thread(connection, thread_id, query_terms)
    listed = all_matches[-THREAD_MATCHES_MAX:]
    texts = {
        id: message_text(message["body"], message["attachments"])
        for id, message in messages.several(connection, [match.id for match in listed]).items()
    }
    matches = [
        {"id": match.id, "at": match.at, "marks": marks(texts[match.id], query_terms, MARKS_MAX)}
        for match in listed
        if match.id in texts
    ]
    return {"matches": matches, "total": len(all_matches)}


_CUSTOMER = (
    select(
        threads_table.c.customer_id,
        customers.c.external_id,
        customers.c.created_at,
        customers.c.attributes,
    )
    .select_from(threads_table.outerjoin(customers))
    .where(threads_table.c.id == bindparam("id"))
)


def panel(
    connection: Connection, thread_id: int, limit: int, desks: Desks = None
) -> dict[str, object] | None:
    """Returns the customer of a thread and up to `limit` of the customer's threads at these desks
    (None: at any), the newest first.

    `total` is the number of all these threads. None for an unknown thread; the customer is null
    while no event of the thread has named one. The customer's `created_at` is the time of the
    customer's first event, in milliseconds: imported events are older than the customer's row.
    """
    row = connection.execute(_CUSTOMER, {"id": thread_id}).first()
    if row is None:
        return None
    customer_id, name, created_at, attributes = row
    if customer_id is None:
        return {"customer": None, "threads": [], "total": 0}
    of_customer = threads_table.c.customer_id == customer_id
    if desks is not None:
        of_customer &= threads_table.c.desk.in_(desks)
    newest = threads_table.c.recent_at.desc(), threads_table.c.id.desc()
    of_them = select(threads_table.c.id).where(of_customer).order_by(*newest)
    ids = list(connection.scalars(of_them.limit(limit)))
    shown = rows(connection, [*ids, thread_id], desks)
    if thread_id not in shown:
        # Deleted since the first statement, or given to another desk: PostgreSQL shows that.
        return None
    customer, source = shown[thread_id]["customer"], shown[thread_id]["source"]
    if customer is None or customer["id"] != f"{source}/{name}":
        # It has another customer since then.
        return panel(connection, thread_id, limit, desks)
    total, since = _total_and_since(connection, of_customer, created_at, all_desks=desks is None)
    note = customer_notes.stored(connection, customer_id)
    about = {"created_at": since, "attributes": _in_order(attributes), "note": note}
    return {
        "customer": {**customer, **about},
        "threads": [shown[id] for id in ids if id in shown],
        "total": total,
    }


def _in_order(attributes: Mapping[str, str] | None) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in (attributes or {}).items()]


def _total_and_since(
    connection: Connection, of_customer: ColumnElement[bool], created_at: int, *, all_desks: bool
) -> tuple[int, int]:
    """Counts the customer's visible threads; returns this and the first event's time in ms.

    The customer's own row counts only if all desks are seen: a thread at another desk may have
    added it. It also gives the time if no thread is visible.
    """
    total, first_event_at = connection.execute(
        select(func.count(), func.min(threads_table.c.first_event_at)).where(of_customer)
    ).one()
    if first_event_at is None:
        return total, created_at
    return total, min(created_at, first_event_at) if all_desks else first_event_at


#: Matches that are read, the newest ones: this bounds the time of a search for a frequent word.
MATCHES_MAX = 5_000
CUSTOMERS_MAX = 1_000

_CUSTOMERS = {
    "sqlite": text(
        "SELECT rowid FROM customer_search WHERE words MATCH :query ORDER BY rowid DESC LIMIT :most"
    ),
    "postgresql": text(
        "SELECT id FROM customer_search WHERE words @@ CAST(:query AS tsquery)"
        " ORDER BY id DESC LIMIT :most"
    ),
}
_IS_AT = """EXISTS (SELECT 1 FROM threads
    WHERE threads.customer_id = {id} AND threads.desk IN :desks)"""
#: Customers with threads at some desks.
_CUSTOMERS_AT = {
    "sqlite": text(
        "SELECT rowid FROM customer_search WHERE words MATCH :query"
        f" AND {_IS_AT.format(id='customer_search.rowid')} ORDER BY rowid DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
    "postgresql": text(
        "SELECT id FROM customer_search WHERE words @@ CAST(:query AS tsquery)"
        f" AND {_IS_AT.format(id='customer_search.id')} ORDER BY id DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
}


class SortKey(NamedTuple):
    """The position of a result: by time (milliseconds), then by thread id, both descending."""

    at: int
    thread_id: int


class Found(NamedTuple):
    """Results as the dashboard gets them, the number of all results, and the key to go on after.

    `whole` is False if there are more matches than are read: older threads may be missing.
    """

    results: list[dict[str, object]]
    total: int
    next: SortKey | None
    whole: bool


def find(
    connection: Connection,
    words: str,
    limit: int,
    after: SortKey | None = None,
    condition: HoldsAt | None = None,
    desks: Desks = None,
) -> Found:
    """Finds threads in which one message, or the customer's name and id, contains all terms.

    A thread is one result: by its newest matching message, or else by its customer. A condition
    narrows the result; without words it selects alone. Only threads at `desks` count, and threads
    at other desks change nothing; None: any desk.
    """
    query_terms = terms(words)
    if condition is not None:
        condition = condition._replace(resolved=condition.resolved.at_desks(desks))
    if condition is not None and not words:
        by_thread, whole = newest_of(connection, condition, MATCHES_MAX)
    else:
        customers_threads, all_customers = _by_customer(connection, words, query_terms, desks)
        messages_threads, all_messages = _by_message(connection, query_terms, desks)
        by_thread, whole = customers_threads | messages_threads, all_customers and all_messages
        if condition is not None:
            by_thread = narrowed(connection, condition, by_thread)
    keys = sorted((SortKey(at, id) for id, (at, _) in by_thread.items()), reverse=True)
    rest = [key for key in keys if after is None or key < after]
    shown = rest[:limit]
    shown_messages = messages.several(connection, [by_thread[key.thread_id][1] for key in shown])
    rows = thread_rows.rows(connection, [key.thread_id for key in shown], desks)
    results: list[dict[str, object]] = [
        {"row": rows[id], "message": _match_json(shown_messages.get(by_thread[id][1]), query_terms)}
        for _, id in shown
        if id in rows
    ]
    next = shown[-1] if len(rest) > limit else None
    return Found(results, len(keys), next, whole)


def _by_message(
    connection: Connection, query_terms: Sequence[Term], desks: Desks
) -> tuple[Matches, bool]:
    """Maps thread ids to (time, id) of the newest message that matches."""
    if not query_terms:
        return {}, True
    matches, whole = message_matches.newest(connection, query_terms, MATCHES_MAX, desks)
    newest: dict[int, tuple[int, int]] = {}
    for thread_id, id, at in matches:
        newest[thread_id] = max((at, id), newest.get(thread_id, (0, 0)))
    return newest, whole


def _by_customer(
    connection: Connection, query: str, query_terms: Sequence[Term], desks: Desks
) -> tuple[Matches, bool]:
    """Maps threads of matching customers to (`recent_at`, 0)."""
    customer_ids = _customers(connection, query, query_terms, desks)
    is_seen = true() if desks is None else threads_table.c.desk.in_(desks)
    newest = connection.execute(
        select(threads_table.c.id, threads_table.c.recent_at)
        .where(threads_table.c.customer_id.in_(customer_ids), is_seen)
        .order_by(threads_table.c.recent_at.desc())
        .limit(MATCHES_MAX + 1)
    ).all()
    whole = len(customer_ids) <= CUSTOMERS_MAX and len(newest) <= MATCHES_MAX
    return {id: (recent_at, 0) for id, recent_at in newest}, whole


def _customers(
    connection: Connection, query: str, query_terms: Sequence[Term], desks: Desks
) -> list[int]:
    """Returns ids of customers by their names and ids, or by SOURCE/ID as rows show it."""
    source, _, name = plain(query).strip().partition("/")
    exact = (
        select(customers.c.id)
        .join(sources, sources.c.id == customers.c.source_id)
        .where(sources.c.name == source, customers.c.external_id == name)
    )
    ids = list(connection.scalars(exact)) if name else []
    if query_terms:
        dialect = connection.dialect.name
        parameters = {"query": matching(dialect, query_terms), "most": CUSTOMERS_MAX + 1}
        if desks is None:
            ids += connection.scalars(_CUSTOMERS[dialect], parameters)
        else:
            ids += connection.scalars(_CUSTOMERS_AT[dialect], parameters | {"desks": [*desks]})
    return ids


def _match_json(
    message: messages.Message | None, query_terms: Sequence[Term]
) -> dict[str, object] | None:
    if message is None:
        return None
    shown, marks = excerpt(message_text(message["body"], message["attachments"]), query_terms)
    return {
        "id": message["id"],
        "role": message["role"],
        "private": message["private"],
        "at": message["at"],
        "excerpt": shown,
        "marks": marks,
    }
