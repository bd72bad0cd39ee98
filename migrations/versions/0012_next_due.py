"""The sort `next_due`: as long as no thread has a target, the longest wait is first."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

#: The scores of one tier; see docs/requirements/ordering.md, "Score".
TIER = 2**42


def upgrade() -> None:
    score = sa.Column("score_next_due", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("threads", score)
    op.execute(
        "UPDATE threads SET score_next_due = CASE WHEN waiting_since IS NOT NULL"
        f" THEN {TIER} + waiting_since ELSE {3 * TIER - 1} - recent_at END"
    )
    # On SQLite this copies the table.
    with op.batch_alter_table("threads", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.alter_column("score_next_due", server_default=None)
    columns = ["closed", "score_next_due", "id", "waiting_since"]
    op.create_index("ix_threads_next_due", "threads", columns)


def downgrade() -> None:
    op.drop_index("ix_threads_next_due", table_name="threads")
    op.drop_column("threads", "score_next_due")
