"""Tables of saved views and sorts, of the lists that are kept, of calendars and policies."""

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
)

from dashboard.db.models.base import Id, Json, Names, metadata

#: `owner_id` is the view's admin; null: it belongs to all admins of `desk`, or to everybody.
#: `list_id` is the list that Redis always keeps for it; null if each admin has another list.
#: `timezone` is the time zone of its days.
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

#: One row. Its version grows with each change of `views`; a writer holds off all others.
views_version = Table(
    "views_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
)

#: The version of the last change of each owner's views: `all`, an admin's id or `desk:NAME`.
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

#: The lists of queries that Redis keeps, for views or while somebody looks. `id` is the list id;
#: `sort_id` is the version of a saved sort, `admin_id` stands for `me` in the query and for the
#: assignee of the filter `mine`, `desks` are the desks of its threads, null for all. `kept_until`:
#: end of a list that is kept while somebody looks; null for the list of a view, which is always
#: kept. `looked_until`: somebody looks at least until then. `ordered_since`: time from which it is
#: kept in order; null if Redis keeps its members, but not their order.
query_lists = Table(
    "query_lists",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("query", Text, nullable=False),
    Column("sort", String(40), nullable=False),
    Column("sort_id", Id, ForeignKey("sorts.id")),
    Column("timezone", String(64), nullable=False),
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE")),
    Column("desks", Names),
    Column("filter", String(16), nullable=False, server_default="all"),
    Column("kept_until", BigInteger),
    Column("looked_until", BigInteger, nullable=False, server_default="0"),
    Column("ordered_since", BigInteger, server_default="0"),
)

#: One row, read at once by each write of a thread. `version` grows with each change of the ids in
#: `query_lists`, `policies` with each change of policies or their calendars. Lists hold closed
#: threads for `history_days`.
query_lists_version = Table(
    "query_lists_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("policies", BigInteger, nullable=False, server_default="0"),
    Column("history_days", Integer, nullable=False, server_default="90"),
)

#: Each row is one version of a sort: `rules`, and the `timezone` of their days, never change.
#: `replaced_at` is the time at which another version took its place, or the sort was deleted; the
#: row stays as long as lists of queries are ordered by it.
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

#: One row. `token` changes with each change of sorts. It is no number: a number from a transaction
#: that is rolled back would be given again.
sorts_version = Table(
    "sorts_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("token", String(32), nullable=False),
)

#: `week` has the intervals of weekdays, `exceptions` the dates that differ, as text as written.
calendars = Table(
    "calendars",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("timezone", String(64), nullable=False),
    Column("week", Json, nullable=False),
    Column("exceptions", Json, nullable=False),
    Column("changed_by", Id, ForeignKey("admins.id", ondelete="SET NULL")),
    Column("changed_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

#: The first policy by `place` with a query that holds applies to a thread. The targets are minutes
#: of opening time; null: nothing is promised. `query_lists_version.policies` grows with each change
#: of policies and their calendars.
policies = Table(
    "policies",
    metadata,
    Column("id", Id, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("name", String(80), nullable=False, unique=True),
    Column("query", Text, nullable=False),
    Column("calendar_id", Id, ForeignKey("calendars.id"), nullable=False),
    Column("first_reply", Integer),
    Column("next_reply", Integer),
    Column("changed_by", Id, ForeignKey("admins.id", ondelete="SET NULL")),
    Column("changed_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
