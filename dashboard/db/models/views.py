"""Tables of saved views, and of the order in which an admin has them."""

from sqlalchemy import BigInteger, Column, ForeignKey, SmallInteger, String, Table, Text

from dashboard.db.models.base import Id, Json, metadata

#: `owner_id` is whose view it is; null: that of all who see `desk`, or of everybody. `list_id` is
#: the list that Redis always keeps for it; null where each admin who looks has another list.
#: `timezone` is that of its days.
views = Table(
    "views",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(80), nullable=False),
    Column("query", Text, nullable=False),
    Column("sort", String(40), nullable=False, index=True),
    Column("timezone", String(64), nullable=False),
    Column("owner_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), index=True),
    Column("created_by", Id, ForeignKey("admins.id", ondelete="SET NULL")),
    Column("created_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("list_id", String(64), index=True),
    Column("desk", String(32), ForeignKey("desks.name", name="fk_views_desk"), index=True),
    sqlite_autoincrement=True,
)

#: One row, whose version grows with each change of `views`; who writes it holds off all others.
views_version = Table(
    "views_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
)

#: The version at which the views of each owner changed last: `all`, an admin's id or `desk:NAME`.
view_changes = Table(
    "view_changes",
    metadata,
    Column("whose", String(64), key="owner", primary_key=True),
    Column("version", BigInteger, nullable=False),
)

#: The ids of views, as the API names them, in the order that an admin gave them.
view_orders = Table(
    "view_orders",
    metadata,
    Column(
        "admin_id",
        Id,
        ForeignKey("admins.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("ids", Json, nullable=False),
)
