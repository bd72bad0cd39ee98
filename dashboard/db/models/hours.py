"""Tables of opening hours, and of the policies that promise answers within them."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, String, Table, Text

from dashboard.db.models.base import Id, Json, metadata

#: `week` has the intervals of weekdays, `exceptions` the dates that differ: as they were written.
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

#: The first one by `place` whose query holds counts for a thread. The targets are minutes of
#: opening time; null: nothing is promised. `query_lists_version.policies` grows with each change of
#: what policies and their calendars say.
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
