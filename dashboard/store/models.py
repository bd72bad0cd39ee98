"""The tables. Times are integer milliseconds since 1970 (UTC) unless a name says otherwise."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.dialects.postgresql import JSONB

from scoring.sorts import SORTS

#: SQLite gives out row ids only to a column of type INTEGER.
Id = BigInteger().with_variant(Integer, "sqlite")
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

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
    sqlite_autoincrement=True,
)

#: A sign-in. The cookie holds a random token; here stands its SHA-256 alone.
sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", LargeBinary(32), primary_key=True),
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

#: The chatbots. `_lineup`, a name that no chatbot can have, stands for the dashboard: ids of
#: what admins do there never meet a chatbot's.
sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("handoff_only", Boolean, nullable=False, server_default=false()),
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
    Column("revoked_at", BigInteger),
    sqlite_autoincrement=True,
)

#: `stamps` holds, a field, who wrote it last: {"name": [ranked_at, "event id"], …}.
customers = Table(
    "customers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(128), nullable=False),
    Column("name", Text),
    Column("avatar_url", Text),
    Column("member_status", SmallInteger, nullable=False, server_default="-1"),
    Column("locale", String(35)),
    Column("stamps", Json, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)

#: Facts, lists and scores stand beside the thread, written in the transaction that changes them:
#: what Redis holds is derived from this table alone. `revision` grows by one with each change;
#: `placed_revision` is the last one known to stand in Redis.
threads = Table(
    "threads",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(128), nullable=False),
    Column("customer_id", Id, ForeignKey("customers.id"), index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("placed_revision", BigInteger, nullable=False, server_default="0"),
    Column("stamps", Json, nullable=False, server_default="{}"),
    Column("priority", String(8), nullable=False, server_default="normal"),
    Column("assignee_id", Id, ForeignKey("admins.id"), index=True),
    Column("assigned_at", BigInteger),
    Column("first_event_at", BigInteger),
    Column("last_client_at", BigInteger),
    Column("last_admin_at", BigInteger),
    Column("closed_at", BigInteger),
    Column("reopened_at", BigInteger),
    Column("handoff_at", BigInteger),
    Column("first_call_at", BigInteger),
    Column("next_call_at", BigInteger),
    Column("unanswered", Integer, nullable=False, server_default="0"),
    Column("preview_role", String(8)),
    Column("preview_body", Text),
    Column("preview_at", BigInteger),
    Column("preview_event_id", Id),
    Column("closed", Boolean, nullable=False),
    Column("recent_at", BigInteger, nullable=False),
    Column("waiting_since", BigInteger),
    *(Column(f"score_{name}", BigInteger, nullable=False) for name in SORTS),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)

#: A list in order, straight from SQL: arrival and history by the first two columns, and
#: not_respond read from the index alone.
for _name in SORTS:
    Index(
        f"ix_threads_{_name}",
        threads.c.closed,
        threads.c[f"score_{_name}"],
        threads.c.id,
        threads.c.waiting_since,
    )
#: What a crash left behind between commit and placing.
Index(
    "ix_threads_unplaced",
    threads.c.id,
    sqlite_where=threads.c.placed_revision != threads.c.revision,
    postgresql_where=threads.c.placed_revision != threads.c.revision,
)

#: Every event that was accepted, for ever: messages are the events that have a role.
#: `fingerprint` tells the same event from another one under its id.
events = Table(
    "events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(256), nullable=False),
    Column("fingerprint", LargeBinary(32), nullable=False),
    Column("type", String(32), nullable=False),
    Column("thread_id", Id, ForeignKey("threads.id")),
    Column("customer_id", Id, ForeignKey("customers.id"), index=True),
    Column("occurred_at", BigInteger, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("ranked_at", BigInteger, nullable=False),
    Column("role", String(8)),
    Column("private", Boolean, nullable=False, server_default=false()),
    Column("body", Text),
    Column("attachments", Json),
    Column("author_id", Id, ForeignKey("admins.id")),
    Column("data", Json),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)
#: A thread's events in time order: the conversation, and what a fold has to look up.
Index("ix_events_conversation", events.c.thread_id, events.c.ranked_at, events.c.id)

#: Texts that admins write often, by what they type for them.
canned_replies = Table(
    "canned_replies",
    metadata,
    Column("id", Id, primary_key=True),
    Column("shortcut", String(32), nullable=False, unique=True),
    Column("body", Text, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

#: The life of the lists in Redis that is ours: another epoch there means that it is not.
epochs = Table(
    "epochs",
    metadata,
    Column("tag", String(64), primary_key=True),
    Column("epoch", String(64), nullable=False),
)


def _presence_of(person: str) -> Table:
    """Last seen: when they really were, and as far as others may know."""
    owner = ForeignKey(f"{person}s.id", ondelete="CASCADE")
    return Table(
        f"{person}_presence",
        metadata,
        Column(f"{person}_id", Id, owner, primary_key=True, autoincrement=False),
        Column("settings", Json),
        Column("last_seen", BigInteger),
        Column("public_last_seen", BigInteger),
    )


#: What people set of their presence; who is not in here never set anything and was never seen.
customer_presence = _presence_of("customer")
admin_presence = _presence_of("admin")
