"""The customer of a thread, with all of the customer's threads."""

from typing import Any

from sqlalchemy import Connection, func, select

from dashboard.db.models.threads import customers
from dashboard.db.models.threads import threads as threads_table
from dashboard.db.threads.thread_rows import rows


def panel(connection: Connection, thread_id: int, limit: int) -> dict[str, Any] | None:
    """The customer of a thread and up to `limit` of the customer's threads, the newest first.

    `total` is the number of all of them. None for an unknown thread; the customer is null while
    no event of the thread has named one. The customer's `created_at` is that of the first event of
    theirs, in milliseconds: what was imported is older than its row.
    """
    found = connection.execute(
        select(threads_table.c.customer_id, customers.c.created_at)
        .join_from(
            threads_table, customers, customers.c.id == threads_table.c.customer_id, isouter=True
        )
        .where(threads_table.c.id == thread_id)
    ).first()
    if found is None:
        return None
    customer_id, created_at = found
    if customer_id is None:
        return {"customer": None, "threads": [], "total": 0}
    of_customer = threads_table.c.customer_id == customer_id
    newest = select(threads_table.c.id).where(of_customer)
    ids = list(
        connection.scalars(
            newest.order_by(threads_table.c.recent_at.desc(), threads_table.c.id.desc()).limit(
                limit
            )
        )
    )
    shown = rows(connection, [*ids, thread_id])
    total, first_event_at = connection.execute(
        select(func.count(), func.min(threads_table.c.first_event_at)).where(of_customer)
    ).one()
    since = created_at if first_event_at is None else min(created_at, first_event_at)
    return {
        "customer": shown[thread_id]["customer"] | {"created_at": since},
        "threads": [shown[id] for id in ids],
        "total": total,
    }
