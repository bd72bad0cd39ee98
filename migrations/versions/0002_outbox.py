"""The outbox: events about acts of admins, for chatbots to read, and webhooks that post them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TABLES = (
    "delivery_attempts",
    "deliveries",
    "webhooks",
    "sent_messages",
    "outgoing_readers",
    "outgoing_head",
    "outgoing_threads",
    "outgoing_events",
)


def upgrade() -> None:
    _create_events()
    _create_counters()
    _create_sent_messages()
    _create_webhooks()
    _create_deliveries()
    _create_attempts()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)


def _thread(**options: bool) -> sa.Column:
    key = sa.ForeignKey("threads.id", ondelete="CASCADE")
    return sa.Column("thread_id", Id, key, nullable=False, **options)


def _create_events() -> None:
    op.create_table(
        "outgoing_events",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(40), nullable=False, unique=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False),
        _thread(),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("occurred_at", sa.BigInteger, nullable=False),
        sa.Column("message_id", Id, sa.ForeignKey("events.id"), index=True),
        sa.Column("data", Json, nullable=False),
        sa.Column("position", sa.BigInteger),
        sa.UniqueConstraint("thread_id", "seq"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outgoing_events_position", "outgoing_events", ["source_id", "position"])
    _create_partial_index(
        "ix_outgoing_events_unplaced", "outgoing_events", ["id"], "position IS NULL"
    )


def _create_counters() -> None:
    op.create_table(
        "outgoing_threads",
        _thread(primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
    )
    head = op.create_table(
        "outgoing_head",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(head, [{"id": 1, "position": 0}])
    op.create_table(
        "outgoing_readers",
        sa.Column(
            "source_id", Id, sa.ForeignKey("sources.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("position", sa.BigInteger, nullable=False),
    )


def _create_sent_messages() -> None:
    op.create_table(
        "sent_messages",
        sa.Column(
            "message_id", Id, sa.ForeignKey("events.id"), primary_key=True, autoincrement=False
        ),
        _thread(),
        sa.Column("stage", sa.SmallInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_sent_messages_news", "sent_messages", ["thread_id", "changed_at"])


def _create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False, index=True),
        sa.Column("url", sa.String(2048), nullable=False),
        sa.Column("events", Json),
        sa.Column("secret", sa.String(128), nullable=False),
        sa.Column("old_secret", sa.String(128)),
        sa.Column("old_secret_until", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("failing_since", sa.BigInteger),
        sa.Column("disabled_at", sa.BigInteger),
        sa.Column("disabled_why", sa.String(16)),
        sqlite_autoincrement=True,
    )


def _create_deliveries() -> None:
    event = sa.ForeignKey("outgoing_events.id", ondelete="CASCADE")
    op.create_table(
        "deliveries",
        sa.Column("id", Id, primary_key=True),
        sa.Column("webhook_id", Id, sa.ForeignKey("webhooks.id"), nullable=False),
        sa.Column("event_id", Id, event, nullable=False),
        sa.Column("thread_id", Id, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(8), nullable=False, server_default="pending"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("next_at", sa.BigInteger, nullable=False),
        sa.Column("lease", sa.String(32)),
        sa.Column("leased_until", sa.BigInteger),
        sa.UniqueConstraint("webhook_id", "event_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_event", "deliveries", ["event_id"])
    pending = "state = 'pending'"
    due, order = ["webhook_id", "next_at"], ["webhook_id", "thread_id", "position"]
    _create_partial_index("ix_deliveries_due", "deliveries", due, pending)
    _create_partial_index("ix_deliveries_order", "deliveries", order, pending)


def _create_attempts() -> None:
    delivery = sa.ForeignKey("deliveries.id", ondelete="CASCADE")
    op.create_table(
        "delivery_attempts",
        sa.Column("id", Id, primary_key=True),
        sa.Column("webhook_id", Id, sa.ForeignKey("webhooks.id"), nullable=False),
        sa.Column("delivery_id", Id, delivery, index=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("took_ms", sa.Integer, nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.Column("status", sa.SmallInteger),
        sa.Column("error", sa.String(32)),
        sa.Column("answer", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_delivery_attempts_log", "delivery_attempts", ["webhook_id", "id"])


def _create_partial_index(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
