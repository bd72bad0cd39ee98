"""The lists of queries that Redis keeps, and the time at which time next changes a thread.

`last_role`, the role of the newest public message, is filled in from the stored messages. Equal
times are decided by the ids of the events, as the product does.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
#: Number of threads in one read of messages.
SLICE = 500

_NEWEST = sa.text("""
    SELECT events.thread_id, events.external_id, ranked_at, role,
           events.source_id <> threads.source_id AS of_dashboard, threads.stamps
    FROM events JOIN threads ON threads.id = events.thread_id
    WHERE threads.id IN :ids AND role IS NOT NULL AND NOT private
      AND ranked_at = (
        SELECT max(other.ranked_at) FROM events AS other
        WHERE other.thread_id = threads.id AND other.role IS NOT NULL AND NOT other.private)
""").bindparams(sa.bindparam("ids", expanding=True))
_SAVE = sa.text(
    "UPDATE threads SET last_role = :role, stamps = :stamps WHERE id = :thread"
).bindparams(sa.bindparam("stamps", type_=Json))


def upgrade() -> None:
    op.add_column("threads", sa.Column("last_role", sa.String(8)))
    op.add_column(
        "threads", sa.Column("listed_at", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.add_column("threads", sa.Column("next_change_at", sa.BigInteger()))
    op.create_index(
        "ix_threads_next_change",
        "threads",
        ["next_change_at"],
        sqlite_where=sa.text("next_change_at IS NOT NULL"),
        postgresql_where=sa.text("next_change_at IS NOT NULL"),
    )
    _create_tables()
    _fill_last_roles(op.get_bind())


def downgrade() -> None:
    op.drop_table("query_lists_version")
    op.drop_table("query_lists")
    op.drop_index("ix_threads_next_change", "threads")
    for name in ("next_change_at", "listed_at", "last_role"):
        op.drop_column("threads", name)


def _create_tables() -> None:
    op.create_table(
        "query_lists",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("sort", sa.String(40), nullable=False),
        sa.Column("timezone", sa.String(64), nullable=False),
        sa.Column("admin_id", Id, sa.ForeignKey("admins.id", ondelete="CASCADE")),
        sa.Column("kept_until", sa.BigInteger()),
    )
    versions = op.create_table(
        "query_lists_version",
        sa.Column("id", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )
    op.bulk_insert(versions, [{"id": 1, "version": 0}])


def _fill_last_roles(connection: sa.Connection) -> None:
    newest = _NEWEST.columns(stamps=Json, of_dashboard=sa.Boolean)
    ids = list(connection.scalars(sa.text("SELECT id FROM threads ORDER BY id")))
    for start in range(0, len(ids), SLICE):
        found = connection.execute(newest, {"ids": ids[start : start + SLICE]}).mappings()
        rows = list(_last_roles(found))
        if rows:
            connection.execute(_SAVE, rows)


def _last_roles(found: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    last: dict[int, Mapping[str, Any]] = {}
    for event in found:
        known = last.get(event["thread_id"])
        if known is None or _name(event) > _name(known):
            last[event["thread_id"]] = event
    for thread, event in last.items():
        stamp = [event["ranked_at"], _name(event)]
        yield {
            "thread": thread,
            "role": event["role"],
            "stamps": event["stamps"] | {"last": stamp},
        }


def _name(event: Mapping[str, Any]) -> str:
    return f"/{event['external_id']}" if event["of_dashboard"] else event["external_id"]
