"""The customer of a thread, with all of the customer's threads."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.threads import customers
from dashboard.db.models.threads import threads as threads_table
from dashboard.db.threads.thread_rows import rows


def panel(
    connection: Connection, thread_id: int, limit: int, desks: Desks = None
) -> dict[str, Any] | None:
    """The customer of a thread and up to `limit` of the customer's threads, the newest first: of
    those at these desks, None: of all.

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
    if desks is not None:
        of_customer &= threads_table.c.desk.in_(desks)
    newest = (
        select(threads_table.c.id)
        .where(of_customer)
        .order_by(threads_table.c.recent_at.desc(), threads_table.c.id.desc())
    )
    ids = list(connection.scalars(newest.limit(limit)))
    shown = rows(connection, [*ids, thread_id])
    total, since = _total_and_since(connection, of_customer, created_at, all_desks=desks is None)
    return {
        "customer": shown[thread_id]["customer"] | {"created_at": since},
        "threads": [shown[id] for id in ids],
        "total": total,
    }


def _total_and_since(
    connection: Connection, of_customer: ColumnElement[bool], created_at: int, *, all_desks: bool
) -> tuple[int, int]:
    """How many threads of the customer are seen, and the time in milliseconds of the first event.

    The row of the customer counts only for who sees all desks: another desk's thread may have made
    it. It tells the time also where no thread is seen.
    """
    total, first_event_at = connection.execute(
        select(func.count(), func.min(threads_table.c.first_event_at)).where(of_customer)
    ).one()
    if first_event_at is None:
        return total, created_at
    return total, min(created_at, first_event_at) if all_desks else first_event_at
