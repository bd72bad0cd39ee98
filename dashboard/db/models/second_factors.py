"""Tables of second factors: the secrets that authenticator apps share, and recovery codes."""

from sqlalchemy import BigInteger, Column, ForeignKey, LargeBinary, Table, Text

from dashboard.db.models.base import Id, metadata

#: The secret is encrypted; it counts once its first code has confirmed it. A code of `last_step` or
#: before is never accepted again.
second_factors = Table(
    "second_factors",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("secret", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("confirmed_at", BigInteger),
    Column("last_step", BigInteger, nullable=False, server_default="0"),
)

#: Codes that were not used yet, each as its SHA-256.
recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), primary_key=True),
    Column("code_hash", LargeBinary(32), primary_key=True),
)
