"""A thread's customer, with all of the customer's threads."""

from typing import Any

from sqlalchemy import Connection, func, select

from dashboard.store.models import customers
from dashboard.store.models import threads as threads_table
from dashboard.store.threads import rows


def panel(connection: Connection, thread_id: int, limit: int) -> dict[str, Any] | None:
    """Who writes in the thread, and the rows of all their threads (itself among them).

    The newest first, up to `limit`, and how many there are. None for an unknown thread; where
    nobody has written in it yet, the customer is null.
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
    theirs = threads_table.c.customer_id == customer_id
    newest = select(threads_table.c.id).where(theirs)
    ids = list(
        connection.scalars(
            newest.order_by(threads_table.c.recent_at.desc(), threads_table.c.id.desc()).limit(
                limit
            )
        )
    )
    shown = rows(connection, [*ids, thread_id])
    counted = select(func.count()).select_from(threads_table).where(theirs)
    return {
        "customer": shown[thread_id]["customer"] | {"created_at": created_at},
        "threads": [shown[id] for id in ids],
        "total": connection.scalar(counted),
    }
