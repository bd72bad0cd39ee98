"""Tables of who may use Lineup: admins, their sessions and invitations, chatbots and their keys."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    false,
)

from dashboard.db.models.base import Id, Json, Names, metadata

admins = Table(
    "admins",
    metadata,
    Column("id", Id, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("name", String(128), nullable=False),
    Column("role", String(16), nullable=False, server_default="admin"),
    Column("password_hash", String(256), nullable=False),
    Column("preferences", Json, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    Column("disabled_at", BigInteger),
    # Grows with each change of name, role, desks and whether it is disabled.
    Column("changed_at", BigInteger, nullable=False, server_default="0"),
    sqlite_autoincrement=True,
)

#: Whom supervisors have invited: one row for each address, that of the newest invitation. The link
#: holds a random token; the table holds its SHA-256 only.
invitations = Table(
    "invitations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("name", String(128), nullable=False),
    Column("role", String(16), nullable=False),
    Column("desks", Names, nullable=False),
    Column("token_hash", LargeBinary(32), nullable=False, unique=True),
    Column("created_by", Id, ForeignKey("admins.id"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
    Column("withdrawn_at", BigInteger),
    sqlite_autoincrement=True,
)

#: Sign-ins. The cookie holds a random token; the table holds its SHA-256 only. Where it was begun
#: and last used is shown to its admin; a session from before these columns has none of them.
sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", LargeBinary(32), primary_key=True),
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
    Column("last_used_at", BigInteger),
    Column("address", String(64)),
    Column("user_agent", String(300)),
)

#: Each thread is at one desk. None is ever removed.
desks = Table(
    "desks",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("created_at", BigInteger, nullable=False),
)

#: The desks that admins belong to. A supervisor sees all desks, whatever stands here.
admin_desks = Table(
    "admin_desks",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("desk", String(32), ForeignKey("desks.name"), primary_key=True),
)

#: A source is a chatbot, with ids of its own. `_lineup`, a name that no chatbot can have, is the
#: source of events from the dashboard, so that their ids never collide with a chatbot's. `desk` is
#: where its threads begin.
sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("handoff_only", Boolean, nullable=False, server_default=false()),
    Column("desk", String(32), nullable=False, server_default="main"),
    Column("created_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False, index=True),
    Column("prefix", String(16), nullable=False, unique=True),
    Column("secret_hash", LargeBinary(32), nullable=False),
    Column("scopes", Json, nullable=False),
    Column("rate_per_second", Integer),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    sqlite_autoincrement=True,
)

#: Canned replies: texts that admins insert by typing a shortcut.
canned_replies = Table(
    "canned_replies",
    metadata,
    Column("id", Id, primary_key=True),
    Column("shortcut", String(32), nullable=False, unique=True),
    Column("body", Text, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
