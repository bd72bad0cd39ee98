"""Tables of admins and their accounts, sessions and second factors, of chatbots and their keys, and
of the audit log.

Entries of the audit log are only added. The database itself refuses to change or to delete one: the
triggers are made with the table. A revision that copies the table on SQLite must create them again.
"""

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    event,
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

#: Invitations by supervisors: one row for each address, that of the newest invitation. The link
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

#: Sign-ins. The cookie holds a random token; the table holds its SHA-256 only. The address at its
#: beginning and the time of its last use are shown to its admin; older sessions have none.
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

#: Each thread is at one desk. Desks are never removed.
desks = Table(
    "desks",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("created_at", BigInteger, nullable=False),
)

#: The desks that admins belong to. A supervisor sees all desks, with or without rows here.
admin_desks = Table(
    "admin_desks",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("desk", String(32), ForeignKey("desks.name"), primary_key=True),
)

#: A source is a chatbot, with ids of its own. `_lineup`, a name that no chatbot can have, is the
#: source of events from the dashboard, so that their ids never collide with a chatbot's. `desk` is
#: the one at which its threads begin.
sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("handoff_only", Boolean, nullable=False, server_default=false()),
    Column("desk", String(32), nullable=False, server_default="main"),
    Column("created_at", BigInteger, nullable=False),
    #: The last thread with facts computed again since a key with `handoff`; null: all have them.
    Column("refolded_to", BigInteger),
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

#: The secret is encrypted; it is active once its first code has confirmed it. A code of `last_step`
#: or before is never accepted again.
second_factors = Table(
    "second_factors",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("secret", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("confirmed_at", BigInteger),
    Column("last_step", BigInteger, nullable=False, server_default="0"),
)

#: Recovery codes that were not used yet, each as its SHA-256.
recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("code_hash", LargeBinary(32), primary_key=True),
)

#: Admins by subject, a provider's id of a person; an admin may have a subject at each provider.
oidc_accounts = Table(
    "oidc_accounts",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
)

#: Sessions that began with the provider; `sid` is the id of its own session, if it gives one.
oidc_sessions = Table(
    "oidc_sessions",
    metadata,
    Column(
        "token_hash",
        LargeBinary(32),
        ForeignKey("sessions.token_hash", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("issuer", String(255), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("sid", String(255)),
    Index("ix_oidc_sessions_subject", "subject", "issuer"),
)

#: Logout tokens that were accepted, kept until they would be refused anyway. Times in ms.
oidc_logouts = Table(
    "oidc_logouts",
    metadata,
    Column("token_id_hash", LargeBinary(32), primary_key=True),
    Column("issuer", String(255), nullable=False),
    Column("subject", String(255)),
    Column("sid", String(255)),
    Column("issued_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
)


def _presence_of(person: str, *more: Column | Index) -> Table:
    """Returns a table of settings, and of the times last seen, true and public."""
    owner = ForeignKey(f"{person}s.id", ondelete="CASCADE")
    return Table(
        f"{person}_presence",
        metadata,
        Column(f"{person}_id", Id, owner, primary_key=True, autoincrement=False),
        Column("settings", Json),
        Column("last_seen", BigInteger),
        Column("public_last_seen", BigInteger),
        *more,
    )


#: A person without a row has no settings and was never seen. `source_id` is the customer's, and
#: `shown_to` says, as the settings do, who may know `public_last_seen`: everyone, contacts, nobody.
customer_presence = _presence_of(
    "customer",
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("shown_to", String(8), nullable=False, server_default="everyone"),
    Index("ix_customer_presence_source_id_last_seen", "source_id", "last_seen"),
    Index("ix_customer_presence_shown_to_public_last_seen", "shown_to", "public_last_seen"),
)
admin_presence = _presence_of("admin")

#: No foreign keys: an entry tells the past, and outlives the objects that it names.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("action", String(40), nullable=False),
    Column("via", String(16), nullable=False),
    Column("admin_id", Id),
    Column("actor_name", String(128), nullable=False),
    Column("actor_email", String(254)),
    Column("address", String(64), nullable=False),
    Column("user_agent", String(256), nullable=False),
    Column("target_kind", String(24), nullable=False),
    Column("target_id", String(64)),
    Column("target_name", String(254), nullable=False),
    Column("data", Json, nullable=False),
    sqlite_autoincrement=True,
)
for _columns in (("at",), ("action", "at"), ("admin_id", "at"), ("target_kind", "target_id", "at")):
    Index(
        f"ix_audit_log_{_columns[0] if len(_columns) == 1 else '_'.join(_columns[:-1])}",
        *(audit_log.c[name] for name in _columns),
        audit_log.c.id,
    )

REFUSED = "the audit log is only added to"
_ON_SQLITE = (
    f"CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    f"CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
    # REPLACE deletes the row of the same id without the trigger above.
    f"CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log"
    f" WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id)"
    f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
)
_ON_POSTGRES = (
    f"CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    f" $$ BEGIN RAISE EXCEPTION '{REFUSED}' USING ERRCODE = 'restrict_violation'; END $$",
    "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log"
    " FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()",
)
for _dialect, _statements in (("sqlite", _ON_SQLITE), ("postgresql", _ON_POSTGRES)):
    for _statement in _statements:
        event.listen(audit_log, "after_create", DDL(_statement).execute_if(dialect=_dialect))
