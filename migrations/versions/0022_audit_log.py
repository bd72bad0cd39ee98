"""The audit log, a table to which rows are only added."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REFUSED = "the audit log is only added to"
ON_SQLITE = (
    f"CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    f"CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    f"CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log"
    f" WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id)"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
)
ON_POSTGRES = (
    f"CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    f" $$ BEGIN RAISE EXCEPTION '{REFUSED}' USING ERRCODE = 'restrict_violation'; END $$",
    "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log"
    " FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()",
)


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", Id, primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("via", sa.String(16), nullable=False),
        sa.Column("admin_id", Id),
        sa.Column("actor_name", sa.String(128), nullable=False),
        sa.Column("actor_email", sa.String(254)),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("user_agent", sa.String(256), nullable=False),
        sa.Column("target_kind", sa.String(24), nullable=False),
        sa.Column("target_id", sa.String(64)),
        sa.Column("target_name", sa.String(254), nullable=False),
        sa.Column("data", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at", "id"])
    op.create_index("ix_audit_log_action", "audit_log", ["action", "at", "id"])
    op.create_index("ix_audit_log_admin_id", "audit_log", ["admin_id", "at", "id"])
    columns = ["target_kind", "target_id", "at", "id"]
    op.create_index("ix_audit_log_target_kind_target_id", "audit_log", columns)
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in ON_SQLITE if is_sqlite else ON_POSTGRES:
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("audit_log")
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION audit_log_refuse()")
