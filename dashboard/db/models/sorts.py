"""Tables of saved sorts."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, SmallInteger, String, Table

from dashboard.db.models.base import Id, Json, metadata

#: Each row is one version of a sort: `rules` and `timezone`, that of their days, never change.
#: `replaced_at` is when another version took its place, or the sort was deleted; it stays as long
#: as lists of queries are ordered by it.
sorts = Table(
    "sorts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(32), nullable=False),
    Column("title", String(80), nullable=False),
    Column("rules", Json, nullable=False),
    Column("timezone", String(64), nullable=False, server_default="UTC"),
    Column("changed_by", Id, ForeignKey("admins.id", ondelete="SET NULL")),
    Column("changed_at", BigInteger, nullable=False),
    Column("replaced_at", BigInteger),
    sqlite_autoincrement=True,
)
Index(
    "uq_sorts_name",
    sorts.c.name,
    unique=True,
    sqlite_where=sorts.c.replaced_at.is_(None),
    postgresql_where=sorts.c.replaced_at.is_(None),
)

#: One row. `token` is another one after each change: not a number, which a transaction that is
#: rolled back would give to the next one.
sorts_version = Table(
    "sorts_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("token", String(32), nullable=False),
)
