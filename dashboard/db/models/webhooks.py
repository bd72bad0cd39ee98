"""Tables of webhooks, and of the outbox for chatbots."""

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

#: Actions of admins, for chatbots; written in the transaction of the action. `name` is the id in
#: the API; `seq` counts within the thread; `position` is assigned after the commit (see
#: outgoing.py). Presence has no thread: `customer_id` names the customer, null stands for the team,
#: and `seq` grows within each of them.
outgoing_events = Table(
    "outgoing_events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(40), nullable=False, unique=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE")),
    Column("customer_id", Id, ForeignKey("customers.id", ondelete="CASCADE")),
    Column("seq", BigInteger, nullable=False),
    Column("type", String(32), nullable=False),
    Column("occurred_at", BigInteger, nullable=False),
    Column("message_id", Id, ForeignKey("events.id"), index=True),
    Column("data", Json, nullable=False),
    Column("position", BigInteger),
    UniqueConstraint("thread_id", "seq"),
    sqlite_autoincrement=True,
)
Index("ix_outgoing_events_position", outgoing_events.c.source_id, outgoing_events.c.position)
Index(
    "ix_outgoing_events_unplaced",
    outgoing_events.c.id,
    sqlite_where=outgoing_events.c.position.is_(None),
    postgresql_where=outgoing_events.c.position.is_(None),
)
Index(
    "ix_outgoing_events_presence",
    outgoing_events.c.occurred_at,
    sqlite_where=outgoing_events.c.thread_id.is_(None),
    postgresql_where=outgoing_events.c.thread_id.is_(None),
)
Index(
    "ix_outgoing_events_customer",
    outgoing_events.c.customer_id,
    sqlite_where=outgoing_events.c.customer_id.is_not(None),
    postgresql_where=outgoing_events.c.customer_id.is_not(None),
)

#: The last `seq` of each thread; it stays when the events are deleted.
outgoing_threads = Table(
    "outgoing_threads",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("seq", BigInteger, nullable=False),
)

#: One row: the last position. Its lock is held while positions are assigned.
outgoing_head = Table(
    "outgoing_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
)

#: The greatest cursor with which each source has read the outbox, and until when its readers ask
#: for presence.
outgoing_readers = Table(
    "outgoing_readers",
    metadata,
    Column("source_id", Id, ForeignKey("sources.id"), primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("customers_until", BigInteger),
    Column("team_until", BigInteger),
)

#: Customers with a presence that their chatbot asked for: `told` is what it was told last, at
#: `told_at`. From `due_at` on the presence may be another one; `changes` counts announcements.
pushed_customers = Table(
    "pushed_customers",
    metadata,
    Column(
        "customer_id",
        Id,
        ForeignKey("customers.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("told", Json),
    Column("told_at", BigInteger),
    Column("due_at", BigInteger),
    Column("changes", BigInteger, nullable=False),
)
Index(
    "ix_pushed_customers_due",
    pushed_customers.c.source_id,
    pushed_customers.c.due_at,
    sqlite_where=pushed_customers.c.due_at.is_not(None),
    postgresql_where=pushed_customers.c.due_at.is_not(None),
)

#: What each source that asked for it was told last of the team; `seq` is that of the last event.
pushed_teams = Table(
    "pushed_teams",
    metadata,
    Column("source_id", Id, ForeignKey("sources.id"), primary_key=True, autoincrement=False),
    Column("told", Json, nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: The delivery state of messages to customers; for `stage` see sent_messages.py.
sent_messages = Table(
    "sent_messages",
    metadata,
    Column("message_id", Id, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("stage", SmallInteger, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
)
Index("ix_sent_messages_news", sent_messages.c.thread_id, sent_messages.c.changed_at)

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
#: holds `lease` until `leased_until`; after that another one may lease it. For presence `thread_id`
#: is minus the id of the customer, or 0 for the team.
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
