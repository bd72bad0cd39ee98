"""Why a thread stands where it stands: its facts, and its rank counted in SQL."""

from sqlalchemy import Connection, func, select, tuple_

from dashboard.store.models import customers, threads
from dashboard.store.threads import on_list
from scoring.facts import Facts

_FACTS = tuple(
    threads.c[name]
    for name in (
        "first_event_at",
        "last_client_at",
        "last_admin_at",
        "closed_at",
        "reopened_at",
        "handoff_at",
        "first_call_at",
        "next_call_at",
        "unanswered",
        "priority",
    )
)
_WITH_STATUS = select(*_FACTS, customers.c.member_status).join_from(
    threads, customers, customers.c.id == threads.c.customer_id, isouter=True
)


def facts(connection: Connection, thread_id: int) -> Facts | None:
    """What the order of the thread is computed from; None for an unknown thread."""
    row = connection.execute(_WITH_STATUS.where(threads.c.id == thread_id)).first()
    if row is None:
        return None
    values = dict(row._mapping)
    status = values.pop("member_status")
    return Facts(**values, member_status=-1 if status is None else status)


def rank(
    connection: Connection, page: str, filter: str, admin_id: int, sort: str, id: int
) -> int | None:
    """How many threads of the list stand before this one; None where it is not on the list."""
    where = on_list(page, filter, admin_id)
    score = threads.c[f"score_{sort}"]
    own = connection.scalar(select(score).where(threads.c.id == id, *where))
    if own is None:
        return None
    before = tuple_(score, threads.c.id) < tuple_(own, id)
    counted = select(func.count()).select_from(threads).where(*where, before)
    return connection.scalar(counted)
