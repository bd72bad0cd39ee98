"""Tables of webhooks, deliveries to them, and the log of attempts."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from dashboard.db.models.base import Id, Json, metadata

#: Addresses that a source's events are posted to. `events` null means all types. The previous
#: secret signs every request, too, until `old_secret_until`.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False, index=True),
    Column("url", String(2048), nullable=False),
    Column("events", Json),
    Column("secret", String(128), nullable=False),
    Column("old_secret", String(128)),
    Column("old_secret_until", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("failing_since", BigInteger),
    Column("disabled_at", BigInteger),
    Column("disabled_why", String(16)),
    sqlite_autoincrement=True,
)

#: The delivery of an event to a webhook: pending, done or failed. The dispatcher that posts it
#: holds `lease` until `leased_until`; after that another one may lease it.
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("webhook_id", Id, ForeignKey("webhooks.id"), nullable=False),
    Column("event_id", Id, ForeignKey("outgoing_events.id", ondelete="CASCADE"), nullable=False),
    Column("thread_id", Id, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("state", String(8), nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_at", BigInteger, nullable=False),
    Column("lease", String(32)),
    Column("leased_until", BigInteger),
    UniqueConstraint("webhook_id", "event_id"),
    sqlite_autoincrement=True,
)
Index("ix_deliveries_event", deliveries.c.event_id)
for _name, _columns in (
    ("ix_deliveries_due", ("webhook_id", "next_at")),
    ("ix_deliveries_order", ("webhook_id", "thread_id", "position")),
):
    Index(
        _name,
        *(deliveries.c[column] for column in _columns),
        sqlite_where=deliveries.c.state == "pending",
        postgresql_where=deliveries.c.state == "pending",
    )

#: Requests to webhooks and their answers; a row without a delivery is a test event.
delivery_attempts = Table(
    "delivery_attempts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("webhook_id", Id, ForeignKey("webhooks.id"), nullable=False),
    Column("delivery_id", Id, ForeignKey("deliveries.id", ondelete="CASCADE"), index=True),
    Column("at", BigInteger, nullable=False),
    Column("took_ms", Integer, nullable=False),
    Column("request", Json, nullable=False),
    Column("status", SmallInteger),
    Column("error", String(32)),
    Column("answer", Text, nullable=False),
    sqlite_autoincrement=True,
)
Index("ix_delivery_attempts_log", delivery_attempts.c.webhook_id, delivery_attempts.c.id)
