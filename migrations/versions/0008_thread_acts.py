"""A table of acts on threads, and the close or reopen that another one undoes.

Earlier acts are taken from the outbox, which has the acts of admins from the last 30 days, and from
the stored events: older closes and reopens of admins, and the close or reopen of a chatbot that is
in effect.
"""

import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
#: Rows that are inserted at a time.
SLICE = 1_000

_OF_OUTBOX = """
    SELECT id, thread_id, occurred_at, type, data FROM outgoing_events
    WHERE type <> 'message.created' ORDER BY id
"""
_OLDER = """
    INSERT INTO thread_acts (thread_id, at, type, admin_id, event_id)
    SELECT events.thread_id, events.ranked_at,
           CASE WHEN events.type = 'thread.close' THEN 'thread.closed' ELSE 'thread.reopened' END,
           events.author_id, events.id
    FROM events JOIN threads ON threads.id = events.thread_id
    WHERE events.type IN ('thread.close', 'thread.reopen')
      AND ((events.author_id IS NULL AND events.type = 'thread.close' AND threads.closed
            AND events.ranked_at = threads.closed_at)
        OR (events.author_id IS NULL AND events.type = 'thread.reopen' AND NOT threads.closed
            AND events.ranked_at = threads.reopened_at)
        OR (events.author_id IS NOT NULL AND events.ranked_at < :kept_since))
    ORDER BY events.id
"""
_ADD = sa.text(
    "INSERT INTO thread_acts (thread_id, at, type, admin_id, data)"
    " VALUES (:thread_id, :at, :type, :admin_id, :data)"
).bindparams(sa.bindparam("data", type_=Json))


def upgrade() -> None:
    op.add_column("events", sa.Column("undoes_id", Id))
    op.create_table(
        "thread_acts",
        sa.Column("id", Id, primary_key=True),
        sa.Column("thread_id", Id, sa.ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("admin_id", Id, sa.ForeignKey("admins.id")),
        sa.Column("event_id", Id),
        sa.Column("data", Json),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_thread_acts_conversation", "thread_acts", ["thread_id", "at", "id"])
    connection = op.get_bind()
    kept_since = connection.scalar(sa.text("SELECT min(occurred_at) FROM outgoing_events"))
    connection.execute(sa.text(_OLDER), {"kept_since": 2**53 if kept_since is None else kept_since})
    found = connection.execute(sa.text(_OF_OUTBOX)).all()
    admins = set(connection.scalars(sa.text("SELECT id FROM admins")))
    for start in range(0, len(found), SLICE):
        acts = list(_acts(found[start : start + SLICE], admins))
        connection.execute(_ADD, acts)


def downgrade() -> None:
    op.drop_table("thread_acts")
    op.drop_column("events", "undoes_id")


def _acts(found: Iterable[Any], admins: set[int]) -> Iterable[dict[str, Any]]:
    for _, thread_id, at, type, stored in found:
        data = json.loads(stored) if isinstance(stored, str) else stored
        by = (data.get("by") or {}).get("id")
        told = {name: data[name] for name in ("priority", "assignee") if name in data}
        yield {
            "thread_id": thread_id,
            "at": at,
            "type": type,
            "admin_id": by if by in admins else None,
            "data": told or None,
        }
