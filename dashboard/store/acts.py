"""What was done to a thread, and by whom: told to those who have it open."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, or_, select

from dashboard.store.models import events, threads
from dashboard.store.outbox_models import outgoing_events, outgoing_threads

#: What a chatbot's event does where it still holds, and what that is called.
_TOLD_AS = {"thread.close": "thread.closed", "thread.reopen": "thread.reopened"}
_HOLDS = or_(
    and_(
        events.c.type == "thread.close",
        threads.c.closed.is_(True),
        events.c.ranked_at == threads.c.closed_at,
    ),
    and_(
        events.c.type == "thread.reopen",
        threads.c.closed.is_(False),
        events.c.ranked_at == threads.c.reopened_at,
    ),
)


class Mark(NamedTuple):
    """How far a thread's acts are known: admins' by `seq`, chatbots' by the id of an event."""

    seq: int
    event_id: int


def mark(connection: Connection, thread_id: int) -> Mark:
    """Everything that was done so far is known."""
    seq = connection.scalar(
        select(outgoing_threads.c.seq).where(outgoing_threads.c.thread_id == thread_id)
    )
    return Mark(seq or 0, connection.scalar(select(func.max(events.c.id))) or 0)


def after(connection: Connection, thread_id: int, known: Mark) -> tuple[list[dict[str, Any]], Mark]:
    """What was done since, `{"type", "by": {"id", "name"} | null, …}`; by null is the chatbot."""
    by_admins = connection.execute(
        select(outgoing_events.c.seq, outgoing_events.c.type, outgoing_events.c.data)
        .where(
            outgoing_events.c.thread_id == thread_id,
            outgoing_events.c.seq > known.seq,
            outgoing_events.c.type != "message.created",
        )
        .order_by(outgoing_events.c.seq)
    ).all()
    by_chatbots = connection.execute(
        select(events.c.id, events.c.type)
        .join(threads, threads.c.id == events.c.thread_id)
        .where(
            events.c.thread_id == thread_id,
            events.c.id > known.event_id,
            events.c.author_id.is_(None),
            _HOLDS,
        )
        .order_by(events.c.id)
    ).all()
    acts = [{"type": type, **data} for _, type, data in by_admins]
    acts += [{"type": _TOLD_AS[type], "by": None} for _, type in by_chatbots]
    seqs, ids = [known.seq, *(row[0] for row in by_admins)], [row[0] for row in by_chatbots]
    return acts, Mark(max(seqs), max(known.event_id, *ids) if ids else known.event_id)
