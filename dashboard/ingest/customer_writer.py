"""Writes what events state about customers; of two events the later one wins for each field."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.search import search_index
from dashboard.db.threads import customers
from dashboard.db.threads.last_writer import stamped, wins
from dashboard.db.threads.thread_states import ChangedCustomer
from dashboard.ingest.schema import ParsedEvent

Row = dict[str, Any]


class WrittenCustomers(NamedTuple):
    """The customers of a batch of events.

    `rows` has them by the source's id. `touched` are the ids of those whose rows on dashboards
    changed; `changed` says of each what it was and is.
    """

    rows: dict[str, Row]
    touched: set[int]
    changed: dict[int, ChangedCustomer]


def write_customers(
    connection: Connection,
    source_id: int,
    stating: Iterable[tuple[ParsedEvent, int]],
    known: dict[str, Row],
    received_at: int,
) -> WrittenCustomers:
    """Writes the fields that events with customers state, each event with its `ranked_at` in ms.

    `known` are the customers that are known, and locked; the others are added.
    """
    new = list(stating)
    named = {event.customer for event, _ in new if event.customer is not None}
    rows = customers.with_missing(connection, source_id, named, known, received_at)
    before = {row["id"]: customers.ranked_values(row) for row in rows.values()}
    # For the search index: new customers, and those with a new name.
    renamed = {row["id"]: row for row in rows.values() if row.get("is_new")}
    written: dict[int, Row] = {}
    touched: set[int] = set()
    for event, ranked_at in new:
        customer = rows[event.customer or ""]
        won = _won(customer, event, ranked_at)
        if won:
            written[customer["id"]] = customer
            if any(customer[name] != value for name, value in won.items()):
                touched.add(customer["id"])
            if won.get("name", customer["name"]) != customer["name"]:
                renamed[customer["id"]] = customer
            customer.update(won)
            stamps = dict.fromkeys(won, (ranked_at, event.id))
            customer["stamps"] = stamped(customer["stamps"], stamps)
    customers.save(connection, written.values())
    changed = {
        row["id"]: ChangedCustomer(before[row["id"]], customers.ranked_values(row))
        for row in rows.values()
    }
    search_index.put_customers(
        connection, [(id, row["external_id"], row["name"]) for id, row in sorted(renamed.items())]
    )
    return WrittenCustomers(rows, touched, changed)


def _won(customer: Row, event: ParsedEvent, ranked_at: int) -> dict[str, Any]:
    """The fields of which this event is the last writer."""
    stamp = (ranked_at, event.id)
    return {
        name: value
        for name, value in event.customer_fields.items()
        if wins(customer["stamps"], name, stamp)
    }
