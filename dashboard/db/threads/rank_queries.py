"""The rank of a thread, counted in SQL."""

from sqlalchemy import Connection, func, select, tuple_

from dashboard.db.models.threads import threads
from dashboard.db.threads.threads import on_list


def rank(
    connection: Connection, view: str, filter: str, admin_id: int, sort: str, id: int
) -> int | None:
    """The rank of a thread in a list, 0 for the first; None where it is not on the list."""
    where = on_list(view, filter, admin_id)
    score = threads.c[f"score_{sort}"]
    own = connection.scalar(select(score).where(threads.c.id == id, *where))
    if own is None:
        return None
    before = tuple_(score, threads.c.id) < tuple_(own, id)
    counted = select(func.count()).select_from(threads).where(*where, before)
    return connection.scalar(counted)
