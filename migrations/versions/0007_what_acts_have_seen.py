"""The events that authors of answers and closes had seen, and the facts that follow.

Authors of acts before this revision count as having seen all events stored before the act. Threads
with a request that was stored after such an act, but settled by it because of its earlier time, are
computed again. The code is a copy of the product's code of that time: revisions do not change when
the product does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ADDED = (
    ("api_answered_at", sa.BigInteger()),
    ("answer_seen_id", Id),
    ("api_closed_at", sa.BigInteger()),
    ("close_seen_id", Id),
    ("last_message_id", Id),
)
#: Number of threads that are computed again at a time.
SLICE = 500
PRIORITIES = ("urgent", "high", "normal", "low")
TIER = 2**42
NOT_A_MEMBER = 10

_ACTS_HAVE_SEEN = """
    UPDATE events SET seen_id = id - 1
    WHERE author_id IS NOT NULL AND (type = 'thread.close' OR (role = 'admin' AND NOT private))
"""
_FACTS = """
    UPDATE threads
    SET api_answered_at = found.api_answered_at, answer_seen_id = found.answer_seen_id,
        api_closed_at = found.api_closed_at, close_seen_id = found.close_seen_id,
        last_message_id = found.last_message_id
    FROM (
        SELECT events.thread_id,
               max(CASE WHEN role = 'admin' AND NOT private AND seen_id IS NULL
                        THEN ranked_at END) AS api_answered_at,
               max(CASE WHEN role = 'admin' THEN seen_id END) AS answer_seen_id,
               max(CASE WHEN type = 'thread.close' AND seen_id IS NULL
                        THEN ranked_at END) AS api_closed_at,
               max(CASE WHEN type = 'thread.close' AND ranked_at >= coalesce(reopened_at, 0)
                        THEN seen_id END) AS close_seen_id,
               max(CASE WHEN role IS NOT NULL AND NOT private THEN events.id END)
                   AS last_message_id
        FROM events JOIN threads ON threads.id = events.thread_id
        GROUP BY events.thread_id
    ) AS found
    WHERE threads.id = found.thread_id
"""
#: A tie counts, too: a close on the dashboard settles what it had seen in the same millisecond.
_CHANGED = """
    SELECT DISTINCT act.thread_id
    FROM events AS act JOIN events AS request ON request.thread_id = act.thread_id
     AND request.ranked_at <= act.ranked_at
     AND (request.id > act.seen_id OR request.ranked_at = act.ranked_at)
    WHERE act.seen_id IS NOT NULL
      AND (request.role = 'client' OR request.type = 'thread.handoff')
    ORDER BY act.thread_id
"""
_THREADS = """
    SELECT threads.id, priority, closed_at, reopened_at, last_admin_at, first_call_at, recent_at,
           api_answered_at, answer_seen_id, api_closed_at, close_seen_id,
           coalesce(member_status, -1) AS member_status, handoff_only
    FROM threads JOIN sources ON sources.id = threads.source_id
    LEFT JOIN customers ON customers.id = threads.customer_id
    WHERE threads.id IN :ids
"""
_REQUESTS = """
    SELECT thread_id, id, ranked_at, type FROM events
    WHERE thread_id IN :ids AND (role = 'client' OR type = 'thread.handoff')
"""
_SAVE = """
    UPDATE threads
    SET next_call_at = :next_call_at, unanswered = :unanswered, closed = :closed,
        waiting_since = :waiting_since, score_arrival = :arrival,
        score_longest_wait = :longest_wait, score_unanswered_first = :unanswered_first,
        score_member_status = :member_status, score_priority = :priority,
        revision = revision + 1
    WHERE id = :id
"""


def upgrade() -> None:
    op.add_column("events", sa.Column("seen_id", Id))
    for name, type in ADDED:
        op.add_column("threads", sa.Column(name, type))
    op.execute(_ACTS_HAVE_SEEN)
    op.execute(_FACTS)
    changed = list(op.get_bind().scalars(sa.text(_CHANGED)))
    for start in range(0, len(changed), SLICE):
        _compute(changed[start : start + SLICE])


def downgrade() -> None:
    for name, _ in ADDED:
        op.drop_column("threads", name)
    op.drop_column("events", "seen_id")


def _compute(ids: Sequence[int]) -> None:
    connection, given = op.get_bind(), {"ids": list(ids)}
    requests: dict[int, list[Any]] = {id: [] for id in ids}
    for event in connection.execute(_among(_REQUESTS), given):
        requests[event.thread_id].append(event)
    rows = connection.execute(_among(_THREADS), given).mappings().all()
    connection.execute(sa.text(_SAVE), [_computed(row, requests[row["id"]]) for row in rows])


def _among(statement: str) -> sa.TextClause:
    return sa.text(statement).bindparams(sa.bindparam("ids", expanding=True))


def _computed(thread: Mapping[str, Any], events: Iterable[Any]) -> dict[str, Any]:
    in_effect = thread["closed_at"] is not None and not _is_earlier(
        thread["closed_at"], thread["reopened_at"]
    )
    closed_at = thread["closed_at"] if in_effect else None
    api_closed_at = thread["api_closed_at"]
    if _is_earlier(api_closed_at, thread["reopened_at"]):
        api_closed_at = None
    settled_at = _latest(thread["last_admin_at"], closed_at)
    api_at = _latest(thread["api_answered_at"], api_closed_at)
    seen_id = _latest(thread["answer_seen_id"], thread["close_seen_id"])
    unsettled = [
        event
        for event in events
        if event.ranked_at > settled_at or (event.ranked_at > api_at and event.id > seen_id)
    ]
    closed = in_effect and _latest(thread["reopened_at"]) < thread["closed_at"]
    for event in events:
        by_api = event.ranked_at < _latest(api_closed_at)
        seen = event.id <= _latest(thread["close_seen_id"])
        closed = closed and (by_api or (seen and event.ranked_at <= _latest(closed_at)))
    calls = [
        event.ranked_at
        for event in unsettled
        if event.type == "thread.handoff" or not thread["handoff_only"]
    ]
    waiting_since = None if closed or not calls else min(calls)
    return _scores(thread, waiting_since) | {
        "id": thread["id"],
        "next_call_at": min(calls, default=None),
        "unanswered": sum(event.type != "thread.handoff" for event in unsettled),
        "closed": closed,
        "waiting_since": waiting_since,
    }


def _scores(thread: Mapping[str, Any], waiting_since: int | None) -> dict[str, int]:
    newest = TIER - 1 - thread["recent_at"]
    waits = waiting_since is not None
    is_new = thread["last_admin_at"] is None and thread["first_call_at"] is not None
    member = thread["member_status"]
    tier = 2 * PRIORITIES.index(thread["priority"])
    return {
        "arrival": newest,
        "longest_wait": waiting_since if waits else TIER + newest,
        "unanswered_first": thread["first_call_at"] if is_new else TIER + newest,
        "member_status": (NOT_A_MEMBER if member == -1 else member) * TIER + newest,
        "priority": tier * TIER + waiting_since if waits else (tier + 1) * TIER + newest,
    }


def _is_earlier(at: int | None, than: int | None) -> bool:
    return at is not None and than is not None and at < than


def _latest(*times: int | None) -> int:
    """Returns -1 if there is none: earlier than all times."""
    return max((time for time in times if time is not None), default=-1)
