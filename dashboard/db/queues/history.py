"""Memory of queues: threads that admins gave back, and the times of the last hand-outs."""

from collections.abc import Collection
from itertools import pairwise
from statistics import median

from sqlalchemy import Connection, delete, select, update

from dashboard.db.driver import insert_on
from dashboard.db.models.queues import queue_hand_outs, queue_releases, queue_returns, queues

#: A thread is not given again to the admin who released it for so long, while another one could
#: take it.
RELEASED_MS = 10 * 60_000
#: Hand-outs from which the next ones are expected, and how many of them it takes at least.
REMEMBERED, LEAST_REMEMBERED = 50, 10

#: Threads and the admins who released them lately.
Released = frozenset[tuple[int, int]]


def note_release(connection: Connection, thread_id: int, admin_id: int, now_ms: int) -> None:
    """Notes that an admin gave a thread back, and forgets releases that no longer count."""
    old = queue_releases.c.at <= now_ms - RELEASED_MS
    connection.execute(delete(queue_releases).where(old))
    row = {"thread_id": thread_id, "admin_id": admin_id, "at": now_ms}
    statement = insert_on(connection, queue_releases).values(row)
    keys = ["thread_id", "admin_id"]
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_={"at": now_ms}))


def released(connection: Connection, now_ms: int) -> Released:
    """Returns the releases of the last ten minutes."""
    statement = select(queue_releases.c.thread_id, queue_releases.c.admin_id)
    rows = connection.execute(statement.where(queue_releases.c.at > now_ms - RELEASED_MS))
    return frozenset((row.thread_id, row.admin_id) for row in rows)


def next_end(connection: Connection, now_ms: int) -> int | None:
    """Returns the time at which the first of these releases no longer counts."""
    statement = select(queue_releases.c.at).where(queue_releases.c.at > now_ms - RELEASED_MS)
    at = connection.scalar(statement.order_by(queue_releases.c.at).limit(1))
    return None if at is None else at + RELEASED_MS


def count_return(connection: Connection, reason: str) -> None:
    """Counts a thread that went back to its queue. Call it after locking the thread."""
    statement = insert_on(connection, queue_returns).values(reason=reason, count=1)
    more = {"count": queue_returns.c.count + 1}
    connection.execute(statement.on_conflict_do_update(index_elements=["reason"], set_=more))


def returns(connection: Connection) -> dict[str, int]:
    """Returns how many threads went back to their queues, by reason."""
    rows = connection.execute(select(queue_returns.c.reason, queue_returns.c["count"]))
    return {row.reason: row[1] for row in rows}


def note_hand_out(connection: Connection, queue_id: int, given: int, now_ms: int) -> None:
    """Notes the time of a queue's hand-out; `given` is its number, from 1 on."""
    row = {"queue_id": queue_id, "slot": given % REMEMBERED, "at": now_ms}
    statement = insert_on(connection, queue_hand_outs).values(row)
    keys = ["queue_id", "slot"]
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_={"at": now_ms}))
    connection.execute(update(queues).where(queues.c.id == queue_id).values(given=given))


def seconds_between(connection: Connection, queue_ids: Collection[int]) -> dict[int, float]:
    """Returns the median time between two of the last hand-outs of each queue, in seconds; queues
    with too few are left out."""
    statement = select(queue_hand_outs.c.queue_id, queue_hand_outs.c.at)
    statement = statement.where(queue_hand_outs.c.queue_id.in_(queue_ids))
    times: dict[int, list[int]] = {}
    for id, at in connection.execute(statement.order_by(queue_hand_outs.c.at)):
        times.setdefault(id, []).append(at)
    return {
        id: median(later - at for at, later in pairwise(some)) / 1_000
        for id, some in times.items()
        if len(some) >= LEAST_REMEMBERED
    }
