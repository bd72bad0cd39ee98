"""Presence for chatbots that ask for it: events without a thread, and what was told last."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
EVENTS = "outgoing_events"
#: Partial indexes: SQLite copies the table of events without them.
INDEXES = {
    "ix_outgoing_events_unplaced": ("id", "position IS NULL"),
    "ix_outgoing_events_presence": ("occurred_at", "thread_id IS NULL"),
    "ix_outgoing_events_customer": ("customer_id", "customer_id IS NOT NULL"),
}


def upgrade() -> None:
    op.drop_index("ix_outgoing_events_unplaced", EVENTS)
    customer = sa.ForeignKey(
        "customers.id", name="fk_outgoing_events_customer_id", ondelete="CASCADE"
    )
    with op.batch_alter_table(EVENTS, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.alter_column("thread_id", existing_type=Id, nullable=True)
        batch.add_column(sa.Column("customer_id", Id, customer))
    for name, (column, where) in INDEXES.items():
        _create_partial_index(name, EVENTS, [column], where)
    for name in ("customers_until", "team_until"):
        op.add_column("outgoing_readers", sa.Column(name, sa.BigInteger()))
    _create_pushed()


def _create_pushed() -> None:
    op.create_table(
        "pushed_customers",
        sa.Column("customer_id", Id, primary_key=True, autoincrement=False),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("told", Json),
        sa.Column("told_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("changes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], ondelete="CASCADE"),
    )
    _create_partial_index(
        "ix_pushed_customers_due",
        "pushed_customers",
        ["source_id", "due_at"],
        "due_at IS NOT NULL",
    )
    source = sa.ForeignKey("sources.id")
    op.create_table(
        "pushed_teams",
        sa.Column("source_id", Id, source, primary_key=True, autoincrement=False),
        sa.Column("told", Json, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )


def _create_partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    op.execute(
        "DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT deliveries.id FROM deliveries"
        " JOIN outgoing_events ON outgoing_events.id = event_id"
        " WHERE outgoing_events.thread_id IS NULL)"
    )
    events = "SELECT id FROM outgoing_events WHERE thread_id IS NULL"
    op.execute(f"DELETE FROM deliveries WHERE event_id IN ({events})")
    op.execute("DELETE FROM outgoing_events WHERE thread_id IS NULL")
    for table in ("pushed_teams", "pushed_customers"):
        op.drop_table(table)
    for name in ("team_until", "customers_until"):
        op.drop_column("outgoing_readers", name)
    for name in INDEXES:
        op.drop_index(name, EVENTS)
    with op.batch_alter_table(EVENTS, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("customer_id")
        batch.alter_column("thread_id", existing_type=Id, nullable=False)
    _create_partial_index("ix_outgoing_events_unplaced", EVENTS, ["id"], "position IS NULL")
