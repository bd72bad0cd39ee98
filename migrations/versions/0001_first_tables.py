"""The first tables: admins, sources, customers, threads with their scores, and events."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
SORTS = ("arrival", "longest_wait", "unanswered_first", "member_status", "priority")


def upgrade() -> None:
    _create_admins()
    _create_sources()
    _create_customers()
    _create_threads()
    _create_thread_indexes()
    _create_events()
    op.create_table(
        "epochs",
        sa.Column("list_id", sa.String(64), primary_key=True),
        sa.Column("epoch", sa.String(64), nullable=False),
    )


def downgrade() -> None:
    for table in ("epochs", "events", "threads", "customers", "api_keys", "sources"):
        op.drop_table(table)
    for table in ("sessions", "admins"):
        op.drop_table(table)


def _create_admins() -> None:
    op.create_table(
        "admins",
        sa.Column("id", Id, primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("role", sa.String(16), nullable=False, server_default="admin"),
        sa.Column("password_hash", sa.String(256), nullable=False),
        sa.Column("preferences", Json, nullable=False, server_default="{}"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("disabled_at", sa.BigInteger),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column(
            "admin_id",
            Id,
            sa.ForeignKey("admins.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )


def _create_sources() -> None:
    op.create_table(
        "sources",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("handoff_only", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "api_keys",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False, index=True),
        sa.Column("prefix", sa.String(16), nullable=False, unique=True),
        sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("rate_per_second", sa.Integer),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
        sqlite_autoincrement=True,
    )


def _create_customers() -> None:
    op.create_table(
        "customers",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("external_id", sa.String(128), nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("avatar_url", sa.Text),
        sa.Column("member_status", sa.SmallInteger, nullable=False, server_default="-1"),
        sa.Column("locale", sa.String(35)),
        sa.Column("stamps", Json, nullable=False, server_default="{}"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("source_id", "external_id"),
        sqlite_autoincrement=True,
    )


def _create_threads() -> None:
    times = "first_event_at last_client_at last_admin_at closed_at reopened_at handoff_at"
    op.create_table(
        "threads",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("external_id", sa.String(128), nullable=False),
        sa.Column("customer_id", Id, sa.ForeignKey("customers.id"), index=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("placed_revision", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("stamps", Json, nullable=False, server_default="{}"),
        sa.Column("priority", sa.String(8), nullable=False, server_default="normal"),
        sa.Column("assignee_id", Id, sa.ForeignKey("admins.id"), index=True),
        sa.Column("assigned_at", sa.BigInteger),
        *(sa.Column(name, sa.BigInteger) for name in times.split()),
        sa.Column("first_call_at", sa.BigInteger),
        sa.Column("next_call_at", sa.BigInteger),
        sa.Column("unanswered", sa.Integer, nullable=False, server_default="0"),
        sa.Column("preview_role", sa.String(8)),
        sa.Column("preview_body", sa.Text),
        sa.Column("preview_at", sa.BigInteger),
        sa.Column("preview_event_id", Id),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("recent_at", sa.BigInteger, nullable=False),
        sa.Column("waiting_since", sa.BigInteger),
        *(sa.Column(f"score_{name}", sa.BigInteger, nullable=False) for name in SORTS),
        sa.UniqueConstraint("source_id", "external_id"),
        sqlite_autoincrement=True,
    )


def _create_thread_indexes() -> None:
    for name in SORTS:
        columns = ["closed", f"score_{name}", "id", "waiting_since"]
        op.create_index(f"ix_threads_{name}", "threads", columns)
    unplaced = sa.text("placed_revision != revision")
    op.create_index(
        "ix_threads_unplaced",
        "threads",
        ["id"],
        sqlite_where=unplaced,
        postgresql_where=unplaced,
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("external_id", sa.String(256), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("thread_id", Id, sa.ForeignKey("threads.id")),
        sa.Column("customer_id", Id, sa.ForeignKey("customers.id"), index=True),
        sa.Column("occurred_at", sa.BigInteger, nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("ranked_at", sa.BigInteger, nullable=False),
        sa.Column("role", sa.String(8)),
        sa.Column("private", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("body", sa.Text),
        sa.Column("attachments", Json),
        sa.Column("author_id", Id, sa.ForeignKey("admins.id")),
        sa.Column("data", Json),
        sa.UniqueConstraint("source_id", "external_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_conversation", "events", ["thread_id", "ranked_at", "id"])
