"""The table of the audit log: who did what to accounts, keys, webhooks and the like.

Rows are only added. The database itself refuses to change or to delete one: the triggers are made
with the table. A revision that copies the table on SQLite must create them again.
"""

from sqlalchemy import DDL, BigInteger, Column, Index, String, Table, event

from dashboard.db.models.base import Id, Json, metadata

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
