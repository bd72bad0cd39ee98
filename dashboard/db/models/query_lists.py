"""Tables of the lists of queries that Redis keeps."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, SmallInteger, String, Table, Text

from dashboard.db.models.base import Id, Names, metadata

#: The lists of queries that Redis keeps, besides those of the built-in views. `id` is the list id;
#: `sort_id` is the version of a saved sort, `admin_id` is who `me` is in the query and has the
#: threads of the filter `mine`, `desks` are those of its threads, null for all. `kept_until`: while
#: somebody looks; null for the list of a saved view, which is always kept. `looked_until`: until
#: when somebody looks, as far as is known. `ordered_since`: since when it is kept in order; null
#: where Redis keeps which threads are on it, but not their order.
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

#: One row. `version` grows with each change of the ids in `query_lists`, `policies` with each one
#: of what policies and their calendars say; `history_days` is how long lists hold closed threads:
#: what each write of a thread asks, read at once.
query_lists_version = Table(
    "query_lists_version",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("policies", BigInteger, nullable=False, server_default="0"),
    Column("history_days", Integer, nullable=False, server_default="90"),
)
