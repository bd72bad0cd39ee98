"""What the workspace needs: canned replies, and the index that searches look into."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from dashboard.store import search_index

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
SEARCH_TABLES = ("message_search", "customer_search")
#: How many texts are indexed at a time.
SLICE = 2_000

events = sa.table(
    "events",
    sa.column("id", sa.BigInteger),
    sa.column("role", sa.String),
    sa.column("thread_id", sa.BigInteger),
    sa.column("body", sa.Text),
    sa.column("attachments", Json),
)
customers = sa.table(
    "customers",
    sa.column("id", sa.BigInteger),
    sa.column("external_id", sa.String),
    sa.column("name", sa.Text),
)


def upgrade() -> None:
    op.create_table(
        "canned_replies",
        sa.Column("id", Id, primary_key=True),
        sa.Column("shortcut", sa.String(32), nullable=False, unique=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    for name in SEARCH_TABLES:
        _create_search_table(name)
    _index_messages()
    _index_customers()


def downgrade() -> None:
    for name in (*SEARCH_TABLES, "canned_replies"):
        op.drop_table(name)


def _create_search_table(name: str) -> None:
    """The words come folded and apart from each other: the tokenizer only parts them at spaces."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"CREATE VIRTUAL TABLE {name} USING fts5(words, tokenize='ascii')")
        return
    op.create_table(
        name,
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("words", postgresql.TSVECTOR, nullable=False),
    )
    op.create_index(f"ix_{name}_words", name, ["words"], postgresql_using="gin")


def _index_messages() -> None:
    said = sa.select(events.c.id, events.c.body, events.c.attachments).where(
        events.c.role.is_not(None), events.c.thread_id.is_not(None)
    )
    for rows in _slices(said, events.c.id):
        texts = [(row.id, search_index.message_text(row.body, row.attachments)) for row in rows]
        search_index.add_messages(op.get_bind(), texts)


def _index_customers() -> None:
    named = sa.select(customers.c.id, customers.c.external_id, customers.c.name)
    for rows in _slices(named, customers.c.id):
        search_index.put_customers(op.get_bind(), [tuple(row) for row in rows])


def _slices(statement: sa.Select[Any], id: sa.ColumnElement[int]) -> Any:
    after = 0
    while (
        rows := op.get_bind().execute(statement.where(id > after).order_by(id).limit(SLICE)).all()
    ):
        yield rows
        after = rows[-1].id
